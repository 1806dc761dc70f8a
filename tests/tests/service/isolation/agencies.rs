//! Chatbots of agencies and sub-accounts: lists, credits and deletion.

use std::collections::BTreeSet;

use frontdesk_client::{Client, model::ChatbotUpdate, model::NewMessage};
use frontdesk_store::{AccountKind, NewAccount, Plan, Role};
use uuid::Uuid;

use crate::{
    database::{Database, account},
    installation::{Installation, client, learned, status},
    on_both_databases, site,
};

on_both_databases!(the_owner_of_an_agency_reaches_its_sub_accounts_only);

async fn listed(client: &Client) -> BTreeSet<Uuid> {
    let listed = client.chatbots().list().await.unwrap();
    listed.chatbots.iter().map(|chatbot| chatbot.chatbot_id).collect()
}

async fn the_owner_of_an_agency_reaches_its_sub_accounts_only(database: Database) {
    let service = Installation::start(database).await;
    let database = &service.database;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = database.customer_of(new).await;
    let below =
        |name| NewAccount { parent_id: Some(agency.account.account_id), ..account(name, Plan::Growth) };
    let first = database.customer_of(below("first")).await;
    let second = database.customer_of(below("second")).await;
    let other = database.customer("other", Plan::Growth).await;
    let admin = database.user(&agency.account, "admin", Role::Admin).await;
    let admin = client(service.address(), &database.key(&admin, None).await.text);

    let site = site::bakery().await;
    let mut chatbots = Vec::new();
    for customer in [&agency, &first, &second, &other] {
        chatbots.push(learned(&service.client(customer), &site).await);
    }
    let [of_agency, of_first, of_second, of_other] = chatbots[..] else { panic!("there are four") };
    let all = [of_agency, of_first, of_second, of_other];
    let owner = service.client(&agency);
    for (name, client, reached) in [
        ("owner", &owner, BTreeSet::from([of_agency, of_first, of_second])),
        ("admin", &admin, BTreeSet::from([of_agency])),
        ("first", &service.client(&first), BTreeSet::from([of_first])),
        ("second", &service.client(&second), BTreeSet::from([of_second])),
        ("other", &service.client(&other), BTreeSet::from([of_other])),
    ] {
        assert_eq!(listed(client).await, reached, "{name}");
        for chatbot_id in all {
            let expected = if reached.contains(&chatbot_id) { 200 } else { 404 };
            let update = ChatbotUpdate::new().primary_goal(name);
            let question = NewMessage::new("What does delivery cost?");
            assert_eq!(status(&client.chatbots().get(chatbot_id).await), expected, "{name}");
            assert_eq!(status(&client.chatbots().update(chatbot_id, update).await), expected, "{name}");
            assert_eq!(status(&client.messages().send(chatbot_id, question).await), expected, "{name}");
        }
    }
    // Each answer is paid by the account of its chatbot: every chatbot was asked by its own account, those of the
    // agency also by its admin or by its owner.
    for (customer, credits) in [(&agency, 2), (&first, 2), (&second, 2), (&other, 1)] {
        let used = database.credits_used(&customer.scope()).await;
        assert_eq!(used, credits, "{}", customer.account.name);
    }
    // A chatbot that the agency's owner deletes is gone for the sub-account; other accounts are unaffected.
    owner.chatbots().delete(of_first).await.unwrap();
    assert!(listed(&service.client(&first)).await.is_empty());
    assert_eq!(listed(&service.client(&second)).await, BTreeSet::from([of_second]));
    assert_eq!(status(&owner.chatbots().delete(of_other).await), 404);
    service.stop().await;
}
