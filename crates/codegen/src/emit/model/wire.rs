//! Invocations of the runtime's macros that define how a type is serialized.

use super::{
    super::{Imports, types::Presence},
    plain::Plain,
};
use crate::{
    ir::{Api, Branch, Field, JsonKind, Part, Shape, Struct, Tag, Type, TypeId, Union},
    render::packed,
};
use serde_json::Value;
use std::fmt::Write;

/// The width of the lines of a table.
pub(super) const WIDTH: usize = 100;

/// `object!`, `multipart!` or both: what bodies that hold the struct need.
pub(super) fn of_struct(
    api: &Api,
    id: TypeId,
    shape: &Struct,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Vec<String> {
    let mut texts = Vec::new();
    if plain.is_plain(id) {
        imports.add("frontdesk_runtime", "object");
        texts.push(object(api, id, shape));
    }
    // A file has no other form than a part, so its struct is one even if no operation sends it.
    if plain.parts(id).is_some() || !plain.is_plain(id) {
        imports.add("frontdesk_runtime", "multipart");
        texts.push(multipart(api, id, shape, plain.parts(id).unwrap_or_default()));
    }
    texts
}

fn expectation(shape: &Struct) -> &'static str {
    if shape.fields.iter().any(|field| field.deprecated) {
        "    #[expect(deprecated, reason = \"the document still declares it\")]\n"
    } else {
        ""
    }
}

fn object(api: &Api, id: TypeId, shape: &Struct) -> String {
    let def = api.type_def(id);
    let (closed, except) = (closed(shape), except(shape));
    let head = format!("object! {{\n{}    {closed}{except}{} {{", expectation(shape), def.name);
    let members = shape.fields.iter().map(|field| {
        let kind = match Presence::of(field) {
            Presence::Required => "required",
            Presence::RequiredNullable => "nullable",
            // Any value may be `null`, which then is the value and not its absence.
            Presence::Optional if matches!(field.element.ty, Type::Any | Type::Raw(_)) => "any",
            Presence::Optional if def.usage.request => "optional",
            // A service that sends `null` for nothing must not break its clients.
            Presence::Optional => "lenient",
            Presence::Patch => "patch",
        };
        if field.rust != field.wire {
            format!("{}: {kind} {:?},", field.rust, field.wire)
        } else if kind == "required" {
            format!("{},", field.rust)
        } else {
            format!("{}: {kind},", field.rust)
        }
    });
    let members: Vec<String> = members.chain(shape.extra.iter().map(|_| "..extra".to_owned())).collect();
    if members.is_empty() {
        return format!("{head}}}\n}}\n");
    }
    let short = members.join(" ");
    let line = format!("{} {} }}", head.lines().last().unwrap_or_default(), short.trim_end_matches(','));
    if line.len() <= WIDTH && expectation(shape).is_empty() {
        return format!("object! {{\n{line}\n}}\n");
    }
    format!("{head}\n{}\n    }}\n}}\n", packed("       ", members, WIDTH))
}

/// Whether servers refuse members that the struct does not have.
fn closed(shape: &Struct) -> &'static str {
    if shape.closed && shape.extra.is_none() { "closed " } else { "" }
}

/// The members that the struct does not have, and that are nevertheless known.
fn except(shape: &Struct) -> String {
    if shape.skipped.is_empty() || (!shape.closed && shape.extra.is_none()) {
        return String::new();
    }
    let names: Vec<String> = shape.skipped.iter().map(|name| format!("{name:?}")).collect();
    format!("except [{}] ", names.join(", "))
}

fn multipart(api: &Api, id: TypeId, shape: &Struct, parts: &[Part]) -> String {
    let closed = closed(shape);
    let except = if closed.is_empty() { String::new() } else { except(shape) };
    let head = format!("{closed}{except}{}", api.type_def(id).name);
    let mut text = format!("multipart! {{\n{}    {head} {{", expectation(shape));
    for field in &shape.fields {
        let presence = match Presence::of(field) {
            Presence::Required => "required",
            Presence::RequiredNullable => "nullable",
            Presence::Optional => "optional",
            Presence::Patch => "patch",
        };
        let part = parts.iter().find(|part| part.wire == field.wire);
        let media = part.and_then(|part| part.content_type.as_deref());
        let kind = part_kind(api, field, media);
        let _ = write!(text, "\n        {}: {presence} {kind} {:?}", field.rust, field.wire);
        if let Some(media) = part.filter(|part| part.states_type).and(media) {
            let _ = write!(text, " as {media:?}");
        }
        text.push(',');
    }
    if shape.extra.is_some() {
        text.push_str("\n        ..extra");
    }
    text.push_str("\n    }\n}\n");
    text
}

/// What a part of a member holds, and whether a list is one part or a part for each entry.
fn part_kind(api: &Api, field: &Field, media: Option<&str>) -> String {
    let says_json = media.is_some_and(|media| media == "application/json" || media.ends_with("+json"));
    match &field.element.ty {
        Type::List(element) if !element.nullable && !says_json => {
            format!("list {}", single_kind(api, &element.ty, false))
        }
        Type::List(_) => "whole json".to_owned(),
        ty => single_kind(api, ty, says_json).to_owned(),
    }
}

fn single_kind(api: &Api, ty: &Type, says_json: bool) -> &'static str {
    match ty {
        Type::File => "file",
        _ if says_json => "json",
        Type::Any | Type::Raw(_) | Type::List(_) | Type::Map(_) | Type::Foreign(_) => "json",
        Type::Named(id) | Type::Boxed(id) => match api.type_def(*id).shape {
            Shape::Enum(_) | Shape::Id => "text",
            Shape::Struct(_) | Shape::Union(_) | Shape::Newtype(_) => "json",
        },
        _ => "text",
    }
}

/// `union!`.
pub(super) fn of_union(api: &Api, name: &str, shape: &Union, unknown: Option<&str>) -> String {
    let by = shape.tag.as_ref().map_or_else(String::new, |tag| format!(" by {:?}", tag.wire));
    let mut text = format!("union! {{\n    {name}{by} {{\n");
    for (index, branch) in shape.branches.iter().enumerate() {
        let _ = write!(text, "        {}:", branch.rust);
        if let Some(tag) = &shape.tag {
            text.push_str(&tag_values(api, tag, index, branch));
        }
        let kinds: Vec<&str> = branch.test.kinds.iter().copied().map(kind).collect();
        let _ = write!(text, " [{}]", kinds.join(", "));
        list(&mut text, "required", &branch.test.required);
        fixed(&mut text, branch);
        list(&mut text, "known", &branch.test.known);
        list(&mut text, "within", &branch.test.within);
        text.push_str(",\n");
    }
    if let Some(unknown) = unknown {
        let _ = writeln!(text, "        ..{unknown}");
    }
    text.push_str("    }\n}\n");
    text
}

fn tag_values(api: &Api, tag: &Tag, index: usize, branch: &Branch) -> String {
    let values: Vec<&str> =
        tag.values.iter().filter(|(_, branch)| *branch == index).map(|(value, _)| value.as_str()).collect();
    let Some(first) = values.first() else { return String::new() };
    let writes = match branch.element.ty {
        Type::Named(id) | Type::Boxed(id) => match &api.type_def(id).shape {
            Shape::Struct(shape) => shape.fields.iter().any(|field| field.wire == tag.wire && field.required),
            // The form of a union inside is told by a tag of its own.
            Shape::Union(_) => true,
            Shape::Enum(_) | Shape::Newtype(_) | Shape::Id => false,
        },
        _ => false,
    };
    let adds = if writes { String::new() } else { format!(" adds {first:?}") };
    format!(" = {values:?}{adds}")
}

const fn kind(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "Null",
        JsonKind::Bool => "Bool",
        JsonKind::Integer => "Integer",
        JsonKind::Number => "Number",
        JsonKind::String => "String",
        JsonKind::Array => "Array",
        JsonKind::Object => "Object",
    }
}

fn list(text: &mut String, word: &str, names: &[String]) {
    if !names.is_empty() {
        let _ = write!(text, " {word} {names:?}");
    }
}

/// The members with few values. A list or an object among the values cannot be told by a literal, and tells
/// no branch.
fn fixed(text: &mut String, branch: &Branch) {
    let fixed: Vec<String> = branch
        .test
        .fixed
        .iter()
        .filter(|(_, values)| !values.is_empty())
        .filter_map(|(name, values)| {
            let values: Option<Vec<String>> = values.iter().map(literal).collect();
            Some(format!("{name:?}: {}", values?.join(" | ")))
        })
        .collect();
    if !fixed.is_empty() {
        let _ = write!(text, " fixed [{}]", fixed.join(", "));
    }
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(format!("{text:?}")),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) if number.is_i64() => Some(format!("{number}i64")),
        Value::Number(number) if number.is_u64() => Some(format!("{number}u64")),
        Value::Number(number) => Some(format!("{number}f64")),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
