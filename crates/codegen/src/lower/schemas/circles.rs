//! Unions that are branches of each other: the circles are opened, so that reading a value always comes to an
//! end.

use crate::{
    ir::{Branch, Shape, Type, TypeDef, TypeId},
    lower::{Lowering, names},
};
use std::collections::BTreeSet;

impl Lowering<'_, '_> {
    /// Replaces each branch that leads back to its union by the other branches of the unions on the way. A
    /// value of the union is a value of one of those: nothing else was ever allowed.
    ///
    /// A value would otherwise be read as one union, then as the other, and so on, until the stack of the
    /// process is used up.
    pub(super) fn open_circles(&mut self) {
        let circular: Vec<(TypeId, Vec<Branch>)> = self
            .schemas
            .unions
            .iter()
            .map(|(id, ..)| *id)
            .filter(|id| reaches(&self.types, *id, *id))
            .map(|id| (id, branches(&self.types, id)))
            .collect();
        for (id, branches) in circular {
            let Some((_, node, nodes)) = self.schemas.unions.iter_mut().find(|(union, ..)| *union == id)
            else {
                continue;
            };
            let node = *node;
            // The branches are no longer those of the document, one by one.
            nodes.clear();
            let Shape::Union(union) = &mut self.types[id.0].shape else { continue };
            union.branches = branches;
            let had_tag = union.tag.take().is_some();
            self.warn_once(
                self.document.node(node),
                "circular-union",
                format!(
                    "a branch of this union leads back to it through unions alone, which adds no value; it is left out{}",
                    if had_tag { ", and values are not distinguished by the discriminator" } else { "" }
                ),
                "list the schemas that a value may have, without a union that contains this one",
            );
        }
    }
}

/// The type whose values a branch takes as they are: a list or a map is a value of its own.
fn held(branch: &Branch) -> Option<TypeId> {
    match branch.element.ty {
        Type::Named(id) | Type::Boxed(id) => Some(id),
        _ => None,
    }
}

/// The unions among the branches of a type.
fn unions_of(types: &[TypeDef], id: TypeId) -> impl Iterator<Item = TypeId> {
    let branches = match &types[id.0].shape {
        Shape::Union(union) => &union.branches[..],
        _ => &[],
    };
    branches.iter().filter_map(held).filter(|id| matches!(types[id.0].shape, Shape::Union(_)))
}

/// Whether a union has another one among its branches, or among theirs.
fn reaches(types: &[TypeDef], from: TypeId, to: TypeId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<TypeId> = unions_of(types, from).collect();
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(unions_of(types, id));
        }
    }
    false
}

/// The branches of a union and of all unions on circles with it, without those that lead back. No two are
/// alike.
fn branches(types: &[TypeDef], id: TypeId) -> Vec<Branch> {
    let mut found: Vec<Branch> = Vec::new();
    let mut taken = names::Scope::default();
    let mut seen = BTreeSet::from([id]);
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        let Shape::Union(union) = &types[next.0].shape else { continue };
        for branch in &union.branches {
            match held(branch).filter(|held| reaches(types, *held, id)) {
                Some(held) if seen.insert(held) => open.push(held),
                Some(_) => {}
                None if found.iter().any(|known| known.element == branch.element) => {}
                None => {
                    let rust = taken.take(&branch.rust, "Variant");
                    found.push(Branch { rust, ..branch.clone() });
                }
            }
        }
    }
    found
}
