//! Rights of keys: they follow the role, status and plan of their creator with the next request.

use frontdesk_client::{Client, model::ChatbotUpdate, model::NewMessage};
use frontdesk_store::{Plan, Role, UserStatus};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, client, status},
    on_both_databases,
    process::administer,
};

on_both_databases!(
    a_demoted_creator_is_limited_at_once,
    a_revoked_key_stops_at_once,
    only_paying_plans_include_the_interface,
);

/// Returns the statuses of: list, get, send, create, update, delete of an unknown chatbot.
async fn statuses(client: &Client, chatbot_id: Uuid) -> [u16; 6] {
    let new = chatbot_for("More", &["http://127.0.0.2/".into()]);
    [
        status(&client.chatbots().list().await),
        status(&client.chatbots().get(chatbot_id.into()).await),
        status(&client.messages().send(chatbot_id.into(), NewMessage::new("Hello")).await),
        status(&client.chatbots().create(new).await),
        status(&client.chatbots().update(chatbot_id.into(), ChatbotUpdate::new().name("Other")).await),
        status(&client.chatbots().delete(Uuid::new_v4().into()).await),
    ]
}

const ALL: [u16; 6] = [200, 200, 200, 201, 200, 404];

async fn a_demoted_creator_is_limited_at_once(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let new = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    let chatbot_id = service.client(&acme).chatbots().create(new).await.unwrap().chatbot_id;
    let admin = service.database.user(&acme.account, "admin", Role::Admin).await;
    let key = service.database.key(&admin, None).await;
    let client = client(service.address(), &key.text);
    let store = &service.database.store;
    let scope = acme.scope();
    assert_eq!(statuses(&client, chatbot_id.uuid()).await, ALL);
    for (role, expected) in [(Role::Collaborator, [200, 200, 200, 403, 403, 403]), (Role::Admin, ALL)] {
        store.users().set_role(&scope, admin.user_id, role).await.unwrap().unwrap();
        assert_eq!(statuses(&client, chatbot_id.uuid()).await, expected, "{role:?}");
    }
    for (status, expected) in [(UserStatus::Disabled, [401; 6]), (UserStatus::Active, ALL)] {
        store.users().set_status(&scope, admin.user_id, status).await.unwrap().unwrap();
        assert_eq!(statuses(&client, chatbot_id.uuid()).await, expected, "{status:?}");
    }
    store.users().delete(&scope, admin.user_id).await.unwrap();
    assert_eq!(statuses(&client, chatbot_id.uuid()).await, [401; 6]);
    assert_eq!(statuses(&service.client(&acme), chatbot_id.uuid()).await, ALL);
    service.stop().await;
}

async fn a_revoked_key_stops_at_once(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let old = service.client(&acme);
    let new = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    let chatbot_id = old.chatbots().create(new).await.unwrap().chatbot_id;
    let fresh = client(service.address(), &service.database.key(&acme.owner, None).await.text);
    assert_eq!(statuses(&old, chatbot_id.uuid()).await, ALL);
    administer(&service.database, &["key", "delete", &acme.key.key_id.to_string()]).await;
    assert_eq!(statuses(&old, chatbot_id.uuid()).await, [401; 6]);
    assert_eq!(statuses(&fresh, chatbot_id.uuid()).await, ALL);
    service.stop().await;
}

async fn only_paying_plans_include_the_interface(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    let chatbot_id = client.chatbots().create(new).await.unwrap().chatbot_id;
    for (plan, expected) in [
        (Plan::Starter, [403; 6]),
        (Plan::Growth, ALL),
        (Plan::Trial, [403; 6]),
        (Plan::Business, ALL),
        (Plan::Scale, ALL),
    ] {
        let changed = service.database.store.accounts().set_plan(acme.account.account_id, plan, None).await;
        changed.unwrap().unwrap();
        assert_eq!(statuses(&client, chatbot_id.uuid()).await, expected, "{plan:?}");
    }
    service.stop().await;
}
