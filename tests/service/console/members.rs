//! Members of accounts: roles, plans, and other accounts.

use frontdesk_store::{Plan, Role, UserStatus};
use serde_json::{Value, json};

use super::{PASSWORD, signed_in};
use crate::{database::Database, installation::Installation, on_both_databases};

on_both_databases!(
    roles_count_at_once,
    a_disabled_member_is_out_at_once,
    sessions_do_not_need_api_access,
    accounts_are_apart,
);

async fn roles_count_at_once(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Collaborator).await;
    let mut browser = signed_in(&service, &user).await;
    let new = json!({ "name": "Website" });
    for (method, path, body) in [
        ("POST", "/keys", new.clone()),
        ("GET", "/keys", Value::Null),
        ("DELETE", "/keys/9a4c7e02-6b1d-4f85-a3e9-0d7c5b2f8164", Value::Null),
        ("GET", "/audit-entries", Value::Null),
    ] {
        let (status, refused) = browser.call(method, path, body).await;
        assert_eq!((status, &refused["error"]), (403, &json!("forbidden")), "{method} {path}");
    }
    assert_eq!(browser.interface("GET", "/chatbots").await, 200);
    assert_eq!(browser.interface("GET", "/webhook-endpoints").await, 403, "as with a key of theirs");
    service.database.set_role(&customer.scope(), user.user_id, Role::Admin).await;
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["role"], "admin");
    assert_eq!(browser.call("POST", "/keys", new.clone()).await.0, 201);
    assert_eq!(browser.interface("GET", "/webhook-endpoints").await, 200);
    service.database.set_role(&customer.scope(), user.user_id, Role::Collaborator).await;
    assert_eq!(browser.call("POST", "/keys", new).await.0, 403);
    service.stop().await;
}

async fn a_disabled_member_is_out_at_once(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut browser = signed_in(&service, &user).await;
    let users = service.database.store.users();
    users.set_status(&customer.scope(), user.user_id, UserStatus::Disabled).await.unwrap().unwrap();
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.interface("GET", "/chatbots").await, 401);
    assert_eq!(browser.sign_in(&user.email, PASSWORD).await.0, 401);
    users.set_status(&customer.scope(), user.user_id, UserStatus::Active).await.unwrap().unwrap();
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "the session has ended for good");
    assert_eq!(browser.sign_in(&user.email, PASSWORD).await.0, 201);
    service.stop().await;
}

async fn sessions_do_not_need_api_access(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Starter).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let request = crate::wire::Request::new("GET", "/api/v1/chatbots").key(&customer.key.text);
    assert_eq!(request.send(service.address()).await.status, 403);
    assert_eq!(browser.interface("GET", "/chatbots").await, 200);
    service.stop().await;
}

async fn accounts_are_apart(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    let mut browser = signed_in(&service, &one.owner).await;
    let mut other = signed_in(&service, &two.owner).await;
    let path = format!("/keys/{}", two.key.key_id);
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 404);
    let (_, keys) = browser.call("GET", "/keys", Value::Null).await;
    assert!(!keys.to_string().contains(&two.key.key_id.to_string()), "{keys}");
    let (_, session) = other.call("GET", "/session", Value::Null).await;
    let path = format!("/me/sessions/{}", session["session_id"].as_str().unwrap());
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 404);
    assert_eq!(other.call("POST", "/keys", json!({ "name": "of two" })).await.0, 201);
    let (_, log) = browser.call("GET", "/audit-entries", Value::Null).await;
    assert!(!log.to_string().contains("of two"), "{log}");
    let (_, log) = other.call("GET", "/audit-entries?limit=1", Value::Null).await;
    let cursor = log["pagination"]["next_cursor"].as_str().unwrap();
    let path = format!("/audit-entries?limit=1&cursor={cursor}");
    assert_eq!(browser.call("GET", &path, Value::Null).await.0, 422, "a cursor of another account");
    service.stop().await;
}
