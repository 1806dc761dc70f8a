//! What must not work.

use frontdesk_store::{KeyHash, NewSession, NewUser, Plan, Redacted, Role};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Browser, OTHER_PASSWORD, PASSWORD, SAME_ORIGIN, link, signed_in};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    wire::{self, Request, header},
};

on_both_databases!(
    pages_of_other_websites_change_nothing,
    a_planted_cookie_is_worth_nothing,
    guessing_passwords_is_slow_and_locks_nobody_out,
    links_work_once_for_a_while_and_for_one_purpose,
    the_interface_takes_no_cookie_and_the_gate_no_key,
    what_was_proven_with_an_old_password_is_worth_nothing,
    a_link_of_one_account_does_not_open_another,
    right_passwords_are_limited_too,
);

async fn pages_of_other_websites_change_nothing(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let body = json!({ "name": "theirs" });
    for headers in [
        &[][..],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "none")],
        &[("Sec-Fetch-Site", "cross-site"), ("Origin", "http://frontdesk.example")],
        &[("Origin", "http://evil.example")],
        &[("Origin", "http://frontdesk.example:8081")],
        &[("Origin", "https://frontdesk.example")],
        &[("Origin", "null")],
    ] {
        for path in ["/console/v1/keys", "/console/api/v1/faqs"] {
            let raw = browser.send("POST", path, headers, body.clone()).await;
            assert_eq!(raw.status, 403, "{path} {headers:?}");
            assert_eq!(wire::json(&raw)["error"], "cross_site");
        }
        let sign_in = json!({ "email": customer.owner.email, "password": PASSWORD });
        let raw = Browser::new(&service).send("POST", "/console/v1/session", headers, sign_in).await;
        assert_eq!(raw.status, 403, "nobody is signed in by another website: {headers:?}");
    }
    assert_eq!(browser.call("GET", "/keys", Value::Null).await.1["keys"].as_array().unwrap().len(), 1);
    let raw = browser.send("POST", "/console/v1/keys", &[("Origin", "http://frontdesk.example")], body).await;
    assert_eq!(raw.status, 201, "a browser without Sec-Fetch-Site");
    service.stop().await;
}

async fn a_planted_cookie_is_worth_nothing(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    signed_in(&service, &customer.owner).await;
    let mut browser = Browser::new(&service);
    let planted = format!("frontdesk-80={}", "a".repeat(43));
    browser.cookie = Some(planted.clone());
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let first = browser.cookie.clone().unwrap();
    assert_ne!(first, planted);
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    assert_ne!(browser.cookie.clone().unwrap(), first, "each sign-in has a new token");
    for ended in [planted, first] {
        browser.cookie = Some(ended);
        assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    }
    service.stop().await;
}

async fn guessing_passwords_is_slow_and_locks_nobody_out(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    signed_in(&service, &other.owner).await;
    let mut browser = Browser::new(&service);
    let mut bodies = Vec::new();
    for _ in 0..5 {
        let (status, body) = browser.sign_in(&customer.owner.email, OTHER_PASSWORD).await;
        assert_eq!(status, 401);
        bodies.push(body);
    }
    let body = json!({ "email": customer.owner.email, "password": PASSWORD });
    let raw = browser.send("POST", "/console/v1/session", &[SAME_ORIGIN], body).await;
    assert_eq!(raw.status, 429, "the right password does not say that it is right");
    assert!((1..=60).contains(&header(&raw, "retry-after").parse::<u64>().unwrap()));
    assert_eq!(inside.call("GET", "/session", Value::Null).await.0, 200, "who is inside stays inside");
    assert_eq!(browser.sign_in(&other.owner.email, PASSWORD).await.0, 201, "others are not affected");
    // An address that nobody has gets the same responses.
    for _ in 0..5 {
        let (status, body) = browser.sign_in("nobody@acme.example", PASSWORD).await;
        assert_eq!((status, &body), (401, &bodies[0]));
    }
    assert_eq!(browser.sign_in("nobody@acme.example", PASSWORD).await.0, 429);
    for number in 0..10 {
        assert_eq!(browser.sign_in(&format!("person{number}@acme.example"), PASSWORD).await.0, 401);
    }
    assert_eq!(browser.sign_in(&other.owner.email, PASSWORD).await.0, 429, "20 failures of one address");
    service.stop().await;
}

async fn links_work_once_for_a_while_and_for_one_purpose(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let redeem = |token: &str| json!({ "token": token, "password": OTHER_PASSWORD });
    let used = link(&service, &customer.owner).await;
    let mut anybody = Browser::new(&service);
    for (path, body) in [
        ("/session/link", json!({ "token": used })),
        ("/password-resets/redeem", redeem(&"a".repeat(43))),
        ("/password-resets/redeem", redeem("short")),
        (
            "/setup",
            json!({
                "token": used, "name": "Mallory", "email": "mallory@evil.example", "password": PASSWORD,
                "account_name": "Evil",
            }),
        ),
    ] {
        assert_eq!(anybody.call("POST", path, body).await.0, 404, "{path}");
    }
    assert_eq!(anybody.call("POST", "/password-resets/redeem", redeem(&used)).await.0, 201);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "a reset ends all sessions");
    assert_eq!(anybody.call("POST", "/password-resets/redeem", redeem(&used)).await.0, 404, "once");
    let replaced = link(&service, &customer.owner).await;
    let expired = link(&service, &customer.owner).await;
    assert_eq!(anybody.call("POST", "/password-resets/redeem", redeem(&replaced)).await.0, 404);
    service.database.run("UPDATE links SET expires_at = 1").await;
    assert_eq!(anybody.call("POST", "/password-resets/redeem", redeem(&expired)).await.0, 404);
    service.stop().await;
}

async fn the_interface_takes_no_cookie_and_the_gate_no_key(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let browser = signed_in(&service, &customer.owner).await;
    let cookie = browser.cookie.as_deref().unwrap();
    let status = async |request: Request| request.send(service.address()).await.status.as_u16();
    let get = |path: &str| Request::new("GET", path).header("Sec-Fetch-Site", "same-origin");
    assert_eq!(status(get("/api/v1/chatbots").header("Cookie", cookie)).await, 401);
    for bearer in ["console-session", cookie.split_once('=').unwrap().1] {
        assert_eq!(status(get("/api/v1/chatbots").header("Cookie", cookie).key(bearer)).await, 401);
        assert_eq!(status(get("/console/api/v1/chatbots").key(bearer)).await, 401);
    }
    assert_eq!(status(get("/console/api/v1/chatbots").key(&customer.key.text)).await, 401);
    assert_eq!(status(get("/console/v1/keys").key(&customer.key.text)).await, 401);
    assert_eq!(status(get("/console/api/v1/chatbots").header("Cookie", cookie)).await, 200);
    assert_eq!(status(get("/console/api/v1/nothing").header("Cookie", cookie)).await, 404);
    service.stop().await;
}

async fn what_was_proven_with_an_old_password_is_worth_nothing(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let store = &service.database.store;
    let person = store.people().find_by_email(&customer.owner.email).await.unwrap().unwrap();
    let copied = link(&service, &customer.owner).await;
    let change = json!({ "current_password": PASSWORD, "new_password": OTHER_PASSWORD });
    assert_eq!(browser.call("POST", "/me/password", change).await.0, 204);
    // A sign-in whose password was verified just before the change.
    let new = NewSession {
        person_id: person.person_id,
        hash: KeyHash::new([7; 32]),
        user_agent: "Firefox".to_owned(),
        replaced: None,
    };
    let begin = async |verified: &Redacted<String>| {
        store.sessions().begin(&customer.owner, &new, verified, Timestamp::now()).await.unwrap()
    };
    assert_eq!(begin(&person.password_hash).await, None);
    let now = store.people().find(person.person_id).await.unwrap().unwrap();
    assert!(begin(&now.password_hash).await.is_some());
    let redeem = json!({ "token": copied, "password": PASSWORD });
    assert_eq!(Browser::new(&service).call("POST", "/password-resets/redeem", redeem).await.0, 404);
    service.stop().await;
}

async fn a_link_of_one_account_does_not_open_another(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    signed_in(&service, &customer.owner).await;
    let new = NewUser {
        email: customer.owner.email.to_uppercase(),
        name: "The same address".to_owned(),
        role: Role::Admin,
    };
    let store = &service.database.store;
    let planted = store.users().create(&other.scope(), &new, Timestamp::now()).await.unwrap();
    assert!(store.people().is_of_others(&planted).await.unwrap());
    assert!(!store.people().is_of_others(&customer.owner).await.unwrap());
    let redeem = json!({ "token": link(&service, &planted).await, "password": OTHER_PASSWORD });
    let mut browser = Browser::new(&service);
    assert_eq!(browser.call("POST", "/password-resets/redeem", redeem).await.0, 404);
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 201, "the password is the same");
    service.stop().await;
}

async fn right_passwords_are_limited_too(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    signed_in(&service, &customer.owner).await;
    for number in 1..=20 {
        let (status, _) = Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await;
        assert_eq!(status, 201, "sign-in {number}");
    }
    assert_eq!(Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await.0, 429);
    service.stop().await;
}
