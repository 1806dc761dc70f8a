//! Modules of schemas: the module tree, and the types in each module.

use super::Gates;
use crate::{
    emit::{
        file_split::Unit,
        module_tree::{Entry, Folders, ModuleTree, Shown},
    },
    ir::{Api, TypeId},
};
use std::collections::HashMap;

/// The modules of schemas.
#[derive(Debug)]
pub(in crate::emit) struct SchemaModules<'a> {
    /// In the document's order.
    pub(super) all: Vec<SchemaModule<'a>>,
    /// The list of them, with their folders.
    pub(super) tree: ModuleTree,
    folders: Folders,
}

/// A module of schemas: a schema of the document, and the types that only it needs.
#[derive(Debug)]
pub(super) struct SchemaModule<'a> {
    name: &'a str,
    types: Vec<TypeId>,
}

impl<'a> SchemaModules<'a> {
    pub(in crate::emit) fn of(api: &'a Api, gates: &Gates<'_>) -> Self {
        let mut all: Vec<SchemaModule<'a>> = Vec::new();
        let mut positions = HashMap::new();
        for (index, def) in api.types.iter().enumerate() {
            let position = *positions.entry(def.root_module.as_str()).or_insert_with(|| {
                all.push(SchemaModule { name: &def.root_module, types: Vec::new() });
                all.len() - 1
            });
            all[position].types.push(TypeId(index));
        }
        let entries = all.iter().map(|root_module| Entry {
            module: root_module.name.to_owned(),
            condition: gates.of_module(root_module.name),
            shown: match root_module.types[..] {
                [only] => Shown::One(api.type_def(only).name.clone()),
                _ => Shown::All,
            },
            further: 0,
        });
        let tree = ModuleTree::of(entries.collect());
        let folders = tree.folders();
        Self { all, tree, folders }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The file of a module, below the folder of all of them and without its ending.
    pub(super) fn stem(&self, root_module: &SchemaModule<'_>) -> String {
        self.folders.place(root_module.name)
    }
}

impl SchemaModule<'_> {
    /// The types of the module, each with those that belong to it; `unit` makes that of a single one.
    pub(super) fn unit<'u>(&self, api: &Api, unit: impl Fn(TypeId, usize) -> Unit<'u>) -> Unit<'u> {
        let mut units: Vec<(TypeId, Unit<'u>)> =
            self.types.iter().enumerate().map(|(position, id)| (*id, unit(*id, position))).collect();
        // What belongs to a type stands behind it.
        while units.len() > 1
            && let Some((id, mut unit)) = units.pop()
        {
            unit.inner.reverse();
            let holder = api.type_def(id).holder;
            if let Some((_, holder)) = units.iter_mut().rfind(|(id, _)| Some(*id) == holder) {
                holder.inner.push(unit);
            }
        }
        let mut first = units.pop().map(|(_, unit)| unit).unwrap_or_default();
        first.inner.reverse();
        first
    }
}
