//! Comparison of schemas, as a graph: each node is a pair of schema sets with its own differences, and edges
//! lead to the pairs of properties, items and branches.
//!
//! Each pair is made only once, even for recursive schemas, so the size of the graph is bounded by the
//! documents. Differences *below* a pair are found by traversing the graph.

mod bounds;
mod branches;
mod facets;
mod graph;
mod kinds;
mod later;
mod look;
mod members;
mod probe;
mod same;
mod scalars;

use frontdesk_document::NodeRef;

use self::facets::{Facets, Part};
pub(super) use self::graph::{Graph, Medium, PairId};
use self::graph::{Pair, Places};
pub(super) use self::probe::{Probe, gather, reach};
use super::change::Change;
use super::effect::{Effect, Level};
use super::lifecycle_keys::is_deprecated;
use super::{lifecycle, rules};
use crate::compat::direction::Direction;

/// Returns whether every value of a schema is a scalar.
pub(super) fn is_scalar(schema: Option<NodeRef<'_>>) -> bool {
    let set = facets::parts(schema);
    let Some(document) = schema.filter(|_| !set.is_empty()).map(NodeRef::document) else { return false };
    let facets = Facets::gather(document, &set);
    facets.real_kinds().and(facets.reach).without(kinds::Kinds::SCALAR).is_empty()
}

impl<'d> Graph<'d> {
    /// Compares all pairs that were made but not yet compared.
    pub(super) fn run(&mut self) {
        loop {
            while let Some(pair) = self.waiting.pop() {
                self.compare(pair);
            }
            // Inner unions are found last and decided first.
            let Some(choice) = self.choices.pop() else { break };
            self.decide(choice);
        }
        self.try_undecided();
    }

    /// Searches values that decide about a pattern or a keyword of JSON Schema 2020-12. Without such a
    /// value, the change stays undecided.
    fn try_undecided(&mut self) {
        let alone = |pair: &Pair<'d>| {
            let is_tried =
                |change: &Change<'d>| [rules::PATTERN, rules::SCHEMA_KEYWORD].contains(&change.rule);
            matches!(pair.changes.as_slice(), [only] if is_tried(only) && only.effect == Effect::Unknown)
        };
        let found: Vec<PairId> = (0..self.pairs.len()).filter(|id| alone(&self.pairs[*id])).collect();
        for pair in found {
            let direction = self.pairs[pair].key.direction;
            // Only the direction that the compatibility rule forbids is searched.
            if self.refutes(pair, direction == Direction::Request) {
                let lost = direction == Direction::Request;
                self.pairs[pair].changes[0].effect = if lost { Effect::Narrower } else { Effect::Wider };
            }
        }
    }

    fn compare(&mut self, id: PairId) {
        let key = self.pairs[id].key.clone();
        if key.base.is_empty() && key.revision.is_empty() {
            return;
        }
        if let ([Part { node: old, bare: false }], [Part { node: new, bare: false }]) =
            (key.base.as_slice(), key.revision.as_slice())
            && self.same.holds(self.base.node(*old), self.revision.node(*new))
        {
            return;
        }
        let base = Facets::gather(self.base, &key.base);
        let revision = Facets::gather(self.revision, &key.revision);
        let places = self.pairs[id].at;
        let mut changes = Vec::new();
        self.annotations(&base, &revision, places, key.medium, &mut changes);
        scalars::null(&base, &revision, places, &mut changes);
        self.later(&base, &revision, places, key.direction, &mut changes);
        if base.unions.len() + revision.unions.len() == 1 && self.wrap(id, &base, &revision, places) {
            self.pairs[id].changes.append(&mut changes);
            return;
        }
        let shared = scalars::compare(&base, &revision, places, key.medium, &mut changes);
        self.pairs[id].changes.append(&mut changes);
        if shared.has(kinds::Kinds::ARRAY) {
            self.items(id, &base, &revision);
        }
        if shared.has(kinds::Kinds::OBJECT) {
            self.objects(id, &base, &revision, places);
        }
        if !shared.is_empty() {
            self.meant(id, (&base, &revision), places, shared);
            self.unions(id, &base, &revision, places);
            self.nots(id, &base, &revision, places);
        }
    }

    /// Compares the keywords that do not restrict values.
    fn annotations(
        &self,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
        medium: Medium,
        changes: &mut Vec<Change<'d>>,
    ) {
        let pick = |facets: &Facets<'d>, other: NodeRef<'d>| {
            facets.tops.iter().copied().find(|top| is_deprecated(*top)).unwrap_or(other)
        };
        if !base.tops.is_empty() && !revision.tops.is_empty() {
            changes.extend(lifecycle::compare(pick(base, places.0), pick(revision, places.1), self.policy));
        }
        if medium == Medium::Xml {
            let xml = |facets: &Facets<'d>| facets.each("xml").next();
            let (old, new) = (xml(base), xml(revision));
            if old.map(NodeRef::to_json) != new.map(NodeRef::to_json) {
                let at = (old.unwrap_or(places.0), new.unwrap_or(places.1));
                let message = "elements are named or nested in another way";
                changes.push(Change::new(rules::XML, Effect::Incomparable, at, message));
            }
        }
        let default = |facets: &Facets<'d>| facets.each("default").next();
        let (old, new) = (default(base), default(revision));
        let describe = |value: NodeRef<'_>| value.to_json().to_string();
        let message = match (old, new) {
            (Some(old), Some(new)) if !facets::same_value(old, new) => {
                format!("`default` was {} and is {}", describe(old), describe(new))
            }
            (None, Some(new)) => format!("`default` is {} and was not given", describe(new)),
            (Some(old), None) => format!("`default` was {} and is gone", describe(old)),
            _ => return,
        };
        let places = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        changes.push(Change::fixed(rules::DEFAULT_CHANGED, Level::Notice, places, message));
    }
}
