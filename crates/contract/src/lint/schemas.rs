//! Schemas that contradict themselves, have ineffective keywords, or use constructs that this repository
//! avoids.

use std::collections::HashSet;

use frontdesk_document::{Fate, Keyword, NodeId, NodeRef, Version, keyword};

use super::directions::Directions;
use super::finding::Drafts;
use super::rules::{
    ANY_OF, ARRAY_WITHOUT_ITEMS, CLOSED_OBJECT, CROSSED_BOUNDS, DISCRIMINATOR_OPTIONAL,
    KEYWORD_WITHOUT_EFFECT, NEVER_TRAVELS, NULLABLE_COMPOSED, NULLABLE_ENUM, NULLABLE_UNTYPED, PATTERN_RULE,
    POINTLESS_ENUM, READ_AND_WRITE_ONLY, READ_ONLY_REQUIRED, REQUEST_DEFAULT, rule as rule_of,
};
use super::survey::{Place, Schema, Survey, flag, object, text};
use crate::oracle::only_nullable;

const COMPOSITIONS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

/// Checks each schema on its own. The generator reports unknown types, wrong values and invalid patterns.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for schema in &survey.schemas {
        keywords(survey, schema.node, drafts);
        unchecked(survey, schema.node, drafts);
        composed(survey, schema.node, drafts);
        bounds(schema.node, drafts);
        ineffective(survey, schema, drafts);
        directions(schema, drafts);
        discriminator(schema.node, drafts);
        project_rules(schema, drafts);
    }
}

fn keywords<'d>(survey: &Survey<'d>, schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let Some(own) = text(schema, "type") else { return };
    let composed = COMPOSITIONS.iter().any(|key| schema.get(key).is_some());
    // Since OpenAPI 3.1 it is as if there were `items: {}`.
    let needs_items = survey.document.version() == Version::V3_0;
    if own == "array" && needs_items && schema.get("items").is_none() && !composed {
        let hint = "add `items` with the schema of an entry, or `{}` for any value";
        drafts.report(ARRAY_WITHOUT_ITEMS, schema, "a schema of type `array` has no `items`", hint);
    }
    let of_type = if own == "integer" { "number" } else { own };
    for (key, node) in schema.entries() {
        let Some(Keyword { name, applies_to: Some(kind), generated: Fate::Checked, .. }) = keyword(key.text)
        else {
            continue;
        };
        if *kind == of_type {
            continue;
        }
        let message = format!("`{name}` has no effect in a schema of type `{own}`");
        let hint = if *name == "required" && node.as_bool().is_some() {
            "list the name under `required` of the object that has this member".to_owned()
        } else {
            format!("remove it, or write `type: {kind}`")
        };
        drafts.report(KEYWORD_WITHOUT_EFFECT, node, message, hint);
    }
}

/// Reports keywords that generated code does not check, also in schemas from which it makes no type. The
/// generator reports the others in the same words.
fn unchecked<'d>(survey: &Survey<'d>, schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let is_later = survey.document.version() == Version::V3_1;
    for (key, node) in schema.entries() {
        let Some(Keyword { name, instead, generated, since, .. }) = keyword(key.text) else { continue };
        // What the reader could write in another form is no longer there.
        let is_lost = matches!(generated, Fate::Ignored | Fate::Approximated | Fate::Rewritten);
        let (rule, message) = match (since, is_later) {
            _ if !is_lost || *name == "const" && !is_later => continue,
            (Version::V3_1, false) => {
                ("later-keyword", format!("`{name}` is not a keyword of OpenAPI 3.0; it is not checked"))
            }
            (Version::V3_1, true) => {
                ("keyword-ignored", format!("`{name}` has no counterpart in Rust types and is not checked"))
            }
            (Version::V3_0, _) => {
                ("not-ignored", format!("`{name}` has no counterpart in a Rust type and is not checked"))
            }
        };
        if let Some(rule) = rule_of(rule) {
            drafts.report(rule, node, message, *instead);
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
            drafts.report(CROSSED_BOUNDS, least, message, "swap the two, or correct one of them");
        }
    }
}

/// Checks `nullable` beside compositions. In documents of OpenAPI 3.1, the reader has written it there, and
/// beside a `$ref` it has made the composition.
fn composed<'d>(survey: &Survey<'d>, schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    if survey.document.version() != Version::V3_0
        || schema.get("type").is_some()
        || schema.get("enum").is_some()
    {
        return;
    }
    let nullable = schema.get("nullable").filter(|nullable| nullable.as_bool() == Some(true));
    let mut compositions = COMPOSITIONS.iter().filter_map(|key| Some((key, schema.get(key)?)));
    if let (Some(nullable), Some((key, composition))) = (nullable, compositions.next()) {
        if is_reference(survey, composition) {
            return;
        }
        let message = format!("`nullable` has no effect beside `{key}` without a `type`");
        let hint =
            "list `{type: object, nullable: true, enum: [null]}` in an `anyOf`, with the type of the schema";
        drafts.report(NULLABLE_COMPOSED, nullable, message, hint);
    }
}

/// Whether the reader made a composition of a `$ref`: then it is where the key `$ref` is written.
fn is_reference(survey: &Survey<'_>, composition: NodeRef<'_>) -> bool {
    let span = composition.key_span();
    let text = survey.document.sources().get(span.file).and_then(|source| source.text().get(span.range()));
    text.is_some_and(|text| text.contains("$ref"))
}

/// Whether a schema allows `null` and nothing else.
fn is_only_null(schema: NodeRef<'_>) -> bool {
    schema.get("enum").is_some_and(|values| !values.is_empty() && values.items().all(NodeRef::is_null))
}

/// Checks for ineffective and misleading keywords.
fn ineffective<'d>(survey: &Survey<'d>, schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    let node = schema.node;
    let values = node.get("enum").filter(|values| values.is_array());
    if let Some(nullable) = node.get("nullable").filter(|nullable| nullable.as_bool() == Some(true)) {
        if values.is_some_and(|values| !values.items().any(NodeRef::is_null)) {
            drafts.report(
                NULLABLE_ENUM,
                nullable,
                "the schema is `nullable`, but `enum` does not list `null`",
                "add `null` to `enum`",
            );
        }
        let typed = node.get("type").is_some() || COMPOSITIONS.iter().any(|key| node.get(key).is_some());
        // A branch that is only `nullable` is a way to write `null` as an alternative.
        if !typed && values.is_none() && node.len() > 1 {
            let hint = "add the `type`";
            drafts.report(NULLABLE_UNTYPED, nullable, "`nullable` has no effect without a `type`", hint);
        }
    }
    let Some(values) = values else { return };
    if text(node, "type") == Some("boolean")
        && values.items().filter(|value| value.as_bool().is_some()).count() == 2
    {
        drafts.report(
            POINTLESS_ENUM,
            values,
            "the enumeration lists both values of a boolean",
            "remove `enum`",
        );
    }
    let empty = |value: NodeRef<'d>| value.is_null() || value.as_str() == Some("");
    // Since OpenAPI 3.1, that is how the reader writes the type `null`.
    let is_type_null = survey.document.version() != Version::V3_0 && is_only_null(node);
    if schema.place == Place::Property && !values.is_empty() && values.items().all(empty) && !is_type_null {
        let hint = "list the values that are sent, or remove the property";
        drafts.report(POINTLESS_ENUM, values, "the enumeration has only an empty value", hint);
    }
}

/// Checks `readOnly` and `writeOnly`.
fn directions<'d>(schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    if flag(schema.node, "readOnly") && flag(schema.node, "writeOnly") {
        let hint = "keep one of the two";
        drafts.report(READ_AND_WRITE_ONLY, schema.node, "the property is `readOnly` and `writeOnly`", hint);
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
            let message = format!("`{name}` is `readOnly`, but only requests use its schema");
            drafts.report(NEVER_TRAVELS, member, message, "remove the property, or `readOnly`");
        } else if write && schema.directions == Directions::RESPONSE {
            let message = format!("`{name}` is `writeOnly`, but only responses use its schema");
            drafts.report(NEVER_TRAVELS, member, message, "remove the property, or `writeOnly`");
        } else if read && required.contains(name) && schema.directions.holds(Directions::REQUEST) {
            let message = format!("`{name}` is required and `readOnly`, but requests use its schema");
            drafts.report(
                READ_ONLY_REQUIRED,
                member,
                message,
                "use a separate schema without it for requests",
            );
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
            let message = format!("a branch does not require `{name}`, the discriminator property");
            drafts.report(DISCRIMINATOR_OPTIONAL, branch, message, format!("add `{name}` to its `required`"));
        }
    }
}

/// Returns whether a schema itself lists a property as required.
fn lists(schema: NodeRef<'_>, name: &str) -> bool {
    schema.get("required").into_iter().flat_map(NodeRef::items).any(|it| it.as_str() == Some(name))
}

/// Returns the schemas of a composition.
fn parts<'d>(schema: NodeRef<'d>, key: &str) -> impl Iterator<Item = NodeRef<'d>> {
    schema.get(key).into_iter().flat_map(NodeRef::items).filter_map(object)
}

/// Returns whether every value of a schema has a property. Cycles are ignored.
fn requires(schema: NodeRef<'_>, name: &str, asked: &mut HashSet<NodeId>) -> bool {
    // A schema that only allows `null` has no properties.
    if lists(schema, name) || only_nullable(schema) || !asked.insert(schema.id()) {
        return true;
    }
    let mut union = |key: &str| {
        parts(schema, key).next().is_some() && parts(schema, key).all(|branch| requires(branch, name, asked))
    };
    union("oneOf") || union("anyOf") || parts(schema, "allOf").any(|part| requires(part, name, asked))
}

/// Checks for constructs that this repository avoids.
fn project_rules<'d>(schema: &Schema<'d>, drafts: &mut Drafts<'d>) {
    let node = schema.node;
    if let Some(closed) = node.get("additionalProperties").filter(|it| it.as_bool() == Some(false)) {
        drafts.report(
            CLOSED_OBJECT,
            closed,
            "the object does not allow additional properties",
            "remove `additionalProperties`",
        );
    }
    // "A schema or `null`" is not a choice between schemas.
    let several = |union: &NodeRef<'d>| union.items().filter(|branch| !is_only_null(*branch)).count() != 1;
    if let Some(union) = node.get("anyOf").filter(several) {
        drafts.report(ANY_OF, union, "a value may match several branches of `anyOf`", "use `oneOf`");
    }
    let rule = node.get("x-pattern-rule");
    let is_explained = rule.and_then(NodeRef::as_str).is_some_and(|rule| rule.starts_with("must "));
    match (node.get("pattern"), rule) {
        (Some(pattern), _) if !is_explained => drafts.report(
            PATTERN_RULE,
            rule.unwrap_or(pattern),
            "the `pattern` is not explained in words",
            "write `x-pattern-rule: must be …`",
        ),
        (None, Some(rule)) => drafts.report(
            PATTERN_RULE,
            rule,
            "`x-pattern-rule` explains no `pattern`",
            "remove it, or add the `pattern`",
        ),
        _ => {}
    }
    if let Some(default) = node.get("default").filter(|_| schema.directions.holds(Directions::REQUEST)) {
        drafts.report(
            REQUEST_DEFAULT,
            default,
            "a request schema has a `default`",
            "describe the meaning of absence instead",
        );
    }
}
