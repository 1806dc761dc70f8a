//! Examples and defaults: whether they are what they are examples of.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::directions::Directions;
use super::finding::Drafts;
use super::rules::{BODY_EXAMPLE, DEFAULT_INVALID, DOUBLED_EXAMPLE, EXAMPLE_HOST, EXAMPLE_INVALID, Rule};
use super::survey::{Holder, Role, Survey, object};
use crate::compat::elided;
use crate::oracle::{Fault, Oracle, kind};
use crate::places::Side;

/// A value, and the schema that it should be of.
struct Claim<'d> {
    rule: &'static Rule,
    schema: NodeRef<'d>,
    value: NodeRef<'d>,
    directions: Directions,
    /// What the value is: `the example` and so on.
    what: String,
}

/// Judges every example and every default.
pub(super) fn judge<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let mut claims = Vec::new();
    for holder in &survey.holders {
        if matches!(holder.kind, Role::Parameter | Role::Header | Role::Media) {
            doubled(holder.node, ["example", "examples"], drafts);
            of_holder(holder, &mut claims);
        }
        if holder.kind == Role::Media && is_json(holder.node) && is_body(holder.node) {
            let named = holder.node.get("examples").is_some_and(|examples| !examples.is_empty());
            if !named {
                let hint = "add `examples` with a name, a `summary` and a `value`";
                drafts.tell(BODY_EXAMPLE, holder.node, "the body has no named examples", hint);
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
                claims.push(Claim { rule, schema: schema.node, value, directions, what });
            }
        }
    }
    for key in survey.holders.iter().map(|it| it.node).chain(survey.schemas.iter().map(|it| it.node)) {
        key.get("example").into_iter().for_each(|value| hosts(value, drafts));
    }
    settle(&claims, drafts);
}

fn doubled<'d>(node: NodeRef<'d>, [one, other]: [&str; 2], drafts: &mut Drafts<'d>) {
    if node.get(one).is_some() && node.get(other).is_some() {
        let message = format!("`{one}` and `{other}` exclude each other");
        drafts.tell(DOUBLED_EXAMPLE, node, message, "keep one of the two");
    }
}

/// The examples of a parameter, a header or a media type.
fn of_holder<'d>(holder: &Holder<'d>, claims: &mut Vec<Claim<'d>>) {
    let Some(schema) = holder.node.get("schema") else { return };
    if holder.kind == Role::Media && !is_json(holder.node) {
        return;
    }
    let mut claim = |value: NodeRef<'d>, what: String| {
        // A list or an object in a parameter may be shown as it is written there.
        let written = holder.kind != Role::Media
            && value.as_str().is_some()
            && object(schema).is_none_or(|schema| {
                !matches!(kind(schema), Some("string" | "integer" | "number" | "boolean"))
            });
        if !written {
            claims.push(Claim { rule: EXAMPLE_INVALID, schema, value, directions: holder.directions, what });
        }
    };
    if let Some(value) = holder.node.get("example") {
        claim(value, "the example".to_owned());
    }
    for (name, example) in holder.node.get("examples").into_iter().flat_map(NodeRef::members) {
        if let Some(value) = object(example).and_then(|example| example.get("value")) {
            claim(value, format!("the example `{name}`"));
        }
    }
}

/// Whether values of a media type are written as they are in the document.
fn is_json(media: NodeRef<'_>) -> bool {
    let name = media.key().map_or("", |key| key.text);
    let essence = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// Whether a media type is that of a body, not of a parameter or a header.
fn is_body(media: NodeRef<'_>) -> bool {
    let holder = media.parent().and_then(NodeRef::parent);
    let section = holder.and_then(NodeRef::parent).and_then(NodeRef::key).map_or("", |key| key.text);
    holder.is_some_and(|holder| holder.get("in").is_none()) && !matches!(section, "headers" | "parameters")
}

/// Puts all claims to the judges of their sides.
fn settle<'d>(claims: &[Claim<'d>], drafts: &mut Drafts<'d>) {
    let mut refused: Vec<(usize, Vec<Fault>)> = Vec::new();
    let mut settled = vec![false; claims.len()];
    for side in [Side::Request, Side::Response, Side::Neither] {
        let asked = |claim: &Claim<'d>| claim.directions.sides().contains(&side);
        let schemas = claims.iter().filter(|claim| asked(claim)).map(|claim| claim.schema);
        // What JSON Schema cannot say is refused by the generator.
        let Ok(oracle) = Oracle::new(schemas, side) else { continue };
        for (index, claim) in claims.iter().enumerate().filter(|(_, claim)| asked(claim)) {
            if settled[index] {
                continue;
            }
            let faults = oracle.faults(claim.schema, &claim.value.to_json());
            settled[index] = faults.is_empty();
            refused.push((index, faults));
        }
    }
    refused.retain(|(index, _)| !settled[*index]);
    // Of the two sides, the one that finds less is the one that is meant.
    refused.sort_by_key(|(index, faults)| (*index, faults.len()));
    refused.dedup_by_key(|(index, _)| *index);
    for (index, faults) in refused {
        tell(&claims[index], &faults, drafts);
    }
}

fn tell<'d>(claim: &Claim<'d>, faults: &[Fault], drafts: &mut Drafts<'d>) {
    let Some(first) = faults.first() else { return };
    let node = follow(claim.value, &first.pointer);
    let place = if first.pointer.is_empty() { String::new() } else { format!(" at `{}`", first.pointer) };
    let more = match faults.len() - 1 {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let message = format!(
        "{} is not a value of its schema{place}: {}{more}",
        claim.what,
        elided(&first.message, 160, 60)
    );
    let hint = match claim.value.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(Value::Object(_) | Value::Array(_))) => "write it as a value, not as a text of JSON",
        _ => "correct it, or the schema",
    };
    drafts.tell(claim.rule, node, message, hint);
}

/// The value that a pointer leads to, or the last on the way that is there.
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

/// Tells the hosts within a value that may belong to somebody.
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
                let message = format!("the host `{host}` may belong to somebody");
                drafts.tell(EXAMPLE_HOST, value, message, "write a host under `.example`");
                return;
            }
        }
    }
    for child in value.members().map(|(_, child)| child).chain(value.items()) {
        hosts(child, drafts);
    }
}
