//! List of places that the document types and the output does not: how one is recorded, and which operations
//! are affected.

use super::{Lowering, shown};
use crate::ir::{Api, Type, TypeId, Untyped};
use frontdesk_document::{Diagnostic, NodeRef};
use std::collections::BTreeSet;

impl Lowering<'_, '_> {
    /// Notes a place that the output does not type, with a warning; the index of it, which is the same for
    /// the same node.
    pub(super) fn untyped(&mut self, node: NodeRef<'_>, place: String, reason: String, hint: &str) -> usize {
        if let Some(index) = self.untyped_at.get(&node.id()) {
            return *index;
        }
        self.problems.push(
            Diagnostic::warning("untyped", shown(node), format!("{place} has no type of its own: {reason}"))
                .hint(hint),
        );
        self.untyped_told(node, place, reason)
    }

    /// Notes a place that the output does not type, of which another problem tells.
    pub(super) fn untyped_told(&mut self, node: NodeRef<'_>, place: String, reason: String) -> usize {
        if let Some(index) = self.untyped_at.get(&node.id()) {
            return *index;
        }
        let index = self.untyped.len();
        let location = format!("{}:{}", node.file(), shown(node).start);
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
        let mut open: Vec<&Type> = operation.sent().chain(operation.answered(api)).collect();
        while let Some(ty) = open.pop() {
            match ty {
                Type::Raw(index) => {
                    raw.insert(*index);
                }
                Type::List(element) | Type::Map(element) => open.push(&element.ty),
                Type::Named(id) | Type::Boxed(id) if leading[id.0] && seen.insert(*id) => {
                    open.extend(api.type_def(*id).shape.parts());
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
        for ty in def.shape.parts() {
            match ty.innermost() {
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
