//! Tests of the comparison against the oracle: real schemas are edited at random, and no value may refute a
//! change that is reported as safe. Breaking changes should have a witness; their share is pinned as a
//! minimum.
//!
//! The documents are in `FRONTDESK_CORPUS`; without it, the test is skipped with a message.

use std::path::PathBuf;

use frontdesk_contract::compat::{Comparison, Level, Policy, Verdict, compare, report};
use frontdesk_contract::{Direction, Instances, Oracle};
use frontdesk_document::{Document, MemoryLoader, NodeRef};
use serde_json::{Map, Value, json};

/// Documents that cover all kinds of schemas and are small enough to be compared many times.
const DOCUMENTS: [&str; 7] = [
    "firecracker.json",
    "keeper.json",
    "oapi-strict.yaml",
    "ogen-discriminator-mapping.json",
    "propolis.json",
    "readme-additional-props.json",
    "tinkoff.json",
];

/// The number of edits of each schema.
const EDITS: u64 = 12;

/// The number of values tried in each direction.
const VALUES: u64 = 8;

/// Returns a document in which values of one component are sent in requests and responses.
fn document(name: &str, schemas: &Map<String, Value>) -> Option<Document> {
    let schema =
        json!({ "$ref": format!("#/components/schemas/{}", name.replace('~', "~0").replace('/', "~1")) });
    let body = json!({ "description": "A body", "content": { "application/json": { "schema": schema } } });
    let whole = json!({
        "openapi": "3.0.3",
        "info": { "title": "T", "version": "1" },
        "paths": {
            "/sent": { "post": { "requestBody": body, "responses": {} } },
            "/answered": { "get": { "responses": { "200": body } } },
        },
        "components": { "schemas": schemas },
    });
    let loader = MemoryLoader::new().with("api.json", whole.to_string());
    Document::read("api.json", &loader).0
}

fn component<'d>(document: &'d Document, name: &str) -> Option<NodeRef<'d>> {
    document.root().get("components")?.get("schemas")?.get(name)
}

/// Collects every schema object inside a schema, by its pointer.
fn places(schema: &Value, pointer: &str, found: &mut Vec<String>) {
    let Some(members) = schema.as_object().filter(|members| !members.contains_key("$ref")) else { return };
    found.push(pointer.to_owned());
    for keyword in ["items", "additionalProperties", "not"] {
        if let Some(inner) = members.get(keyword) {
            places(inner, &format!("{pointer}/{keyword}"), found);
        }
    }
    for keyword in ["allOf", "oneOf", "anyOf"] {
        for (index, inner) in members.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            places(inner, &format!("{pointer}/{keyword}/{index}"), found);
        }
    }
    for (name, inner) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let name = name.replace('~', "~0").replace('/', "~1");
        places(inner, &format!("{pointer}/properties/{name}"), found);
    }
}

/// Changes one keyword of a schema object.
fn edit(schema: &mut Map<String, Value>, random: &mut fastrand::Rng) {
    let names: Vec<String> = schema.keys().cloned().collect();
    match random.u8(0..14) {
        0 if !names.is_empty() => {
            schema.remove(&names[random.usize(0..names.len())]);
        }
        1 => drop(schema.insert("maxLength".to_owned(), json!(random.u8(1..6)))),
        2 => drop(schema.insert("minLength".to_owned(), json!(random.u8(1..4)))),
        3 => drop(schema.insert("maximum".to_owned(), json!(random.i16(-50..500)))),
        4 => drop(schema.insert("minItems".to_owned(), json!(random.u8(1..3)))),
        5 => {
            let names: Vec<String> = schema
                .get("properties")
                .and_then(Value::as_object)
                .map(|members| members.keys().cloned().collect())
                .unwrap_or_default();
            if let Some(name) = random.choice(&names) {
                schema.insert("required".to_owned(), json!([name]));
            }
        }
        6 => {
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
                values.pop();
            }
        }
        7 => {
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(json!("one more"));
            }
        }
        8 => {
            let nullable = schema.get("nullable") != Some(&json!(true));
            schema.insert("nullable".to_owned(), json!(nullable));
        }
        9 => drop(schema.insert("additionalProperties".to_owned(), json!(random.bool()))),
        10 => {
            let kinds = ["string", "integer", "number", "boolean", "array", "object"];
            schema.insert("type".to_owned(), json!(kinds[random.usize(0..kinds.len())]));
        }
        11 => {
            let whole = Value::Object(std::mem::take(schema));
            schema.insert("allOf".to_owned(), json!([whole]));
        }
        12 => {
            for keyword in ["oneOf", "anyOf", "allOf"] {
                if let Some(branches) = schema.get_mut(keyword).and_then(Value::as_array_mut) {
                    branches.pop();
                }
            }
        }
        _ => {
            if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                let name = members.keys().next().cloned();
                if let Some(name) = name {
                    members.remove(&name);
                }
            }
        }
    }
}

/// Returns a value of `from` that `to` rejects, with the reason.
fn refuted(from: NodeRef<'_>, to: NodeRef<'_>, direction: Direction) -> Option<(Value, String)> {
    let (giving, taking) = (Oracle::new([from], direction).ok()?, Oracle::new([to], direction).ok()?);
    (0..VALUES).find_map(|seed| {
        let value = Instances::new(&giving).valid(from, seed).ok()?;
        let fault = taking.faults(to, &value).into_iter().next()?;
        Some((value, fault.message))
    })
}

/// Returns whether no finding of an operation could explain a rejected value.
fn is_called_safe(comparison: &Comparison, operation: &str) -> bool {
    !comparison.findings.iter().any(|finding| {
        finding.uses.iter().any(|used| used.operation == operation)
            && matches!(finding.level, Level::Breaking | Level::Undecided)
    })
}

#[test]
fn no_value_refutes_what_is_called_safe() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        println!("skipped: FRONTDESK_CORPUS is not set");
        return;
    };
    let policy = Policy::plain("2026-11-21".parse().expect("a date"));
    let (mut compared, mut breaking, mut proven) = (0_u32, 0_u32, 0_u32);
    let mut unproven = Vec::new();
    let mut wrong = Vec::new();
    for file in DOCUMENTS {
        let text = fs_err::read_to_string(folder.join(file)).expect("the document is there");
        let (document_read, _) = Document::read(file, &MemoryLoader::new().with(file, text));
        let root = document_read.expect("it is a document").root().to_json();
        let schemas =
            root.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
        for (number, name) in schemas.keys().enumerate() {
            let Some(base) = document(name, &schemas) else { continue };
            for seed in 0..EDITS {
                let mut random = fastrand::Rng::with_seed(number as u64 * 1_000 + seed);
                let mut edited = schemas.clone();
                let mut found = Vec::new();
                places(&edited[name], "", &mut found);
                let Some(place) = random.choice(&found) else { continue };
                let target = edited.get_mut(name).and_then(|schema| schema.pointer_mut(place));
                let Some(target) = target.and_then(Value::as_object_mut) else { continue };
                edit(target, &mut random);
                let Some(revision) = document(name, &edited) else { continue };
                let comparison = compare(&base, &revision, &policy);
                compared += 1;
                let wire = comparison
                    .findings
                    .iter()
                    .filter(|finding| finding.breaks() && finding.verdicts.contains(&Verdict::Wire));
                for finding in wire {
                    breaking += 1;
                    proven += u32::from(finding.witness.is_some());
                    if finding.witness.is_none() {
                        unproven
                            .push(format!("{} {} {file} {name}{place}", finding.rule.id, finding.message));
                    }
                }
                let (Some(old), Some(new)) = (component(&base, name), component(&revision, name)) else {
                    continue;
                };
                for (direction, operation, from, to) in [
                    (Direction::Request, "POST /sent", old, new),
                    (Direction::Response, "GET /answered", new, old),
                ] {
                    if is_called_safe(&comparison, operation)
                        && let Some((value, message)) = refuted(from, to, direction)
                        && !message.contains("more than one")
                    {
                        wrong.push(format!(
                            "{file} {name}{place}, {direction:?}: {message}\n{value}\n{} to {}\n{}",
                            schemas[name].pointer(place).unwrap_or(&Value::Null),
                            edited[name].pointer(place).unwrap_or(&Value::Null),
                            report::text(&comparison, true)
                        ));
                    }
                }
            }
        }
    }
    println!("{compared} edits, {breaking} breaking findings, {proven} with a witness");
    unproven.sort();
    unproven.dedup();
    println!("without: {unproven:#?}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(proven * 100 >= breaking * 95, "{proven} of {breaking} have a witness: {unproven:#?}");
}
