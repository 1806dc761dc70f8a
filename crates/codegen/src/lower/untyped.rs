//! Owns the list of places that the document types and the output does not: how one is noted, and which operations meet it.

use super::{Lowering, shown};
use crate::ir::{Api, Content, Operation, Payload, Shape, Type, TypeId, Untyped};
use frontdesk_document::{Diagnostic, NodeRef};
use std::collections::BTreeSet;

impl Lowering<'_, '_> {
    /// Notes a place that the output does not type, with a warning; the index of it, which is the same for the same node.
    pub(super) fn untyped(&mut self, node: NodeRef<'_>, place: String, reason: String, hint: &str) -> usize {
        if let Some(index) = self.untyped_at.get(&node.id()) {
            return *index;
        }
        let span = shown(node);
        self.problems.push(
            Diagnostic::warning("untyped", span, format!("{place} has no type of its own: {reason}"))
                .hint(hint),
        );
        let index = self.untyped.len();
        let location = format!("{}:{}", node.file(), span.start);
        self.untyped.push(Untyped { place, reason, location, operations: Vec::new() });
        self.untyped_at.insert(node.id(), index);
        index
    }
}

/// Adds to every place the operations whose types lead to it.
pub(super) fn attribute(api: &mut Api) {
    let leading = leading_to_raw(api);
    let mut met: Vec<(usize, String)> = Vec::new();
    for operation in api.operations() {
        let mut raw = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Type> = types_of(api, operation);
        while let Some(ty) = open.pop() {
            match ty {
                Type::Raw(index) => {
                    raw.insert(*index);
                }
                Type::List(element) | Type::Map(element) => open.push(&element.ty),
                Type::Named(id) | Type::Boxed(id) if leading[id.0] && seen.insert(*id) => {
                    open.extend(parts(&api.type_def(*id).shape));
                }
                _ => {}
            }
        }
        met.extend(raw.into_iter().map(|index| (index, operation.id.clone())));
    }
    for (index, id) in met {
        if let Some(place) = api.untyped.get_mut(index)
            && place.operations.last() != Some(&id)
        {
            place.operations.push(id);
        }
    }
}

/// Which types hold a raw value, or a type that does.
fn leading_to_raw(api: &Api) -> Vec<bool> {
    let mut holders: Vec<Vec<TypeId>> = vec![Vec::new(); api.types.len()];
    let mut leading = vec![false; api.types.len()];
    let mut open = Vec::new();
    for (index, def) in api.types.iter().enumerate() {
        for mut ty in parts(&def.shape) {
            while let Type::List(element) | Type::Map(element) = ty {
                ty = &element.ty;
            }
            match ty {
                Type::Raw(_) => open.push(TypeId(index)),
                Type::Named(id) | Type::Boxed(id) => holders[id.0].push(TypeId(index)),
                _ => {}
            }
        }
    }
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut leading[id.0], true) {
            open.extend(&holders[id.0]);
        }
    }
    leading
}

/// The types that an operation sends and answers with.
fn types_of<'a>(api: &'a Api, operation: &'a Operation) -> Vec<&'a Type> {
    let mut types: Vec<&Type> = operation.parameters.iter().map(|parameter| &parameter.element.ty).collect();
    types.extend(operation.body.iter().flat_map(|body| body.payload.elements()).map(|element| &element.ty));
    for answer in operation.successes.iter().chain(&operation.errors) {
        match &answer.content {
            Content::Nothing => {}
            Content::Body(payload) => types.extend(payload.elements().map(|element| &element.ty)),
            Content::Response(id) => {
                let response = api.response(*id);
                types.extend(response.headers.iter().map(|header| &header.ty));
                types.extend(response.body.iter().flat_map(Payload::elements).map(|element| &element.ty));
            }
        }
    }
    types
}

fn parts(shape: &Shape) -> Vec<&Type> {
    match shape {
        Shape::Struct(shape) => shape
            .fields
            .iter()
            .map(|field| &field.element)
            .chain(&shape.extra)
            .map(|element| &element.ty)
            .collect(),
        Shape::Union(union) => union.branches.iter().map(|branch| &branch.element.ty).collect(),
        Shape::Newtype(element) => vec![&element.ty],
        Shape::Enum(_) => Vec::new(),
    }
}
