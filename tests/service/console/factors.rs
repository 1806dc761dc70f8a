//! Second factors: their life, and whom they keep out.

use frontdesk_console_model::operations::OPERATIONS;
use frontdesk_store::{Plan, Role, User};
use jiff::Timestamp;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use super::{Browser, OTHER_PASSWORD, PASSWORD, SAME_ORIGIN, link, mail, signed_in};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    patience::until,
    process::administer,
    webhooks::mail::{Manner, sink},
    wire::{self, Request, header},
};

on_both_databases!(
    a_person_adds_uses_and_removes_a_factor,
    recovery_codes_replace_the_app,
    a_sign_in_that_waits_reaches_nothing,
    a_code_is_accepted_once,
    guessing_codes_is_slow_from_wherever,
    a_sign_in_that_waits_ends,
    a_secret_that_was_tampered_with_opens_nothing,
    links_do_not_replace_the_code,
    changes_are_reported_by_email,
);

/// The id of nothing.
const UNKNOWN: &str = "0b5e8c37-2f9d-4a61-8e74-d3c1a6f09b28";

/// An authenticator app, which has scanned a secret.
pub(crate) struct App(Secret);

impl App {
    pub(crate) fn new(secret: &str) -> Self {
        Self(Secret::try_from_base32(secret).unwrap())
    }

    /// The code of this moment.
    pub(crate) fn code(&self) -> String {
        self.code_in(0)
    }

    /// The code of another moment, in seconds from now.
    fn code_in(&self, seconds: i64) -> String {
        let totp = Builder::new().with_secret(self.0.clone()).build().unwrap();
        let moment = u64::try_from(Timestamp::now().as_second() + seconds).unwrap();
        totp.generate(moment).to_string()
    }
}

/// Adds a second factor, and returns the app and the recovery codes.
pub(crate) async fn added(browser: &mut Browser) -> (App, Vec<String>) {
    let (status, new) = browser.call("POST", "/me/second-factor", Value::Null).await;
    assert_eq!(status, 201, "{new}");
    let app = App::new(new["secret"].as_str().unwrap());
    let (status, codes) = confirm(browser, &app.code()).await;
    assert_eq!(status, 200, "{codes}");
    (app, codes_of(&codes))
}

fn codes_of(body: &Value) -> Vec<String> {
    let codes = body["recovery_codes"].as_array().unwrap();
    codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

async fn confirm(browser: &mut Browser, code: &str) -> (u16, Value) {
    browser.call("POST", "/me/second-factor/confirm", json!({ "code": code })).await
}

async fn enter(browser: &mut Browser, code: &str) -> (u16, Value) {
    browser.call("POST", "/session/factor", json!({ "code": code })).await
}

/// A browser in which a person has entered the password only.
async fn waiting(service: &Installation, user: &User) -> Browser {
    let mut browser = Browser::new(service);
    let (status, body) = browser.sign_in(&user.email, PASSWORD).await;
    assert_eq!(status, 202, "{body}");
    assert!(body["expires_at"].is_string() && body["person"].is_null(), "{body}");
    browser
}

/// Lets the codes be accepted again that were used.
pub(crate) async fn let_codes_be_new(service: &Installation) {
    service.database.run("UPDATE authenticators SET last_step = 0").await;
}

/// The actions of the audit log, the newest first.
pub(super) async fn actions(browser: &mut Browser) -> Vec<String> {
    let (_, log) = browser.call("GET", "/audit-entries", Value::Null).await;
    let entries = log["audit_entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
}

async fn a_person_adds_uses_and_removes_a_factor(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = Browser::new(&service);
    assert_eq!(other.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let none = json!({ "enabled_at": null, "recovery_codes_left": 0 });
    assert_eq!(browser.call("GET", "/me/second-factor", Value::Null).await, (200, none.clone()));
    assert_eq!(confirm(&mut browser, "123456").await.0, 409, "nothing was begun");
    assert_eq!(browser.call("POST", "/me/second-factor/remove", json!({ "code": "123456" })).await.0, 409);

    let (status, replaced) = browser.call("POST", "/me/second-factor", Value::Null).await;
    assert_eq!(status, 201);
    let (status, new) = browser.call("POST", "/me/second-factor", Value::Null).await;
    let secret = new["secret"].as_str().unwrap();
    assert_eq!((status, secret.len()), (201, 32), "it can be begun again");
    assert!(new["uri"].as_str().unwrap().contains(secret));
    assert!(new["qr_code"].as_str().unwrap().contains("<svg"));
    assert_eq!(browser.call("GET", "/me/second-factor", Value::Null).await, (200, none), "not yet");
    assert_eq!(other.sign_in(&customer.owner.email, PASSWORD).await.0, 201, "not yet");
    for wrong in [App::new(replaced["secret"].as_str().unwrap()).code(), "none".to_owned()] {
        let (status, body) = confirm(&mut browser, &wrong).await;
        assert_eq!((status, body["errors"]["code"].is_array()), (422, true), "{body}");
    }
    let app = App::new(secret);
    let (status, body) = confirm(&mut browser, &app.code()).await;
    assert_eq!((status, codes_of(&body).len()), (200, 10), "{body}");
    assert_eq!(other.call("GET", "/session", Value::Null).await.0, 401, "others have shown no code");
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 200);
    let (_, shown) = browser.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!((shown["enabled_at"].is_string(), &shown["recovery_codes_left"]), (true, &json!(10)));
    assert_eq!(confirm(&mut browser, &app.code_in(30)).await.0, 409);
    let (status, twice) = browser.call("POST", "/me/second-factor", Value::Null).await;
    assert_eq!((status, &twice["error"]), (409, &json!("already_exists")));
    let (_, members) = browser.call("GET", "/members", Value::Null).await;
    assert_eq!(members["members"][0]["has_second_factor"], true, "{members}");

    // Clocks differ, so the next code is accepted, too.
    let mut other = waiting(&service, &customer.owner).await;
    let pending = other.cookie.clone();
    let (status, session) = enter(&mut other, &app.code_in(30)).await;
    assert_eq!((status, &session["person"]["email"]), (201, &json!(customer.owner.email)), "{session}");
    assert_ne!(other.cookie, pending, "the token is another one");
    assert_eq!(other.call("GET", "/session", Value::Null).await.0, 200);
    assert_eq!(other.interface("GET", "/chatbots").await, 200);
    other.cookie = pending;
    let (status, ended) = other.call("GET", "/session", Value::Null).await;
    assert_eq!((status, &ended["error"]), (401, &json!("session_ended")), "the old token is worth nothing");

    let remove = async |browser: &mut Browser, code: &str| {
        browser.call("POST", "/me/second-factor/remove", json!({ "code": code })).await
    };
    assert_eq!(remove(&mut browser, "000000").await.0, 422);
    let_codes_be_new(&service).await;
    service.database.run("UPDATE sessions SET confirmed_at = confirmed_at - 601000000").await;
    let (status, refused) = remove(&mut browser, &app.code()).await;
    assert_eq!((status, &refused["error"]), (403, &json!("confirmation_required")));
    assert_eq!(browser.call("POST", "/session/confirm", json!({ "password": PASSWORD })).await.0, 200);
    assert_eq!(remove(&mut browser, &app.code()).await.0, 204);
    assert_eq!(remove(&mut browser, &app.code()).await.0, 409, "there is none any more");
    assert_eq!(Browser::new(&service).sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let expected = ["session.created", "second_factor.removed", "session.created", "second_factor.enabled"];
    assert_eq!(actions(&mut browser).await[..4], expected);
    let (_, members) = browser.call("GET", "/members", Value::Null).await;
    assert_eq!(members["members"][0]["has_second_factor"], false, "{members}");
    service.stop().await;
}

async fn recovery_codes_replace_the_app(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let (app, codes) = added(&mut browser).await;
    let mut other = waiting(&service, &customer.owner).await;
    let typed = codes[0].to_uppercase().replace('-', " ");
    assert_eq!(enter(&mut other, &typed).await.0, 201, "as people type it");
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &codes[0]).await.0, 422, "once");
    let (_, shown) = browser.call("GET", "/me/second-factor", Value::Null).await;
    assert_eq!(shown["recovery_codes_left"], 9);
    let (_, log) = browser.call("GET", "/audit-entries", Value::Null).await;
    let (used, sign_in) = (&log["audit_entries"][0], &log["audit_entries"][1]);
    assert_eq!((&used["action"], &used["subject"]), (&json!("recovery_code.used"), &json!("9 left")));
    assert_eq!(sign_in["action"], "session.created");

    let renew = json!({ "code": codes[1] });
    let (status, renewed) = browser.call("POST", "/me/second-factor/recovery-codes", renew.clone()).await;
    assert_eq!((status, codes_of(&renewed).len()), (200, 10), "{renewed}");
    assert_eq!(browser.call("POST", "/me/second-factor/recovery-codes", renew).await.0, 422);
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &codes[2]).await.0, 422);
    let new = &codes_of(&renewed)[0];
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, new).await.0, 201);

    // That of somebody else is worth nothing.
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let (_, of_others) = added(&mut signed_in(&service, &user).await).await;
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &of_others[0]).await.0, 422);

    // The operator helps whoever has lost everything.
    let shown = administer(&service.database, &["user", "factors", &customer.owner.email]).await;
    assert_eq!((&shown["recovery_codes_left"], &shown["removed"]), (&json!(9), &json!(false)), "{shown}");
    assert!(shown["second_factor_since"].is_string(), "{shown}");
    let mut begun = waiting(&service, &customer.owner).await;
    let remove = ["user", "factors", &customer.owner.email, "--remove"];
    assert_eq!(administer(&service.database, &remove).await["removed"], true);
    assert_eq!(administer(&service.database, &remove).await["removed"], false);
    assert_eq!(enter(&mut begun, &app.code()).await.0, 401, "the sign-in begins again");
    assert_eq!(begun.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    service.stop().await;
}

async fn a_sign_in_that_waits_reaches_nothing(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let (app, _) = added(&mut signed_in(&service, &customer.owner).await).await;
    let_codes_be_new(&service).await;
    let mut browser = waiting(&service, &customer.owner).await;
    let is_of_sessions = |policy: &str| policy.contains(r#""caller":"session""#);
    let mut tried = 0;
    for operation in OPERATIONS {
        let policy = operation.extensions.iter().find(|extension| extension.name == "x-policy").unwrap();
        if !is_of_sessions(policy.json) {
            continue;
        }
        let parts = operation.path.split('/').map(|part| if part.starts_with('{') { UNKNOWN } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        let raw = browser.send(operation.method.as_str(), &path, &[SAME_ORIGIN], Value::Null).await;
        let refused = wire::json(&raw);
        let expected = (401, &json!("factor_required"));
        assert_eq!((raw.status.as_u16(), &refused["error"]), expected, "{}", operation.id);
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
    let cookie = browser.cookie.clone().unwrap();
    for path in ["/chatbots", "/contacts", "/inbox/threads", "/nothing"] {
        let path = format!("/console/api/v1{path}");
        let raw = browser.send("GET", &path, &[SAME_ORIGIN], Value::Null).await;
        assert_eq!(
            (raw.status.as_u16(), &wire::json(&raw)["error"]),
            (401, &json!("factor_required")),
            "{path}"
        );
    }
    let direct = Request::new("GET", "/api/v1/chatbots").header("Cookie", &cookie);
    assert_eq!(direct.send(service.address()).await.status, 401);
    let bearer = Request::new("GET", "/api/v1/chatbots").key(cookie.split_once('=').unwrap().1);
    assert_eq!(bearer.send(service.address()).await.status, 401);
    let code = json!({ "code": app.code() });
    let raw = browser.send("POST", "/console/v1/session/factor", &[], code).await;
    assert_eq!(raw.status, 403, "not for pages of other websites");

    let mut planted = Browser::new(&service);
    assert_eq!(enter(&mut planted, &app.code()).await.0, 401, "without a cookie");
    planted.cookie = Some(format!("frontdesk-80={}", "a".repeat(43)));
    assert_eq!(enter(&mut planted, &app.code()).await.0, 401, "with a planted one");
    // The cookie of a session is not one of a sign-in that waits.
    let mut inside = waiting(&service, &customer.owner).await;
    assert_eq!(enter(&mut inside, &app.code()).await.0, 201);
    let_codes_be_new(&service).await;
    assert_eq!(enter(&mut inside, &app.code()).await.0, 401);
    assert_eq!(inside.call("GET", "/session", Value::Null).await.0, 200);
    service.stop().await;
}

async fn a_code_is_accepted_once(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let (app, _) = added(&mut owner).await;
    // The code that has confirmed the app is used up, and so are all before it.
    for code in [app.code(), app.code_in(-30)] {
        assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &code).await.0, 422);
    }
    let_codes_be_new(&service).await;
    let code = app.code();
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &code).await.0, 201);
    assert_eq!(
        enter(&mut waiting(&service, &customer.owner).await, &code).await.0,
        422,
        "somebody has seen it"
    );
    let remove = json!({ "code": code });
    assert_eq!(owner.call("POST", "/me/second-factor/remove", remove).await.0, 422, "also elsewhere");

    // Of requests with the same code at the same time, one is accepted.
    let_codes_be_new(&service).await;
    let code = app.code();
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let mut browser = waiting(&service, &customer.owner).await;
        let code = code.clone();
        tasks.push(tokio::spawn(async move { enter(&mut browser, &code).await.0 }));
    }
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 422]);
    service.stop().await;
}

async fn guessing_codes_is_slow_from_wherever(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let (app, codes) = added(&mut owner).await;
    let_codes_be_new(&service).await;
    let mut browsers = Vec::new();
    for _ in 0..12 {
        browsers.push(waiting(&service, &customer.owner).await);
    }
    // None of the codes that are right now, one of which would start the count anew.
    let right = [app.code_in(-30), app.code(), app.code_in(30), app.code_in(60)];
    let guesses = (0..1000).map(|number| format!("{number:06}")).filter(|code| !right.contains(code));
    let mut tasks = Vec::new();
    for (mut browser, guess) in browsers.into_iter().zip(guesses) {
        tasks.push(tokio::spawn(async move { enter(&mut browser, &guess).await.0 }));
    }
    let mut judged = 0;
    for task in tasks {
        let status = task.await.unwrap();
        assert!([422, 429].contains(&status), "{status}");
        judged += i32::from(status == 422);
    }
    assert_eq!(judged, 5, "requests at the same time do not pass the limit together");
    assert_eq!(owner.call("GET", "/session", Value::Null).await.0, 200, "who is inside stays inside");
    let database = service.stop_for_another().await;

    // The count is that of the person: it has nothing to do with the address, and survives a restart, while
    // the limits of addresses are forgotten. Only PostgreSQL keeps these.
    if database.url.starts_with("postgres") {
        for windows in ["rate_windows", "rate_portions"] {
            database.run(&format!("DELETE FROM {windows}")).await;
        }
    }
    let service = Installation::start(database).await;
    let mut browser = waiting(&service, &customer.owner).await;
    let code = json!({ "code": app.code() });
    let raw = browser.send("POST", "/console/v1/session/factor", &[SAME_ORIGIN], code).await;
    assert_eq!(raw.status, 429, "a right code does not say that it is right");
    assert!((1..=61).contains(&header(&raw, "retry-after").parse::<u64>().unwrap()));
    assert_eq!(enter(&mut browser, &codes[0]).await.0, 201, "whoever has a recovery code gets in");
    service.database.run("UPDATE authenticators SET blocked_until = blocked_until - 61000000").await;
    let code = app.code();
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &code).await.0, 201);
    // A right code starts the count anew. Otherwise, this one would be accepted again.
    let unless_new =
        "UPDATE authenticators SET last_step = 0 WHERE failures > 0 OR blocked_until IS NOT NULL";
    service.database.run(unless_new).await;
    assert_eq!(enter(&mut waiting(&service, &customer.owner).await, &code).await.0, 422);
    service.stop().await;
}

async fn a_sign_in_that_waits_ends(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut inside = signed_in(&service, &user).await;
    let (app, _) = added(&mut inside).await;
    let_codes_be_new(&service).await;

    let mut browser = waiting(&service, &user).await;
    let pending = browser.cookie.clone();
    assert_eq!(browser.call("DELETE", "/session/factor", Value::Null).await.0, 204);
    assert_eq!(browser.cookie, None);
    browser.cookie = pending;
    assert_eq!(enter(&mut browser, &app.code()).await.0, 401, "it was given up");

    let mut browser = waiting(&service, &user).await;
    service.database.run("UPDATE pending_sign_ins SET expires_at = expires_at - 600000001").await;
    let (status, ended) = enter(&mut browser, &app.code()).await;
    assert_eq!((status, &ended["error"]), (401, &json!("session_ended")), "10 minutes have passed");

    let mut browser = waiting(&service, &user).await;
    let change = json!({ "current_password": PASSWORD, "new_password": OTHER_PASSWORD });
    assert_eq!(inside.call("POST", "/me/password", change).await.0, 204);
    assert_eq!(enter(&mut browser, &app.code()).await.0, 401, "what an old password has begun");

    let (status, _) = browser.sign_in(&user.email, OTHER_PASSWORD).await;
    assert_eq!(status, 202);
    let mut owner = signed_in(&service, &customer.owner).await;
    let path = format!("/members/{}", user.user_id);
    assert_eq!(owner.call("PUT", &path, json!({ "status": "disabled" })).await.0, 200);
    assert_eq!(enter(&mut browser, &app.code()).await.0, 401, "whoever is disabled");
    assert_eq!(owner.call("PUT", &path, json!({ "status": "active" })).await.0, 200);
    assert_eq!(enter(&mut browser, &app.code()).await.0, 401, "also afterwards");

    // A sign-in ends the session of the browser, even if nobody completes it.
    let mut browser = signed_in(&service, &other.owner).await;
    let before = browser.cookie.clone();
    assert_eq!(browser.sign_in(&user.email, OTHER_PASSWORD).await.0, 202);
    browser.cookie = before;
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    service.stop().await;
}

async fn a_secret_that_was_tampered_with_opens_nothing(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let user = service.database.user(&customer.account, "jo", Role::Admin).await;
    let (app, codes) = added(&mut signed_in(&service, &customer.owner).await).await;
    let (of_others, _) = added(&mut signed_in(&service, &user).await).await;
    // Whoever can write the database cannot give a person the secret of somebody else.
    let copy = "UPDATE authenticators SET last_step = 0, secret = (SELECT other.secret FROM authenticators AS other \
                WHERE other.person_id <> authenticators.person_id)";
    service.database.run(copy).await;
    let mut browser = waiting(&service, &customer.owner).await;
    for code in [app.code(), of_others.code()] {
        assert_eq!(enter(&mut browser, &code).await.0, 422);
    }
    service.database.run("UPDATE authenticators SET secret = 'none'").await;
    assert_eq!(enter(&mut browser, &app.code()).await.0, 422);
    assert_eq!(enter(&mut browser, &codes[0]).await.0, 201);
    service.stop().await;
}

async fn links_do_not_replace_the_code(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let (app, codes) = added(&mut inside).await;
    let redeem = json!({ "token": link(&service, &customer.owner).await, "password": OTHER_PASSWORD });
    let mut browser = Browser::new(&service);
    let (status, body) = browser.call("POST", "/password-resets/redeem", redeem).await;
    assert_eq!((status, body["expires_at"].is_string()), (202, true), "{body}");
    assert_eq!(inside.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.call("GET", "/me", Value::Null).await.0, 401);
    let_codes_be_new(&service).await;
    assert_eq!(enter(&mut browser, &app.code()).await.0, 201);
    assert_eq!(actions(&mut browser).await[..2], ["session.created", "password.reset"]);

    let mut owner = signed_in(&service, &other.owner).await;
    let new = json!({ "email": customer.owner.email, "name": "", "role": "admin" });
    let (_, made) = owner.call("POST", "/invitations", new).await;
    let token = made["link"].as_str().unwrap().split_once("#invite=").unwrap().1;
    let join = json!({ "token": token, "password": OTHER_PASSWORD });
    let (status, body) = browser.call("POST", "/invitations/redeem", join).await;
    assert_eq!(status, 202, "{body}");
    let (status, session) = enter(&mut browser, &codes[0]).await;
    assert_eq!((status, &session["account"]["name"]), (201, &json!(other.account.name)), "{session}");
    service.stop().await;
}

async fn changes_are_reported_by_email(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let service = Installation::start_with(database, move |config| mail(config, &url)).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let (_, codes) = added(&mut browser).await;
    let mut other = waiting(&service, &customer.owner).await;
    assert_eq!(enter(&mut other, "000000").await.0, 422, "one wrong code alarms nobody");
    service.database.run("UPDATE authenticators SET failures = 4").await;
    assert_eq!(enter(&mut other, "000000").await.0, 422);
    assert_eq!(enter(&mut other, &codes[0]).await.0, 201);
    let remove = json!({ "code": codes[1] });
    assert_eq!(other.call("POST", "/me/second-factor/remove", remove).await.0, 204);
    let sent = until("every notice is sent", async || {
        service.database.make_due(&["send_notices"]).await;
        let sent = mails.lock().unwrap().clone();
        (sent.len() >= 4).then_some(sent)
    })
    .await;
    assert_eq!(sent.len(), 4, "{sent:#?}");
    let all = sent.join("\n").replace("=\n", "");
    for part in [
        "Subject: Your sign-in has a second factor now",
        "Subject: Somebody has entered wrong codes with your password",
        "Subject: A recovery code was used",
        "9 of the codes are left",
        "Subject: Your second factor was removed",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    service.stop().await;
}
