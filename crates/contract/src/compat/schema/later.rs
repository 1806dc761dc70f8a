//! Comparison of keywords of JSON Schema that OpenAPI 3.0 does not have.
//!
//! Their effects are not derived. An added keyword can only allow less, and a removed one only more, which is
//! safe in one direction. Everything else is decided by a value, and stays undecided without one.

use std::slice;

use frontdesk_document::{Fate, KEYWORDS, NodeRef, Version};

use super::facets::Facets;
use super::graph::{Graph, Places};
use crate::compat::change::Change;
use crate::compat::direction::Direction;
use crate::compat::effect::Effect;
use crate::compat::rules;

/// Keywords that have a meaning only together. Every other keyword is a group of its own.
const TOGETHER: [&[&str]; 4] = [
    &["prefixItems", "additionalItems", "unevaluatedItems"],
    &["contains", "minContains", "maxContains"],
    &["if", "then", "else"],
    &["contentEncoding", "contentMediaType", "contentSchema"],
];

/// Returns the keywords that are compared, in groups. In a document of 3.1, the reader has already replaced
/// those that have a form in 3.0.
fn groups() -> impl Iterator<Item = &'static [&'static str]> {
    let later = KEYWORDS
        .iter()
        .filter(|keyword| keyword.since == Version::V3_1 && keyword.generated != Fate::Describes);
    later.filter_map(|keyword| {
        let alone = slice::from_ref(&keyword.name);
        let group = TOGETHER.into_iter().find(|group| group.contains(&keyword.name)).unwrap_or(alone);
        // A group is listed once, at its first keyword.
        group.starts_with(alone).then_some(group)
    })
}

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
        for group in groups() {
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
            let name =
                new.iter().chain(&old).find_map(|node| node.key()).map(|key| key.text).unwrap_or_default();
            let (effect, what) = match (old.is_empty(), new.is_empty()) {
                (true, _) if direction == Direction::Response => (Effect::Narrower, "was added"),
                (true, _) => (Effect::Unknown, "was added"),
                (_, true) if direction == Direction::Request => (Effect::Wider, "is gone"),
                (_, true) => (Effect::Unknown, "is gone"),
                _ => (Effect::Unknown, "was changed"),
            };
            changes.push(Change::new(rules::SCHEMA_KEYWORD, effect, at, format!("`{name}` {what}")));
        }
    }
}
