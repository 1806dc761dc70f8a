//! Examples and defaults that do not match their schemas.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::directions::Directions;
use super::finding::Drafts;
use super::rules::{BODY_EXAMPLE, DEFAULT_INVALID, DUPLICATE_EXAMPLE, EXAMPLE_HOST, EXAMPLE_INVALID, Rule};
use super::survey::{Holder, Role, Survey, object};
use crate::compat::elided;
use crate::oracle::{Fault, Oracle, kind};
use crate::sent_schemas::Direction;

/// A value, and the schema that it must match.
struct ValueCheck<'d> {
    rule: &'static Rule,
    schema: NodeRef<'d>,
    value: NodeRef<'d>,
    directions: Directions,
    /// A description of the value, such as `the example`.
    what: String,
}

/// Checks every example and every default.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let mut checks = Vec::new();
    for holder in &survey.holders {
        if matches!(holder.kind, Role::Parameter | Role::Header | Role::Media) {
            doubled(holder.node, ["example", "examples"], drafts);
            of_holder(holder, &mut checks);
        }
        if holder.kind == Role::Media && is_json(holder.node) && is_body(holder.node) {
            let named = holder.node.get("examples").is_some_and(|examples| !examples.is_empty());
            if !named {
                let hint = "add `examples` with a name, a `summary` and a `value`";
                drafts.report(BODY_EXAMPLE, holder.node, "the body has no named examples", hint);
            }
        }
    }
    for example in &survey.examples {
        doubled(*example, ["value", "externalValue"], drafts);
        example.get("value").into_iter().for_each(|value| hosts(value, drafts));
    }
    for schema in &survey.schemas {
        for (key, rule, what) in
            [("example", EXAMPLE_INVALID, "the example"), ("default", DEFAULT_INVALID, "the default")]
        {
            if let Some(value) = schema.node.get(key) {
                let (what, directions) = (what.to_owned(), schema.directions);
                checks.push(ValueCheck { rule, schema: schema.node, value, directions, what });
            }
        }
    }
    for key in survey.holders.iter().map(|it| it.node).chain(survey.schemas.iter().map(|it| it.node)) {
        key.get("example").into_iter().for_each(|value| hosts(value, drafts));
    }
    validate(&checks, drafts);
}

fn doubled<'d>(node: NodeRef<'d>, [one, other]: [&str; 2], drafts: &mut Drafts<'d>) {
    if node.get(one).is_some() && node.get(other).is_some() {
        let message = format!("`{one}` and `{other}` are mutually exclusive");
        drafts.report(DUPLICATE_EXAMPLE, node, message, "keep one of the two");
    }
}

/// Collects the examples of a parameter, header or media type.
fn of_holder<'d>(holder: &Holder<'d>, checks: &mut Vec<ValueCheck<'d>>) {
    let Some(schema) = holder.node.get("schema") else { return };
    if holder.kind == Role::Media && !is_json(holder.node) {
        return;
    }
    let mut check = |value: NodeRef<'d>, what: String| {
        // An array or object in a parameter may be shown in its serialized form.
        let written = holder.kind != Role::Media
            && value.as_str().is_some()
            && object(schema).is_none_or(|schema| {
                !matches!(kind(schema), Some("string" | "integer" | "number" | "boolean"))
            });
        if !written {
            checks.push(ValueCheck {
                rule: EXAMPLE_INVALID,
                schema,
                value,
                directions: holder.directions,
                what,
            });
        }
    };
    if let Some(value) = holder.node.get("example") {
        check(value, "the example".to_owned());
    }
    for (name, example) in holder.node.get("examples").into_iter().flat_map(NodeRef::members) {
        if let Some(value) = object(example).and_then(|example| example.get("value")) {
            check(value, format!("the example `{name}`"));
        }
    }
}

/// Returns whether values of a media type are JSON, as examples in the document are.
fn is_json(media: NodeRef<'_>) -> bool {
    let name = media.key().map_or("", |key| key.text);
    let essence = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// Returns whether a media type belongs to a body, not to a parameter or header.
fn is_body(media: NodeRef<'_>) -> bool {
    let holder = media.parent().and_then(NodeRef::parent);
    let section = holder.and_then(NodeRef::parent).and_then(NodeRef::key).map_or("", |key| key.text);
    holder.is_some_and(|holder| holder.get("in").is_none()) && !matches!(section, "headers" | "parameters")
}

/// Validates all examples in their directions.
fn validate<'d>(checks: &[ValueCheck<'d>], drafts: &mut Drafts<'d>) {
    let mut refused: Vec<(usize, Vec<Fault>)> = Vec::new();
    let mut matched = vec![false; checks.len()];
    for direction in [Direction::Request, Direction::Response, Direction::Neither] {
        let asked = |check: &ValueCheck<'d>| check.directions.list().contains(&direction);
        let schemas = checks.iter().filter(|check| asked(check)).map(|check| check.schema);
        // The generator reports schemas that JSON Schema cannot express.
        let Ok(oracle) = Oracle::new(schemas, direction) else { continue };
        for (index, check) in checks.iter().enumerate().filter(|(_, check)| asked(check)) {
            if matched[index] {
                continue;
            }
            let faults = oracle.faults(check.schema, &check.value.to_json());
            matched[index] = faults.is_empty();
            refused.push((index, faults));
        }
    }
    refused.retain(|(index, _)| !matched[*index]);
    // If a schema has two directions, the one with fewer faults is assumed to be meant.
    refused.sort_by_key(|(index, faults)| (*index, faults.len()));
    refused.dedup_by_key(|(index, _)| *index);
    for (index, faults) in refused {
        report(&checks[index], &faults, drafts);
    }
}

fn report<'d>(check: &ValueCheck<'d>, faults: &[Fault], drafts: &mut Drafts<'d>) {
    let Some(first) = faults.first() else { return };
    let node = follow(check.value, &first.pointer);
    let place = if first.pointer.is_empty() { String::new() } else { format!(" at `{}`", first.pointer) };
    let more = match faults.len() - 1 {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let message =
        format!("{} does not match its schema{place}: {}{more}", check.what, elided(&first.message, 160, 60));
    let hint = match check.value.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(Value::Object(_) | Value::Array(_))) => "write it as a value, not as JSON text",
        _ => "correct it or the schema",
    };
    drafts.report(check.rule, node, message, hint);
}

/// Returns the value that a pointer leads to, or its closest existing ancestor.
fn follow<'d>(value: NodeRef<'d>, pointer: &str) -> NodeRef<'d> {
    let mut node = value;
    for token in pointer.split('/').skip(1) {
        let key = token.replace("~1", "/").replace("~0", "~");
        let entry = key.parse().ok().filter(|_| node.is_array());
        let next = entry.and_then(|index: usize| node.items().nth(index)).or_else(|| node.get(&key));
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// Reports hosts in a value that may exist.
fn hosts<'d>(value: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    if let Some(text) = value.as_str() {
        let addresses = text.match_indices("://").map(|(at, _)| &text[at + 3..]);
        let mailboxes = text.match_indices('@').filter(|(at, _)| *at > 0).map(|(at, _)| &text[at + 1..]);
        for rest in addresses.chain(mailboxes) {
            let host = rest
                .split(|letter: char| !letter.is_ascii_alphanumeric() && !"-.".contains(letter))
                .next()
                .unwrap_or_default()
                .trim_end_matches('.');
            if host.contains('.') && !host.ends_with(".example") {
                let message = format!("the host `{host}` may exist");
                drafts.report(EXAMPLE_HOST, value, message, "use a host under `.example`");
                return;
            }
        }
    }
    for child in value.members().map(|(_, child)| child).chain(value.items()) {
        hosts(child, drafts);
    }
}
