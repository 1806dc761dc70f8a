//! The account itself: its settings, the archive of its data, its end, and the second factor that it
//! requires.

use std::io::{Cursor, Read};

use frontdesk_client::Raw;
use frontdesk_console_model::operations::OPERATIONS;
use frontdesk_runtime::Operation;
use frontdesk_store::{AccountKind, Actor, NewAccount, Plan, Role, User};
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{
    Browser, PASSWORD, SAME_ORIGIN,
    factors::{App, added, let_codes_be_new},
    signed_in,
};
use crate::{
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    patience::until,
    process::administer,
    wire::{self, Request, header},
};

on_both_databases!(
    owners_and_admins_change_the_settings,
    an_archive_has_the_data_of_its_account,
    an_erased_account_is_gone,
    an_erasure_that_was_interrupted_is_finished,
    an_agency_goes_after_its_sub_accounts,
    a_required_second_factor_keeps_everybody_else_out,
);

/// The id of nothing.
const UNKNOWN: &str = "0b5e8c37-2f9d-4a61-8e74-d3c1a6f09b28";

/// A contact of an account.
async fn contact(service: &Installation, customer: &Customer, name: &str) {
    let body = json!({ "name": name, "email": format!("{name}@customer.example") });
    let request = Request::new("POST", "/api/v1/contacts").key(&customer.key.text).json(body.to_string());
    let created = request.send(service.address()).await;
    assert_eq!(created.status, 201, "{created:?}");
}

/// The status of a call with the key of an account.
async fn with_key(service: &Installation, key: &str) -> u16 {
    Request::new("GET", "/api/v1/chatbots").key(key).send(service.address()).await.status.as_u16()
}

/// The body of a response that arrived in chunks, whose end tells that nothing is missing.
fn joined(raw: &Raw) -> Vec<u8> {
    assert_eq!(header(raw, "transfer-encoding"), "chunked", "nobody waits until the whole archive is there");
    let (mut rest, mut whole) = (&raw.body[..], Vec::new());
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").expect("the stream was broken off");
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&rest[end + 2..][..length]);
        rest = &rest[end + 2 + length + 2..];
    }
}

/// Downloads the archive, and returns its files with their texts.
async fn exported(browser: &mut Browser) -> Vec<(String, String)> {
    let raw = browser.send("GET", "/console/v1/account/export", &[SAME_ORIGIN], Value::Null).await;
    assert_eq!(raw.status, 200, "{raw:?}");
    assert_eq!(header(&raw, "content-type"), "application/zip");
    assert!(header(&raw, "content-disposition").starts_with("attachment; filename=\""), "{raw:?}");
    let mut archive = ZipArchive::new(Cursor::new(joined(&raw))).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        files.push((file.name().unwrap().into_owned(), text));
    }
    files
}

async fn erase(browser: &mut Browser, name: &str) -> (u16, Value) {
    browser.call("POST", "/account/erase", json!({ "name": name })).await
}

/// The newest actions of the audit log with their subjects.
async fn log(browser: &mut Browser) -> Vec<(String, String)> {
    let (_, log) = browser.call("GET", "/audit-entries", Value::Null).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = log["audit_entries"].as_array().unwrap();
    entries.iter().map(|entry| (text(&entry["action"]), text(&entry["subject"]))).collect()
}

async fn owners_and_admins_change_the_settings(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let admin = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut browser = signed_in(&service, &admin).await;
    let (status, account) = browser.call("GET", "/account", Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!((&account["name"], &account["plan"]), (&json!(customer.account.name), &json!("growth")));
    assert_eq!(account["conversation_retention_days"], json!(null), "kept without limit");
    assert_eq!(account["second_factor_required"], json!(false));

    let change = json!({ "name": "Fern & Fable", "conversation_retention_days": 180 });
    let (status, changed) = browser.call("PUT", "/account", change).await;
    assert_eq!(status, 200, "{changed}");
    assert_eq!(
        (&changed["name"], &changed["conversation_retention_days"], &changed["contact_retention_days"]),
        (&json!("Fern & Fable"), &json!(180), &json!(null))
    );
    let (_, changed) = browser.call("PUT", "/account", json!({ "contact_retention_days": 1 })).await;
    assert_eq!(changed["conversation_retention_days"], 180, "what is absent stays");
    let (_, changed) = browser.call("PUT", "/account", json!({ "conversation_retention_days": null })).await;
    assert_eq!(
        (&changed["conversation_retention_days"], &changed["contact_retention_days"]),
        (&json!(null), &json!(1))
    );
    assert_eq!(browser.call("PUT", "/account", json!({})).await, (200, changed));
    let kept = service.database.store.retention().find(&customer.scope()).await.unwrap();
    assert_eq!((kept.conversation_days, kept.contact_days), (None, Some(1)));
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["account"]["name"], "Fern & Fable");
    let noted = log(&mut browser).await;
    let noted: Vec<(&str, &str)> =
        noted.iter().take(4).map(|(action, subject)| (&**action, &**subject)).collect();
    assert_eq!(
        noted,
        [
            ("account.retention_changed", "conversations without limit, contacts 1 day"),
            ("account.retention_changed", "conversations 180 days, contacts 1 day"),
            ("account.retention_changed", "conversations 180 days, contacts without limit"),
            ("account.renamed", "Fern & Fable"),
        ]
    );

    for (field, value) in [("conversation_retention_days", 0), ("contact_retention_days", 36_501)] {
        let (status, refused) = browser.call("PUT", "/account", json!({ field: value })).await;
        assert_eq!((status, refused["errors"][field].is_array()), (422, true), "{refused}");
    }
    let untouched = service.database.store.accounts().settings(&other.scope()).await.unwrap().unwrap();
    assert_eq!((untouched.name, untouched.contact_days), (other.account.name.clone(), None));
    service.stop().await;
}

async fn an_archive_has_the_data_of_its_account(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    for number in 1..=6 {
        contact(&service, &customer, &format!("canary-{number}")).await;
    }
    contact(&service, &other, "stranger").await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let files = exported(&mut browser).await;
    let of = |name: &str| {
        let found = files.iter().find(|(file, _)| file == name);
        &found.unwrap_or_else(|| panic!("{name} is missing")).1
    };
    let contacts: Vec<Value> =
        of("contacts.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(contacts.len(), 6, "{contacts:?}");
    assert!(contacts.iter().any(|contact| contact["email"] == "canary-5@customer.example"));
    assert!(of("accounts.jsonl").contains(&customer.account.name));
    assert!(of("left-out.jsonl").contains("people.password_hash"));
    for (name, text) in &files {
        assert!(
            !text.contains("stranger") && !text.contains(&other.account.account_id.to_string()),
            "{name}"
        );
    }
    assert_eq!(log(&mut browser).await[0].0, "account.exported");

    let admin = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut browser = signed_in(&service, &admin).await;
    let (status, refused) = browser.call("GET", "/account/export", Value::Null).await;
    assert_eq!((status, &refused["error"]), (403, &json!("forbidden")));
    service.stop().await;
}

async fn an_erased_account_is_gone(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    contact(&service, &customer, "canary").await;
    contact(&service, &other, "stranger").await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut elsewhere = signed_in(&service, &other.owner).await;
    let name = customer.account.name.clone();
    let admin = service.database.user(&customer.account, "jo", Role::Admin).await;
    let mut of_admin = signed_in(&service, &admin).await;
    assert_eq!(erase(&mut of_admin, &name).await.0, 403);
    for wrong in [name.to_uppercase(), format!("{name} "), other.account.name.clone()] {
        let (status, refused) = erase(&mut browser, &wrong).await;
        assert_eq!((status, refused["errors"]["name"].is_array()), (422, true), "{wrong:?}: {refused}");
    }
    assert_eq!(with_key(&service, &customer.key.text).await, 200, "nothing has happened");

    assert_eq!(erase(&mut browser, &name).await, (204, Value::Null));
    assert_eq!(browser.cookie, None, "the browser forgets the cookie");
    assert_eq!(of_admin.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 401);
    assert_eq!(with_key(&service, &customer.key.text).await, 401);
    let store = &service.database.store;
    assert_eq!(store.accounts().find(customer.account.account_id).await.unwrap(), None);
    assert_eq!(store.people().find_by_email(&customer.owner.email).await.unwrap(), None);
    assert_eq!(elsewhere.call("GET", "/account", Value::Null).await.0, 200);
    assert_eq!(with_key(&service, &other.key.text).await, 200);
    let files = exported(&mut elsewhere).await;
    assert!(files.iter().any(|(_, text)| text.contains("stranger")), "the other account is as it was");
    service.stop().await;
}

async fn an_erasure_that_was_interrupted_is_finished(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    contact(&service, &customer, "canary").await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let store = &service.database.store;
    // As if the process had died after the first step.
    let person = store.people().of_user(&customer.scope(), customer.owner.user_id).await.unwrap().unwrap();
    let actor = Actor {
        user_id: customer.owner.user_id,
        person_id: person.person_id,
        person_name: person.name,
        ip_address: None,
    };
    let now = jiff::Timestamp::now();
    let data = store.account_data();
    data.begin_erasure(&customer.scope(), &actor, &customer.account.name, now).await.unwrap();
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "nobody gets in any more");
    assert_eq!(with_key(&service, &customer.key.text).await, 401);
    service.database.run("UPDATE accounts SET erasing_at = erasing_at - 31000000 WHERE erasing_at > 0").await;
    service.database.make_due(&["erase_accounts"]).await;
    let account_id = customer.account.account_id;
    until("the job has removed the account", async || {
        store.accounts().find(account_id).await.unwrap().is_none().then_some(())
    })
    .await;
    service.stop().await;
}

async fn an_agency_goes_after_its_sub_accounts(database: Database) {
    let service = Installation::start(database).await;
    let new = |name: &str, kind, parent_id| NewAccount {
        parent_id,
        kind,
        name: name.to_owned(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    let agency = service.database.customer_of(new("agency", AccountKind::Agency, None)).await;
    let parent = Some(agency.account.account_id);
    let shop = service.database.customer_of(new("shop", AccountKind::Standard, parent)).await;
    let mut browser = signed_in(&service, &agency.owner).await;
    let (status, refused) = erase(&mut browser, "agency").await;
    assert_eq!((status, &refused["error"]), (409, &json!("conflict")), "{refused}");
    assert_eq!(refused["message"], "The account has a sub-account. Erase that first.");
    let mut of_shop = signed_in(&service, &shop.owner).await;
    assert_eq!(erase(&mut of_shop, "shop").await.0, 204);
    assert_eq!(erase(&mut browser, "agency").await.0, 204);
    service.stop().await;
}

/// The operations that need a session, with what their policy says.
fn of_sessions() -> impl Iterator<Item = (&'static Operation, bool)> {
    OPERATIONS.iter().filter_map(|operation| {
        let policy = operation.extensions.iter().find(|extension| extension.name == "x-policy")?.json;
        policy.contains(r#""caller":"session""#).then(|| (*operation, policy.contains("without_factor")))
    })
}

async fn a_required_second_factor_keeps_everybody_else_out(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let jo: User = service.database.user(&customer.account, "jo", Role::Owner).await;
    let key = service.database.key(&jo, None).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut other = signed_in(&service, &jo).await;
    let require = |required: bool| json!({ "second_factor_required": required });
    let (status, refused) = browser.call("PUT", "/account", require(true)).await;
    assert_eq!((status, &refused["error"]), (409, &json!("conflict")), "whoever requires it must have it");
    let (app, _) = added(&mut browser).await;
    let (status, changed) = browser.call("PUT", "/account", require(true)).await;
    assert_eq!((status, &changed["second_factor_required"]), (200, &json!(true)));
    assert_eq!(log(&mut browser).await[0].0, "account.factor_required");
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["needs_second_factor"], false);

    // A session that exists already is confined, and so is a new one.
    let mut again = Browser::new(&service);
    assert_eq!(again.sign_in(&jo.email, PASSWORD).await.1["needs_second_factor"], true);
    for confined in [&mut other, &mut again] {
        assert_eq!(confined.call("GET", "/session", Value::Null).await.1["needs_second_factor"], true);
        let raw = confined.send("GET", "/console/api/v1/chatbots", &[SAME_ORIGIN], Value::Null).await;
        assert_eq!(
            (raw.status.as_u16(), &wire::json(&raw)["error"]),
            (403, &json!("second_factor_required"))
        );
    }
    let (refused, open): (Vec<_>, Vec<_>) = of_sessions().partition(|(_, is_open)| !is_open);
    let open: Vec<&str> = open.iter().map(|(operation, _)| operation.id).collect();
    assert_eq!(
        open,
        [
            "getSession",
            "signOut",
            "confirmSession",
            "switchAccount",
            "listSessionAccounts",
            "getSecondFactor",
            "createSecondFactor",
            "confirmSecondFactor",
            "listPasskeys",
            "createPasskey",
            "beginPasskey"
        ]
    );
    for (operation, _) in refused {
        let parts = operation.path.split('/').map(|part| if part.starts_with('{') { UNKNOWN } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        let raw = other.send(operation.method.as_str(), &path, &[SAME_ORIGIN], Value::Null).await;
        let code = wire::json(&raw)["error"].clone();
        assert_eq!((raw.status.as_u16(), code), (403, json!("second_factor_required")), "{}", operation.id);
    }
    assert_eq!(with_key(&service, &key.text).await, 200, "keys of programs are not concerned");

    added(&mut other).await;
    assert_eq!(other.call("GET", "/session", Value::Null).await.1["needs_second_factor"], false);
    assert_eq!(other.interface("GET", "/chatbots").await, 200);

    // It stays while the account requires it; the operator can still help, and then it is added again.
    let_codes_be_new(&service).await;
    let remove = async |browser: &mut Browser, app: &App| {
        browser.call("POST", "/me/second-factor/remove", json!({ "code": app.code() })).await
    };
    let (status, refused) = remove(&mut browser, &app).await;
    assert_eq!((status, &refused["error"]), (409, &json!("conflict")));
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("acme") && message.contains("requires a second factor"), "{message}");
    administer(&service.database, &["user", "factors", &jo.email, "--remove"]).await;
    assert_eq!(other.call("GET", "/session", Value::Null).await.1["needs_second_factor"], true);
    assert_eq!(browser.call("PUT", "/account", require(false)).await.0, 200);
    assert_eq!(other.call("GET", "/members", Value::Null).await.0, 200, "it is required no longer");
    assert_eq!(remove(&mut browser, &app).await.0, 204);
    service.stop().await;
}
