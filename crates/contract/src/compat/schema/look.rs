//! Overall properties of composed schemas: their types, and whether they allow `null`.
//!
//! Schemas may include themselves by composition in many ways, so the search is bounded. Beyond the bound,
//! the result is unknown.

use frontdesk_document::NodeRef;

use super::kinds::Kinds;
use crate::oracle::{is_open, resolve};

/// The maximum number of schemas that one search visits.
const MOST: usize = 500;

/// A bounded search through a schema and what it is composed of.
#[derive(Debug)]
pub(super) struct Look {
    left: usize,
}

impl Look {
    pub(super) fn new() -> Self {
        Self { left: MOST }
    }

    /// Counts a visited schema; returns `false` at the bound, which also limits the stack depth.
    fn goes_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// Returns the types that at least one of these schemas allows.
    pub(super) fn any_of(&mut self, branches: &[NodeRef<'_>]) -> Kinds {
        branches.iter().map(|branch| self.kinds(*branch)).fold(Kinds::NONE, Kinds::or)
    }

    fn kinds(&mut self, schema: NodeRef<'_>) -> Kinds {
        let Some(schema) = resolve(schema).filter(|_| self.goes_on()) else { return Kinds::ALL };
        let mut kinds = schema.get("type").and_then(NodeRef::as_str).map_or(Kinds::ALL, Kinds::named);
        for part in schema.get("allOf").into_iter().flat_map(NodeRef::items) {
            kinds = kinds.and(self.kinds(part));
        }
        for keyword in ["oneOf", "anyOf"] {
            let branches: Vec<_> = schema.get(keyword).into_iter().flat_map(NodeRef::items).collect();
            if !branches.is_empty() {
                kinds = kinds.and(self.any_of(&branches));
            }
        }
        kinds
    }

    /// Returns whether `null` is allowed. `nullable: true` allows it regardless of other keywords, as in the
    /// oracle. The unions of a `bare` schema are ignored.
    pub(super) fn takes_null(&mut self, schema: NodeRef<'_>, bare: bool) -> Option<bool> {
        if !self.goes_on() {
            return None;
        }
        if schema.get("nullable").and_then(NodeRef::as_bool) == Some(true) {
            return Some(true);
        }
        if schema.get("type").and_then(NodeRef::as_str).is_some() {
            return Some(false);
        }
        let mut takes = Some(true);
        if let Some(values) = schema.get("enum").filter(|values| !values.is_empty() && !is_open(schema)) {
            takes = both(takes, Some(values.items().any(NodeRef::is_null)));
        }
        if let Some(only) = schema.get("const") {
            takes = both(takes, Some(only.is_null()));
        }
        takes = self.each_takes_null(schema, "allOf").into_iter().fold(takes, both);
        for keyword in ["oneOf", "anyOf"] {
            let branches = if bare { Vec::new() } else { self.each_takes_null(schema, keyword) };
            if branches.is_empty() {
                continue;
            }
            let fitting = branches.iter().filter(|branch| **branch == Some(true)).count();
            let fits = if branches.contains(&None) {
                None
            } else if schema.get("discriminator").is_some() {
                // Every branch is an object with the discriminator.
                Some(false)
            } else {
                Some(fitting == 1 || (fitting > 1 && keyword == "anyOf"))
            };
            takes = both(takes, fits);
        }
        if let Some(not) = schema.get("not").and_then(resolve) {
            takes = both(takes, self.takes_null(not, false).map(|takes| !takes));
        }
        takes
    }

    fn each_takes_null(&mut self, schema: NodeRef<'_>, keyword: &str) -> Vec<Option<bool>> {
        schema
            .get(keyword)
            .into_iter()
            .flat_map(NodeRef::items)
            .filter_map(resolve)
            .map(|branch| self.takes_null(branch, false))
            .collect()
    }
}

/// Combines two conditions by "and", as far as they are known.
pub(super) fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
