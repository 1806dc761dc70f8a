//! Schemas that contradict themselves, say nothing, or say what this repository does not say.

use std::collections::HashSet;

use frontdesk_document::{NodeId, NodeRef};

use super::directions::Directions;
use super::finding::Drafts;
use super::rules::{
    ANY_OF, ARRAY_WITHOUT_ITEMS, CLOSED_OBJECT, CROSSED_BOUNDS, DISCRIMINATOR_OPTIONAL,
    KEYWORD_WITHOUT_EFFECT, NEVER_TRAVELS, NULLABLE_ENUM, NULLABLE_UNTYPED, POINTLESS_ENUM,
    READ_AND_WRITE_ONLY, READ_ONLY_REQUIRED, REQUEST_DEFAULT,
};
use super::survey::{Place, Schema, Survey, flag, object, text};
use crate::oracle::only_nullable;

/// Keywords by the types that they speak of.
const KEYWORDS: &[(&[&str], &[&str])] = &[
    (&["string"], &["minLength", "maxLength", "pattern"]),
    (&["array"], &["minItems", "maxItems", "uniqueItems", "items"]),
    (&["object"], &["properties", "additionalProperties", "minProperties", "maxProperties", "required"]),
    (&["number", "integer"], &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

const COMPOSITIONS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

/// Judges each schema by itself. (Types, values and patterns that do not exist are told by the generator.)
pub(super) fn judge<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for schema in &survey.schemas {
        keywords(schema.node, drafts);
        bounds(schema.node, drafts);
        nothing(schema, drafts);
        directions(schema, drafts);
        discriminator(schema.node, drafts);
        house(schema, drafts);
    }
}

fn keywords<'d>(schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let Some(own) = text(schema, "type") else { return };
    let composed = COMPOSITIONS.iter().any(|key| schema.get(key).is_some());
    if own == "array" && schema.get("items").is_none() && !composed {
        let hint = "add `items` with the schema of an entry; `{}` if it may be anything";
        drafts.tell(ARRAY_WITHOUT_ITEMS, schema, "a schema of the type array has no `items`", hint);
    }
    for (types, keywords) in KEYWORDS.iter().filter(|(types, _)| !types.contains(&own)) {
        for (keyword, node) in keywords.iter().filter_map(|keyword| Some((*keyword, schema.get(keyword)?))) {
            let message = format!("`{keyword}` says nothing of the type {own}");
            let hint = if keyword == "required" && node.as_bool().is_some() {
                "list the name under `required` of the object that has this member".to_owned()
            } else {
                format!("remove it, or write `type: {}`", types[0])
            };
            drafts.tell(KEYWORD_WITHOUT_EFFECT, node, message, hint);
        }
    }
}

fn bounds<'d>(schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    for (lower, upper) in [
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
        ("minimum", "maximum"),
    ] {
        let (Some(least), Some(most)) = (schema.get(lower), schema.get(upper)) else { continue };
        let crossed = match (least.as_i128(), most.as_i128()) {
            (Some(least), Some(most)) => least > most,
            _ => least.as_f64().zip(most.as_f64()).is_some_and(|(least, most)| least > most),
        };
        if crossed {
            let show = |node: NodeRef<'d>| node.as_number().unwrap_or_default();
            let message = format!("`{lower}` {} is above `{upper}` {}", show(least), show(most));
            drafts.tell(CROSSED_BOUNDS, least, message, "exchange the two, or correct one of them");
        }
    }
}

/// What says nothing, or not what it seems to say.
fn nothing<'d>(schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    let node = schema.node;
    let values = node.get("enum").filter(|values| values.is_array());
    if let Some(nullable) = node.get("nullable").filter(|nullable| nullable.as_bool() == Some(true)) {
        if values.is_some_and(|values| !values.items().any(NodeRef::is_null)) {
            drafts.tell(
                NULLABLE_ENUM,
                nullable,
                "`null` is allowed here, and `enum` does not list it",
                "add `null` to `enum`",
            );
        }
        let typed = node.get("type").is_some() || COMPOSITIONS.iter().any(|key| node.get(key).is_some());
        // A branch that is nothing but nullable is how `null` is written as an alternative.
        if !typed && values.is_none() && node.len() > 1 {
            let hint = "add the `type`";
            drafts.tell(NULLABLE_UNTYPED, nullable, "`nullable` means nothing without a `type`", hint);
        }
    }
    let Some(values) = values else { return };
    if text(node, "type") == Some("boolean")
        && values.items().filter(|value| value.as_bool().is_some()).count() == 2
    {
        drafts.tell(POINTLESS_ENUM, values, "the enumeration lists what every boolean is", "remove `enum`");
    }
    let empty = |value: NodeRef<'d>| value.is_null() || value.as_str() == Some("");
    if schema.place == Place::Property && !values.is_empty() && values.items().all(empty) {
        let hint = "list the values that are sent, or remove the member";
        drafts.tell(POINTLESS_ENUM, values, "the enumeration has no value but an empty one", hint);
    }
}

/// `readOnly` and `writeOnly`.
fn directions<'d>(schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    if flag(schema.node, "readOnly") && flag(schema.node, "writeOnly") {
        let hint = "keep the one that is meant";
        drafts.tell(READ_AND_WRITE_ONLY, schema.node, "the member is `readOnly` and `writeOnly`", hint);
        return;
    }
    let required: HashSet<&str> = schema
        .node
        .get("required")
        .into_iter()
        .flat_map(NodeRef::items)
        .filter_map(NodeRef::as_str)
        .collect();
    for (name, member) in schema.node.get("properties").into_iter().flat_map(NodeRef::members) {
        let Some(target) = object(member) else { continue };
        let (read, write) = (flag(target, "readOnly"), flag(target, "writeOnly"));
        if read == write {
            continue;
        }
        if read && schema.directions == Directions::REQUEST {
            let message = format!("`{name}` is `readOnly`, and only requests use its schema");
            drafts.tell(NEVER_TRAVELS, member, message, "remove the member, or `readOnly`");
        } else if write && schema.directions == Directions::RESPONSE {
            let message = format!("`{name}` is `writeOnly`, and only answers use its schema");
            drafts.tell(NEVER_TRAVELS, member, message, "remove the member, or `writeOnly`");
        } else if read && required.contains(name) && schema.directions.holds(Directions::REQUEST) {
            let message = format!("`{name}` is required and `readOnly`, in a schema that requests use");
            drafts.tell(READ_ONLY_REQUIRED, member, message, "give requests a schema without it");
        }
    }
}

fn discriminator<'d>(schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let Some(discriminator) = schema.get("discriminator") else { return };
    let Some(name) = text(discriminator, "propertyName") else { return };
    let own = |node: NodeRef<'d>| lists(node, name) || parts(node, "allOf").any(|part| lists(part, name));
    let branches = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)).flat_map(NodeRef::items);
    for branch in branches.filter(|_| !own(schema)) {
        if object(branch).is_some_and(|target| !requires(target, name, &mut HashSet::new())) {
            let message = format!("a branch does not require `{name}`, which tells the branches apart");
            drafts.tell(DISCRIMINATOR_OPTIONAL, branch, message, format!("add `{name}` to its `required`"));
        }
    }
}

/// Whether a schema itself lists a member as required.
fn lists(schema: NodeRef<'_>, name: &str) -> bool {
    schema.get("required").into_iter().flat_map(NodeRef::items).any(|it| it.as_str() == Some(name))
}

/// The schemas of a composition.
fn parts<'d>(schema: NodeRef<'d>, key: &str) -> impl Iterator<Item = NodeRef<'d>> {
    schema.get(key).into_iter().flat_map(NodeRef::items).filter_map(object)
}

/// Whether every value of a schema has a member. What was asked before, in a circle, changes nothing.
fn requires(schema: NodeRef<'_>, name: &str, asked: &mut HashSet<NodeId>) -> bool {
    // What only allows `null` has no members.
    if lists(schema, name) || only_nullable(schema) || !asked.insert(schema.id()) {
        return true;
    }
    let mut union = |key: &str| {
        parts(schema, key).next().is_some() && parts(schema, key).all(|branch| requires(branch, name, asked))
    };
    union("oneOf") || union("anyOf") || parts(schema, "allOf").any(|part| requires(part, name, asked))
}

/// Constructs that we stay away from.
fn house<'d>(schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    let node = schema.node;
    if let Some(closed) = node.get("additionalProperties").filter(|it| it.as_bool() == Some(false)) {
        drafts.tell(
            CLOSED_OBJECT,
            closed,
            "the object is closed to further members",
            "remove `additionalProperties`",
        );
    }
    if let Some(union) = node.get("anyOf") {
        drafts.tell(ANY_OF, union, "a value may be of several branches of `anyOf` at once", "write `oneOf`");
    }
    if let Some(default) = node.get("default").filter(|_| schema.directions.holds(Directions::REQUEST)) {
        drafts.tell(
            REQUEST_DEFAULT,
            default,
            "a request's schema has a `default`",
            "describe what absence means",
        );
    }
}
