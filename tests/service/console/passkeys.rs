//! Passkeys: their life, and what they open. `attacks` has what does not fit.

mod attacks;

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
