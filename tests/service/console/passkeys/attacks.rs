//! What does not fit: responses from elsewhere, of others and of before, and copies of passkeys.

use frontdesk_store::{Plan, Role};
use serde_json::{Value, json};

use super::{add, answer, begin, challenged, enter, equipped, list, start, waiting};
use crate::{
    console::{Browser, PASSWORD, device::Device, factors::added, signed_in},
    database::Database,
    on_both_databases,
    patience::until,
};

on_both_databases!(
    signatures_that_do_not_fit_open_nothing,
    a_challenge_is_answered_once_where_it_was_made,
    a_second_step_takes_a_passkey_of_the_same_person,
    new_passkeys_that_do_not_fit_are_not_added,
    a_counter_that_does_not_advance_is_refused,
    attempts_are_counted,
);

/// What a device says wrongly, and how it is told to.
type Lie<'a> = (&'static str, &'a dyn Fn(&mut Device));
/// What is wrong with a response, where that is, and what is there instead.
type Change = (&'static str, &'static str, fn(&str) -> String);

async fn signatures_that_do_not_fit_open_nothing(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let (device, _) = equipped(&mut inside, "Laptop").await;
    let (of_jo, _) = equipped(&mut signed_in(&service, &user).await, "Phone").await;
    let mut browser = Browser::new(&service);
    let lies: [Lie<'_>; 6] = [
        ("another origin", &|device| device.origin = "https://desk.evil.example"),
        ("another port", &|device| device.origin = "https://desk.example:8443"),
        ("without HTTPS", &|device| device.origin = "http://desk.example"),
        ("another site", &|device| device.host = "evil.example"),
        ("nobody was verified", &|device| device.verifies = false),
        ("the person of another passkey", &|device| device.impersonate(&of_jo)),
    ];
    let mut refusals = Vec::new();
    for (lie, tell) in lies {
        let mut device = device.clone();
        tell(&mut device);
        let (status, refused) = enter(&mut browser, &mut device).await;
        assert_eq!((status, &refused["error"]), (401, &json!("invalid_credentials")), "{lie}");
        refusals.push(refused);
    }
    let changes: [Change; 3] = [
        ("another signature", "signature", |text| format!("{}AAAA", &text[..text.len() - 4])),
        ("other data", "authenticatorData", |text| format!("{}A", &text[..text.len() - 1])),
        ("no data", "clientDataJSON", |_| String::new()),
    ];
    for (change, member, changed) in changes {
        let begun = challenged(&mut browser).await;
        let mut credential = device.clone().sign(&begun["options"]);
        let text = credential["response"][member].as_str().unwrap().to_owned();
        credential["response"][member] = json!(changed(&text));
        let (status, refused) = answer(&mut browser, &begun, credential).await;
        assert_eq!(status, 401, "{change}");
        refusals.push(refused);
    }
    // A passkey that nobody has, and none at all.
    let begun = challenged(&mut browser).await;
    let (mut unknown, made) =
        Device::make(&json!({ "user": { "id": "AAAA" }, "challenge": begun["options"]["challenge"] }));
    refusals.push(answer(&mut browser, &begun, made).await.1);
    refusals.push(enter(&mut browser, &mut unknown).await.1);
    let begun = challenged(&mut browser).await;
    refusals.push(answer(&mut browser, &begun, json!({})).await.1);
    assert!(
        refusals.iter().all(|refused| *refused == refusals[0]),
        "all refusals are the same: {refusals:?}"
    );
    assert_eq!(browser.cookie, None);

    // Whoever is disabled has the same response, and so has whoever was removed.
    let mut jo = of_jo;
    let path = format!("/members/{}", user.user_id);
    assert_eq!(inside.call("PUT", &path, json!({ "status": "disabled" })).await.0, 200);
    assert_eq!(enter(&mut browser, &mut jo).await, (401, refusals[0].clone()));
    assert_eq!(inside.call("DELETE", &path, Value::Null).await.0, 204);
    assert_eq!(enter(&mut browser, &mut jo).await, (401, refusals[0].clone()));
    assert_eq!(enter(&mut browser, &mut device.clone()).await.0, 201, "the right one opens");
    service.stop().await;
}

async fn a_challenge_is_answered_once_where_it_was_made(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let (mut device, _) = equipped(&mut inside, "Laptop").await;

    // Once, also if the first response was wrong.
    let mut browser = Browser::new(&service);
    let begun = challenged(&mut browser).await;
    let credential = device.sign(&begun["options"]);
    assert_eq!(answer(&mut browser, &begun, credential.clone()).await.0, 201);
    assert_eq!(answer(&mut Browser::new(&service), &begun, credential).await.0, 401, "somebody has seen it");
    let begun = challenged(&mut browser).await;
    assert_eq!(answer(&mut browser, &begun, json!({})).await.0, 401);
    let credential = device.sign(&begun["options"]);
    assert_eq!(answer(&mut browser, &begun, credential).await.0, 401, "it was answered");

    // A signature for one challenge does not answer another, and without the token it answers none.
    let (one, two) = (challenged(&mut browser).await, challenged(&mut browser).await);
    let credential = device.sign(&one["options"]);
    assert_eq!(answer(&mut browser, &two, credential.clone()).await.0, 401);
    let forged = json!({ "token": "a".repeat(43) });
    assert_eq!(answer(&mut browser, &forged, credential).await.0, 401);

    // Five minutes.
    let begun = challenged(&mut browser).await;
    service.database.run("UPDATE passkey_challenges SET expires_at = expires_at - 300000001").await;
    let credential = device.sign(&begun["options"]);
    assert_eq!(answer(&mut browser, &begun, credential).await.0, 401);
    until("housekeeping deletes what has expired", async || {
        service.database.make_due(&["prune_sessions"]).await;
        service
            .database
            .store
            .passkeys()
            .prune_challenges(jiff::Timestamp::now(), 1)
            .await
            .ok()
            .filter(|left| *left == 0)
            .map(drop)
    })
    .await;

    // One that was made to add a passkey does not sign in, and the other way round.
    let begun = begin(&mut inside).await;
    let credential = device.sign(&begun["options"]);
    assert_eq!(answer(&mut Browser::new(&service), &begun, credential).await.0, 401);
    let mut options = challenged(&mut browser).await;
    options["options"]["user"] = json!({ "id": "AAAA" });
    let (_, credential) = Device::make(&options["options"]);
    assert_eq!(add(&mut inside, &options, "Phone", credential).await.0, 422);

    // Of requests with the same response at the same time, one is accepted.
    let begun = challenged(&mut browser).await;
    let credential = device.sign(&begun["options"]);
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let (mut browser, begun, credential) = (Browser::new(&service), begun.clone(), credential.clone());
        tasks.push(tokio::spawn(async move { answer(&mut browser, &begun, credential).await.0 }));
    }
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401]);
    service.stop().await;
}

async fn a_second_step_takes_a_passkey_of_the_same_person(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let (mut device, first) = equipped(&mut signed_in(&service, &customer.owner).await, "Laptop").await;
    let mut inside = signed_in(&service, &user).await;
    let (mut of_jo, _) = equipped(&mut inside, "Phone").await;

    // Whoever knows the password of somebody else does not get in with a passkey of their own.
    let mut browser = waiting(&service, &customer.owner).await;
    assert_eq!(enter(&mut browser, &mut of_jo).await.0, 401);
    let mut impostor = of_jo.clone();
    impostor.impersonate(&device);
    assert_eq!(enter(&mut browser, &mut impostor).await.0, 401);
    assert_eq!(enter(&mut browser, &mut device).await.0, 201, "the sign-in still waits");

    // The challenge of a sign-in that waits is answered in the same browser, while it waits.
    let mut browser = waiting(&service, &customer.owner).await;
    let begun = challenged(&mut browser).await;
    let credential = device.sign(&begun["options"]);
    let mut elsewhere = Browser::new(&service);
    assert_eq!(answer(&mut elsewhere, &begun, credential).await.1["error"], "session_ended");
    let begun = challenged(&mut browser).await;
    let credential = device.sign(&begun["options"]);
    assert_eq!(browser.call("DELETE", "/session/factor", Value::Null).await.0, 204);
    assert_eq!(answer(&mut browser, &begun, credential).await.0, 401, "it was given up");

    // Of another person, whose sign-in waits in this browser now.
    let mut browser = waiting(&service, &customer.owner).await;
    let begun = challenged(&mut browser).await;
    assert_eq!(browser.sign_in(&user.email, PASSWORD).await.0, 202);
    let credential = device.sign(&begun["options"]);
    let (status, ended) = answer(&mut browser, &begun, credential).await;
    assert_eq!((status, &ended["error"]), (401, &json!("session_ended")));

    // Whoever has no passkey has no challenge, and a recovery code is accepted in place of the passkey.
    let mut browser = waiting(&service, &customer.owner).await;
    let code = json!({ "code": first["recovery_codes"][0] });
    assert_eq!(browser.call("POST", "/session/factor", json!({ "code": "123456" })).await.0, 422, "no app");
    assert_eq!(browser.call("POST", "/session/factor", code).await.0, 201);
    let third = service.database.user(&customer.account, "kim", Role::Admin).await;
    added(&mut signed_in(&service, &third).await).await;
    let mut browser = Browser::new(&service);
    assert_eq!(browser.sign_in(&third.email, PASSWORD).await.0, 202);
    let (status, refused) = browser.call("POST", "/session/passkey/challenge", Value::Null).await;
    assert_eq!((status, &refused["error"]), (409, &json!("conflict")), "{refused}");
    service.stop().await;
}

async fn new_passkeys_that_do_not_fit_are_not_added(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = signed_in(&service, &user).await;

    let begun = begin(&mut browser).await;
    let (_, credential) = Device::make(&begun["options"]);
    let (status, refused) = add(&mut other, &begun, "Laptop", credential.clone()).await;
    assert_eq!(
        (status, refused["errors"]["credential"].is_array()),
        (422, true),
        "of another session: {refused}"
    );
    assert_eq!(add(&mut browser, &begun, "Laptop", credential).await.0, 422, "it was answered");

    let lies: [Lie<'_>; 3] = [
        ("another origin", &|device| device.origin = "https://evil.example"),
        ("another site", &|device| device.host = "evil.example"),
        ("nobody was verified", &|device| device.verifies = false),
    ];
    for (lie, tell) in lies {
        let begun = begin(&mut browser).await;
        let (mut device, _) = Device::make(&begun["options"]);
        tell(&mut device);
        let credential = device.response(&begun["options"]);
        assert_eq!(add(&mut browser, &begun, "Laptop", credential).await.0, 422, "{lie}");
    }
    service.database.run("UPDATE sessions SET confirmed_at = confirmed_at + 60000000").await;
    let begun = begin(&mut other).await;
    let (_, credential) = Device::make(&begun["options"]);
    service.database.run("UPDATE passkey_challenges SET expires_at = expires_at - 300000001").await;
    assert_eq!(add(&mut other, &begun, "Laptop", credential).await.0, 422, "5 minutes have passed");
    let begun = begin(&mut other).await;
    let (_, credential) = Device::make(&begun["options"]);
    for name in ["", &"a".repeat(101)] {
        assert_eq!(add(&mut other, &begun, name, credential.clone()).await.0, 422);
    }
    assert_eq!(
        add(&mut other, &begun, "Laptop", credential.clone()).await.0,
        201,
        "the body was refused before"
    );
    // The same passkey cannot be added to a second person.
    let begun = begin(&mut other).await;
    let (device, _) = Device::make(&begun["options"]);
    let twice = device.response(&begun["options"]);
    assert_eq!(add(&mut other, &begun, "Phone", twice).await.0, 201);
    let database = service.stop_for_another().await;
    let service = start(database).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let begun = begin(&mut browser).await;
    let twice = device.response(&begun["options"]);
    assert_eq!(add(&mut browser, &begun, "Mine", twice).await.1["error"], "already_exists");
    assert!(list(&mut browser).await.is_empty());
    service.stop().await;
}

async fn a_counter_that_does_not_advance_is_refused(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let (mut device, _) = equipped(&mut inside, "Laptop").await;
    let mut copy = device.clone();
    assert_eq!(enter(&mut Browser::new(&service), &mut device).await.0, 201);
    let (status, refused) = enter(&mut Browser::new(&service), &mut copy).await;
    assert_eq!((status, &refused["error"]), (401, &json!("invalid_credentials")));
    let (_, log) = inside.call("GET", "/audit-entries", Value::Null).await;
    let entry = &log["audit_entries"][0];
    assert_eq!(
        (&entry["action"], &entry["subject"]),
        (&json!("passkey.refused"), &json!("Laptop")),
        "{entry}"
    );
    copy.counter = None;
    assert_eq!(
        enter(&mut Browser::new(&service), &mut copy).await.0,
        401,
        "one that has counted goes on counting"
    );
    device.counter = Some(u32::MAX - 1);
    assert_eq!(enter(&mut Browser::new(&service), &mut device).await.0, 201);

    // Many do not count, because they are on several devices of a person.
    let begun = begin(&mut inside).await;
    let (mut synced, _) = Device::make(&begun["options"]);
    synced.counter = None;
    let credential = synced.response(&begun["options"]);
    assert_eq!(add(&mut inside, &begun, "Phone", credential).await.0, 201);
    for _ in 0..2 {
        assert_eq!(enter(&mut Browser::new(&service), &mut synced).await.0, 201);
    }
    service.stop().await;
}

async fn attempts_are_counted(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let (mut device, _) = equipped(&mut signed_in(&service, &customer.owner).await, "Laptop").await;
    let mut browser = Browser::new(&service);
    let forged = json!({ "token": "a".repeat(43) });
    for _ in 0..20 {
        assert_eq!(answer(&mut browser, &forged, json!({})).await.0, 401);
    }
    assert_eq!(answer(&mut browser, &forged, json!({})).await.0, 429);
    assert_eq!(enter(&mut browser, &mut device).await.0, 429, "a right one does not say that it is right");
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 429, "passwords count with them");
    for _ in 1..30 {
        challenged(&mut browser).await;
    }
    assert_eq!(browser.call("POST", "/session/passkey/challenge", Value::Null).await.0, 429);
    service.stop().await;
}
