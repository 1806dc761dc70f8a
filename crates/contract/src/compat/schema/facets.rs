//! What a set of schemas says together of one value: the meaning of `allOf`, without references.

use std::collections::HashSet;

use frontdesk_document::{Document, NodeId, NodeRef};
use indexmap::IndexMap;
use serde_json::Value;

use super::bounds::{Bound, stricter};
use super::kinds::Kinds;
use super::look::{Look, both};
use crate::compat::side::Side;
use crate::oracle::{ecma, is_format, is_open, resolve};

/// A schema object that a value must fulfil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) node: NodeId,
    /// Whether its `oneOf` and `anyOf` do not count, because one of their branches stands in the set.
    pub(super) bare: bool,
}

/// Schema objects that a value must fulfil together, sorted and without repetition. None of them is a reference; no
/// part means that every value fits.
pub(super) type Parts = Vec<Part>;

/// The set of these schemas, references followed.
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
    /// The schema object that has it.
    pub(super) holder: NodeRef<'d>,
    /// `oneOf` or `anyOf`.
    pub(super) keyword: &'static str,
    /// The branches as they are written.
    pub(super) branches: Vec<NodeRef<'d>>,
}

impl<'d> Union<'d> {
    /// The list of branches.
    pub(super) fn list(&self) -> NodeRef<'d> {
        self.holder.get(self.keyword).unwrap_or(self.holder)
    }
}

/// What is said of one value.
#[derive(Debug)]
pub(super) struct Facets<'d> {
    /// The schema objects of the set itself.
    pub(super) tops: Vec<NodeRef<'d>>,
    /// These, and all that they are composed of.
    pub(super) all: Vec<NodeRef<'d>>,
    /// The kinds that the types allow.
    pub(super) kinds: Kinds,
    /// The kinds that the branches of the unions leave of these.
    pub(super) reach: Kinds,
    /// Whether `null` is a value, if that can be told.
    pub(super) null: Option<bool>,
    /// The values of closed enumerations, with the list that decides; never `null`.
    pub(super) values: Option<(NodeRef<'d>, Vec<NodeRef<'d>>)>,
    /// The values of open enumerations.
    pub(super) known: Option<(NodeRef<'d>, Vec<NodeRef<'d>>)>,
    pub(super) unions: Vec<Union<'d>>,
    pub(super) nots: Vec<NodeRef<'d>>,
    /// The declared members, each with every schema that is declared for it.
    pub(super) members: IndexMap<&'d str, Vec<NodeRef<'d>>>,
    /// The names that must be there, with the place that says so.
    pub(super) required: IndexMap<&'d str, NodeRef<'d>>,
}

/// What may be said of a member that a name does not declare, or declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Forbidden,
    /// It must fulfil these.
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
            // In reverse, as the last of them is taken first.
            let mut composed: Vec<NodeRef<'d>> = Vec::new();
            composed.extend(schema.get("allOf").into_iter().flat_map(NodeRef::items).filter_map(resolve));
            if !bare.contains(&schema.id()) {
                for keyword in ["oneOf", "anyOf"] {
                    let branches: Vec<_> = schema.get(keyword).into_iter().flat_map(NodeRef::items).collect();
                    match branches.as_slice() {
                        [] => {}
                        // A choice of one is none, and is composed like `allOf`.
                        [only] if schema.get("discriminator").is_none() => composed.extend(resolve(*only)),
                        _ => self.unions.push(Union { holder: schema, keyword, branches }),
                    }
                }
            }
            waiting.extend(composed.into_iter().rev());
        }
    }

    fn enumeration(&mut self, schema: NodeRef<'d>) {
        let list_of = |keyword| schema.get(keyword).filter(|list| list.is_array() && !list.is_empty());
        // Some documents write the open enumeration itself under the key that here makes `enum` an open one.
        let (list, open) = match (list_of("enum"), list_of("x-extensible-enum")) {
            (Some(list), _) => (list, is_open(schema)),
            (None, Some(list)) => (list, true),
            (None, None) => return,
        };
        let values: Vec<_> = list.items().filter(|value| !value.is_null()).collect();
        let slot = if open { &mut self.known } else { &mut self.values };
        match slot {
            // Of two enumerations those values count that stand in both.
            Some((_, known)) => known.retain(|value| values.iter().any(|other| same_value(*value, *other))),
            None => *slot = Some((list, values)),
        }
    }

    /// The kinds that values really have: those of the enumeration, if there is one.
    pub(super) fn real_kinds(&self) -> Kinds {
        let Some((_, values)) = &self.values else { return self.kinds };
        let kinds = values.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of(&value.to_json())));
        kinds.and(self.kinds)
    }

    /// Every value of a keyword.
    pub(super) fn each<'f>(&'f self, keyword: &'f str) -> impl Iterator<Item = NodeRef<'d>> + 'f {
        self.all.iter().filter_map(move |schema| schema.get(keyword))
    }

    /// Whether one of the schemas themselves has a flag.
    pub(super) fn flag(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.tops.iter().filter_map(|top| top.get(keyword)).find(|value| value.as_bool() == Some(true))
    }

    /// The greatest of the least counts.
    pub(super) fn at_least(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.each(keyword)
            .filter(|count| count.as_i128().is_some_and(|count| count > 0))
            .max_by_key(|count| count.as_i128())
    }

    /// The least of the greatest counts.
    pub(super) fn at_most(&self, keyword: &str) -> Option<NodeRef<'d>> {
        self.each(keyword)
            .filter(|count| count.as_i128().is_some_and(|count| count >= 0))
            .min_by_key(|count| count.as_i128())
    }

    /// The strictest bound of numbers.
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

    /// The words of a keyword, each once.
    pub(super) fn words(&self, keyword: &str) -> IndexMap<&'d str, NodeRef<'d>> {
        self.each(keyword).filter_map(|value| Some((value.as_str()?, value))).collect()
    }

    /// The formats that limit values of these kinds.
    pub(super) fn formats(&self) -> IndexMap<&'d str, NodeRef<'d>> {
        // A password is shown in another way, and is any text.
        self.words("format").into_iter().filter(|(format, _)| *format != "password").collect()
    }

    /// Whether a member does not travel in this direction.
    pub(super) fn stays(&self, name: &str, side: Side) -> bool {
        self.members.get(name).is_some_and(|schemas| {
            schemas
                .iter()
                .filter_map(|schema| resolve(*schema))
                .any(|schema| schema.get(side.absent()).and_then(NodeRef::as_bool) == Some(true))
        })
    }

    /// What is said of the member of this name.
    pub(super) fn member(&self, name: &str) -> Member {
        let declared = self.members.get(name).cloned().unwrap_or_default();
        self.further_than(declared, |schema| {
            schema.get("properties").is_some_and(|members| members.get(name).is_some())
        })
    }

    /// What is said of members that nothing declares.
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

    /// Whether a scalar is one of the values, as far as unions and `not` leave that open.
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

/// Whether two nodes of any documents hold the same value; numbers by their size.
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
