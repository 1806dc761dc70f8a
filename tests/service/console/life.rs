//! The life of an installation in the console.

use frontdesk_model::operations::OPERATIONS;
use frontdesk_runtime::Operation;
use frontdesk_service::issue_link;
use frontdesk_store::{LinkKind, Plan};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Browser, OTHER_PASSWORD, PASSWORD, SAME_ORIGIN, signed_in};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    wire::{Request, header},
};

on_both_databases!(
    the_first_owner_sets_up_and_makes_keys,
    a_changed_password_ends_other_sessions,
    sessions_are_listed_and_ended,
    keys_need_a_recent_proof,
    the_interface_needs_a_recent_proof_where_its_policy_says_so,
    entries_are_read_in_pages,
    what_is_at_a_limit_is_accepted_and_one_more_is_not,
);

/// The id of nothing.
const UNKNOWN: &str = "0b5e8c37-2f9d-4a61-8e74-d3c1a6f09b28";

fn setup(token: &str) -> Value {
    json!({
        "token": token, "name": "Robin Green", "email": "Robin@Acme.example", "password": PASSWORD,
        "account_name": "Acme Garden Supplies",
    })
}

async fn the_first_owner_sets_up_and_makes_keys(database: Database) {
    let service = Installation::start(database).await;
    let mut browser = Browser::new(&service);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    let token = issue_link(&service.database.store, LinkKind::Setup, None, Timestamp::now()).await.unwrap();

    let mut weak = setup(&token);
    weak["password"] = json!("robin green robin green");
    let (status, refused) = browser.call("POST", "/setup", weak).await;
    assert_eq!((status, refused["errors"]["password"].is_array()), (422, true), "{refused}");
    let (status, session) = browser.call("POST", "/setup", setup(&token)).await;
    assert_eq!(status, 201, "{session}");
    assert_eq!(
        (&session["role"], &session["person"]["email"]),
        (&json!("owner"), &json!("robin@acme.example"))
    );
    assert_eq!(
        Browser::new(&service).call("POST", "/setup", setup(&token)).await.0,
        404,
        "a link works once"
    );
    let again = issue_link(&service.database.store, LinkKind::Setup, None, Timestamp::now()).await.unwrap();
    assert_eq!(Browser::new(&service).call("POST", "/setup", setup(&again)).await.0, 409);

    let old = browser.cookie.clone();
    assert_eq!(browser.call("DELETE", "/session", Value::Null).await.0, 204);
    assert_eq!(browser.cookie, None);
    browser.cookie = old;
    let (status, ended) = browser.call("GET", "/session", Value::Null).await;
    assert_eq!((status, &ended["error"]), (401, &json!("session_ended")));
    assert_eq!(browser.sign_in("ROBIN@acme.example", PASSWORD).await.0, 201);

    let (status, created) = browser.call("POST", "/keys", json!({ "name": "Website" })).await;
    assert_eq!(status, 201, "{created}");
    let key = created["key"].as_str().unwrap();
    let chatbots =
        || async { Request::new("GET", "/api/v1/chatbots").key(key).send(service.address()).await };
    assert_eq!(chatbots().await.status, 200);
    assert_eq!(browser.interface("GET", "/chatbots").await, 200);
    let (_, listed) = browser.call("GET", "/keys", Value::Null).await;
    let listed_key = &listed["keys"][0];
    assert_eq!((&listed_key["name"], &listed_key["member_name"]), (&json!("Website"), &json!("Robin Green")));
    assert!(key.starts_with(listed_key["masked"].as_str().unwrap().trim_end_matches('…')));
    assert!(!listed.to_string().contains(key), "it is shown once");
    let path = format!("/keys/{}", created["key_id"].as_str().unwrap());
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 204);
    assert_eq!(chatbots().await.status, 401, "at once");
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 404);

    let (_, log) = browser.call("GET", "/audit-entries", Value::Null).await;
    let actions: Vec<&str> = log["audit_entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["key.deleted", "key.created", "session.created", "setup.completed"]);
    let newest = &log["audit_entries"][0];
    assert_eq!((&newest["subject"], &newest["actor"]["name"]), (&json!("Website"), &json!("Robin Green")));
    assert_eq!(newest["ip_address"], "127.0.0.1");
    service.stop().await;
}

async fn a_changed_password_ends_other_sessions(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = Browser::new(&service);
    assert_eq!(other.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let change = |old: &str, new: &str| json!({ "current_password": old, "new_password": new });
    let (status, wrong) = browser.call("POST", "/me/password", change(OTHER_PASSWORD, PASSWORD)).await;
    assert_eq!((status, wrong["errors"]["current_password"].is_array()), (422, true));
    let (status, common) = browser.call("POST", "/me/password", change(PASSWORD, "password12345")).await;
    assert_eq!((status, common["errors"]["new_password"].is_array()), (422, true));
    assert_eq!(other.call("GET", "/me", Value::Null).await.0, 200, "nothing has changed");
    assert_eq!(browser.call("POST", "/me/password", change(PASSWORD, OTHER_PASSWORD)).await.0, 204);
    assert_eq!(browser.call("GET", "/me", Value::Null).await.0, 200);
    assert_eq!(other.call("GET", "/me", Value::Null).await.0, 401);
    assert_eq!(other.sign_in(&customer.owner.email, PASSWORD).await.0, 401);
    assert_eq!(other.sign_in(&customer.owner.email, OTHER_PASSWORD).await.0, 201);

    let (status, me) = browser.call("PUT", "/me", json!({ "name": "Nora" })).await;
    assert_eq!((status, &me["name"]), (200, &json!("Nora")));
    let member =
        service.database.store.users().find(&customer.scope(), customer.owner.user_id).await.unwrap();
    assert_eq!(member.unwrap().name, "Nora", "other members see it too");
    service.stop().await;
}

async fn sessions_are_listed_and_ended(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = Browser::new(&service);
    let body = json!({ "email": customer.owner.email, "password": PASSWORD });
    let agent = ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
    let raw = other.send("POST", "/console/v1/session", &[super::SAME_ORIGIN, agent], body).await;
    assert_eq!(raw.status, 201);
    assert!(header(&raw, "set-cookie").starts_with("frontdesk-80="), "without HTTPS, by its port");
    let (_, listed) = browser.call("GET", "/me/sessions", Value::Null).await;
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let of_other = sessions.iter().find(|session| session["current"] == false).unwrap();
    assert_eq!(of_other["user_agent"], "Firefox on Linux");
    let path = format!("/me/sessions/{}", of_other["session_id"].as_str().unwrap());
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 204);
    assert_eq!(other.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 404);

    service.database.run("UPDATE sessions SET last_used_at = 1").await;
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "it was not used for two weeks");
    service.stop().await;
}

async fn the_interface_needs_a_recent_proof_where_its_policy_says_so(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let is_asked = |operation: &&&Operation| {
        let policy = operation.extensions.iter().find(|extension| extension.name == "x-policy").unwrap();
        policy.json.contains(r#""recent":true"#)
    };
    let asked: Vec<_> = OPERATIONS.iter().filter(is_asked).collect();
    assert!(asked.len() >= 10, "exports, erasure, and what sends or opens data elsewhere");
    let path_of = |operation: &Operation| {
        let parts = operation.path.split('/').map(|part| if part.starts_with('{') { UNKNOWN } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    for is_old in [true, false] {
        let statement = if is_old {
            "confirmed_at = confirmed_at - 601000000"
        } else {
            "confirmed_at = confirmed_at + 601000000"
        };
        service.database.run(&format!("UPDATE sessions SET {statement}")).await;
        for operation in &asked {
            let path = format!("/console{}", path_of(operation));
            let raw = browser.send(operation.method.as_str(), &path, &[SAME_ORIGIN], Value::Null).await;
            let is_refused = raw.status == 403 && crate::wire::json(&raw)["error"] == "confirmation_required";
            assert_eq!(is_refused, is_old, "{}: {}", operation.id, raw.status);
            let with_key =
                Request::new(operation.method.as_str(), &path_of(operation)).key(&customer.key.text);
            assert_ne!(
                with_key.send(service.address()).await.status,
                403,
                "{}: keys are not asked",
                operation.id
            );
        }
    }
    service.stop().await;
}

async fn keys_need_a_recent_proof(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    service.database.run("UPDATE sessions SET confirmed_at = 1").await;
    let (status, refused) = browser.call("POST", "/keys", json!({ "name": "Website" })).await;
    assert_eq!((status, &refused["error"]), (403, &json!("confirmation_required")));
    assert_eq!(browser.call("GET", "/keys", Value::Null).await.0, 200, "reading needs none");
    let (status, _) = browser.call("POST", "/session/confirm", json!({ "password": OTHER_PASSWORD })).await;
    assert_eq!(status, 422);
    assert_eq!(browser.call("POST", "/keys", json!({ "name": "Website" })).await.0, 403);
    assert_eq!(browser.call("POST", "/session/confirm", json!({ "password": PASSWORD })).await.0, 200);
    assert_eq!(browser.call("POST", "/keys", json!({ "name": "Website" })).await.0, 201);
    service.stop().await;
}

async fn entries_are_read_in_pages(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    for name in ["one", "two"] {
        assert_eq!(browser.call("POST", "/keys", json!({ "name": name })).await.0, 201);
    }
    let mut subjects = Vec::new();
    let mut path = "/audit-entries?limit=1".to_owned();
    loop {
        let (status, page) = browser.call("GET", &path, Value::Null).await;
        assert_eq!(status, 200, "{page}");
        subjects
            .extend(page["audit_entries"].as_array().unwrap().iter().map(|entry| entry["subject"].clone()));
        let Some(cursor) = page["pagination"]["next_cursor"].as_str() else { break };
        path = format!("/audit-entries?limit=1&cursor={cursor}");
    }
    assert_eq!(subjects, ["two", "one", ""]);
    assert_eq!(browser.call("GET", "/audit-entries?cursor=abc", Value::Null).await.0, 422);
    service.stop().await;
}

async fn what_is_at_a_limit_is_accepted_and_one_more_is_not(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    for (length, expected) in [(100, 201), (101, 422)] {
        let named = json!({ "name": "n".repeat(length) });
        assert_eq!(browser.call("POST", "/keys", named).await.0, expected, "a name of {length} characters");
    }
    let known = browser.call("GET", "/keys", Value::Null).await.1["keys"].as_array().unwrap().len();
    for number in known + 1..=100 {
        let (status, body) = browser.call("POST", "/keys", json!({ "name": "another" })).await;
        assert_eq!(status, 201, "key {number}: {body}");
    }
    let (status, body) = browser.call("POST", "/keys", json!({ "name": "one more" })).await;
    assert_eq!((status, &body["error"]), (409, &json!("limit_reached")), "{body}");

    let words = "seven tulips and eight lilies stand in a jar beside a vase; ".repeat(3);
    let mut current = PASSWORD;
    for (length, expected) in [(12, 204), (128, 204), (11, 422), (129, 422)] {
        let new = &words[..length];
        let change = json!({ "current_password": current, "new_password": new });
        let (status, body) = browser.call("POST", "/me/password", change).await;
        assert_eq!(status, expected, "a password of {length} characters: {body}");
        if status == 204 {
            current = new;
        }
    }
    service.stop().await;
}
