//! The comparison of schemas: a graph of pairs, each of which holds what differs between two sets of schemas itself,
//! and leads to the pairs of their members, items and branches.
//!
//! A pair is made once, however often and however recursively it is met, so the graph is as large as the documents and
//! not as what they describe. What differs *below* a pair is found by walking the graph.

mod bounds;
mod branches;
mod facets;
mod kinds;
mod look;
mod members;
mod probe;
mod same;
mod scalars;

use std::collections::{HashMap, HashSet};

use frontdesk_document::{Document, NodeRef};

use self::branches::Choice;
use self::facets::{Facets, Part, Parts, parts};
pub(super) use self::probe::{Probe, gather, reach};
use self::same::Same;
use super::change::Change;
use super::effect::{Effect, Level};
use super::policy::{Policy, Stability};
use super::{lifecycle, rules};
use crate::compat::side::Side;

/// How values are written, which decides what can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Medium {
    /// Every kind of value has a form of its own.
    Json,
    /// Scalars are text: parameters, headers, forms, plain text.
    Text,
    /// Scalars are text, and elements have names.
    Xml,
}

/// Pairs beyond which no further ones are made.
const MOST_PAIRS: usize = 500_000;

/// The number of a pair.
pub(super) type PairId = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    base: Parts,
    revision: Parts,
    side: Side,
    medium: Medium,
}

/// The way from one pair to another.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) to: PairId,
    /// How the way is written in a path: `.name`, `[]`.
    pub(super) step: String,
    /// Whether what is lost there is gained here.
    pub(super) flipped: bool,
    /// What the member says of its own stability.
    pub(super) stability: Option<Stability>,
    /// Whether what lies there should not be sent in this direction, and may come all the same.
    pub(super) hidden: bool,
}

/// Two sets of schemas.
#[derive(Debug)]
pub(super) struct Pair<'d> {
    key: Key,
    /// The objects to point at: the first schema of each set, or what would hold it.
    at: (NodeRef<'d>, NodeRef<'d>),
    /// What differs between them, without their parts.
    pub(super) changes: Vec<Change<'d>>,
    pub(super) edges: Vec<Edge>,
}

/// Every pair that was met.
#[derive(Debug)]
pub(super) struct Graph<'d> {
    base: &'d Document,
    revision: &'d Document,
    policy: &'d Policy,
    pairs: Vec<Pair<'d>>,
    known: HashMap<Key, PairId>,
    waiting: Vec<PairId>,
    choices: Vec<Choice<'d>>,
    /// How often values were tried.
    probes: usize,
    same: Same,
}

impl<'d> Graph<'d> {
    pub(super) fn new(base: &'d Document, revision: &'d Document, policy: &'d Policy) -> Self {
        Self {
            base,
            revision,
            policy,
            pairs: Vec::new(),
            known: HashMap::new(),
            waiting: Vec::new(),
            choices: Vec::new(),
            probes: 0,
            same: Same::default(),
        }
    }

    /// The pair of two schemas; `None` stands for a schema that every value fits. The holders are what the schemas stand
    /// in, or would.
    pub(super) fn root(
        &mut self,
        (base, revision): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        holders: (NodeRef<'d>, NodeRef<'d>),
        side: Side,
        medium: Medium,
    ) -> PairId {
        self.pair(Key { base: parts(base), revision: parts(revision), side, medium }, holders)
    }

    pub(super) fn get(&self, pair: PairId) -> &Pair<'d> {
        &self.pairs[pair]
    }

    /// The schemas of a pair.
    pub(super) fn schemas(&self, pair: PairId) -> (Vec<NodeRef<'d>>, Vec<NodeRef<'d>>, Side) {
        let key = &self.pairs[pair].key;
        let nodes = |document: &'d Document, parts: &Parts| {
            parts.iter().map(|part| document.node(part.node)).collect()
        };
        (nodes(self.base, &key.base), nodes(self.revision, &key.revision), key.side)
    }

    /// Whether a pair is not one of whole schemas, so that the oracle cannot judge for it.
    pub(super) fn is_partial(&self, pair: PairId) -> bool {
        let key = &self.pairs[pair].key;
        let partial = |parts: &Parts| parts.is_empty() || parts.iter().any(|part| part.bare);
        partial(&key.base) || partial(&key.revision)
    }

    /// Compares every pair that was made and not yet compared.
    pub(super) fn run(&mut self) {
        loop {
            while let Some(pair) = self.waiting.pop() {
                self.compare(pair);
            }
            // The innermost choices were met last, and are decided first.
            let Some(choice) = self.choices.pop() else { break };
            self.decide(choice);
        }
        self.try_patterns();
    }

    /// Looks for texts that only one of two patterns takes. Without one they stay undecided.
    fn try_patterns(&mut self) {
        let alone = |pair: &Pair<'d>| matches!(pair.changes.as_slice(), [only] if only.rule == rules::PATTERN && only.effect == Effect::Unknown);
        let found: Vec<PairId> = (0..self.pairs.len()).filter(|id| alone(&self.pairs[*id])).collect();
        for pair in found {
            let side = self.pairs[pair].key.side;
            // Only what the law asks for is looked for.
            if self.refutes(pair, side == Side::Request) {
                let lost = side == Side::Request;
                self.pairs[pair].changes[0].effect = if lost { Effect::Narrower } else { Effect::Wider };
            }
        }
    }

    fn pair(&mut self, key: Key, holders: (NodeRef<'d>, NodeRef<'d>)) -> PairId {
        if let Some(pair) = self.known.get(&key) {
            return *pair;
        }
        let id = self.pairs.len();
        let at = (
            key.base.first().map_or(holders.0, |part| self.base.node(part.node)),
            key.revision.first().map_or(holders.1, |part| self.revision.node(part.node)),
        );
        let mut changes = Vec::new();
        if id < MOST_PAIRS {
            self.waiting.push(id);
        } else {
            let message = "the schemas refer to each other in too many combinations";
            changes.push(Change::new(rules::LIMIT_REACHED, Effect::Unknown, at, message));
        }
        self.pairs.push(Pair { key: key.clone(), at, changes, edges: Vec::new() });
        self.known.insert(key, id);
        id
    }

    /// A pair for the same direction and medium as another one.
    fn beside(&mut self, other: PairId, base: Parts, revision: Parts) -> PairId {
        let Key { side, medium, .. } = self.pairs[other].key;
        self.pair(Key { base, revision, side, medium }, self.pairs[other].at)
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
            self.unions(id, &base, &revision, places);
            self.nots(id, &base, &revision, places);
        }
    }

    /// What schemas say beside which values fit.
    fn annotations(
        &self,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: (NodeRef<'d>, NodeRef<'d>),
        medium: Medium,
        changes: &mut Vec<Change<'d>>,
    ) {
        let pick = |facets: &Facets<'d>, other: NodeRef<'d>| {
            facets.tops.iter().copied().find(|top| lifecycle::is_deprecated(*top)).unwrap_or(other)
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
        let told = |value: NodeRef<'_>| value.to_json().to_string();
        let message = match (old, new) {
            (Some(old), Some(new)) if !facets::same_value(old, new) => {
                format!("`default` was {} and is {}", told(old), told(new))
            }
            (None, Some(new)) => format!("`default` is {} and was not given", told(new)),
            (Some(old), None) => format!("`default` was {} and is gone", told(old)),
            _ => return,
        };
        let places = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        changes.push(Change::fixed(rules::DEFAULT_CHANGED, Level::Notice, places, message));
    }

    /// What all changes of a pair, and of what lies below it, do to the values that fit, as far as they are told apart as
    /// alternatives: one that declares a member more is another one, although objects are open. `null` at the pair itself
    /// is left out: it may be allowed beside the alternatives.
    fn relation(&self, pair: PairId) -> Effect {
        let mut effect = Effect::Same;
        let mut seen = HashSet::new();
        let mut waiting = vec![(pair, false)];
        while let Some((id, flipped)) = waiting.pop() {
            if !seen.insert((id, flipped)) || effect == Effect::Incomparable {
                continue;
            }
            for change in &self.pairs[id].changes {
                let own = if change.rule == rules::PROPERTY_ADDED {
                    Effect::Wider
                } else if change.rule == rules::PROPERTY_REMOVED {
                    Effect::Narrower
                } else if change.rule == rules::NULLABLE && id == pair {
                    Effect::Same
                } else {
                    change.effect
                };
                effect = effect.and(if flipped { own.flipped() } else { own });
            }
            let told = self.pairs[id].edges.iter().filter(|edge| !edge.hidden);
            waiting.extend(told.map(|edge| (edge.to, edge.flipped != flipped)));
        }
        effect
    }

    /// The pairs below which something differs.
    pub(super) fn dirty(&self) -> Vec<bool> {
        let mut parents: Vec<Vec<PairId>> = vec![Vec::new(); self.pairs.len()];
        let mut waiting = Vec::new();
        let mut dirty = vec![false; self.pairs.len()];
        for (id, pair) in self.pairs.iter().enumerate() {
            for edge in &pair.edges {
                parents[edge.to].push(id);
            }
            if !pair.changes.is_empty() {
                dirty[id] = true;
                waiting.push(id);
            }
        }
        while let Some(id) = waiting.pop() {
            for parent in &parents[id] {
                if !dirty[*parent] {
                    dirty[*parent] = true;
                    waiting.push(*parent);
                }
            }
        }
        dirty
    }
}
