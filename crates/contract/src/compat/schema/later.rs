//! Comparison of keywords of JSON Schema 2020-12 that have no counterpart in the forms of OpenAPI 3.0.
//!
//! Their effects are not derived: what was added allows less, what was removed allows more, and in between
//! a value has to decide. Without one, the change stays undecided.

use frontdesk_document::NodeRef;

use super::facets::Facets;
use super::graph::{Graph, Places};
use crate::compat::change::Change;
use crate::compat::direction::Direction;
use crate::compat::effect::Effect;
use crate::compat::rules;

/// The keywords, each with those that it is read with.
const KEYWORDS: &[&[&str]] = &[
    &["prefixItems", "additionalItems", "unevaluatedItems"],
    &["contains", "minContains", "maxContains"],
    &["dependentRequired"],
    &["dependentSchemas"],
    &["dependencies"],
    &["if", "then", "else"],
    &["patternProperties"],
    &["propertyNames"],
    &["unevaluatedProperties"],
    &["contentEncoding", "contentMediaType", "contentSchema"],
    &["$dynamicRef"],
];

impl<'d> Graph<'d> {
    /// Adds a change for each group of keywords that is not the same in both sets.
    pub(super) fn later(
        &mut self,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
        direction: Direction,
        changes: &mut Vec<Change<'d>>,
    ) {
        for group in KEYWORDS {
            let written = |facets: &Facets<'d>| -> Vec<NodeRef<'d>> {
                group.iter().flat_map(|keyword| facets.each(keyword)).collect()
            };
            let (old, new) = (written(base), written(revision));
            let is_same = old.len() == new.len()
                && old.iter().zip(&new).all(|(one, other)| self.same.holds(*one, *other));
            if is_same {
                continue;
            }
            let at = (old.first().copied().unwrap_or(places.0), new.first().copied().unwrap_or(places.1));
            let names: Vec<String> = [&new, &old]
                .into_iter()
                .flatten()
                .filter_map(|node| node.key())
                .map(|key| format!("`{}`", key.text))
                .collect();
            let name = names.first().cloned().unwrap_or_default();
            let (effect, what) = match (old.is_empty(), new.is_empty()) {
                (true, _) if direction == Direction::Response => (Effect::Narrower, "was added"),
                (true, _) => (Effect::Unknown, "was added"),
                (_, true) if direction == Direction::Request => (Effect::Wider, "is gone"),
                (_, true) => (Effect::Unknown, "is gone"),
                _ => (Effect::Unknown, "was changed"),
            };
            changes.push(Change::new(rules::SCHEMA_KEYWORD, effect, at, format!("{name} {what}")));
        }
    }
}
