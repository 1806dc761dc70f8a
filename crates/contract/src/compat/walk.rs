//! Traversal of both documents: paths, operations and callbacks.

use std::collections::HashMap;

use frontdesk_document::{Callback, Document, METHODS, NodeRef, Operation as Described, PathItem};

use super::addresses::{called_as, shape};
use super::change::Change;
use super::effect::{Effect, Level};
use super::lifecycle::{self, Removal};
use super::lifecycle_keys::{self, Levels, Stability};
use super::policy::Policy;
use super::rules;
use super::schema::{Graph, Medium, PairId};
use crate::compat::direction::Direction;

/// The index of an operation to which findings belong.
pub(super) type OperationId = usize;

/// An operation, or the whole document.
#[derive(Debug)]
pub(super) struct Operation {
    /// The method and the path; empty for the document.
    pub(super) name: String,
    /// Its stability in the base and in the revision.
    pub(super) stability: (Stability, Stability),
}

/// A change outside of schemas.
#[derive(Debug)]
pub(super) struct Direct<'d> {
    pub(super) operation: OperationId,
    pub(super) place: String,
    /// The direction of the message that the change concerns.
    pub(super) direction: Direction,
    pub(super) change: Change<'d>,
    /// The own levels of the parameter or header that it is in.
    pub(super) part: Levels,
}

/// A location in an operation with values of a schema.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) operation: OperationId,
    pub(super) place: String,
    pub(super) direction: Direction,
    pub(super) pair: PairId,
    /// The own levels of the parameter or header that it is in.
    pub(super) part: Levels,
}

/// The state of the traversal, with its results.
#[derive(Debug)]
pub(super) struct Walk<'d> {
    pub(super) base: NodeRef<'d>,
    pub(super) revision: NodeRef<'d>,
    pub(super) policy: &'d Policy,
    pub(super) graph: Graph<'d>,
    pub(super) operations: Vec<Operation>,
    pub(super) direct: Vec<Direct<'d>>,
    pub(super) roots: Vec<Root>,
    /// The own levels of the parameter or header that is being compared.
    part: Levels,
}

/// An operation that exists in both documents, with its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both<'d> {
    pub(super) id: OperationId,
    /// The direction of the request; it comes from the client, except for callbacks.
    pub(super) sender: Direction,
    /// The operations with their path items.
    pub(super) described: (Described<'d>, Described<'d>),
    pub(super) base: NodeRef<'d>,
    pub(super) revision: NodeRef<'d>,
}

impl<'d> Both<'d> {
    /// Returns the path templates as written.
    pub(super) fn templates(&self) -> (&'d str, &'d str) {
        let (old, new) = self.described;
        (old.item.key.text, new.item.key.text)
    }

    /// Returns the direction of the responses.
    pub(super) fn response_direction(&self) -> Direction {
        opposite(self.sender)
    }
}

/// Returns the opposite direction.
pub(super) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Request => Direction::Response,
        Direction::Response => Direction::Request,
    }
}

/// Returns the members of an object without extensions.
pub(super) fn entries(object: Option<NodeRef<'_>>) -> impl Iterator<Item = (&str, NodeRef<'_>)> {
    object.into_iter().flat_map(NodeRef::members).filter(|(key, _)| !key.starts_with("x-"))
}

/// Returns the object that a node is or refers to.
pub(super) fn resolved(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    node.resolve().ok().filter(|node| node.is_object())
}

/// Returns the index of the path item in the revision that each one of the base corresponds to. `called` are
/// the paths that calls have, with those of the servers.
fn partners(
    (old, old_called): (&[PathItem<'_>], &[Vec<String>]),
    (new, new_called): (&[PathItem<'_>], &[Vec<String>]),
) -> Vec<Option<usize>> {
    let mut by_path: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut by_shape: HashMap<String, Vec<usize>> = HashMap::new();
    let mut by_call: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, item) in new.iter().enumerate() {
        let path = item.key.text;
        by_path.entry(path).or_default().push(index);
        by_shape.entry(shape(path)).or_default().push(index);
        for called in &new_called[index] {
            by_call.entry(called).or_default().push(index);
        }
    }
    let mut partners = vec![None; old.len()];
    let mut taken = vec![false; new.len()];
    let none = Vec::new();
    // First what is written alike and called alike, then what is called alike, then what is only written
    // alike.
    for round in 0..4 {
        for (index, item) in old.iter().enumerate() {
            let path = item.key.text;
            if partners[index].is_some() {
                continue;
            }
            let calls =
                || old_called[index].iter().filter_map(|called| by_call.get(called.as_str())).flatten();
            let written = by_path.get(path).unwrap_or(&none);
            let found = match round {
                0 => written.iter().find(|other| !taken[**other] && calls().any(|called| called == *other)),
                1 => calls().find(|other| !taken[**other]),
                2 => written.iter().find(|other| !taken[**other]),
                _ => by_shape.get(&shape(path)).and_then(|all| all.iter().find(|other| !taken[**other])),
            };
            if let Some(found) = found.copied() {
                taken[found] = true;
                partners[index] = Some(found);
            }
        }
    }
    partners
}

impl<'d> Walk<'d> {
    pub(super) fn new(base: &'d Document, revision: &'d Document, policy: &'d Policy) -> Self {
        let document = Operation { name: String::new(), stability: (Stability::Stable, Stability::Stable) };
        Self {
            base: base.root(),
            revision: revision.root(),
            policy,
            graph: Graph::new(base, revision, policy),
            operations: vec![document],
            direct: Vec::new(),
            roots: Vec::new(),
            part: (None, None),
        }
    }

    pub(super) fn run(&mut self) {
        let (base, revision) = (self.base, self.revision);
        let at = |key| (base.get(key).unwrap_or(base), revision.get(key).unwrap_or(revision));
        let (old, new) = (base.document(), revision.document());
        self.schemes();
        let paths = (old.path_items().collect(), new.path_items().collect());
        self.paths(paths, Direction::Request, "", at("paths"));
        let webhooks = (old.webhooks().collect(), new.webhooks().collect());
        self.paths(webhooks, Direction::Response, "webhook ", at("x-webhooks"));
        self.graph.run();
    }

    /// Compares a parameter or a header, of which each document may have one, within its own stability
    /// levels.
    pub(super) fn within(
        &mut self,
        (base, revision): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        compare: impl FnOnce(&mut Self),
    ) {
        let own = |part: Option<NodeRef<'d>>| part.and_then(lifecycle_keys::stability);
        self.part = (own(base), own(revision));
        compare(self);
        self.part = (None, None);
    }

    /// Records a change of an operation.
    pub(super) fn record(
        &mut self,
        operation: OperationId,
        place: impl Into<String>,
        direction: Direction,
        change: Change<'d>,
    ) {
        let part = self.part;
        self.direct.push(Direct { operation, place: place.into(), direction, change, part });
    }

    /// Schedules the schemas of two objects for comparison.
    pub(super) fn schemas(
        &mut self,
        operation: OperationId,
        place: impl Into<String>,
        direction: Direction,
        medium: Medium,
        holders: (NodeRef<'d>, NodeRef<'d>),
    ) {
        let schemas = (holders.0.get("schema"), holders.1.get("schema"));
        self.compared(operation, place, direction, medium, schemas, holders);
    }

    /// Compares two schemas that belong to two holders.
    pub(super) fn compared(
        &mut self,
        operation: OperationId,
        place: impl Into<String>,
        direction: Direction,
        medium: Medium,
        schemas: (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        holders: (NodeRef<'d>, NodeRef<'d>),
    ) {
        let pair = self.graph.root(schemas, holders, direction, medium);
        self.roots.push(Root { operation, place: place.into(), direction, pair, part: self.part });
    }

    /// Compares all operations of two lists of path items, which are in `at`.
    fn paths(
        &mut self,
        (old, new): (Vec<PathItem<'d>>, Vec<PathItem<'d>>),
        sender: Direction,
        prefix: &str,
        at: (NodeRef<'d>, NodeRef<'d>),
    ) {
        // Calls have a server before the path, so the same call may be written with another division of the
        // two.
        let called = |items: &[PathItem<'d>], root: NodeRef<'d>| -> Vec<Vec<String>> {
            let own = prefix.is_empty();
            items.iter().map(|item| if own { called_as(item, root) } else { Vec::new() }).collect()
        };
        let partners = partners((&old, &called(&old, self.base)), (&new, &called(&new, self.revision)));
        let mut taken = vec![false; new.len()];
        for (item, partner) in old.iter().zip(partners) {
            if let Some(index) = partner {
                taken[index] = true;
            }
            self.item((Some(*item), partner.map(|index| new[index])), sender, prefix, at);
        }
        for (index, item) in new.iter().enumerate() {
            if !taken[index] {
                self.item((None, Some(*item)), sender, prefix, at);
            }
        }
    }

    /// Compares all operations of two path items.
    fn item(
        &mut self,
        (base, revision): (Option<PathItem<'d>>, Option<PathItem<'d>>),
        sender: Direction,
        prefix: &str,
        holders: (NodeRef<'d>, NodeRef<'d>),
    ) {
        let Some(template) = base.or(revision).map(|item| item.key.text) else { return };
        let operations = |item: Option<PathItem<'d>>| -> Vec<Described<'d>> {
            item.into_iter().flat_map(PathItem::operations).collect()
        };
        let (olds, news) = (operations(base), operations(revision));
        let (base, revision) = (base.map(|item| item.node), revision.map(|item| item.node));
        let at = (base.unwrap_or(holders.0), revision.unwrap_or(holders.1));
        for method in METHODS {
            let of = |all: &[Described<'d>]| all.iter().find(|operation| operation.method == method).copied();
            let described = (of(&olds), of(&news));
            let (old, new) = (described.0.map(|it| it.node), described.1.map(|it| it.node));
            if old.is_none() && new.is_none() {
                continue;
            }
            let effective = |parts: [Option<NodeRef<'d>>; 2]| {
                let mut parts = parts.into_iter().flatten();
                parts.find_map(lifecycle_keys::stability).unwrap_or(Stability::Stable)
            };
            let stability = (effective([old, base]), effective([new, revision]));
            let name = format!("{prefix}{} {template}", method.to_uppercase());
            let id = self.operations.len();
            self.operations.push(Operation { name, stability });
            if let (Some(old), Some(new)) = described {
                let (base, revision) = (old.node, new.node);
                self.operation(&Both { id, sender, described: (old, new), base, revision });
                continue;
            }
            match (old, new) {
                (Some(old), None) => self.operation_gone(id, sender, (old, at.1)),
                (None, Some(new)) => {
                    let level = if sender == Direction::Request { Level::Safe } else { Level::Notice };
                    let rule = if sender == Direction::Request {
                        rules::OPERATION_ADDED
                    } else {
                        rules::CALLBACK_ADDED
                    };
                    let change = Change::fixed(rule, level, (at.0, new), "the operation was added");
                    // The server must implement a new operation, so the change counts as one of its messages.
                    self.record(id, "", Direction::Response, change);
                    for change in lifecycle::added((at.0, new)) {
                        self.record(id, "", sender, change);
                    }
                }
                _ => {}
            }
        }
    }

    fn operation_gone(&mut self, id: OperationId, sender: Direction, places: (NodeRef<'d>, NodeRef<'d>)) {
        let mut excuse = None;
        let own = self.operations[id].name.clone();
        let name = places.0.get("operationId").and_then(NodeRef::as_str).unwrap_or(&own);
        match lifecycle::removal(places, &[name, &own], self.policy) {
            Removal::Denied(change) => self.record(id, "", sender, change),
            Removal::Allowed(reason) => excuse = reason,
        }
        let change = if sender == Direction::Request {
            Change::new(rules::OPERATION_REMOVED, Effect::Narrower, places, "the operation is gone")
        } else {
            Change::fixed(rules::CALLBACK_REMOVED, Level::Notice, places, "the call is no longer made")
        };
        self.record(id, "", sender, change.excused(excuse));
    }

    fn operation(&mut self, both: &Both<'d>) {
        let places = (both.base, both.revision);
        for change in lifecycle::compare(both.base, both.revision, self.policy) {
            self.record(both.id, "", both.sender, change);
        }
        // Without a level of its own, an operation has that of its path.
        let own = |node: NodeRef<'d>| lifecycle_keys::stability(node);
        if own(both.base) == own(both.revision) {
            let change = lifecycle::restated(
                places,
                (own(both.described.0.item.node), own(both.described.1.item.node)),
            );
            self.record(both.id, "", both.sender, change);
        }
        self.names(both);
        self.parameters(both);
        self.request_body(both);
        self.responses(both);
        self.pagination(both);
        if both.sender == Direction::Request {
            self.security(both);
            self.servers(both);
        }
        let callbacks = |operation: Described<'d>| operation.callbacks().collect::<Vec<_>>();
        let (old, new) = (callbacks(both.described.0), callbacks(both.described.1));
        let mut names: Vec<&str> = old.iter().chain(&new).map(|callback| callback.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let find = |all: &[Callback<'d>]| all.iter().find(|callback| callback.name == name).copied();
            let (old, new) = (find(&old), find(&new));
            let items = |callback: Option<Callback<'d>>| -> Vec<PathItem<'d>> {
                callback.into_iter().flat_map(Callback::path_items).collect()
            };
            let node =
                |callback: Option<Callback<'d>>, holder| callback.map_or(holder, |callback| callback.node);
            let at = (node(old, places.0), node(new, places.1));
            let prefix = format!("{} › callback {name} ", self.operations[both.id].name);
            self.paths((items(old), items(new)), opposite(both.sender), &prefix, at);
        }
    }

    /// Compares the names that generated crates use for the operation.
    fn names(&mut self, both: &Both<'d>) {
        let id = |operation: NodeRef<'d>| operation.get("operationId").filter(|id| id.as_str().is_some());
        let (old, new) = (id(both.base), id(both.revision));
        let text = |node: Option<NodeRef<'d>>| node.and_then(NodeRef::as_str);
        let describe =
            |node: Option<NodeRef<'d>>| text(node).map_or("nothing".to_owned(), |id| format!("`{id}`"));
        if text(old) != text(new) {
            let places = (old.unwrap_or(both.base), new.unwrap_or(both.revision));
            let message = format!("`operationId` was {} and is {}", describe(old), describe(new));
            let change = Change::fixed(rules::OPERATION_ID, Level::Safe, places, message);
            self.record(both.id, "", both.sender, change);
        }
        let tag = |operation: NodeRef<'d>| operation.get("tags").and_then(|tags| tags.items().next());
        let (old, new) = (tag(both.base), tag(both.revision));
        if text(old) != text(new) {
            let places = (old.unwrap_or(both.base), new.unwrap_or(both.revision));
            let message = format!("the first tag was {} and is {}", describe(old), describe(new));
            let change = Change::fixed(rules::OPERATION_TAGS, Level::Safe, places, message);
            self.record(both.id, "", both.sender, change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn paths_are_told_apart_without_the_names_of_parameters() {
        assert_eq!(shape("/a/{id}/b{x}.{y}"), shape("/a/{name}/b{z}.{w}"));
        assert_ne!(shape("/a/{id}"), shape("/a/id"));
        assert_eq!(shape("/a/{id"), "/a/{}");
    }
}
