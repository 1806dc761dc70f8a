//! The declaration of one type.

use super::{
    super::{
        super::model,
        lines::placed,
        text::{comment, literal, paragraphs, prose},
    },
    Writer, described, further, is_struct, known, member,
};
use crate::{
    ir::{Api, Branch, Element, Field, Shape, StringEnum, Struct, Tag, Type, TypeDef, TypeId, Union},
    render::markdown,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Declares a type; nothing for one that is used under the name of another.
pub(in super::super) fn declare(api: &Api, writer: &mut Writer<'_>, id: TypeId) -> Option<String> {
    if known(api, id) != id {
        return None;
    }
    let def = api.type_def(id);
    let name = writer.named(id);
    let docs = comment(&about(def), &tags(def), "");
    if let Some(original) = def.duplicate_of {
        return Some(format!("{docs}export type {name} = {};\n", writer.named(original)));
    }
    let is_answered = def.usage.response;
    let declared = match &def.shape {
        Shape::Struct(shape) => interface(writer, name, shape, is_answered),
        Shape::Enum(shape) => placed(&format!("export type {name} ="), &values(def, shape)),
        Shape::Union(shape) => {
            let types = if is_circular(api, id) {
                leaves(api, writer, id)
            } else {
                branches(api, writer, shape, is_answered)
            };
            let types = if types.is_empty() { "unknown".to_owned() } else { types.join(" | ") };
            placed(&format!("export type {name} ="), &types)
        }
        Shape::Id => format!("export type {name} = string;\n"),
        Shape::Newtype(element) => {
            placed(&format!("export type {name} ="), &writer.element(element, is_answered))
        }
    };
    Some(docs + &declared)
}

fn about(def: &TypeDef) -> String {
    let docs = prose(def.docs.as_deref());
    let shape = match &def.shape {
        Shape::Enum(shape) => shape,
        Shape::Id => return paragraphs(&[&docs, "A UUID."]),
        _ => return docs,
    };
    let described = shape.values.iter().filter_map(|value| {
        let said = markdown(value.docs.as_deref()?).replace('\n', " ");
        Some(format!("- `{}`: {said}", value.wire.replace('`', "'")))
    });
    paragraphs(&[&docs, &described.collect::<Vec<_>>().join("\n")])
}

fn tags(def: &TypeDef) -> Vec<String> {
    let deprecated = def.deprecated.then(|| "@deprecated The document advises against it.".to_owned());
    let link = def
        .link
        .as_ref()
        .map(|(text, url)| if text == url { format!("@see {url}") } else { format!("@see {url} {text}") });
    deprecated.into_iter().chain(link.map(|link| link.replace('\n', " "))).collect()
}

fn interface(writer: &mut Writer<'_>, name: &str, shape: &Struct, is_answered: bool) -> String {
    let mut text = format!("export interface {name} {{\n");
    for field in &shape.fields {
        let ty = writer.element(&field.element, is_answered);
        text.push_str(&member(&field.wire, !field.required, &ty, &field_comment(field)));
    }
    if let Some(extra) = further(writer, shape, is_answered) {
        text.push_str(&format!("  [name: string]: {extra};\n"));
    }
    text + "}\n"
}

fn field_comment(field: &Field) -> String {
    let text = described(field.docs.as_deref(), &field.element);
    let mut tags = Vec::new();
    if let Some(default) = shown(field.default.as_ref().filter(|_| !field.required), &field.element) {
        tags.push(format!("@defaultValue `{default}`"));
    }
    if field.deprecated {
        tags.push("@deprecated The document advises against it.".to_owned());
    }
    comment(&text, &tags, "  ")
}

/// A default as code, where it is short.
pub(in super::super) fn shown(default: Option<&Value>, element: &Element) -> Option<String> {
    let text = match default? {
        Value::String(text) => literal(text),
        other => other.to_string(),
    };
    let is_short = text.len() <= 60 && !text.contains('`');
    (is_short && element.ty != Type::Secret).then_some(text)
}

fn values(def: &TypeDef, shape: &StringEnum) -> String {
    let mut values: Vec<String> = Vec::new();
    for value in &shape.values {
        let value = literal(&value.wire);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if is_open(def, shape) {
        values.push("(string & {})".to_owned());
    }
    if values.is_empty() { "never".to_owned() } else { values.join(" | ") }
}

/// Whether an enumeration has values that later versions may add. A single value identifies the object that
/// has it, also in an error: an open one would narrow no union. Nothing is validated, so that another value
/// loses no error, as it would in Rust.
fn is_open(def: &TypeDef, shape: &StringEnum) -> bool {
    shape.extensible || (shape.values.len() != 1 && model::is_open(def, shape))
}

/// The branches of a union. Objects have the values of the discriminator by which they are chosen, so that
/// the compiler can distinguish them.
fn branches(api: &Api, writer: &mut Writer<'_>, union: &Union, is_answered: bool) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for (index, branch) in union.branches.iter().enumerate() {
        let mut ty = writer.element(&branch.element, is_answered);
        if let Some(tag) = &union.tag
            && let Some(values) = needed(api, branch, tag, index)
        {
            ty = format!("({ty} & {{ {}: {values} }})", super::super::text::property(&tag.wire));
        }
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    types
}

/// The values of a discriminator, unless the branch itself says them.
fn needed(api: &Api, branch: &Branch, tag: &Tag, index: usize) -> Option<String> {
    if !is_struct(api, &branch.element.ty) || branch.element.nullable {
        return None;
    }
    let mut values: Vec<&str> = Vec::new();
    for (value, of) in &tag.values {
        if *of == index && !values.contains(&value.as_str()) {
            values.push(value);
        }
    }
    let Shape::Struct(shape) = &api.type_def(branch.element.ty.named()?).shape else { return None };
    let field = shape.fields.iter().find(|field| field.wire == tag.wire);
    if let Some(fixed) = field.filter(|field| field.required).and_then(|field| fixed(api, field)) {
        // A value that contradicts the branch would leave nothing of it.
        return if values == [fixed] || !values.contains(&fixed) { None } else { Some(literal(fixed)) };
    }
    let values: Vec<String> = values.into_iter().map(literal).collect();
    (!values.is_empty()).then(|| values.join(" | "))
}

/// The only value that a member may have.
fn fixed<'a>(api: &'a Api, field: &'a Field) -> Option<&'a str> {
    let (Type::Named(id) | Type::Boxed(id)) = field.element.ty else { return None };
    let def = api.type_def(id);
    match &def.shape {
        Shape::Enum(shape) if !is_open(def, shape) && shape.values.len() == 1 => Some(&shape.values[0].wire),
        _ => None,
    }
}

/// The unions among the branches of a union.
fn inner(api: &Api, id: TypeId) -> Vec<TypeId> {
    let Shape::Union(union) = &api.type_def(id).shape else { return Vec::new() };
    let named = union.branches.iter().filter_map(|branch| match branch.element.ty {
        Type::Named(id) | Type::Boxed(id) => Some(api.original(id)),
        _ => None,
    });
    named.filter(|id| matches!(api.type_def(*id).shape, Shape::Union(_))).collect()
}

/// Whether a union is a branch of itself, which TypeScript does not take for a type.
fn is_circular(api: &Api, id: TypeId) -> bool {
    let mut open = inner(api, id);
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if next == id {
            return true;
        }
        if seen.insert(next) {
            open.extend(inner(api, next));
        }
    }
    false
}

/// The branches of a union and of the unions among them, once each.
fn leaves(api: &Api, writer: &mut Writer<'_>, id: TypeId) -> Vec<String> {
    let mut open = vec![id];
    let mut seen = BTreeSet::new();
    let mut types: Vec<String> = Vec::new();
    while let Some(next) = open.pop() {
        if !seen.insert(next) {
            continue;
        }
        let def = api.type_def(next);
        let Shape::Union(union) = &def.shape else { continue };
        let unions = inner(api, next);
        for branch in &union.branches {
            let named = branch.element.ty.named().map(|id| api.original(id));
            let is_union = matches!(branch.element.ty, Type::Named(_) | Type::Boxed(_))
                && named.is_some_and(|id| unions.contains(&id));
            if !is_union {
                let ty = writer.element(&branch.element, def.usage.response);
                if !types.contains(&ty) {
                    types.push(ty);
                }
            }
        }
        open.extend(unions);
    }
    types
}
