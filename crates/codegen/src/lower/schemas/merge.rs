//! Merging of `allOf` and its sibling keywords into one schema of several parts.

use super::{MORE_STACK, STACK_OF_ONE, words};
use crate::lower::{Lowering, flag, text};
use frontdesk_document::{NodeId, NodeRef};
use std::collections::BTreeSet;

/// One of the schemas that a value must satisfy.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct Part<'d> {
    pub(in crate::lower) node: NodeRef<'d>,
    /// Only what stands in the schema itself counts; its `allOf`, `oneOf` and `anyOf` are parts or choices
    /// already.
    pub(in crate::lower) bare: bool,
}

impl<'d> Part<'d> {
    pub(in crate::lower) fn whole(node: NodeRef<'d>) -> Self {
        Self { node, bare: false }
    }
}

/// Identifies a view: the same parts make the same type.
pub(in crate::lower) type Key = Vec<(NodeId, bool)>;

/// The schemas that one value must satisfy, all of them.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct View<'d> {
    pub(super) parts: Vec<NodeRef<'d>>,
    /// The lists of `oneOf` and `anyOf` among the parts, of each of which one schema must be fulfilled.
    pub(super) choices: Vec<NodeRef<'d>>,
    /// The one part that matters, where the others only describe it.
    pub(super) alias: Option<NodeRef<'d>>,
    /// Whether one of these others rules out `null`, whatever the one that matters says.
    pub(super) alias_never_null: bool,
}

impl<'d> View<'d> {
    /// Every value that the parts give a keyword, in their order.
    pub(super) fn all(&self, key: &'static str) -> impl Iterator<Item = NodeRef<'d>> + '_ {
        self.parts.iter().filter_map(move |part| part.get(key))
    }

    /// The value of a keyword in the part that says it first.
    pub(super) fn first(&self, key: &'static str) -> Option<NodeRef<'d>> {
        self.all(key).next()
    }

    /// The lists of values that the parts allow, in their order.
    pub(super) fn lists(&self) -> impl Iterator<Item = Vec<NodeRef<'d>>> + '_ {
        self.parts.iter().flat_map(|part| words::lists(*part))
    }

    /// Whether a part sets a keyword to `true`.
    pub(super) fn flag(&self, key: &str) -> bool {
        self.parts.iter().any(|part| flag(*part, key))
    }

    /// Whether `null` satisfies every part, and one of them says so.
    pub(super) fn takes_null(&self) -> bool {
        self.flag("nullable") && self.parts.iter().all(|part| words::takes_null(*part))
    }

    /// Whether a part invites members that it does not name.
    fn invites(&self) -> bool {
        self.all("additionalProperties").any(|further| further.as_bool() != Some(false))
    }

    /// Every name that a part requires.
    pub(super) fn required(&self) -> BTreeSet<&'d str> {
        self.all("required").flat_map(NodeRef::items).filter_map(NodeRef::as_str).collect()
    }
}

impl<'d> Lowering<'d, '_> {
    /// Takes the parts apart until no `allOf` is left.
    pub(super) fn view(&mut self, parts: &[Part<'d>]) -> View<'d> {
        let mut view = View::default();
        let mut seen = BTreeSet::new();
        // The schemas that stand on their own on the first level, to find the one that the others only
        // describe.
        let mut weighty: Vec<NodeRef<'d>> = Vec::new();
        for part in parts {
            let Some(node) = self.resolve(part.node) else { continue };
            let inner: Vec<NodeRef<'d>> = if part.bare {
                Vec::new()
            } else {
                node.get("allOf").into_iter().flat_map(NodeRef::items).collect()
            };
            if part.node.reference().is_some() && parts.len() > 1 {
                weighty.push(node);
            } else {
                if words::weighs(node) || !part.bare && words::choices(node).next().is_some() {
                    weighty.push(node);
                }
                for inner in &inner {
                    if let Some(target) = self.resolve(*inner)
                        && (target.get("allOf").is_some()
                            || words::choices(target).next().is_some()
                            || words::weighs(target))
                    {
                        weighty.push(target);
                    }
                }
            }
            self.take_apart(node, part.bare, &mut view, &mut seen);
        }
        // What extends a schema by `allOf` and stands among the branches of its choice has chosen itself.
        view.choices.retain(|list| {
            let head = list.parent().map(NodeRef::id);
            let mut branches = list.items().filter_map(|branch| branch.resolve().ok()).map(NodeRef::id);
            !branches.any(|branch| Some(branch) != head && seen.contains(&branch))
        });
        weighty.dedup_by_key(|node| node.id());
        if let [only] = weighty[..]
            && (parts.len() > 1 || parts.iter().any(|part| part.node.id() != only.id()))
        {
            let kind = text(only, "type");
            let fits = view
                .all("type")
                .filter_map(NodeRef::as_str)
                .all(|other| kind.is_none_or(|kind| kind == other));
            let untyped = kind.is_some() || view.all("type").all(|ty| ty.as_str() == Some("object"));
            // A child of a family that adds nothing is one of the family all the same, not the family.
            let children = self.schemas.children.get(&only.id());
            let heads = children.is_some();
            let extends =
                children.is_some_and(|children| parts.iter().any(|part| children.contains(&part.node.id())));
            // The siblings of `oneOf` or `anyOf` are only a part of the schema.
            let beside = parts.iter().any(|part| part.bare && part.node.id() == only.id());
            let (mut own, mut known) = (View::default(), BTreeSet::new());
            self.take_apart(only, false, &mut own, &mut known);
            // Members that only the others invite are kept by a type of their own; a family or a choice has
            // none to keep them.
            let invited = view.invites() && !own.invites() && !heads && own.choices.is_empty();
            view.alias = (fits && untyped && !extends && !beside && !invited).then_some(only);
            let mut others = view.parts.iter().filter(|part| !known.contains(&part.id()));
            view.alias_never_null = others.any(|part| !words::takes_null(*part));
        }
        view
    }

    fn take_apart(
        &mut self,
        node: NodeRef<'d>,
        bare: bool,
        view: &mut View<'d>,
        seen: &mut BTreeSet<NodeId>,
    ) {
        if !seen.insert(node.id()) {
            return;
        }
        if !bare {
            for part in node.get("allOf").into_iter().flat_map(NodeRef::items) {
                if let Some(target) = self.resolve(part) {
                    stacker::maybe_grow(STACK_OF_ONE, MORE_STACK, || {
                        self.take_apart(target, false, view, seen);
                    });
                }
            }
            view.choices.extend(words::choices(node));
        }
        view.parts.push(node);
    }
}
