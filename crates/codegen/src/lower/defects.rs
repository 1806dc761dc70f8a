//! Operations that defects of the document degrade or leave out, for the report.

use super::{Lowering, shown};
use crate::ir::Untyped;
use frontdesk_document::{NodeId, NodeRef, PathItem};
use std::collections::BTreeSet;

/// An operation that was lowered.
pub(super) struct Visited<'d> {
    pub(super) id: String,
    /// Its name, which no other operation has.
    pub(super) function: String,
    pub(super) node: NodeRef<'d>,
    pub(super) item: NodeRef<'d>,
}

impl<'d> Lowering<'d, '_> {
    /// Notes that a defect of the document degrades the operation at hand.
    pub(super) fn degraded(&mut self, node: NodeRef<'_>, place: String, reason: &str) {
        let known = self.degraded_at.get(&node.id()).copied();
        let index = known.unwrap_or_else(|| {
            let location = format!("{}:{}", node.file(), shown(node).start);
            self.defects.push(Untyped { place, reason: reason.to_owned(), location, operations: Vec::new() });
            self.degraded_at.insert(node.id(), self.defects.len() - 1);
            self.defects.len() - 1
        });
        self.degradations.push(index);
    }

    /// Adds the operation at hand to the defects that were met on the way.
    pub(super) fn attribute_degradations(&mut self, id: &str) {
        for index in std::mem::take(&mut self.degradations) {
            let operations = &mut self.defects[index].operations;
            if operations.last().is_none_or(|last| last != id) {
                operations.push(id.to_owned());
            }
        }
    }

    /// Notes that the operations of a path are left out.
    pub(super) fn path_left_out(&mut self, item: PathItem<'d>) {
        let operations = item.operations().map(|operation| operation.name()).collect();
        self.left_out_operations.push(Untyped {
            place: format!("the path `{}`", item.key.text),
            reason: "its braces do not match, or nothing separates two of its parameters".to_owned(),
            location: format!("{}:{}", item.node.file(), item.key.span.start),
            operations,
        });
    }

    /// Adds the defects that were found while reading, with the operations that lead to each.
    pub(super) fn attribute_defects(&mut self) {
        let document = self.document;
        let holders: BTreeSet<NodeId> = document.defects().map(|defect| defect.holder.id()).collect();
        let mut reached: Vec<(String, BTreeSet<NodeId>)> = Vec::new();
        if !holders.is_empty() {
            for visited in &self.visited {
                reached.push((visited.id.clone(), reach(visited, &holders)));
            }
        }
        for defect in document.defects() {
            let path = document.sources().get(defect.span.file).map_or("", |file| file.path());
            let id = defect.holder.id();
            let leads = reached.iter().filter(|(_, holders)| holders.contains(&id));
            let operations = leads.map(|(operation, _)| operation.clone()).collect();
            let noted = Untyped {
                place: format!("`{}`", defect.place),
                reason: format!("{}; {}", defect.problem, defect.reading),
                location: format!("{path}:{}", defect.span.start),
                operations,
            };
            if defect.leaves_out_operations {
                self.left_out_operations.push(Untyped { operations: Vec::new(), ..noted });
            } else {
                self.defects.push(noted);
            }
        }
    }
}

/// Those of these nodes that an operation leads to, itself or through references.
fn reach(visited: &Visited<'_>, holders: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    let mut open = vec![visited.node];
    open.extend(["parameters", "servers"].iter().filter_map(|key| visited.item.get(key)));
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        if holders.contains(&node.id()) {
            found.insert(node.id());
        }
        open.extend(node.target());
        open.extend(node.members().map(|(_, member)| member).chain(node.items()));
    }
    found
}
