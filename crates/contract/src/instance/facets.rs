//! The schemas that a value must satisfy together: a schema, the parts of its `allOf`, and a branch of each
//! union.

use std::collections::BTreeSet;

use frontdesk_document::{Kind, NodeRef};
use serde_json::Value;

use crate::oracle::{discriminated, family, is_alias, kind, lists_children, only_nullable, resolve};
use crate::sent_schemas::Direction;

/// The schema objects that a value must satisfy, and what the chosen branches require of its members.
#[derive(Clone, Debug, Default)]
pub(super) struct Facets<'d> {
    /// The schema objects, without references.
    pub(super) all: Vec<NodeRef<'d>>,
    /// The discriminator members, with the value of the chosen branch.
    pub(super) tags: Vec<(&'d str, String)>,
    /// The branches that the discriminators distinguish.
    pub(super) rivals: Vec<NodeRef<'d>>,
    /// Whether the chosen branch stands for `null`.
    null: bool,
}

/// The constraints on a member of an object.
#[derive(Clone, Debug)]
pub(super) enum Member<'d> {
    /// It must satisfy these schemas; an empty list allows any value.
    Allowed(Vec<NodeRef<'d>>),
    /// It is not allowed.
    Forbidden,
}

impl<'d> Facets<'d> {
    /// Collects the set. The callback chooses among the branches of a union, given the schema object with the
    /// union.
    pub(super) fn gather(
        schemas: &[NodeRef<'d>],
        choose: &mut dyn FnMut(NodeRef<'d>, &[NodeRef<'d>]) -> Option<usize>,
    ) -> Self {
        let mut facets = Self::default();
        for schema in schemas {
            facets.add(*schema, true, choose);
        }
        facets
    }

    fn add(
        &mut self,
        schema: NodeRef<'d>,
        whole: bool,
        choose: &mut dyn FnMut(NodeRef<'d>, &[NodeRef<'d>]) -> Option<usize>,
    ) {
        // A schema that was visited before includes itself.
        let Some(schema) = resolve(schema).filter(|schema| !self.all.contains(schema)) else { return };
        self.all.push(schema);
        for part in schema.get("allOf").into_iter().flat_map(NodeRef::items) {
            self.add(part, is_alias(schema), choose);
        }
        if whole {
            self.branch(schema, &family(schema), choose);
        }
        for union in ["oneOf", "anyOf"] {
            if !whole && lists_children(schema, union) {
                continue;
            }
            let branches: Vec<_> = schema.get(union).into_iter().flat_map(NodeRef::items).collect();
            self.branch(schema, &branches, choose);
        }
    }

    fn branch(
        &mut self,
        schema: NodeRef<'d>,
        branches: &[NodeRef<'d>],
        choose: &mut dyn FnMut(NodeRef<'d>, &[NodeRef<'d>]) -> Option<usize>,
    ) {
        let Some(branch) = choose(schema, branches).and_then(|index| branches.get(index)) else { return };
        self.null |= only_nullable(*branch);
        self.add(*branch, true, choose);
        let Some((property, values)) = discriminated(schema, *branch) else { return };
        self.rivals.extend(branches);
        // An inner union may have chosen by the same discriminator.
        if self.tags.iter().all(|(other, _)| *other != property) {
            self.tags.extend(values.into_iter().next().map(|value| (property, value)));
        }
    }

    /// Returns the values of a keyword in all schema objects.
    pub(super) fn each(&self, keyword: &str) -> impl Iterator<Item = NodeRef<'d>> {
        self.all.iter().filter_map(move |facet| facet.get(keyword))
    }

    /// Returns the texts of a keyword in all schema objects.
    pub(super) fn texts(&self, keyword: &str) -> impl Iterator<Item = &'d str> {
        self.each(keyword).filter_map(NodeRef::as_str)
    }

    /// Returns the greatest value of a keyword such as `minItems`.
    pub(super) fn at_least(&self, keyword: &str) -> u64 {
        self.counts(keyword).max().unwrap_or(0)
    }

    /// Returns the least value of a keyword such as `maxItems`.
    pub(super) fn at_most(&self, keyword: &str) -> Option<u64> {
        self.counts(keyword).min()
    }

    fn counts(&self, keyword: &str) -> impl Iterator<Item = u64> {
        self.each(keyword).filter_map(NodeRef::as_i128).filter_map(|count| u64::try_from(count).ok())
    }

    /// Returns the bounds of a number, and whether each is exclusive.
    pub(super) fn bounds(&self, bound: &str, exclusive: &str) -> Vec<(&'d str, bool)> {
        self.all
            .iter()
            .filter_map(|facet| Some((facet.get(bound)?.as_number()?, flag(*facet, exclusive))))
            .collect()
    }

    /// Returns the required JSON type, or `None` if any is allowed. Returns an error if the schemas
    /// contradict each other.
    pub(super) fn kind(&self) -> Result<Option<Kind>, String> {
        let mut found: Option<Kind> = self.null.then_some(Kind::Null);
        for kind in self.all.iter().filter_map(|facet| kind(*facet)) {
            let kind = match kind {
                "array" => Kind::Array,
                "boolean" => Kind::Bool,
                "integer" => Kind::Integer,
                "null" => Kind::Null,
                "number" => Kind::Number,
                "object" => Kind::Object,
                "string" => Kind::String,
                _ => continue,
            };
            found = Some(match (found, kind) {
                (None, kind) => kind,
                (Some(one), other) if one == other => one,
                (Some(Kind::Integer), Kind::Number) | (Some(Kind::Number), Kind::Integer) => Kind::Integer,
                (Some(one), other) => {
                    return Err(format!("the value would have to be {one} and {other} at once"));
                }
            });
        }
        Ok(found)
    }

    /// Returns the values that all enumerations have in common, or `None` without enumerations.
    pub(super) fn values(&self) -> Option<Vec<Value>> {
        let lists = self.each("enum").filter(|values| !values.is_empty());
        let lists = lists.map(|list| list.items().map(NodeRef::to_json).collect());
        let mut lists = lists.chain(self.each("const").map(|only| vec![only.to_json()]));
        let mut values: Vec<Value> = lists.next()?;
        for list in lists {
            values.retain(|value| list.contains(value));
        }
        Some(values)
    }

    /// Returns the declared names in order, without those that may not be sent in a direction.
    pub(super) fn declared(&self, direction: Direction) -> Vec<&'d str> {
        let mut names = Vec::new();
        for (key, member) in self.each("properties").flat_map(NodeRef::entries) {
            if !names.contains(&key.text) && !resolve(member).is_some_and(|member| stays(member, direction)) {
                names.push(key.text);
            }
        }
        names
    }

    /// Returns the required names, without those that may not be sent in a direction.
    pub(super) fn required(&self, direction: Direction) -> BTreeSet<&'d str> {
        let travels = |name: &&str| {
            let mut declarations =
                self.each("properties").filter_map(|members| members.get(name)).filter_map(resolve);
            !declarations.any(|member| stays(member, direction))
        };
        self.each("required").flat_map(NodeRef::items).filter_map(NodeRef::as_str).filter(travels).collect()
    }

    /// Returns the constraints on a member of this name.
    pub(super) fn member(&self, name: &str) -> Member<'d> {
        let mut schemas = Vec::new();
        for facet in &self.all {
            if let Some(member) = facet.get("properties").and_then(|members| members.get(name)) {
                schemas.push(member);
                continue;
            }
            match facet.get("additionalProperties") {
                Some(further) if further.as_bool() == Some(false) => return Member::Forbidden,
                Some(further) if further.is_object() => schemas.push(further),
                _ => {}
            }
        }
        Member::Allowed(schemas)
    }

    /// Returns whether a schema explicitly allows additional members.
    pub(super) fn invites(&self) -> bool {
        self.each("additionalProperties")
            .any(|further| further.is_object() || further.as_bool() == Some(true))
    }
}

/// Returns whether a member may not be sent in a direction.
fn stays(member: NodeRef<'_>, direction: Direction) -> bool {
    direction.absent().is_some_and(|keyword| flag(member, keyword))
}

/// Returns whether a member is `true`.
pub(super) fn flag(schema: NodeRef<'_>, key: &str) -> bool {
    schema.get(key).and_then(NodeRef::as_bool) == Some(true)
}

/// Returns whether `null` satisfies a schema, in agreement with the oracle.
pub(super) fn takes_null(schema: NodeRef<'_>, depth: usize) -> bool {
    let Some(schema) = resolve(schema).filter(|_| depth < 16) else { return false };
    let parts = |keyword: &str| -> Vec<NodeRef<'_>> {
        schema.get(keyword).into_iter().flat_map(NodeRef::items).collect()
    };
    if flag(schema, "nullable") {
        return true;
    }
    let (one, any) = (parts("oneOf"), parts("anyOf"));
    kind(schema).is_none_or(|kind| kind == "null")
        && schema.get("not").is_none()
        && schema.get("const").is_none_or(NodeRef::is_null)
        && schema.get("enum").is_none_or(|values| values.items().any(NodeRef::is_null))
        && parts("allOf").into_iter().all(|part| takes_null(part, depth + 1))
        && (one.is_empty() || one.into_iter().filter(|branch| takes_null(*branch, depth + 1)).count() == 1)
        && (any.is_empty() || any.into_iter().any(|branch| takes_null(branch, depth + 1)))
        && schema.get("discriminator").is_none()
}
