//! Limits from both sides: what is as large as the contract allows is accepted, and what is larger by one is
//! refused.
//!
//! Sizes of bodies, lengths of texts and lists, and bounds of numbers are read from the document. Accepted
//! means that the request is not refused because of the limit: a name that is taken, or an id that names
//! nothing, is refused by the handler, which only sees what has passed every limit.

use std::{collections::BTreeSet, sync::Mutex};

use frontdesk_document::NodeRef;
use frontdesk_store::Plan;
use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Node, Operation, Parameter, contract},
    exchange::{Call, Outcome, Payload},
    idempotency::HEADER,
    violations::{dotted, parts},
    world::{Tenant, World, each, made_of, text_of},
};
use crate::{database::Database, installation::Installation};

/// The size limit of bodies in bytes, unless the operation's policy states another.
const BODY_LIMIT: usize = 1 << 20;
/// The size of the largest body that the service reads from somebody without a key, in bytes.
const KEYLESS: usize = 64 << 10;
/// A character that is one character but four bytes.
const WIDE: char = '\u{1f600}';

/// The beginnings of the messages about limits.
const MESSAGES: [&str; 4] =
    ["must have at most", "must have at least", "must be at most", "must be at least"];

/// A limit of a value.
#[derive(Clone, Debug)]
struct Edge {
    pointer: String,
    keyword: &'static str,
    /// The body with a value that is exactly at the limit, if one can be made.
    at: Option<Value>,
    /// The body with a value that is one beyond, if one can be made.
    beyond: Option<Value>,
}

/// Starts a service on which no rate limit is met.
async fn world() -> World {
    let database = Database::sqlite().await;
    World::of(
        Installation::start_with(database, |config| {
            let limits = &mut config.limits;
            for limit in [
                &mut limits.requests_per_key,
                &mut limits.replies_per_client,
                &mut limits.form_requests_per_client,
                &mut limits.submissions_per_form,
                &mut limits.replies_per_chatbot,
                &mut limits.replies_per_day,
            ] {
                *limit = 1_000_000;
            }
        })
        .await,
    )
}

pub(super) fn body_limit(operation: &Operation) -> usize {
    operation.policy.body_bytes.unwrap_or(if operation.is_keyed() { BODY_LIMIT } else { KEYLESS })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    let world = world().await;
    let acme = world.tenant("acme", Plan::Growth).await;
    let with_body = contract().operations.iter().filter(|operation| operation.body.is_some());
    let cases: Vec<_> = with_body
        .flat_map(|operation| {
            let media_types = &operation.body.as_ref().unwrap().media_types;
            media_types.iter().map(move |media_type| (operation, *media_type))
        })
        .collect();
    assert!(cases.iter().any(|(_, media_type)| *media_type == "multipart/form-data"), "{cases:?}");
    each(cases, async |(operation, media_type)| {
        let limit = body_limit(operation);
        let named = format!("{} as {media_type}", operation.id);
        let valid = world.valid_once(&acme, operation).await;
        let key = operation.is_keyed().then_some(&*acme.key);
        let too_large = padded(&valid, media_type, limit + 1, "one");
        let outcome = world.send_as(key, &too_large).await;
        assert_eq!(outcome.status, 413, "{named}: {outcome:?}");

        let mut call = padded(&valid, media_type, limit, "one");
        let is_repeatable = operation.takes_header(HEADER) && operation.policy.body_bytes.is_some();
        let idempotency_key = Uuid::new_v4().to_string();
        if is_repeatable {
            call = call.header(HEADER, &idempotency_key);
        }
        let outcome = world.send_as(key, &call).await;
        // Lines without fields may contradict the rules of a text.
        let is_read = outcome.status < 400 || outcome.status == 422 && media_type.starts_with("text/");
        assert!(is_read, "{named}: {} {}", outcome.status, outcome.body);
        if is_repeatable {
            // Clients draw another boundary for each request.
            let again = padded(&valid, media_type, limit, "another").header(HEADER, &idempotency_key);
            assert_eq!(world.send_as(key, &again).await, outcome, "{named} again");
        }
    })
    .await;
    world.stop().await;
}

/// Returns a call whose body has this media type and exactly this size. What is added means nothing: white
/// space after JSON and text, a field that nobody knows, and what follows the last part of a form.
fn padded(call: &Call, media_type: &'static str, size: usize, boundary: &str) -> Call {
    let (stated, mut bytes, padding) = match media_type {
        "application/json" => (media_type.to_owned(), call.body_text().into_bytes(), b' '),
        "multipart/form-data" => {
            let form = call.form(call.body().unwrap(), boundary);
            (format!("{media_type}; boundary={boundary}"), form.into_bytes(), b'x')
        }
        "application/x-www-form-urlencoded" => {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            for (name, value) in call.body().unwrap().as_object().unwrap() {
                form.append_pair(name, &text_of(value));
            }
            form.append_pair("x-padding", "");
            (media_type.to_owned(), form.finish().into_bytes(), b'x')
        }
        text if text.starts_with("text/") => (text.to_owned(), call.body_text().into_bytes(), b'\n'),
        other => panic!("{}: teach the derived tests to write {other}", call.operation.id),
    };
    assert!(bytes.len() <= size, "{}: the example is larger than {size} bytes", call.operation.id);
    bytes.resize(size, padding);
    Call { payload: Payload::Bytes { media_type: stated.leak(), bytes }, ..call.clone() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_value_at_its_limit_is_accepted_and_one_beyond_is_not() {
    let world = world().await;
    let acme = world.tenant("acme", Plan::Growth).await;
    let with_fields = contract().operations.iter().filter_map(|operation| {
        operation.body.as_ref().filter(|body| body.has_fields()).map(|body| (operation, body))
    });
    let with_fields: Vec<_> = with_fields.collect();
    assert!(with_fields.len() > 3, "the operations with bodies were not found");
    let unproven = Mutex::new(BTreeSet::new());
    each(with_fields, async |(operation, body)| {
        let mut call = world.valid_once(&acme, operation).await;
        let mut bases = vec![call.body().unwrap().clone()];
        for (_, example) in &body.examples {
            bases.push(world.filled(&acme, operation, &call.path, example.clone()).await);
        }
        bases.push(world.filled(&acme, operation, &call.path, made_of(body.schema)).await);
        let mut seen = BTreeSet::new();
        for base in &bases {
            for edge in edges(body.schema, base) {
                let name = format!("{} {} of {}", edge.pointer, edge.keyword, operation.id);
                if seen.contains(&name) {
                    continue;
                }
                let Some(at) = edge.at.filter(|at| fits(operation, at)) else {
                    unproven.lock().unwrap().insert(name);
                    continue;
                };
                unproven.lock().unwrap().remove(&name);
                seen.insert(name.clone());
                if let Some(beyond) = edge.beyond.filter(|beyond| fits(operation, beyond)) {
                    let outcome = answer(&world, &acme, &mut call, beyond).await;
                    assert!(is_beyond(&outcome, &edge.pointer), "one beyond {name}: {outcome:?}");
                }
                let outcome = answer(&world, &acme, &mut call, at).await;
                assert!(has_passed(&outcome, &edge.pointer), "{name}: {outcome:?}");
            }
        }
    })
    .await;
    let unproven = unproven.into_inner().unwrap();
    assert!(unproven.len() < 30, "no value could be made for many limits: {unproven:?}");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_parameter_at_its_limit_is_accepted_and_one_beyond_is_not() {
    let world = world().await;
    let acme = world.tenant("acme", Plan::Growth).await;
    each(&contract().operations, async |operation| {
        if operation.query.is_empty() && operation.headers.is_empty() {
            return;
        }
        let valid = world.valid_once(&acme, operation).await;
        let in_query = |parameter: &Parameter, text: &str| {
            let mut call = valid.clone();
            call.query.retain(|(name, _)| name != parameter.name);
            call.query.push((parameter.name.to_owned(), text.to_owned()));
            call
        };
        let in_header = |parameter: &Parameter, text: &str| valid.clone().header(parameter.name, text);
        let query = operation.query.iter().map(|parameter| (parameter, false));
        let headers = operation.headers.iter().map(|parameter| (parameter, true));
        for (parameter, is_header) in query.chain(headers) {
            let value = parameter.example.clone().unwrap_or_else(|| made_of(parameter.schema));
            let with = |value: &Value| match (text_of(value), is_header) {
                (text, true) => in_header(parameter, &text),
                (text, false) => in_query(parameter, &text),
            };
            for edge in edges(parameter.schema, &value) {
                // The commas of a list would be encoded, and so be a part of one value.
                if value.is_array() {
                    continue;
                }
                let name = format!("{} {} of {}", parameter.name, edge.keyword, operation.id);
                // Texts of a header are plain, and an empty parameter is often an absent one.
                let is_sent = |value: &Value| {
                    let text = text_of(value);
                    !text.is_empty() && (!is_header || text.is_ascii())
                };
                let pointer = format!("/{}{}", parameter.name, edge.pointer);
                if let Some(at) = edge.at.filter(is_sent) {
                    let outcome = world.send_as(key(operation, &acme), &with(&at)).await;
                    // The path names what exists, so only a handler that looks for this value finds nothing.
                    let is_accepted = outcome.status == 404 || has_passed(&outcome, &pointer);
                    assert!(is_accepted, "{name}: {outcome:?}");
                }
                if let Some(beyond) = edge.beyond.filter(is_sent) {
                    let outcome = world.send_as(key(operation, &acme), &with(&beyond)).await;
                    assert!(is_beyond(&outcome, &pointer), "one beyond {name}: {outcome:?}");
                }
            }
        }
    })
    .await;
    world.stop().await;
}

#[test]
fn every_text_that_the_contract_allows_fits_into_a_body() {
    for operation in contract().operations.iter().filter(|operation| operation.is_keyed()) {
        let Some(body) = operation.body.as_ref().filter(|body| body.has_fields()) else { continue };
        for edge in edges(body.schema, &made_of(body.schema)) {
            if let Some(at) = edge.at.filter(|_| edge.keyword == "maxLength") {
                assert!(
                    fits(operation, &at),
                    "{}: {} may be longer than a body; raise `body_bytes` of its `x-policy`",
                    operation.id,
                    edge.pointer
                );
            }
        }
    }
}

/// Sends a call with this body. If a case before this one has used up the resource of its path, the call gets
/// another one.
async fn answer(world: &World, tenant: &Tenant, call: &mut Call, body: Value) -> Outcome {
    let operation = call.operation;
    let outcome = world.send_as(key(operation, tenant), &call.clone().json(body.clone())).await;
    if outcome.status != 404 {
        return outcome;
    }
    *call = world.valid_once(tenant, operation).await;
    world.send_as(key(operation, tenant), &call.clone().json(body)).await
}

fn key<'t>(operation: &Operation, tenant: &'t Tenant) -> Option<&'t str> {
    operation.is_keyed().then_some(&*tenant.key)
}

fn fits(operation: &Operation, body: &Value) -> bool {
    body.to_string().len() <= body_limit(operation)
}

/// Whether a request has reached its handler as far as this field is concerned.
fn has_passed(outcome: &Outcome, pointer: &str) -> bool {
    match outcome.status {
        400 | 401 | 404 | 413 | 415 | 500.. => false,
        422 => !about_limits(outcome, pointer),
        _ => true,
    }
}

/// Whether a request is refused because of the limit of this field.
fn is_beyond(outcome: &Outcome, pointer: &str) -> bool {
    outcome.status == 422 && about_limits(outcome, pointer)
}

fn about_limits(outcome: &Outcome, pointer: &str) -> bool {
    let problems = outcome.body["errors"][dotted(pointer)].as_array().cloned().unwrap_or_default();
    let is_about = |problem: &Value| {
        problem.as_str().is_some_and(|problem| MESSAGES.iter().any(|message| problem.starts_with(message)))
    };
    problems.iter().any(is_about)
}

/// Returns every limit of a schema that this valid value has a place for.
fn edges(schema: Node, base: &Value) -> Vec<Edge> {
    let mut found = Vec::new();
    walk(schema, base, "", &mut found);
    let with = |pointer: &str, replacement: Value| {
        let mut value = base.clone();
        *value.pointer_mut(pointer).unwrap() = replacement;
        value
    };
    let faults = |value: &Value| contract().requests.faults(schema, value);
    let edges = found.into_iter().map(|(pointer, keyword, at, beyond)| Edge {
        at: at.into_iter().map(|at| with(&pointer, at)).find(|value| faults(value).is_empty()),
        // A fault inside of a nullable value is reported for that value.
        beyond: beyond.into_iter().map(|beyond| with(&pointer, beyond)).find(|value| {
            let faults = faults(value);
            !faults.is_empty() && faults.iter().all(|fault| pointer.starts_with(&fault.pointer))
        }),
        pointer,
        keyword,
    });
    edges.collect()
}

/// A pointer, a keyword, and values at the limit and beyond it, of which the first valid, or invalid, one is
/// taken.
type Found = (String, &'static str, Vec<Value>, Vec<Value>);

fn walk(schema: Node, value: &Value, pointer: &str, found: &mut Vec<Found>) {
    for part in parts(schema) {
        let bound = |name| part.get(name).and_then(NodeRef::as_i128);
        let size = |name| bound(name).map(|bound| usize::try_from(bound).unwrap());
        let mut add = |keyword, at, beyond| found.push((pointer.to_owned(), keyword, at, beyond));
        match value {
            Value::String(text) => {
                if let Some(most) = size("maxLength") {
                    add("maxLength", lengthened(text, most), lengthened(text, most + 1));
                }
                if let Some(least) = size("minLength").filter(|least| *least > 0) {
                    let short = |length| vec![Value::from(text.chars().take(length).collect::<String>())];
                    let long_enough =
                        if text.chars().count() >= least { short(least) } else { lengthened(text, least) };
                    add("minLength", long_enough, short(least - 1));
                }
            }
            Value::Number(_) => {
                for (keyword, step) in [("minimum", -1), ("maximum", 1)] {
                    if let Some(bound) = bound(keyword).and_then(|bound| i64::try_from(bound).ok()) {
                        let beyond = bound.checked_add(step).map(Value::from);
                        add(keyword, vec![bound.into()], beyond.into_iter().collect());
                    }
                }
            }
            Value::Array(entries) => {
                let Some(items) = part.get("items") else { continue };
                let entry = entries.first().map_or_else(|| made_of(items), Value::clone);
                for (keyword, beyond) in [("minItems", -1_i64), ("maxItems", 1)] {
                    let Some(bound) = size(keyword).filter(|bound| *bound > 0) else { continue };
                    let beyond = bound.checked_add_signed(beyond.try_into().unwrap()).unwrap();
                    add(keyword, vec![listed(&entry, bound)], vec![listed(&entry, beyond)]);
                }
                if let Some(entry) = entries.first() {
                    walk(items, entry, &format!("{pointer}/0"), found);
                }
            }
            Value::Object(members) => {
                for (name, property) in part.get("properties").into_iter().flat_map(NodeRef::members) {
                    if let Some(member) = members.get(name) {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        walk(property, member, &format!("{pointer}/{name}"), found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns texts of this length that begin alike: most formats and patterns allow one of them.
fn lengthened(text: &str, length: usize) -> Vec<Value> {
    let missing = length.saturating_sub(text.chars().count());
    let kept: String = text.chars().take(length).collect();
    let padded = [WIDE, 'x', '7', 'A'].map(|character| {
        let padding = std::iter::repeat_n(character, missing).collect::<String>();
        Value::from(format!("{kept}{padding}"))
    });
    // The domain of an email address has labels of at most 63 characters.
    let address = text.split_once('@').map(|(local, domain)| {
        let labels: String =
            (0..missing).map(|at| if (missing - at) % 40 == 1 { '.' } else { 'x' }).collect();
        Value::from(format!("{local}@{labels}{domain}"))
    });
    padded.into_iter().chain(address).collect()
}

/// Returns a list of entries that differ, where they can.
fn listed(entry: &Value, length: usize) -> Value {
    let entries = (0..length).map(|number| match entry {
        Value::String(text) if Uuid::try_parse(text).is_ok() => Uuid::new_v4().to_string().into(),
        Value::String(text) if text.starts_with("http") => format!("{text}{number}").into(),
        other => other.clone(),
    });
    Value::Array(entries.collect())
}
