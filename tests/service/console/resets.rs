//! Forgotten passwords: links by e-mail, for people who may be unknown.

use frontdesk_store::{NoticeStatus, Plan, Role, UserStatus};
use serde_json::{Value, json};

use super::{Browser, OTHER_PASSWORD, PASSWORD, SAME_ORIGIN, mail, signed_in, token_in};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
};

on_both_databases!(
    a_link_is_mailed_to_whom_there_is,
    without_mail_nothing_is_promised,
    requests_are_limited_whoever_they_name,
);

async fn ask(service: &Installation, email: &str) -> (u16, Value) {
    Browser::new(service).call("POST", "/password-resets", json!({ "email": email })).await
}

async fn a_link_is_mailed_to_whom_there_is(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let service = Installation::start_with(database, move |config| mail(config, &url)).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let disabled = service.database.user(&customer.account, "disabled", Role::Admin).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    signed_in(&service, &disabled).await;
    let users = service.database.store.users();
    users.set_status(&customer.scope(), disabled.user_id, UserStatus::Disabled).await.unwrap();
    let (status, ways) = Browser::new(&service).call("GET", "/password-resets", Value::Null).await;
    assert_eq!((status, ways), (200, json!({ "by_email": true })));

    let mut seen = Vec::new();
    for email in [&customer.owner.email.to_uppercase(), "nobody@acme.example", &disabled.email, "no address"]
    {
        let body = json!({ "email": email });
        let raw =
            Browser::new(&service).send("POST", "/console/v1/password-resets", &[SAME_ORIGIN], body).await;
        let mut headers: Vec<String> = raw.headers.keys().map(ToString::to_string).collect();
        headers.sort();
        seen.push((raw.status.as_u16(), raw.body.len(), headers));
    }
    assert_eq!((seen[0].0, seen[0].1), (202, 0));
    assert!(seen.iter().all(|other| *other == seen[0]), "{seen:?}");
    let sent = until("the link is sent", async || {
        service.database.make_due(&["send_notices"]).await;
        mails.lock().unwrap().first().cloned()
    })
    .await;
    assert!(sent.contains("<owner@acme.example>\n"), "{sent}");
    let token = token_in(&sent, "reset");
    // Nobody fills a mailbox.
    assert_eq!(ask(&service, &customer.owner.email).await.0, 202);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 200, "asking ends nothing");
    let redeem = json!({ "token": token, "password": OTHER_PASSWORD });
    assert_eq!(Browser::new(&service).call("POST", "/password-resets/redeem", redeem.clone()).await.0, 201);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "the reset does");
    assert_eq!(Browser::new(&service).call("POST", "/password-resets/redeem", redeem).await.0, 404, "once");
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 401);

    // After 5 minutes, another one is sent, which ends after 30.
    service.database.run("UPDATE people SET reset_requested_at = reset_requested_at - 300000001").await;
    assert_eq!(ask(&service, &customer.owner.email).await.0, 202);
    let sent = until("another link is sent", async || {
        service.database.make_due(&["send_notices"]).await;
        mails.lock().unwrap().get(1).cloned()
    })
    .await;
    service.database.run("UPDATE links SET expires_at = expires_at - 1800000001").await;
    let redeem = json!({ "token": token_in(&sent, "reset"), "password": PASSWORD });
    assert_eq!(Browser::new(&service).call("POST", "/password-resets/redeem", redeem).await.0, 404);
    assert_eq!(mails.lock().unwrap().len(), 2);

    // A request that has waited for too long is not answered any more.
    service.database.run("UPDATE people SET reset_requested_at = 1").await;
    service.database.run("DELETE FROM notices").await;
    let people = service.database.store.people();
    let now = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(31);
    assert!(people.request_reset(&customer.owner.email, now).await.unwrap());
    until("the notice has expired", async || {
        service.database.make_due(&["send_notices"]).await;
        let list = service.database.store.notices().list(&customer.scope()).await.unwrap();
        (list[0].status == NoticeStatus::Expired).then_some(())
    })
    .await;
    assert_eq!(mails.lock().unwrap().len(), 2);
    service.stop().await;
}

async fn without_mail_nothing_is_promised(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    signed_in(&service, &customer.owner).await;
    let (status, ways) = Browser::new(&service).call("GET", "/password-resets", Value::Null).await;
    assert_eq!((status, ways), (200, json!({ "by_email": false })));
    for email in [&customer.owner.email, "nobody@acme.example"] {
        assert_eq!(ask(&service, email).await, (202, Value::Null));
    }
    assert!(service.database.store.notices().list(&customer.scope()).await.unwrap().is_empty());
    service.stop().await;
}

async fn requests_are_limited_whoever_they_name(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    signed_in(&service, &customer.owner).await;
    for email in [&customer.owner.email, "nobody@acme.example"] {
        for _ in 0..5 {
            assert_eq!(ask(&service, email).await.0, 202, "{email}");
        }
        assert_eq!(ask(&service, email).await.0, 429, "{email}");
    }
    for number in 0..8 {
        assert_eq!(ask(&service, &format!("person{number}@acme.example")).await.0, 202);
    }
    assert_eq!(ask(&service, "person8@acme.example").await.0, 429, "20 of one address");
    assert_eq!(
        Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await.0,
        201,
        "who can, signs in"
    );
    let other = Browser::new(&service)
        .send("POST", "/console/v1/password-resets", &[], json!({ "email": "a" }))
        .await;
    assert_eq!(other.status, 403, "not for other websites");
    service.stop().await;
}
