//! The combined constraints of a set of schemas on one value: the meaning of `allOf`, without references.

use std::collections::HashSet;

use frontdesk_document::{Document, NodeId, NodeRef};
use indexmap::IndexMap;
use serde_json::Value;

use super::bounds::{Bound, stricter};
use super::kinds::Kinds;
use super::look::{Look, both};
use crate::compat::direction::Direction;
use crate::oracle::{ecma, is_format, is_open, kind, only_nullable, resolve};

/// A schema object that a value must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) node: NodeId,
    /// Whether its `oneOf` and `anyOf` are ignored, because one of their branches is in the set.
    pub(super) bare: bool,
}

/// Schema objects that a value must satisfy together, sorted and without duplicates or references. The empty
/// set allows every value.
pub(super) type Parts = Vec<Part>;

/// Returns the set of these schemas, after following references.
pub(super) fn parts<'d>(schemas: impl IntoIterator<Item = NodeRef<'d>>) -> Parts {
    let mut parts: Parts =
        schemas.into_iter().filter_map(resolve).map(|node| Part { node: node.id(), bare: false }).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// A `oneOf` or `anyOf`.
#[derive(Clone, Debug)]
pub(super) struct Union<'d> {
    /// The schema object that contains it.
    pub(super) holder: NodeRef<'d>,
    /// `oneOf` or `anyOf`.
    pub(super) keyword: &'static str,
    /// The branches as written.
    pub(super) branches: Vec<NodeRef<'d>>,
}

impl<'d> Union<'d> {
    /// Returns the list of branches.
    pub(super) fn list(&self) -> NodeRef<'d> {
        self.holder.get(self.keyword).unwrap_or(self.holder)
    }
}

/// The constraints on one value.
#[derive(Debug)]
pub(super) struct Facets<'d> {
    /// The schema objects of the set itself.
    pub(super) tops: Vec<NodeRef<'d>>,
    /// These, and all that they include by composition.
    pub(super) all: Vec<NodeRef<'d>>,
    /// The types that `type` allows.
    pub(super) kinds: Kinds,
    /// The types that remain after considering the branches of unions.
    pub(super) reach: Kinds,
    /// Whether `null` is allowed, if known.
    pub(super) null: Option<bool>,
    /// The values of closed enumerations, with the decisive list; never `null`.
    pub(super) values: Option<(NodeRef<'d>, Vec<NodeRef<'d>>)>,
    /// The values of open enumerations.
    pub(super) known: Option<(NodeRef<'d>, Vec<NodeRef<'d>>)>,
    pub(super) unions: Vec<Union<'d>>,
    pub(super) nots: Vec<NodeRef<'d>>,
    /// The declared properties, each with all schemas for it.
    pub(super) members: IndexMap<&'d str, Vec<NodeRef<'d>>>,
    /// The required names, with the locations that require them.
    pub(super) required: IndexMap<&'d str, NodeRef<'d>>,
}

/// The constraints on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Forbidden,
    /// It must satisfy these schemas.
    Allowed(Parts),
}

impl<'d> Facets<'d> {
    pub(super) fn gather(document: &'d Document, set: &[Part]) -> Self {
        let mut facets = Self {
            tops: set.iter().map(|part| document.node(part.node)).collect(),
            all: Vec::new(),
            kinds: Kinds::ALL,
            reach: Kinds::ALL,
            null: Some(true),
            values: None,
            known: None,
            unions: Vec::new(),
            nots: Vec::new(),
            members: IndexMap::new(),
            required: IndexMap::new(),
        };
        let bare: HashSet<NodeId> = set.iter().filter(|part| part.bare).map(|part| part.node).collect();
        let mut seen = HashSet::new();
        for part in set {
            let top = document.node(part.node);
            facets.null = both(facets.null, Look::new().takes_null(top, part.bare));
            facets.add(top, &bare, &mut seen);
        }
        let branches = facets.unions.iter().map(|union| Look::new().any_of(&union.branches));
        facets.reach = branches.fold(facets.kinds, Kinds::and);
        facets
    }

    fn add(&mut self, top: NodeRef<'d>, bare: &HashSet<NodeId>, seen: &mut HashSet<NodeId>) {
        let mut waiting = vec![top];
        while let Some(schema) = waiting.pop() {
            if !seen.insert(schema.id()) {
                continue;
            }
            self.all.push(schema);
            if let Some(kind) = schema.get("type").and_then(NodeRef::as_str) {
                self.kinds = self.kinds.and(Kinds::named(kind));
            }
            self.enumeration(schema);
            for (name, member) in schema.get("properties").into_iter().flat_map(NodeRef::members) {
                self.members.entry(name).or_default().push(member);
            }
            for name in schema.get("required").into_iter().flat_map(NodeRef::items) {
                if let Some(text) = name.as_str() {
                    self.required.entry(text).or_insert(name);
                }
            }
            self.nots.extend(schema.get("not").filter(|not| not.is_object()));
            // In reverse order, because the last one is taken first.
            let mut composed: Vec<NodeRef<'d>> = Vec::new();
            composed.extend(schema.get("allOf").into_iter().flat_map(NodeRef::items).filter_map(resolve));
            if !bare.contains(&schema.id()) {
                for keyword in ["oneOf", "anyOf"] {
                    let mut branches: Vec<_> =
                        schema.get(keyword).into_iter().flat_map(NodeRef::items).collect();
                    // A branch for `null` is another way to write `nullable`, which is compared by itself.
                    if branches.iter().any(|branch| !is_null(*branch)) {
                        branches.retain(|branch| !is_null(*branch));
                    }
                    match branches.as_slice() {
                        [] => {}
                        // A union of a single branch is composed like `allOf`.
                        [only] if schema.get("discriminator").is_none() => composed.extend(resolve(*only)),
                        _ => self.unions.push(Union { holder: schema, keyword, branches }),
                    }
                }
            }
            waiting.extend(composed.into_iter().rev());
        }
    }

    fn enumeration(&mut self, schema: NodeRef<'d>) {
        // In a document of 3.0, `const` is an enumeration of one value; that of 3.1 is rewritten as one.
        if let Some(only) = schema.get("const") {
            self.allow(only, vec![only], false);
        }
        let list_of = |keyword| schema.get(keyword).filter(|list| list.is_array() && !list.is_empty());
        // Some documents use this key for the open enumeration itself, instead of as a flag.
        let (list, open) = match (list_of("enum"), list_of("x-extensible-enum")) {
            (Some(list), _) => (list, is_open(schema)),
            (None, Some(list)) => (list, true),
            (None, None) => return,
        };
        self.allow(list, list.items().collect(), open);
    }

    /// Restricts the values to these; `list` is their location.
    fn allow(&mut self, list: NodeRef<'d>, mut values: Vec<NodeRef<'d>>, open: bool) {
        values.retain(|value| !value.is_null());
        let slot = if open { &mut self.known } else { &mut self.values };
        match slot {
            // With two enumerations, the values in both are allowed.
            Some((_, known)) => known.retain(|value| values.iter().any(|other| same_value(*value, *other))),
            None => *slot = Some((list, values)),
        }
    }

    /// Returns the types of the values, which an enumeration may restrict further.
    pub(super) fn real_kinds(&self) -> Kinds {
        let Some((_, values)) = &self.values else { return self.kinds };
        let kinds = values.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of(&value.to_json())));
        kinds.and(self.kinds)
    }

    /// Returns all values of a keyword.
    pub(super) fn each<'f>(&'f self, keyword: &'f str) -> impl Iterator<Item = NodeRef<'d>> + 'f {
        self.all.iter().filter_map(move |schema| schema.get(keyword))
    }

    /// Returns the location of a flag that one of the schemas sets.
    pub(super) fn flag(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.tops.iter().filter_map(|top| top.get(keyword)).find(|value| value.as_bool() == Some(true))
    }

    /// Returns the greatest of the minimum counts.
    pub(super) fn at_least(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.each(keyword)
            .filter(|count| count.as_i128().is_some_and(|count| count > 0))
            .max_by_key(|count| count.as_i128())
    }

    /// Returns the least of the maximum counts.
    pub(super) fn at_most(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.each(keyword)
            .filter(|count| count.as_i128().is_some_and(|count| count >= 0))
            .min_by_key(|count| count.as_i128())
    }

    /// Returns the strictest bound of numbers.
    pub(super) fn bound(&self, keyword: &'static str, exclusive: &str) -> Option<Bound<'d>> {
        let whole = !self.kinds.has(Kinds::NUMBER.without(Kinds::INTEGER));
        let upper = keyword == "maximum";
        self.all
            .iter()
            .filter_map(|schema| {
                let value = schema.get(keyword).filter(|value| value.as_number().is_some())?;
                let exclusive = schema.get(exclusive).filter(|flag| flag.as_bool() == Some(true));
                Some(Bound::new(value, exclusive, whole, upper))
            })
            .reduce(|left, right| stricter(left, right, upper))
    }

    /// Returns the texts of a keyword without duplicates.
    pub(super) fn words(&self, keyword: &str) -> IndexMap<&'d str, NodeRef<'d>> {
        self.each(keyword).filter_map(|value| Some((value.as_str()?, value))).collect()
    }

    /// Returns the formats that restrict values of these types.
    pub(super) fn formats(&self) -> IndexMap<&'d str, NodeRef<'d>> {
        // The format `password` affects display only, and allows any text.
        self.words("format").into_iter().filter(|(format, _)| *format != "password").collect()
    }

    /// Returns whether a property may not be sent in this direction.
    pub(super) fn stays(&self, name: &str, direction: Direction) -> bool {
        self.members.get(name).is_some_and(|schemas| {
            schemas
                .iter()
                .filter_map(|schema| resolve(*schema))
                .any(|schema| schema.get(direction.absent()).and_then(NodeRef::as_bool) == Some(true))
        })
    }

    /// Returns the constraints on the property of this name.
    pub(super) fn member(&self, name: &str) -> Member {
        let declared = self.members.get(name).cloned().unwrap_or_default();
        self.further_than(declared, |schema| {
            schema.get("properties").is_some_and(|members| members.get(name).is_some())
        })
    }

    /// Returns the constraints on undeclared properties.
    pub(super) fn further(&self) -> Member {
        self.further_than(Vec::new(), |_| false)
    }

    fn further_than(&self, declared: Vec<NodeRef<'d>>, declares: impl Fn(NodeRef<'d>) -> bool) -> Member {
        let mut schemas = declared;
        for schema in &self.all {
            let Some(further) = schema.get("additionalProperties") else { continue };
            if declares(*schema) {
                continue;
            }
            if further.as_bool() == Some(false) {
                return Member::Forbidden;
            }
            if further.is_object() {
                schemas.push(further);
            }
        }
        Member::Allowed(parts(schemas))
    }

    /// Returns whether a scalar satisfies the constraints, except for unions and `not`.
    pub(super) fn admits(&self, node: NodeRef<'d>, value: &Value) -> bool {
        let kind = Kinds::of(value);
        if !self.kinds.has(kind) {
            return false;
        }
        if let Some((_, values)) = &self.values
            && !values.iter().any(|known| known.to_json() == *value)
        {
            return false;
        }
        if kind.and(Kinds::NUMBER) == kind {
            let holds = |bound: Option<Bound<'_>>, upper| bound.is_none_or(|bound| bound.admits(node, upper));
            let steps =
                self.each("multipleOf").filter_map(NodeRef::as_f64).filter(|step| *step > 0.0).all(|step| {
                    value.as_f64().is_none_or(|value| ((value / step).round() * step - value).abs() < 1e-9)
                });
            return steps
                && holds(self.bound("minimum", "exclusiveMinimum"), false)
                && holds(self.bound("maximum", "exclusiveMaximum"), true);
        }
        let Some(text) = value.as_str() else { return true };
        let length = text.chars().count() as i128;
        self.at_least("minLength").and_then(NodeRef::as_i128).is_none_or(|least| length >= least)
            && self.at_most("maxLength").and_then(NodeRef::as_i128).is_none_or(|most| length <= most)
            && self
                .words("pattern")
                .keys()
                .all(|pattern| ecma(pattern).is_none_or(|pattern| pattern.find(text).is_some()))
            && self.formats().keys().all(|format| is_format(format, text))
    }
}

/// Returns whether a branch stands for `null`.
fn is_null(branch: NodeRef<'_>) -> bool {
    resolve(branch).is_some_and(|branch| {
        only_nullable(branch)
            || kind(branch) == Some("null")
            || branch.get("const").is_some_and(NodeRef::is_null)
            || branch
                .get("enum")
                .is_some_and(|values| !values.is_empty() && values.items().all(NodeRef::is_null))
    })
}

/// Returns whether two nodes have the same value; numbers are compared by value.
pub(super) fn same_value(left: NodeRef<'_>, right: NodeRef<'_>) -> bool {
    match (left.as_number(), right.as_number()) {
        (Some(one), Some(other)) => one == other || left.as_f64() == right.as_f64(),
        (None, None) => match (left.as_str(), right.as_str()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => left.to_json() == right.to_json(),
            _ => false,
        },
        _ => false,
    }
}
