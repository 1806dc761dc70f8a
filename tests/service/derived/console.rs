//! The console: every operation of its contract refuses what its policy and its schemas exclude, with the
//! declared responses.

use std::collections::BTreeSet;

use frontdesk_client::Raw;
use frontdesk_store::{Plan, Role};
use serde_json::{Value, json};

use super::{
    contract::{Operation, console_contract},
    violations::{constraints, violations},
};
use crate::{
    console::{Browser, SAME_ORIGIN, signed_in},
    database::Database,
    installation::Installation,
    wire::Request,
};

/// The id of nothing.
const UNKNOWN: &str = "0b5e8c37-2f9d-4a61-8e74-d3c1a6f09b28";
/// What a browser says of requests of a page on another port of the same host.
const SAME_SITE: (&str, &str) = ("Sec-Fetch-Site", "same-site");
const ROLES: [Role; 3] = [Role::Owner, Role::Admin, Role::Collaborator];

fn operations() -> impl Iterator<Item = &'static Operation> {
    console_contract().operations.iter()
}

/// The path of an operation, with ids of nothing.
fn target(operation: &Operation) -> String {
    let parts = operation.path.split('/').map(|part| if part.starts_with('{') { UNKNOWN } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// A body that the operation accepts, as its document shows it.
fn example(operation: &Operation) -> Value {
    operation.body.as_ref().map_or(Value::Null, |body| body.examples[0].1.clone())
}

/// Fails unless the response is declared, and returns its status and body.
fn checked(operation: &Operation, raw: &Raw) -> (u16, Value) {
    let status = raw.status.as_u16();
    let declared = operation.responses.get(&status);
    let declared = declared.unwrap_or_else(|| panic!("{} does not declare {status}: {raw:?}", operation.id));
    for name in &declared.headers {
        assert!(raw.headers.contains_key(*name), "{} {status} lacks {name}: {raw:?}", operation.id);
    }
    let Some(schema) = declared.schema else { return (status, Value::Null) };
    let body: Value = raw.json().unwrap();
    let faults = console_contract().responses.faults(schema, &body);
    assert!(faults.is_empty(), "{} {status}: {faults:?} in {body}", operation.id);
    (status, body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_is_not_signed_in_or_elsewhere_is_refused() {
    let service = Installation::start(Database::sqlite().await).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut inside = signed_in(&service, &customer.owner).await;
    let mut outside = Browser::new(&service);
    for operation in operations() {
        let (method, path, body) = (&*operation.method, target(operation), example(operation));
        if operation.policy.caller == "session" {
            let raw = outside.send(method, &path, &[SAME_ORIGIN], body.clone()).await;
            assert_eq!(checked(operation, &raw).0, 401, "{}", operation.id);
            let key =
                Request::new(method, &path).key(&customer.key.text).header(SAME_ORIGIN.0, SAME_ORIGIN.1);
            let raw = key.send(service.address()).await;
            assert_eq!(checked(operation, &raw).0, 401, "{}: a key is no session", operation.id);
        }
        if !operation.is_safe() {
            for origin in [
                &[SAME_SITE][..],
                &[("Sec-Fetch-Site", "cross-site")],
                &[("Origin", "https://evil.example")],
                &[],
            ] {
                let raw = inside.send(method, &path, origin, body.clone()).await;
                let (status, refused) = checked(operation, &raw);
                assert_eq!(
                    (status, &refused["error"]),
                    (403, &json!("cross_site")),
                    "{} {origin:?}",
                    operation.id
                );
            }
        }
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn roles_and_old_sign_ins_are_refused_what_the_policies_say() {
    let service = Installation::start(Database::sqlite().await).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    for role in ROLES {
        let user = service.database.user(&customer.account, &format!("the-{role}"), role).await;
        let mut browser = signed_in(&service, &user).await;
        service.database.run("UPDATE sessions SET confirmed_at = confirmed_at - 601000000").await;
        for operation in operations().filter(|operation| operation.policy.caller == "session") {
            let policy = &operation.policy;
            let may_call = policy.roles.contains(&role.as_str());
            if may_call && !policy.recent {
                continue;
            }
            let raw =
                browser.send(&operation.method, &target(operation), &[SAME_ORIGIN], example(operation)).await;
            let (status, refused) = checked(operation, &raw);
            let code = if may_call { "confirmation_required" } else { "forbidden" };
            assert_eq!((status, &refused["error"]), (403, &json!(code)), "{} as {role}", operation.id);
        }
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_no_schema_allows_is_refused() {
    let service = Installation::start(Database::sqlite().await).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    for operation in operations() {
        let Some(body) = &operation.body else { continue };
        // Each operation has a session of its own, because a session has a limit of requests.
        let user = service.database.user(&customer.account, operation.id, Role::Owner).await;
        let mut browser = signed_in(&service, &user).await;
        let violations = violations(&console_contract().requests, operation, body);
        let broken: BTreeSet<&str> = violations.iter().map(|violation| &*violation.name).collect();
        let constraints = constraints(body.schema);
        let missed: Vec<_> = constraints.iter().filter(|name| !broken.contains(&***name)).collect();
        assert!(missed.is_empty(), "{}: nothing breaks {missed:?}; broken are {broken:?}", operation.id);
        let path = target(operation);
        for violation in violations {
            let raw = browser.send(&operation.method, &path, &[SAME_ORIGIN], violation.body.clone()).await;
            let named = format!("{}: {} of {}", operation.id, violation.name, violation.body);
            let (status, refused) = checked(operation, &raw);
            if status == 404 && !operation.path_parameters.is_empty() {
                // What does not exist is looked for before the body is judged.
                continue;
            }
            assert_eq!(status, 422, "{named}: {refused}");
            let errors = refused["errors"].as_object().unwrap_or_else(|| panic!("{named}: {refused}"));
            assert_eq!(errors.keys().collect::<Vec<_>>(), [&violation.path], "{named}: {refused}");
        }
        let request = async |media_type, body: Vec<u8>| {
            let request = Request::new(&operation.method, &path).body_of(media_type, body);
            browser.signed(request.header(SAME_ORIGIN.0, SAME_ORIGIN.1)).send(service.address()).await
        };
        let broken = checked(operation, &request("application/json", b"{".to_vec()).await);
        assert_eq!(broken.0, 400, "{}: {}", operation.id, broken.1);
        let other = checked(operation, &request("application/xml", b"<a/>".to_vec()).await);
        assert_eq!(other.0, 415, "{}: {}", operation.id, other.1);
        let long = checked(operation, &request("application/json", vec![b' '; (64 << 10) + 1]).await);
        assert_eq!(long.0, 413, "{}: {}", operation.id, long.1);
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_does_not_exist_is_not_found() {
    let service = Installation::start(Database::sqlite().await).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    for operation in operations().filter(|operation| !operation.path_parameters.is_empty()) {
        let raw =
            browser.send(&operation.method, &target(operation), &[SAME_ORIGIN], example(operation)).await;
        assert_eq!(checked(operation, &raw).0, 404, "{}", operation.id);
        let path = target(operation).replace(UNKNOWN, "nothing");
        let raw = browser.send(&operation.method, &path, &[SAME_ORIGIN], example(operation)).await;
        assert_eq!(checked(operation, &raw).0, 404, "{} without an id", operation.id);
    }
    service.stop().await;
}
