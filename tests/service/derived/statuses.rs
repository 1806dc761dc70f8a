//! Declared statuses: each operation returns every status that it declares, and no other.
//!
//! The tests here provoke the responses; [`exchange`](super::exchange) compares them with the document.
//! Statuses that need a special state of a resource are provoked by [`scenarios`](super::scenarios).

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_store::{NewAccount, Plan, Role};
use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Outcome, Payload},
    limits::body_limit,
    scenarios,
    violations::broken_texts,
    world::{Ids, Tenant, World, each},
};
use crate::{
    database::{Database, account},
    installation::Installation,
    on_both_databases,
    wire::{Request, header, json},
};

/// The limit of keyless replies a minute. Only the test of the limit sends more to one chatbot.
const REPLIES: u32 = 40;
/// Tables that every request reads: the first for requests with a key, the others for those without.
const JUDGING: [&str; 6] =
    ["users", "chatbots", "calendar_feeds", "unsubscribe_links", "inbox_channels", "widgets"];

on_both_databases!(every_declared_status_is_met);

async fn every_declared_status_is_met(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.limits.replies_per_client = REPLIES;
        config.limits.form_requests_per_client = REPLIES;
        config.limits.widget_requests_per_client = REPLIES;
        config.plans.scale.storage = Some(0);
    })
    .await;
    let world = World::of(service);
    let acme = world.tenant("acme", Plan::Growth).await;
    let mut errors = Errors::default();

    who_calls(&world, &acme, &mut errors).await;
    how_often(&world, &acme, &mut errors).await;
    what_is_named(&world, &acme).await;
    what_is_sent(&world, &acme, &mut errors).await;
    what_it_costs(&world).await;
    each(&contract().operations, async |operation| {
        let call = world.valid_once(&acme, operation).await;
        world.succeed(&acme, &call).await;
    })
    .await;
    scenarios::play(&world, &acme).await;
    what_fails(&world, &acme, &mut errors).await;

    let missing = world.ledger.lock().unwrap().missing();
    assert!(
        missing.is_empty(),
        "declared, but never met: {missing:?}. What needs a special state is brought about in derived/scenarios.rs."
    );
    errors.check();
    world.stop().await;
}

/// Bodies of errors that all operations share, as a snapshot for review.
#[derive(Default)]
struct Errors(BTreeMap<(u16, &'static str), BTreeSet<String>>);

impl Errors {
    fn note(&mut self, case: &'static str, outcome: &Outcome) {
        let text = serde_json::to_string_pretty(&outcome.body).unwrap();
        // Contact forms are posted by browsers, too.
        let text = text.replace(" or application/x-www-form-urlencoded", "");
        // Seconds and sizes differ.
        let mut text: Vec<char> =
            text.chars().map(|character| if character.is_ascii_digit() { '#' } else { character }).collect();
        text.dedup_by(|next, last| *next == '#' && *last == '#');
        let text: String = text.into_iter().collect();
        self.0.entry((outcome.status, case)).or_default().insert(text);
    }

    fn check(&self) {
        let mut shown = String::new();
        for ((status, case), bodies) in &self.0 {
            assert_eq!(bodies.len(), 1, "{status} {case} has several forms: {bodies:?}");
            shown.push_str(&format!("{status} {case}\n{}\n", bodies.first().unwrap()));
        }
        insta::assert_snapshot!("errors", shown);
    }
}

/// Returns a call with unknown ids in the path, which changes nothing even if it is authorized.
fn nowhere(operation: &'static Operation) -> Call {
    let call = Call::new(operation);
    operation.path_parameters.iter().fold(call, |call, name| call.with(name, &Uuid::new_v4().to_string()))
}

/// Returns a call with unknown ids and malformed JSON, which changes nothing even if it is authorized.
fn harmless(operation: &'static Operation) -> Call {
    match &operation.body {
        Some(body) => nowhere(operation).text(body.media_type, MALFORMED),
        None => nowhere(operation),
    }
}

const MALFORMED: &str = "{\"name\": ";

/// Provokes 401 and 403.
async fn who_calls(world: &World, acme: &Tenant, errors: &mut Errors) {
    let trial = world.tenant("trial", Plan::Trial).await;
    let mut roles = Vec::new();
    for (name, role) in [("owner", Role::Owner), ("admin", Role::Admin), ("collaborator", Role::Collaborator)]
    {
        roles.push((name, world.key_of(acme, role, None).await));
    }
    let unknown = format!("sk_live_{}", "A".repeat(43));
    for operation in contract().operations.iter().filter(|operation| operation.is_keyed()) {
        let id = operation.id;
        let call = harmless(operation);
        let outcome = world.send_as(None, &call).await;
        assert_eq!((outcome.status, &outcome.body["error"]), (401, &Value::from("unauthorized")), "{id}");
        errors.note("no key", &outcome);
        let outcome = world.send_as(Some(&unknown), &call).await;
        assert_eq!((outcome.status, &outcome.body["error"]), (401, &Value::from("invalid_api_key")), "{id}");
        errors.note("unknown key", &outcome);

        let outcome = world.send_as(Some(&trial.key), &call).await;
        let refused = (outcome.status, &outcome.body["error"]) == (403, &Value::from("api_access_disabled"));
        assert_eq!(refused, operation.policy.needs_plan, "{id}: {outcome:?}");
        if refused {
            errors.note("plan without API access", &outcome);
        }
        for (role, key) in &roles {
            let outcome = world.send_as(Some(key), &call).await;
            let refused = (outcome.status, &outcome.body["error"]) == (403, &Value::from("forbidden"));
            assert_eq!(refused, !operation.policy.roles.contains(role), "{id} as {role}: {outcome:?}");
        }
    }
}

/// Provokes 429.
async fn how_often(world: &World, acme: &Tenant, errors: &mut Errors) {
    let hasty = world.key_of(acme, Role::Owner, Some(1)).await;
    let first = contract().operations.iter().find(|operation| operation.policy.rate == "key").unwrap();
    assert_ne!(world.send_as(Some(&hasty), &harmless(first)).await.status, 429);
    for operation in &contract().operations {
        let outcome = match operation.policy.rate {
            "key" => world.send_as(Some(&hasty), &harmless(operation)).await,
            "reply" => {
                // Of its own, because the limit of a shared one would be used up for the cases after this
                // one.
                let named = operation.path_parameters[0];
                let ids = Ids::from([(named, world.fresh(acme, named, &Ids::new()).await)]);
                let call = world.valid_at(acme, operation, &ids).await;
                let call =
                    Call { payload: Payload::Text { media_type: "text/plain", text: String::new() }, ..call };
                for _ in 0..REPLIES {
                    assert_ne!(world.send_as(None, &call).await.status, 429, "{}", operation.id);
                }
                world.send_as(None, &call).await
            }
            "form" => {
                let ids = Ids::from([("form_key", world.fresh(acme, "form_key", &Ids::new()).await)]);
                let call = world.valid_at(acme, operation, &ids).await;
                for _ in 0..REPLIES {
                    assert_ne!(world.send_as(None, &call).await.status, 429, "{}", operation.id);
                }
                world.send_as(None, &call).await
            }
            "widget" => {
                // Of a chatbot of its own, because a chatbot has one widget.
                let chatbot_id = world.fresh(acme, "chatbot_id", &Ids::new()).await;
                let named = Ids::from([("chatbot_id", chatbot_id)]);
                let ids = Ids::from([("widget_key", world.fresh(acme, "widget_key", &named).await)]);
                let call = world.valid_at(acme, operation, &ids).await;
                for _ in 0..REPLIES {
                    assert_ne!(world.send_as(None, &call).await.status, 429, "{}", operation.id);
                }
                world.send_as(None, &call).await
            }
            other => panic!("{}: the rate class {other} is not known here", operation.id),
        };
        assert_eq!(outcome.status, 429, "{}: {outcome:?}", operation.id);
        errors.note("too many", &outcome);
    }
}

/// Provokes 404 with ids and 405 with methods.
async fn what_is_named(world: &World, acme: &Tenant) {
    for operation in &contract().operations {
        let valid = world.valid(acme, operation).await;
        let key = operation.is_keyed().then_some(&*acme.key);
        for parameter in &operation.path_parameters {
            let missing = valid.clone().with(parameter, &Uuid::new_v4().to_string());
            let expected = world.send_as(key, &missing).await;
            assert_eq!(expected.status, 404, "{} {parameter}: {expected:?}", operation.id);
            let real = &valid.path[parameter];
            for text in
                ["x", "0", "%00", "..%2f", "%F0%9F%98%80", &format!("{real}%20"), &format!("{real}000000000")]
            {
                let met = world.send_as(key, &valid.clone().with(parameter, text)).await;
                assert_eq!(met, expected, "{} with {parameter} {text}", operation.id);
            }
            // Resources are checked before the body.
            if let Some(body) = &operation.body {
                let met = world.send_as(key, &missing.text(body.media_type, MALFORMED)).await;
                assert_eq!(met, expected, "{} {parameter}", operation.id);
            }
        }
    }
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for operation in &contract().operations {
        methods.entry(operation.path).or_default().insert(&operation.method);
    }
    for (path, mut offered) in methods {
        if offered.contains("GET") {
            offered.insert("HEAD");
        }
        let operation = contract().operations.iter().find(|operation| operation.path == path).unwrap();
        let target = nowhere(operation).target();
        let others = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"];
        for method in others.into_iter().filter(|method| !offered.contains(method)) {
            let raw = Request::new(method, &target).key(&acme.key).send(world.service.address()).await;
            assert_eq!(raw.status, 405, "{method} {path}");
            let allowed: BTreeSet<&str> = header(&raw, "allow").split(", ").collect();
            assert_eq!(allowed, offered, "{method} {path}");
            assert!(method == "HEAD" || json(&raw)["message"].is_string(), "{method} {path}");
        }
    }
}

/// Provokes 400, 413, 415 and 422; [`violations`](super::violations) covers every constraint.
async fn what_is_sent(world: &World, acme: &Tenant, errors: &mut Errors) {
    for operation in &contract().operations {
        let valid = world.valid(acme, operation).await;
        let key = operation.is_keyed().then_some(&*acme.key);
        let texts = |parameter| broken_texts(parameter).into_iter().map(move |(_, text)| (parameter, text));
        if let Some((parameter, text)) = operation.query.iter().flat_map(texts).next() {
            let mut call = valid.clone();
            call.query.retain(|(name, _)| name != parameter.name);
            call.query.push((parameter.name.to_owned(), text));
            let outcome = world.send_as(key, &call).await;
            assert_eq!(outcome.status, 422, "{} {}: {outcome:?}", operation.id, parameter.name);
        }
        let Some(body) = &operation.body else { continue };
        let limit = body_limit(operation);
        let padded = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        let mut cases = vec![("too large", body.media_type, padded(limit + 1), 413)];
        if body.is_json() {
            cases.extend([
                ("not JSON", body.media_type, MALFORMED.to_owned(), 400),
                ("not too large, but no object", body.media_type, padded(limit), 422),
                ("not declared as JSON", "text/plain", valid.body_text(), 415),
            ]);
        } else if body.is_form() {
            cases.extend([
                ("form without parts", body.media_type, MALFORMED.to_owned(), 400),
                ("form declared as JSON", "application/json", valid.body_text(), 415),
            ]);
        } else {
            cases.push(("declared as JSON", "application/json", valid.body_text(), 415));
            // Files of spreadsheets are read in other encodings, too.
            let status = world.send_broken_off(key, &valid, body.media_type).await;
            assert_eq!(status, 400, "{} broken off", operation.id);
        }
        for (case, media_type, text, expected) in cases {
            let outcome = world.send_as(key, &valid.clone().text(media_type, text)).await;
            assert_eq!(outcome.status, expected, "{} {case}: {outcome:?}", operation.id);
            errors.note(case, &outcome);
        }
        let outcome = world.send_as(key, &Call { payload: Payload::None, ..valid }).await;
        if body.required {
            assert_eq!(outcome.status, 422, "{} without a body: {outcome:?}", operation.id);
            errors.note("no body", &outcome);
        } else {
            assert!((200..300).contains(&outcome.status), "{} without a body: {outcome:?}", operation.id);
        }
    }
}

/// Provokes 402 for operations that use credits.
async fn what_it_costs(world: &World) {
    let broke = NewAccount { monthly_credits: Some(0), ..account("broke", Plan::Growth) };
    let broke = world.tenant_of(broke).await;
    for operation in contract().operations.iter().filter(|operation| operation.policy.costs_credits) {
        let call = world.valid(&broke, operation).await;
        let outcome = world.send(&broke, &call).await;
        assert_eq!(outcome.status, 402, "{}: {outcome:?}", operation.id);
    }
}

/// Provokes 500 and checks that the service recovers.
async fn what_fails(world: &World, acme: &Tenant, errors: &mut Errors) {
    for table in JUDGING {
        world.service.database.run(&format!("ALTER TABLE {table} RENAME TO {table}_away")).await;
    }
    for operation in &contract().operations {
        let call = harmless(operation);
        let outcome = world.send_as(operation.is_keyed().then_some(&acme.key), &call).await;
        assert_eq!(outcome.status, 500, "{}: {outcome:?}", operation.id);
        errors.note("fault", &outcome);
    }
    for table in JUDGING {
        world.service.database.run(&format!("ALTER TABLE {table}_away RENAME TO {table}")).await;
    }
    for operation in contract().operations.iter().filter(|operation| operation.is_safe()) {
        let call = world.valid(acme, operation).await;
        world.succeed(acme, &call).await;
    }
}
