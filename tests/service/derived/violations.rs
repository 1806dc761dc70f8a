//! Violations: every constraint of bodies and parameters is violated once, and the 422 names exactly that
//! field.

use std::collections::BTreeSet;

use frontdesk_contract::{Instances, Mutant, Oracle};
use frontdesk_document::NodeRef;
use frontdesk_store::Plan;
use serde_json::Value;

use super::{
    contract::{Body, Node, Operation, Parameter, contract},
    exchange::Call,
    references::is_null,
    world::{World, each, made_of, text_of},
};
use crate::database::Database;

/// Seeds of generated bodies that are mutated in addition to the examples.
const SEEDS: std::ops::Range<u64> = 0..6;
/// No limit on the number of mutants.
const ALL: usize = 10_000;
/// The size limit of bodies in bytes, unless the operation's policy states another.
const BODY_LIMIT: usize = 1 << 20;

/// Texts that violate most patterns and formats.
const NO_TEXTS: [&str; 4] = ["?", " ", "ftp://x.example/", "no such text"];
/// Formats that are checked.
const CHECKED: [&str; 6] = ["date", "date-time", "decimal", "email", "uri", "uuid"];

/// A body that violates one constraint.
pub(super) struct Violation {
    pub(super) body: Value,
    /// The key under `errors`.
    pub(super) path: String,
    /// The constraint, with `*` for positions in lists.
    pub(super) name: String,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_constraint_of_a_body_is_checked() {
    let world = World::start(Database::sqlite().await).await;
    let acme = world.tenant("acme", Plan::Growth).await;
    let with_body = contract().operations.iter().filter_map(|operation| {
        operation.body.as_ref().filter(|body| body.has_fields()).map(|body| (operation, body))
    });
    let with_body: Vec<_> = with_body.collect();
    assert!(with_body.len() > 3, "the operations with bodies were not found");
    each(with_body, async |(operation, body)| {
        let valid = world.valid(&acme, operation).await;
        let violations = violations(&contract().requests, operation, body);
        let broken: BTreeSet<&str> = violations.iter().map(|violation| &*violation.name).collect();
        let missed: Vec<_> = constraints(body.schema)
            .into_iter()
            .filter(|constraint| !broken.contains(&**constraint))
            .filter(|constraint| body.is_json() || !is_of_json(constraint))
            .collect();
        assert!(missed.is_empty(), "{}: nothing breaks {missed:?}; broken are {broken:?}", operation.id);
        for violation in violations.iter().filter(|violation| body.is_json() || !is_of_json(&violation.name))
        {
            let call = valid.clone().json(violation.body.clone());
            refused(&world, &acme.key, &call, &violation.path, &violation.name).await;
        }
    })
    .await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_constraint_of_a_parameter_is_checked() {
    let world = World::start(Database::sqlite().await).await;
    let acme = world.tenant("acme", Plan::Growth).await;
    each(&contract().operations, async |operation| {
        let valid = world.valid(&acme, operation).await;
        for parameter in &operation.query {
            let others: Vec<_> =
                valid.query.iter().filter(|(name, _)| name != parameter.name).cloned().collect();
            let with = |text: String| {
                let mut call = Call { query: others.clone(), ..valid.clone() };
                call.query.push((parameter.name.to_owned(), text));
                call
            };
            for (keyword, text) in broken_texts(parameter) {
                refused(&world, &acme.key, &with(text), parameter.name, keyword).await;
            }
            if parameter.required {
                let call = Call { query: others, ..valid.clone() };
                refused(&world, &acme.key, &call, parameter.name, "required").await;
            }
        }
        for parameter in &operation.headers {
            // Other characters are not valid in a header.
            let plain = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
            let texts = broken_texts(parameter).into_iter().filter(|(_, text)| plain(text));
            for (keyword, text) in texts {
                let call = valid.clone().header(parameter.name, &text);
                refused(&world, &acme.key, &call, parameter.name, keyword).await;
            }
        }
    })
    .await;
    world.stop().await;
}

async fn refused(world: &World, key: &str, call: &Call, path: &str, constraint: &str) {
    let named = format!("{}: {constraint} at {path}", call.operation.id);
    let key = call.operation.is_keyed().then_some(key);
    let outcome = world.send_as(key, call).await;
    assert_eq!(outcome.status, 422, "{named}: {outcome:?} of {call:?}");
    let errors = outcome.body["errors"].as_object().unwrap_or_else(|| panic!("{named}: {outcome:?}"));
    assert_eq!(errors.keys().collect::<Vec<_>>(), [path], "{named}: {outcome:?} of {call:?}");
}

/// Returns whether only JSON can violate a constraint: the values of forms are texts.
fn is_of_json(constraint: &str) -> bool {
    constraint.ends_with(" type") || constraint.ends_with(" nullable")
}

/// Returns one invalid body for each constraint. The oracle is that of the requests of the contract.
pub(super) fn violations(oracle: &Oracle, operation: &Operation, body: &Body) -> Vec<Violation> {
    let readable = Instances::readable(oracle).without_examples();
    let mut valid: Vec<Value> = body.examples.iter().map(|(_, example)| example.clone()).collect();
    valid.extend(readable.valid(body.schema, 1));
    valid.extend(SEEDS.filter_map(|seed| Instances::new(oracle).valid(body.schema, seed).ok()));
    let longest = operation.policy.body_bytes.unwrap_or(BODY_LIMIT);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for base in &valid {
        let mutants = readable.invalid(body.schema, base, 1, ALL);
        for mutant in mutants.into_iter().chain(further(oracle, body.schema, base)) {
            let missing =
                || oracle.faults(body.schema, &mutant.value).into_iter().find_map(|fault| fault.missing);
            let mut pointer = mutant.pointer.clone();
            if mutant.keyword == "required" {
                // Of a composed schema, the oracle says only that no branch fits.
                let name = missing().or_else(|| removed(base, &mutant.value, &pointer));
                pointer = format!("{pointer}/{}", name.unwrap());
            }
            let name = format!("{} {}", general(&pointer), mutant.keyword);
            let reachable = mutant.value.to_string().len() <= longest;
            if reachable && seen.insert(name.clone()) {
                found.push(Violation { path: dotted(&pointer), name, body: mutant.value });
            }
        }
    }
    found
}

/// Returns the member that an object has lost.
fn removed(base: &Value, value: &Value, pointer: &str) -> Option<String> {
    let members = |value: &Value| value.pointer(pointer)?.as_object().cloned();
    let left = members(value)?;
    members(base)?.into_iter().map(|(name, _)| name).find(|name| !left.contains_key(name))
}

/// Returns mutants that [`Instances::invalid`] omits: very long values, and values that violate two keywords
/// at once.
fn further(oracle: &Oracle, schema: Node, base: &Value) -> Vec<Mutant> {
    fn walk(schema: Node, value: &Value, pointer: &str, found: &mut Vec<(String, &'static str, Value)>) {
        for part in parts(schema) {
            let bound =
                |name| part.get(name).and_then(NodeRef::as_i128).map(|bound| usize::try_from(bound).unwrap());
            let mut replace = |keyword, value| found.push((pointer.to_owned(), keyword, value));
            match value {
                Value::String(text) => {
                    if let Some(most) = bound("maxLength") {
                        let missing = (most + 1).saturating_sub(text.chars().count());
                        replace("maxLength", Value::from(format!("{text}{}", "x".repeat(missing))));
                    }
                    if let Some(least) = bound("minLength").filter(|least| *least > 0) {
                        replace("minLength", text.chars().take(least - 1).collect::<String>().into());
                    }
                    for keyword in ["format", "pattern"] {
                        for other in NO_TEXTS.into_iter().filter(|_| part.get(keyword).is_some()) {
                            replace(keyword, Value::from(other));
                        }
                    }
                    // A number violates `enum` as well.
                    if part.get("enum").is_some() {
                        replace("type", Value::from(1));
                    }
                }
                // A fraction may also be below `minimum`.
                Value::Number(_) => replace("type", Value::from("many")),
                Value::Array(entries) => {
                    if let (Some(most), Some(items)) = (bound("maxItems"), part.get("items")) {
                        let entry = entries.first().map_or_else(|| made_of(items), Value::clone);
                        replace("maxItems", vec![least(items, &entry); most + 1].into());
                    }
                    for (entry, items) in entries.first().into_iter().zip(part.get("items")) {
                        walk(items, entry, &format!("{pointer}/0"), found);
                    }
                }
                Value::Object(members) => {
                    for (name, property) in part.get("properties").into_iter().flat_map(NodeRef::members) {
                        if let Some(member) = members.get(name) {
                            walk(property, member, &format!("{pointer}/{name}"), found);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(schema, base, "", &mut found);
    let mutants = found.into_iter().filter_map(|(pointer, keyword, replacement)| {
        let mut value = base.clone();
        *value.pointer_mut(&pointer)? = replacement;
        let faults = oracle.faults(schema, &value);
        // A fault inside of a nullable value is reported for that value.
        let here = !faults.is_empty() && faults.iter().all(|fault| pointer.starts_with(&fault.pointer));
        here.then_some(Mutant { value, pointer, keyword })
    });
    mutants.collect()
}

/// Returns a small value of the schema, so that many of them fit into a body.
fn least(schema: Node, value: &Value) -> Value {
    let parts = parts(schema);
    let says = |keyword| parts.iter().find_map(|part| part.get(keyword));
    match value {
        Value::Object(members) => {
            let needed =
                parts.iter().flat_map(|part| part.get("required").into_iter().flat_map(NodeRef::items));
            let needed: Vec<&str> = needed.filter_map(NodeRef::as_str).collect();
            let properties: Vec<Node> = parts.iter().filter_map(|part| part.get("properties")).collect();
            let kept = members.iter().filter(|(name, _)| needed.contains(&name.as_str()));
            kept.map(|(name, member)| {
                let property = properties.iter().find_map(|properties| properties.get(name));
                (name.clone(), property.map_or_else(|| member.clone(), |property| least(property, member)))
            })
            .collect()
        }
        Value::String(_)
            if ["enum", "format", "pattern"].into_iter().all(|keyword| says(keyword).is_none()) =>
        {
            let shortest = says("minLength").and_then(NodeRef::as_i128).unwrap_or(0);
            Value::from("x".repeat(shortest.try_into().unwrap()))
        }
        _ => value.clone(),
    }
}

/// Returns every constraint of a schema that a body of allowed size can violate, named like violations.
pub(super) fn constraints(schema: Node) -> BTreeSet<String> {
    fn walk(schema: Node, pointer: &str, found: &mut BTreeSet<String>) {
        if pointer.split('/').count() > 12 {
            return;
        }
        for part in parts(schema) {
            let has = |keyword: &str| part.get(keyword).is_some();
            let bound = |keyword: &str| part.get(keyword).and_then(NodeRef::as_i128);
            let open = part.get("x-extensible-enum").and_then(NodeRef::as_bool) == Some(true);
            for (keyword, applies) in [
                ("type", has("type")),
                ("minLength", bound("minLength").is_some_and(|least| least > 0)),
                // Longer texts may exceed the size limit of the body.
                ("maxLength", bound("maxLength").is_some_and(|most| most < 50_000) && !has("enum")),
                ("minItems", bound("minItems").is_some_and(|least| least > 0)),
                ("maxItems", bound("maxItems").is_some()),
                ("minimum", has("minimum")),
                ("maximum", has("maximum")),
                ("pattern", has("pattern")),
                (
                    "format",
                    CHECKED.contains(&part.get("format").and_then(NodeRef::as_str).unwrap_or_default()),
                ),
                ("enum", has("enum") && !open),
            ] {
                if applies && !(open && keyword == "type") {
                    found.insert(format!("{pointer} {keyword}"));
                }
            }
            for name in part.get("required").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::as_str)
            {
                found.insert(format!("{pointer}/{name} required"));
            }
            if let Some(items) = part.get("items") {
                walk(items, &format!("{pointer}/*"), found);
            }
            for (name, property) in part.get("properties").into_iter().flat_map(NodeRef::members) {
                walk(property, &format!("{pointer}/{name}"), found);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(schema, "", &mut found);
    found
}

/// Returns invalid texts for a parameter, each with the keyword that it violates.
pub(crate) fn broken_texts(parameter: &Parameter) -> Vec<(&'static str, String)> {
    let instances = Instances::readable(&contract().requests);
    let valid = parameter.example.clone().unwrap_or_else(|| made_of(parameter.schema));
    let mut found = Vec::new();
    for mutant in instances.invalid(parameter.schema, &valid, 1, ALL) {
        // A parameter is sent as text, so only some types can be violated.
        match (mutant.keyword, &valid) {
            ("type", Value::Bool(_)) => found.push(("type", "maybe".to_owned())),
            ("type", Value::Number(_)) => found.push(("type", "many".to_owned())),
            // Too long texts are added below, without characters that are long in an address. The commas of a
            // list would be encoded, and so be a part of one value.
            ("nullable" | "maxLength" | "type", _) | ("maxItems", Value::Array(_)) => {}
            (keyword, _) => found.push((keyword, text_of(&mutant.value))),
        }
    }
    for part in parts(parameter.schema) {
        if let (Some(most), Value::String(text)) = (part.get("maxLength").and_then(NodeRef::as_i128), &valid)
        {
            let missing = usize::try_from(most).unwrap() + 1 - text.chars().count();
            found.push(("maxLength", format!("{text}{}", "x".repeat(missing))));
        }
    }
    found
}

pub(super) fn parts(schema: Node) -> Vec<Node> {
    let schema = schema.resolve().unwrap();
    let members = ["allOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
    let all = members.flat_map(NodeRef::items).filter(|member| !is_null(*member)).flat_map(parts);
    std::iter::once(schema).chain(all).collect()
}

/// Returns a pointer in the notation of `errors`.
pub(super) fn dotted(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let path = steps.collect::<Vec<_>>().join(".");
    if path.is_empty() { "body".to_owned() } else { path }
}

/// Returns a pointer with `*` for positions in lists.
fn general(pointer: &str) -> String {
    let steps = pointer.split('/').map(|step| if step.parse::<usize>().is_ok() { "*" } else { step });
    steps.collect::<Vec<_>>().join("/")
}
