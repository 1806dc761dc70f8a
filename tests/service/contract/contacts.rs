//! Contacts from chats, files and calls, and what an account has used.

use std::collections::BTreeMap;

use frontdesk_client::{
    Client,
    model::{
        Answer, AnswerMode, ContactInfo, ContactSource, DeleteContactMode, ImportOutcome, InboxChannelKind,
        NewChannelMessage, NewContact, NewContactConsent, NewDeal, NewDealActivity, NewDealActivityType,
        NewInboxChannel, NewMessage, UpsertContactKey,
    },
};
use frontdesk_store::Plan;
use futures_util::future::join_all;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases, site,
};

on_both_databases!(
    a_visitor_who_writes_often_is_one_contact,
    a_waiting_visitor_leaves_an_address,
    an_exported_file_can_be_imported,
    lookups_take_one_value,
    an_export_has_everything_about_a_person,
);

async fn send(client: &Client, chatbot_id: Uuid, message: NewMessage) -> Answer {
    client.messages().send(chatbot_id.into(), message).await.unwrap().into_inner()
}

async fn an_export_has_everything_about_a_person(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let (contacts, channels, deals) = (client.contacts(), client.inbox_channels(), client.deals());
    let ann = contacts.create(NewContact::new().email("ann@customer.example")).await.unwrap().contact_id;
    let channel = channels.create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await.unwrap();
    for (id, text) in [("1", "Where is my hedge?"), ("2", "It has come.")] {
        let message = NewChannelMessage::new("order", id, text).contact_id(ann);
        channels.receive_channel_message(channel.channel_id, message).await.unwrap();
    }
    let call = NewDealActivity::new(NewDealActivityType::Call, "Call Ann").contact_id(ann);
    for title in ["Hedge", "Mower"] {
        let deal = deals.create(NewDeal::new(title).contact_ids([ann])).await.unwrap().deal_id;
        client.deal_activities().create(deal, call.clone()).await.unwrap();
        if title == "Mower" {
            deals.delete(deal).await.unwrap();
        }
    }
    // Somebody else's.
    deals.create(NewDeal::new("Spade")).await.unwrap();

    let data = contacts.export_contact(ann).await.unwrap().into_inner();
    let texts: Vec<&str> = data.threads[0].messages.iter().map(|message| &*message.body).collect();
    assert_eq!((data.threads.len(), texts), (1, vec!["Where is my hedge?", "It has come."]));
    let titles: Vec<&str> = data.deals.iter().map(|deal| &*deal.title).collect();
    assert_eq!(titles, ["Hedge", "Mower"]);
    assert_eq!((data.activities.len(), data.conversations.len()), (2, 0));
}

async fn a_visitor_who_writes_often_is_one_contact(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let visitor = || ContactInfo::new().email(" Ann@Customer.example").phone("+44 (0)20 7946 0018");
    let messages = (0..100).map(|_| {
        send(
            &client,
            chatbot_id,
            NewMessage::new("What does delivery cost? My number is 4711-zebra").contact(visitor()),
        )
    });
    let answers = join_all(messages).await;
    let contacts = client.contacts().list().await.unwrap().into_inner().contacts;
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    let contact = &contacts[0];
    assert_eq!(contact.email.as_deref(), Some("ann@customer.example"));
    assert_eq!(contact.phone.as_deref(), Some("+442079460018"));
    assert_eq!((contact.source.clone(), contact.is_verified), (ContactSource::Chatbot, false));
    let contact_id = contact.contact_id;

    let data = client.contacts().export_contact(contact_id).await.unwrap().into_inner();
    assert_eq!(data.conversations.len(), 100);
    assert!(
        data.conversations.iter().all(|conversation| conversation.messages[0].text.contains("4711-zebra"))
    );
    let page = client.contacts().list_conversations(contact_id).limit(30).await.unwrap().into_inner();
    assert_eq!((page.conversations.len(), page.pagination.has_more), (30, true));

    let spent: i64 = answers.iter().map(|answer| answer.usage.credits_used).sum();
    assert!(spent > 0);
    let usage = client.usage().get().await.unwrap().into_inner();
    assert_eq!((usage.credits_used, usage.monthly_remaining), (spent, usage.monthly_limit - spent));
    assert_eq!(usage.days.iter().map(|day| day.credits_used).sum::<i64>(), spent);
    assert!(usage.days.iter().all(|day| day.chatbot_id == Some(chatbot_id.into())), "{usage:?}");

    client.contacts().delete(contact_id).mode(DeleteContactMode::Erase).await.unwrap();
    assert_eq!(status(&client.contacts().get(contact_id).await), 404);
    let messages = service.database.store.conversations();
    let conversation_id = answers[0].conversation_id;
    let left = messages.messages(&acme.scope(), conversation_id.uuid(), 0, 10).await.unwrap();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|message| message.body.is_empty()), "{left:?}");
    service.stop().await;
}

async fn a_waiting_visitor_leaves_an_address(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    // Nobody has asked for it.
    send(&client, chatbot_id, NewMessage::new("I am cleo@customer.example")).await;
    assert!(client.contacts().list().await.unwrap().contacts.is_empty());
    let asked = send(&client, chatbot_id, NewMessage::new("I want to talk to a human, please")).await;
    assert_eq!(asked.mode, AnswerMode::HumanRequested);
    let reply = NewMessage::new("Write to Ann@customer.example, or call +44 20 7946 0018.")
        .conversation_id(asked.conversation_id);
    send(&client, chatbot_id, reply).await;
    let found = client.contacts().lookup().phone("+442079460018").await.unwrap().into_inner();
    assert_eq!(found.email.as_deref(), Some("ann@customer.example"));
    let conversations = client.contacts().list_conversations(found.contact_id).await.unwrap().into_inner();
    assert_eq!(conversations.conversations[0].conversation_id, asked.conversation_id);
    service.stop().await;
}

async fn an_exported_file_can_be_imported(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let (client, other) = (service.client(&acme), service.client(&other));
    let contacts = client.contacts();
    let hostile = NewContact::new()
        .email("bo@customer.example")
        .name("=HYPERLINK(\"http://evil.example\",\"x\")")
        .company("@SUM(1,\n2)")
        .external_id("-1");
    let detailed = hostile
        .clone()
        .custom(vec![Some("+1".to_owned()), None])
        .tags(["-a;b", "c"])
        .custom_fields(BTreeMap::from([("+".to_owned(), "=1,\"2\"".to_owned())]))
        .consent(NewContactConsent::new(false));
    let created = contacts.create(detailed).await.unwrap().into_inner();
    let cleo = NewContact::new().phone("+44 20 7946 0018").name("Cléo, \"the\" customer");
    let customer = contacts.create(cleo).await.unwrap().contact_id;
    contacts.mark_as_customer(customer, None).await.unwrap();
    let file = contacts.export().await.unwrap().into_inner();
    let cells = file.lines().flat_map(|line| line.split(',')).map(|cell| cell.trim_start_matches('"'));
    let formulas: Vec<_> = cells.filter(|cell| cell.starts_with(['=', '+', '-', '@'])).collect();
    assert!(formulas.is_empty(), "{formulas:?} are formulas in {file}");

    let imported = other.contacts().import(file.clone()).await.unwrap().into_inner();
    assert_eq!((imported.created, imported.updated, imported.rejected), (2, 0, 0), "{imported:?}");
    let found = other.contacts().lookup().external_id("-1").await.unwrap().into_inner();
    assert_eq!(found.name.as_deref(), Some("=HYPERLINK(\"http://evil.example\",\"x\")"));
    assert_eq!(found.company.as_deref(), Some("@SUM(1,\n2)"));
    assert_eq!((found.custom, found.source), (vec![Some("+1".to_owned()), None], ContactSource::Import));
    assert_eq!((found.tags, found.custom_fields), (created.tags, created.custom_fields));
    assert_eq!(found.consent.map(|consent| consent.marketing), Some(false));
    let found = other.contacts().lookup().phone("+442079460018").await.unwrap().into_inner();
    assert_eq!((found.name.as_deref(), found.is_paying_customer), (Some("Cléo, \"the\" customer"), true));
    let again = other.contacts().import(file).await.unwrap().into_inner();
    assert_eq!((again.created, again.updated, again.rejected), (0, 2, 0));

    let mixed =
        "email,phone,external_id\nbo@customer.example,,\nnobody,,\n,,\n\"open\nnew@customer.example,,-1\n";
    let report = other.contacts().import(mixed).await.unwrap().into_inner();
    let lines: Vec<_> = report.lines.iter().map(|line| (line.line, line.outcome.clone())).collect();
    let (updated, rejected) = (ImportOutcome::Updated, ImportOutcome::Rejected);
    assert_eq!(lines, [(2, updated), (3, rejected.clone()), (5, rejected)], "{report:?}");
    for wrong in ["", "\n", "name,company\nAnn,Acme\n"] {
        assert_eq!(status(&other.contacts().import(wrong).await), 422, "{wrong:?}");
    }
    service.stop().await;
}

async fn lookups_take_one_value(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let contacts = client.contacts();
    let email = "ann@customer.example";
    let ann = contacts.create(NewContact::new().email(email)).await.unwrap().into_inner();
    assert_eq!(contacts.lookup().email("ANN@customer.example").await.unwrap().contact_id, ann.contact_id);
    for refused in [
        status(&contacts.lookup().await),
        status(&contacts.lookup().email(email).external_id("x").await),
        status(&contacts.lookup().email(email).phone("+442079460018").await),
        status(&contacts.lookup().phone("020 7946 0018").await),
        status(&contacts.create(NewContact::new().name("Nobody")).await),
        status(&contacts.create(NewContact::new().phone("020 7946 0018")).await),
        status(&contacts.upsert(UpsertContactKey::Phone, NewContact::new().email(email)).await),
        status(
            &contacts.merge(ann.contact_id, frontdesk_client::model::ContactMerge::new(ann.contact_id)).await,
        ),
    ] {
        assert_eq!(refused, 422);
    }
    contacts.delete(ann.contact_id).await.unwrap();
    assert!(contacts.list().await.unwrap().contacts.is_empty());
    assert_eq!(contacts.list().archived(true).await.unwrap().contacts.len(), 1);
    assert!(contacts.get(ann.contact_id).await.unwrap().archived_at.is_some());
    assert_eq!(status(&contacts.create(NewContact::new().email(email)).await), 409);
    contacts.upsert(UpsertContactKey::Email, NewContact::new().email(email)).await.unwrap();
    assert_eq!(contacts.list().await.unwrap().contacts.len(), 1);
    service.stop().await;
}
