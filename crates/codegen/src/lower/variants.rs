//! Request and response variants of types: `readOnly` members are left out of requests, `writeOnly` members
//! out of responses.
//!
//! A type that travels one way loses its members in place. One that travels both ways and differs by the way,
//! itself or in a type that it holds, keeps its name for answers; requests get a second type, which is named
//! `<Name>Input`.

use super::{names, usage};
use crate::ir::{Api, Field, Shape, Type, TypeDef, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// Gives each side the types that it carries. Types that neither carries stay as the document has them.
pub(super) fn split(api: &mut Api, names: &mut names::Scope) {
    keep_tags(api);
    let sided = |field: &Field| field.read_only != field.write_only;
    let has_sides =
        |def: &TypeDef| matches!(&def.shape, Shape::Struct(shape) if shape.fields.iter().any(sided));
    if !api.types.iter().any(has_sides) {
        return;
    }
    let (requested, answered) = (usage::requested(api), usage::answered(api));
    let both: Vec<bool> =
        requested.iter().zip(&answered).map(|(request, answer)| *request && *answer).collect();
    let mut inputs = BTreeMap::new();
    for id in differing(api, &both, has_sides) {
        let original = api.type_def(id);
        let name = names.take(&format!("{}Input", original.name), "Request");
        let about = format!("The form of `{}` that requests send.", original.name);
        let docs = match &original.docs {
            Some(docs) => format!("{docs}\n\n{about}"),
            None => about,
        };
        let label = format!("{}Input", original.label);
        let input = TypeDef { name, label, docs: Some(docs), ..original.clone() };
        inputs.insert(id, TypeId(api.types.len()));
        api.types.push(input);
    }
    for (index, def) in api.types.iter_mut().enumerate() {
        let is_input = index >= both.len();
        if !is_input && answered[index] {
            retain(&mut def.shape, usage::in_answers);
        } else if is_input || requested[index] {
            retain(&mut def.shape, usage::in_requests);
            def.shape.parts_mut().for_each(|ty| rename(ty, &inputs));
        }
    }
    for operation in api.groups.iter_mut().flat_map(|group| &mut group.operations) {
        operation.parameters.iter_mut().for_each(|parameter| rename(&mut parameter.element.ty, &inputs));
        if let Some(body) = &mut operation.body {
            body.payload.elements_mut().for_each(|element| rename(&mut element.ty, &inputs));
        }
    }
    settle_tests(api);
}

/// A discriminator tells the branches of a union apart wherever the union stands, so it travels both ways.
fn keep_tags(api: &mut Api) {
    let mut tags = BTreeSet::new();
    for def in &api.types {
        let Shape::Union(union) = &def.shape else { continue };
        let Some(tag) = &union.tag else { continue };
        tags.extend(
            union.branches.iter().filter_map(|branch| Some((branch.element.ty.named()?, tag.wire.clone()))),
        );
    }
    for (id, wire) in tags {
        let Shape::Struct(shape) = &mut api.types[id.0].shape else { continue };
        for field in shape.fields.iter_mut().filter(|field| field.wire == wire) {
            (field.read_only, field.write_only) = (false, false);
        }
    }
}

/// The types among these that are not the same on both sides: those with members of one side, and those that
/// hold such a type where both sides have it.
fn differing(api: &Api, both: &[bool], has_sides: impl Fn(&TypeDef) -> bool) -> BTreeSet<TypeId> {
    let mut holders: Vec<Vec<TypeId>> = vec![Vec::new(); api.types.len()];
    let mut open = Vec::new();
    for (index, def) in api.types.iter().enumerate().filter(|(index, _)| both[*index]) {
        for id in def.shape.parts().filter_map(Type::named) {
            holders[id.0].push(TypeId(index));
        }
        if has_sides(def) {
            open.push(TypeId(index));
        }
    }
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(&holders[id.0]);
        }
    }
    found
}

fn retain(shape: &mut Shape, carries: fn(&Field) -> bool) {
    if let Shape::Struct(shape) = shape {
        let lost = shape.fields.iter().filter(|field| !carries(field));
        shape.skipped = lost.map(|field| field.wire.clone()).collect();
        shape.fields.retain(carries);
    }
}

fn rename(ty: &mut Type, inputs: &BTreeMap<TypeId, TypeId>) {
    if let Type::Named(id) | Type::Boxed(id) = ty.innermost_mut()
        && let Some(input) = inputs.get(id)
    {
        *id = *input;
    }
}

/// No branch is told by members that it has lost.
fn settle_tests(api: &mut Api) {
    for index in 0..api.types.len() {
        let Shape::Union(union) = &api.types[index].shape else { continue };
        let mut union = union.clone();
        for branch in &mut union.branches {
            let (Type::Named(id) | Type::Boxed(id)) = branch.element.ty else { continue };
            let Shape::Struct(shape) = &api.type_def(id).shape else { continue };
            let has = |wire: &String| shape.fields.iter().any(|field| field.wire == *wire);
            branch.test.required.retain(&has);
            branch.test.known.retain(&has);
            branch.test.fixed.retain(|(wire, _)| wire.is_empty() || has(wire));
        }
        api.types[index].shape = Shape::Union(union);
    }
}
