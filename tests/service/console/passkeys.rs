//! Passkeys: their life, what they open, and what does not fit.

use frontdesk_service::config::Config;
use frontdesk_store::{Plan, Role, User};
use serde_json::{Value, json};

use super::{
    Browser, PASSWORD,
    device::Device,
    factors::{actions, added, let_codes_be_new},
    mail, signed_in,
};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    patience::until,
    process::administer,
    webhooks::mail::{Manner, sink},
};

on_both_databases!(
    a_person_adds_uses_renames_and_removes_passkeys,
    a_passkey_is_a_sign_in_and_a_second_step,
    a_passkey_satisfies_an_account_that_requires_a_factor,
    signatures_that_do_not_fit_open_nothing,
    a_challenge_is_answered_once_where_it_was_made,
    a_second_step_takes_a_passkey_of_the_same_person,
    new_passkeys_that_do_not_fit_are_not_added,
    a_counter_that_does_not_advance_is_refused,
    attempts_are_counted,
    passkeys_need_an_address,
    changes_of_passkeys_are_mailed,
);

fn at_home(config: &mut Config) {
    config.mail.public_url = Some("https://desk.example/".parse().unwrap());
}

async fn start(database: Database) -> Installation {
    Installation::start_with(database, at_home).await
}

async fn begin(browser: &mut Browser) -> Value {
    let (status, begun) = browser.call("POST", "/me/passkeys/challenge", Value::Null).await;
    assert_eq!(status, 201, "{begun}");
    begun
}

async fn add(browser: &mut Browser, begun: &Value, name: &str, credential: Value) -> (u16, Value) {
    let body = json!({ "token": begun["token"], "name": name, "credential": credential });
    browser.call("POST", "/me/passkeys", body).await
}

/// Adds a passkey. Returns the device, and what the service says.
async fn equipped(browser: &mut Browser, name: &str) -> (Device, Value) {
    let begun = begin(browser).await;
    let (device, credential) = Device::make(&begun["options"]);
    let (status, added) = add(browser, &begun, name, credential).await;
    assert_eq!((status, &added["passkey"]["name"]), (201, &json!(name)), "{added}");
    (device, added)
}

/// Asks for a challenge to sign in.
async fn challenged(browser: &mut Browser) -> Value {
    let (status, begun) = browser.call("POST", "/session/passkey/challenge", Value::Null).await;
    assert_eq!(status, 201, "{begun}");
    begun
}

async fn answer(browser: &mut Browser, begun: &Value, credential: Value) -> (u16, Value) {
    let body = json!({ "token": begun["token"], "credential": credential });
    browser.call("POST", "/session/passkey", body).await
}

/// Signs in with the passkey of a device, or completes a sign-in.
async fn enter(browser: &mut Browser, device: &mut Device) -> (u16, Value) {
    let begun = challenged(browser).await;
    let credential = device.sign(&begun["options"]);
    answer(browser, &begun, credential).await
}

/// A browser in which the password was entered.
async fn waiting(service: &Installation, user: &User) -> Browser {
    let mut browser = Browser::new(service);
    let (status, body) = browser.sign_in(&user.email, PASSWORD).await;
    assert_eq!((status, &body["has_passkeys"]), (202, &json!(true)), "{body}");
    browser
}

async fn list(browser: &mut Browser) -> Vec<Value> {
    let (status, list) = browser.call("GET", "/me/passkeys", Value::Null).await;
    assert_eq!(status, 200, "{list}");
    list["passkeys"].as_array().unwrap().clone()
}

async fn a_person_adds_uses_renames_and_removes_passkeys(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = Browser::new(&service);
    assert_eq!(other.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    assert!(list(&mut browser).await.is_empty());
    let support = other.call("GET", "/session/passkey/support", Value::Null).await;
    assert_eq!(support, (200, json!({ "status": "available", "origin": "https://desk.example" })));

    let begun = begin(&mut browser).await;
    let options = &begun["options"];
    assert_eq!(options["rp"], json!({ "id": "desk.example", "name": "Frontdesk" }));
    assert_eq!(options["user"]["name"], customer.owner.email);
    assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!((&options["attestation"], &options["excludeCredentials"]), (&json!("none"), &json!([])));
    let (mut laptop, credential) = Device::make(options);
    let (status, first) = add(&mut browser, &begun, "Laptop", credential).await;
    assert_eq!((status, first["recovery_codes"].as_array().unwrap().len()), (201, 10), "{first}");
    assert_eq!(other.call("GET", "/session", Value::Null).await.0, 401, "others have shown no passkey");
    let (_, members) = browser.call("GET", "/members", Value::Null).await;
    assert_eq!(members["members"][0]["has_second_factor"], true, "{members}");

    // A second one is not offered to the device that has the first, and brings no codes.
    let begun = begin(&mut browser).await;
    assert_eq!(begun["options"]["excludeCredentials"][0]["id"], laptop.id());
    let again = laptop.response(&begun["options"]);
    let (status, known) = add(&mut browser, &begun, "Laptop again", again).await;
    assert_eq!((status, &known["error"]), (409, &json!("already_exists")), "{known}");
    let (mut phone, second) = equipped(&mut browser, "Phone").await;
    assert_eq!(second["recovery_codes"], json!([]));

    let mut elsewhere = Browser::new(&service);
    let (status, session) = enter(&mut elsewhere, &mut phone).await;
    assert_eq!((status, &session["person"]["email"]), (201, &json!(customer.owner.email)), "{session}");
    assert_eq!(elsewhere.interface("GET", "/chatbots").await, 200);
    let passkeys = list(&mut browser).await;
    let shown: Vec<_> =
        passkeys.iter().map(|key| (key["name"].as_str().unwrap(), key["last_used_at"].is_string())).collect();
    assert_eq!(shown, [("Laptop", false), ("Phone", true)]);

    let path = |key: &Value| format!("/me/passkeys/{}", key["passkey_id"].as_str().unwrap());
    let name = json!({ "name": "Work laptop" });
    let (status, renamed) = browser.call("PUT", &path(&passkeys[0]), name.clone()).await;
    assert_eq!((status, &renamed["name"]), (200, &json!("Work laptop")), "{renamed}");
    let user = service.database.user(&customer.account, "jo", Role::Owner).await;
    let mut stranger = signed_in(&service, &user).await;
    assert_eq!(stranger.call("PUT", &path(&passkeys[0]), name).await.0, 404, "that of somebody else");
    assert_eq!(stranger.call("DELETE", &path(&passkeys[0]), Value::Null).await.0, 404);

    service.database.run("UPDATE sessions SET confirmed_at = confirmed_at - 601000000").await;
    for (method, path) in [
        ("DELETE", path(&passkeys[0])),
        ("POST", "/me/passkeys/challenge".into()),
        ("POST", "/me/passkeys".into()),
    ] {
        let (status, refused) = browser.call(method, &path, Value::Null).await;
        assert_eq!((status, &refused["error"]), (403, &json!("confirmation_required")), "{method} {path}");
    }
    assert_eq!(browser.call("POST", "/session/confirm", json!({ "password": PASSWORD })).await.0, 200);
    assert_eq!(browser.call("DELETE", &path(&passkeys[0]), Value::Null).await.0, 204);
    assert_eq!(browser.call("DELETE", &path(&passkeys[0]), Value::Null).await.0, 404);
    assert_eq!(enter(&mut Browser::new(&service), &mut laptop).await.0, 401, "it was removed");
    assert_eq!(waiting(&service, &customer.owner).await.call("GET", "/session", Value::Null).await.0, 401);
    let (_, factor) = browser.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!(factor, json!({ "enabled_at": null, "recovery_codes_left": 10 }), "there is still one");
    assert_eq!(browser.call("DELETE", &path(&passkeys[1]), Value::Null).await.0, 204);
    let (_, factor) = browser.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!(factor["recovery_codes_left"], 0, "they go with the last factor");
    assert_eq!(Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let expected = ["session.created", "passkey.removed", "passkey.removed"];
    assert_eq!(actions(&mut browser).await[..3], expected);
    assert!(actions(&mut browser).await.contains(&"passkey.added".to_owned()));

    // At most 20, also where a challenge was made before.
    let begun = begin(&mut browser).await;
    for number in 0..20 {
        equipped(&mut browser, &format!("Device {number}")).await;
    }
    let (_, credential) = Device::make(&begun["options"]);
    let (status, refused) = add(&mut browser, &begun, "One too many", credential).await;
    assert_eq!((status, &refused["error"]), (409, &json!("limit_reached")), "{refused}");
    assert_eq!(browser.call("POST", "/me/passkeys/challenge", Value::Null).await.0, 409);
    service.stop().await;
}

async fn a_passkey_is_a_sign_in_and_a_second_step(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let (app, _) = added(&mut browser).await;
    let (mut device, second) = equipped(&mut browser, "Laptop").await;
    assert_eq!(second["recovery_codes"], json!([]), "those of the app are valid on");
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 200);

    // Alone, it is both factors.
    let mut alone = Browser::new(&service);
    let begun = challenged(&mut alone).await;
    assert!(begun["options"].get("allowCredentials").is_none_or(|known| known == &json!([])), "{begun}");
    let credential = device.sign(&begun["options"]);
    assert_eq!(answer(&mut alone, &begun, credential).await.0, 201);

    // After the password, it replaces the code.
    let mut after = waiting(&service, &customer.owner).await;
    let (status, pending) = after.call("GET", "/session/factor", Value::Null).await;
    assert_eq!((status, &pending["has_app"], &pending["has_passkeys"]), (200, &json!(true), &json!(true)));
    let begun = challenged(&mut after).await;
    assert_eq!(begun["options"]["allowCredentials"][0]["id"], device.id());
    let before = after.cookie.clone();
    let mut credential = device.sign(&begun["options"]);
    // Browsers leave the person out where the service has named the passkey.
    credential["response"].as_object_mut().unwrap().remove("userHandle");
    let (status, session) = answer(&mut after, &begun, credential).await;
    assert_eq!((status, &session["person"]["email"]), (201, &json!(customer.owner.email)), "{session}");
    assert_ne!(after.cookie, before);
    after.cookie = before;
    assert_eq!(
        after.call("GET", "/session/factor", Value::Null).await.0,
        401,
        "it is worth nothing any more"
    );
    let mut code = waiting(&service, &customer.owner).await;
    let_codes_be_new(&service).await;
    let code_of_app = json!({ "code": app.code() });
    assert_eq!(code.call("POST", "/session/factor", code_of_app).await.0, 201, "the app works on");

    // Without the app, the passkey protects the password, and recovery codes replace it.
    let_codes_be_new(&service).await;
    let remove = json!({ "code": app.code() });
    assert_eq!(browser.call("POST", "/me/second-factor/remove", remove).await.0, 204);
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &mut device).await.0, 201);
    let (_, shown) = browser.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!(shown, json!({ "enabled_at": null, "recovery_codes_left": 10 }));

    // The operator helps whoever has lost everything.
    let shown = administer(&service.database, &["user", "factors", &customer.owner.email]).await;
    assert_eq!((&shown["passkeys"], &shown["removed"]), (&json!(1), &json!(false)), "{shown}");
    let mut begun = waiting(&service, &customer.owner).await;
    let remove = ["user", "factors", &customer.owner.email, "--remove"];
    let removed = administer(&service.database, &remove).await;
    assert_eq!((&removed["passkeys"], &removed["removed"]), (&json!(0), &json!(true)), "{removed}");
    assert_eq!(begun.call("GET", "/session/factor", Value::Null).await.0, 401, "the sign-in begins again");
    assert_eq!(enter(&mut Browser::new(&service), &mut device).await.0, 401);
    assert_eq!(Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    service.stop().await;
}

async fn a_passkey_satisfies_an_account_that_requires_a_factor(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let mut browser = signed_in(&service, &user).await;
    let (_, first) = equipped(&mut owner, "Laptop").await;
    let require = json!({ "second_factor_required": true });
    assert_eq!(owner.call("PUT", "/account", require).await.0, 200, "the owner has one");
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["needs_second_factor"], true);
    let (mut device, _) = equipped(&mut browser, "Phone").await;
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["needs_second_factor"], false);
    let mut again = Browser::new(&service);
    assert_eq!(enter(&mut again, &mut device).await.1["needs_second_factor"], false);
    assert_eq!(again.interface("GET", "/chatbots").await, 200);

    // The last one stays while the account requires it; another factor makes it free.
    let path = format!("/me/passkeys/{}", first["passkey"]["passkey_id"].as_str().unwrap());
    let (status, refused) = owner.call("DELETE", &path, Value::Null).await;
    let message = refused["message"].as_str().unwrap();
    assert!(status == 409 && message.contains("requires a second factor"), "{refused}");
    assert_eq!(list(&mut owner).await.len(), 1, "nothing was removed");
    let (_, factor) = owner.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!(factor["recovery_codes_left"], 10);
    let (app, _) = added(&mut owner).await;
    assert_eq!(owner.call("DELETE", &path, Value::Null).await.0, 204);
    let_codes_be_new(&service).await;
    let remove = json!({ "code": app.code() });
    assert_eq!(owner.call("POST", "/me/second-factor/remove", remove).await.0, 409);
    service.stop().await;
}

async fn signatures_that_do_not_fit_open_nothing(database: Database) {
    let service = start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let (device, _) = equipped(&mut inside, "Laptop").await;
    let (of_jo, _) = equipped(&mut signed_in(&service, &user).await, "Phone").await;
    let mut browser = Browser::new(&service);
    let lies: [(&str, &dyn Fn(&mut Device)); 6] = [
        ("another origin", &|device| device.origin = "https://desk.evil.example".to_owned()),
        ("another port", &|device| device.origin = "https://desk.example:8443".to_owned()),
        ("without HTTPS", &|device| device.origin = "http://desk.example".to_owned()),
        ("another site", &|device| device.host = "evil.example".to_owned()),
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
    let changes: [(&str, &str, &dyn Fn(&str) -> String); 3] = [
        ("another signature", "signature", &|text| format!("{}AAAA", &text[..text.len() - 4])),
        ("other data", "authenticatorData", &|text| format!("{}A", &text[..text.len() - 1])),
        ("no data", "clientDataJSON", &|_| String::new()),
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

    let lies: [(&str, &dyn Fn(&mut Device)); 3] = [
        ("another origin", &|device| device.origin = "https://evil.example".to_owned()),
        ("another site", &|device| device.host = "evil.example".to_owned()),
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

async fn passkeys_need_an_address(database: Database) {
    // The requests of these tests are sent to a host without HTTPS.
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let support = browser.call("GET", "/session/passkey/support", Value::Null).await;
    assert_eq!(support, (200, json!({ "status": "https_required", "origin": null })));
    for path in ["/me/passkeys/challenge", "/session/passkey/challenge"] {
        let (status, refused) = browser.call("POST", path, Value::Null).await;
        assert_eq!((status, &refused["error"]), (409, &json!("conflict")), "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("HTTPS"), "{refused}");
    }
    service.stop().await;
}

async fn changes_of_passkeys_are_mailed(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let service = Installation::start_with(database, move |config| mail(config, &url)).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let (mut device, added) = equipped(&mut browser, "Laptop").await;
    let mut copy = device.clone();
    assert_eq!(enter(&mut Browser::new(&service), &mut device).await.0, 201);
    assert_eq!(enter(&mut Browser::new(&service), &mut copy).await.0, 401);
    let path = format!("/me/passkeys/{}", added["passkey"]["passkey_id"].as_str().unwrap());
    assert_eq!(browser.call("DELETE", &path, Value::Null).await.0, 204);
    let sent = until("every notice is sent", async || {
        service.database.make_due(&["send_notices"]).await;
        let sent = mails.lock().unwrap().clone();
        (sent.len() >= 3).then_some(sent)
    })
    .await;
    assert_eq!(sent.len(), 3, "{sent:#?}");
    let all = sent.join("\n").replace("=\n", "");
    for part in [
        "Subject: A passkey was added",
        "Subject: A passkey was refused",
        "Subject: A passkey was removed",
        "the password suffices",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    service.stop().await;
}
