//! `oneOf`, `anyOf` and the schema families of a discriminator.

use super::{
    Key, Part, Place, Seen, View, any,
    branches::{by_type, is_list, plain},
    families, words,
};
use crate::{
    ir::{Branch, Constraint, Element, Shape, Tag, Test, Type, Union},
    lower::{Lowering, docs, flag, last_segment, names, text, title},
};
use frontdesk_document::NodeRef;
use std::collections::BTreeSet;

/// Most combinations of branches that make a type; beyond them nobody would read it.
const MOST_BRANCHES: usize = 24;

impl<'d> Lowering<'d, '_> {
    /// What the choices of a view make, unless they only say which members go together.
    pub(super) fn choice(
        &mut self,
        parts: &[Part<'d>],
        view: &View<'d>,
        key: &Key,
        place: &Place,
    ) -> Option<Element> {
        let common: Vec<Part<'d>> = view
            .parts
            .iter()
            .filter(|part| words::weighs(**part))
            .map(|node| Part { node: *node, bare: true })
            .collect();
        let mut nullable = false;
        let mut combined: Vec<Vec<Part<'d>>> = vec![Vec::new()];
        for list in &view.choices {
            let mut branches = Vec::new();
            for branch in list.items() {
                let Some(target) = self.resolve(branch) else { continue };
                if words::only_null(target) {
                    nullable = true;
                } else if target.is_object() && !common.iter().any(|part| excludes(part.node, target)) {
                    branches.push(branch);
                }
            }
            if !common.is_empty() && branches.iter().all(|branch| only_requires(*branch)) {
                self.warn_once(
                    *list,
                    "choice-ignored",
                    "the branches only say which members go together, which is not checked",
                    "describe it, or write out the properties of each branch",
                );
                continue;
            }
            if branches.is_empty() {
                continue;
            }
            if combined.len().saturating_mul(branches.len()) > MOST_BRANCHES && view.choices.len() > 1 {
                return Some(self.raw(*list, "the choices have too many combinations"));
            }
            combined = combined
                .iter()
                .flat_map(|done| {
                    branches.iter().map(|branch| {
                        let mut next = done.clone();
                        next.push(Part::whole(*branch));
                        next
                    })
                })
                .collect();
        }
        if combined.iter().all(Vec::is_empty) {
            return nullable.then(|| Element { nullable: true, ..any() }).filter(|_| common.is_empty());
        }
        for branch in &mut combined {
            branch.extend(&common);
        }
        if let [only] = &combined[..] {
            let element = if only.len() == 1 { self.together(only, place) } else { self.parts(only, place) };
            return Some(Element { nullable: nullable || element.nullable, ..element });
        }
        if view.choices.len() == 1
            && let Some(element) = self.gathered(parts, &combined, key, place)
        {
            return Some(Element { nullable: nullable || element.nullable, ..element });
        }
        let tag = view.first("discriminator");
        Some(self.union(parts, &combined, tag, nullable, key, place))
    }

    /// A schema with a discriminator that others extend by `allOf` stands for any of those, and for itself.
    pub(super) fn inherited(&mut self, node: NodeRef<'d>, key: &Key, place: &Place) -> Option<Element> {
        let children = self.schemas.children.get(&node.id())?.clone();
        let tag = node.get("discriminator");
        let mut branches: Vec<Vec<Part<'d>>> =
            children.into_iter().map(|id| vec![Part::whole(self.document.node(id))]).collect();
        if families::has_values_of_its_own(node) {
            let parts = node.get("allOf").into_iter().flat_map(NodeRef::items).map(Part::whole);
            branches.push(std::iter::once(Part { node, bare: true }).chain(parts).collect());
        }
        Some(self.union(&[Part::whole(node)], &branches, tag, false, key, place))
    }

    fn union(
        &mut self,
        parts: &[Part<'d>],
        branches: &[Vec<Part<'d>>],
        tag: Option<NodeRef<'d>>,
        mut nullable: bool,
        key: &Key,
        place: &Place,
    ) -> Element {
        let id = self.open(parts, key, place);
        let (owner, root_module) = (self.types[id.0].name.clone(), self.types[id.0].root_module.clone());
        self.types[id.0].shape = Shape::Union(Union { branches: Vec::new(), tag: None });
        let mut taken = names::Scope::default();
        let mut lowered: Vec<Branch> = Vec::new();
        let mut nodes = Vec::new();
        // For each branch of the document, the variant that it became.
        let mut becomes = Vec::new();
        let words = self.branch_names(&owner, branches);
        let lists = branches.iter().filter(|branch| is_list(branch[0].node)).count();
        for (index, (branch, wanted)) in branches.iter().zip(words).enumerate() {
            let by_type = by_type(branch[0].node);
            // The head of a family among its own variants: the union has its name.
            let wanted = if branch[0].bare { Some("Base".to_owned()) } else { wanted };
            let hint = wanted.clone().unwrap_or_else(|| by_type.to_owned());
            let name = format!("{owner}{hint}");
            let place = Place { name, root_module: Some(root_module.clone()), depth: place.depth + 1 };
            let element = match &branch[..] {
                [only] if !only.bare => self.schema_of(*only, &place),
                several => self.parts(several, &place),
            };
            nullable |= element.nullable;
            let element = Element { nullable: false, ..element };
            if let Some(same) = lowered.iter().position(|other| other.element == element) {
                becomes.push(same);
                continue;
            }
            becomes.push(lowered.len());
            let rust = wanted.unwrap_or_else(|| match (plain(&element.ty), self.item_name(&element.ty)) {
                (Some("List"), Some(item)) if lists > 1 => format!("{item}List"),
                (Some(name), _) => name.to_owned(),
                (None, _) if by_type.is_empty() => format!("Variant{}", index + 1),
                (None, _) => by_type.to_owned(),
            });
            nodes.push(branch[0].node.id());
            lowered.push(Branch {
                rust: taken.take(&rust, "Variant"),
                docs: branch_docs(branch[0].node),
                deprecated: branch[0].node.reference().is_none() && flag(branch[0].node, "deprecated"),
                element,
                test: Test::default(),
            });
        }
        // Nothing but what is checked tells texts apart, so they are one text.
        if let Some(constraints) = texts(&lowered)
            && id.0 + 1 == self.types.len()
        {
            if constraints.is_empty() && lowered.iter().all(|branch| !branch.element.constraints.is_empty()) {
                self.warn_once(
                    parts[0].node,
                    "choice-ignored",
                    "the branches are texts with rules that do not join; any text is taken",
                    "describe the choice, or give each branch a `pattern` and nothing else",
                );
            }
            self.types.pop();
            let element = Element { nullable, constraints, ..Element::of(Type::String) };
            self.schemas.seen.insert(key.clone(), Seen::Element(element.clone()));
            return element;
        }
        let tag = tag.and_then(|tag| self.tag(tag, branches, &becomes));
        self.types[id.0].shape = Shape::Union(Union { branches: lowered, tag });
        self.schemas.unions.push((id, parts[0].node.id(), nodes));
        Element { nullable, ..Element::of(Type::Named(id)) }
    }

    fn schema_of(&mut self, part: Part<'d>, place: &Place) -> Element {
        match self.schemas.reserved.get(&part.node.id()).cloned() {
            Some(name) => self.schema(part.node, &Place::new(name)),
            None => self.schema(part.node, place),
        }
    }

    fn tag(&mut self, tag: NodeRef<'d>, branches: &[Vec<Part<'d>>], becomes: &[usize]) -> Option<Tag> {
        let wire = text(tag, "propertyName")?.to_owned();
        let targets: Vec<_> = branches
            .iter()
            .map(|branch| branch[0].node.resolve().map_or(branch[0].node, |node| node))
            .collect();
        let mut values = Vec::new();
        let mut mapped = BTreeSet::new();
        for (value, target) in tag.get("mapping").into_iter().flat_map(NodeRef::entries) {
            let found =
                target.referred().and_then(|target| targets.iter().position(|node| node.id() == target.id()));
            match found {
                Some(at) => {
                    mapped.insert(at);
                    values.push((value.text.to_owned(), becomes[at]));
                }
                None => self.warn_once(
                    target,
                    "unmapped-branch",
                    format!("the mapping of `{}` leads to no branch and is left out", value.text),
                    "list the schema under `oneOf`, or correct the reference",
                ),
            }
        }
        for (at, target) in targets.iter().enumerate() {
            let component = branches[at][0].node.reference().is_some()
                || self.schemas.reserved.contains_key(&target.id());
            if !mapped.contains(&at) && component {
                let name = last_segment(*target);
                if values.iter().all(|(value, _)| *value != name) {
                    values.push((name, becomes[at]));
                }
            }
        }
        Some(Tag { wire, values })
    }
}

/// Returns the rules of a text that may be any of these branches, if all of them are texts: one of their
/// patterns, if they have no other rules.
fn texts(branches: &[Branch]) -> Option<Vec<Constraint>> {
    if branches.is_empty() || branches.iter().any(|branch| branch.element.ty != Type::String) {
        return None;
    }
    let patterns: Option<Vec<String>> = branches
        .iter()
        .map(|branch| match &branch.element.constraints[..] {
            [Constraint::Pattern { source, .. }] => Some(format!("(?:{source})")),
            _ => None,
        })
        .collect();
    let rules: Option<Vec<&str>> = branches
        .iter()
        .map(|branch| match &branch.element.constraints[..] {
            [Constraint::Pattern { rule, .. }] => rule.as_deref(),
            _ => None,
        })
        .collect();
    let rule = rules.map(|rules| rules.join(", or "));
    Some(
        patterns
            .map(|patterns| Constraint::Pattern { source: patterns.join("|"), rule })
            .into_iter()
            .collect(),
    )
}

/// What the document says of a branch: its description, or else its title. Those of a component belong to its
/// type.
fn branch_docs(node: NodeRef<'_>) -> Option<String> {
    docs(node).or_else(|| title(node).filter(|_| node.reference().is_none()))
}

/// Whether two schemas list values and have none in common, so that a branch beside an enumeration never
/// applies.
fn excludes(one: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    let values = |node: NodeRef<'_>| -> Vec<serde_json::Value> {
        words::lists(node).flatten().map(NodeRef::to_json).collect()
    };
    let (one, other) = (values(one), values(other));
    !one.is_empty() && !other.is_empty() && one.iter().all(|value| !other.contains(value))
}

/// Whether a branch only names members that must be there.
fn only_requires(node: NodeRef<'_>) -> bool {
    node.reference().is_none()
        && node
            .entries()
            .all(|(key, _)| matches!(key.text, "required" | "type" | "title" | "description" | "not"))
        && text(node, "type").is_none_or(|ty| ty == "object")
}
