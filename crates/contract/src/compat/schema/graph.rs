//! The graph of compared schemas: a node is a pair of schemas, and edges lead to the pairs of their
//! properties, items and branches.

use std::collections::{HashMap, HashSet};

use frontdesk_document::{Document, NodeRef};

use super::facets::{Parts, Union, parts};
use super::same::Same;
use crate::compat::change::Change;
use crate::compat::direction::Direction;
use crate::compat::effect::Effect;
use crate::compat::lifecycle_keys::Stability;
use crate::compat::policy::Policy;
use crate::compat::rules;

/// The serialization of values, which determines the types that can be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::compat) enum Medium {
    /// Every type has its own syntax.
    Json,
    /// Scalars are text: parameters, headers, forms and plain text.
    Text,
    /// Scalars are text, and elements have names.
    Xml,
}

/// The maximum number of pairs.
const MOST_PAIRS: usize = 500_000;

/// The index of a pair.
pub(in crate::compat) type PairId = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) base: Parts,
    pub(super) revision: Parts,
    pub(super) direction: Direction,
    pub(super) medium: Medium,
}

/// An edge from one pair to another.
#[derive(Clone, Debug)]
pub(in crate::compat) struct Edge {
    pub(in crate::compat) to: PairId,
    /// The notation of the step in a path: `.name` or `[]`.
    pub(in crate::compat) step: String,
    /// Whether the effect is reversed, as under `not`.
    pub(in crate::compat) flipped: bool,
    /// The property's own stability levels in the base and in the revision.
    pub(in crate::compat) stability: (Option<Stability>, Option<Stability>),
    /// Whether the property should not be sent in this direction but may be sent nevertheless.
    pub(in crate::compat) hidden: bool,
    /// Whether the schema has keywords that do not apply to its type, and the edge leads to what they
    /// describe.
    pub(in crate::compat) meant: bool,
}

impl Edge {
    pub(super) fn new(to: PairId, step: impl Into<String>) -> Self {
        Self { to, step: step.into(), flipped: false, stability: (None, None), hidden: false, meant: false }
    }
}

/// A pair of schema sets.
#[derive(Debug)]
pub(in crate::compat) struct Pair<'d> {
    pub(super) key: Key,
    /// The locations for findings: the first schema of each set, or its container.
    pub(super) at: (NodeRef<'d>, NodeRef<'d>),
    /// The differences between them, without those of their parts.
    pub(in crate::compat) changes: Vec<Change<'d>>,
    pub(in crate::compat) edges: Vec<Edge>,
}

/// The locations of two compared objects: in the base, and in the revision.
pub(super) type Places<'d> = (NodeRef<'d>, NodeRef<'d>);

/// A union that is decided after its branches have been compared.
#[derive(Debug)]
pub(super) enum Choice<'d> {
    /// Only one document has a union; each alternative is compared with the whole schema of the other
    /// document.
    Wrap {
        pair: PairId,
        added: bool,
        keyword: &'static str,
        tagged: bool,
        alternatives: Vec<PairId>,
        places: Places<'d>,
    },
    /// Both documents have a union.
    Groups {
        pair: PairId,
        old: Union<'d>,
        new: Union<'d>,
        /// The branches that have the same name.
        named: Vec<(usize, usize)>,
        /// The pairs of all other branches, by their indices.
        tried: Vec<(usize, usize, PairId)>,
    },
}

/// All pairs.
#[derive(Debug)]
pub(in crate::compat) struct Graph<'d> {
    pub(super) base: &'d Document,
    pub(super) revision: &'d Document,
    pub(super) policy: &'d Policy,
    pub(super) pairs: Vec<Pair<'d>>,
    pub(super) known: HashMap<Key, PairId>,
    pub(super) waiting: Vec<PairId>,
    pub(super) choices: Vec<Choice<'d>>,
    /// The number of unions decided by trying values.
    pub(super) probes: usize,
    pub(super) same: Same,
}

impl<'d> Graph<'d> {
    pub(in crate::compat) fn new(base: &'d Document, revision: &'d Document, policy: &'d Policy) -> Self {
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

    /// Returns the pair of two schemas; `None` stands for a schema that allows every value. The holders
    /// contain the schemas, or would.
    pub(in crate::compat) fn root(
        &mut self,
        (base, revision): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        holders: (NodeRef<'d>, NodeRef<'d>),
        direction: Direction,
        medium: Medium,
    ) -> PairId {
        self.pair(Key { base: parts(base), revision: parts(revision), direction, medium }, holders)
    }

    pub(in crate::compat) fn get(&self, pair: PairId) -> &Pair<'d> {
        &self.pairs[pair]
    }

    /// Returns the schemas of a pair.
    pub(in crate::compat) fn schemas(&self, pair: PairId) -> (Vec<NodeRef<'d>>, Vec<NodeRef<'d>>, Direction) {
        let key = &self.pairs[pair].key;
        let nodes = |document: &'d Document, parts: &Parts| {
            parts.iter().map(|part| document.node(part.node)).collect()
        };
        (nodes(self.base, &key.base), nodes(self.revision, &key.revision), key.direction)
    }

    /// Returns whether a pair consists of partial schemas, which the oracle cannot validate.
    pub(in crate::compat) fn is_partial(&self, pair: PairId) -> bool {
        let key = &self.pairs[pair].key;
        let partial = |parts: &Parts| parts.is_empty() || parts.iter().any(|part| part.bare);
        partial(&key.base) || partial(&key.revision)
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

    /// Returns a pair with the direction and medium of another one.
    pub(super) fn beside(&mut self, other: PairId, base: Parts, revision: Parts) -> PairId {
        let Key { direction, medium, .. } = self.pairs[other].key;
        self.pair(Key { base, revision, direction, medium }, self.pairs[other].at)
    }

    /// Returns the effect of all changes of a pair and below it, for matching alternatives. An alternative
    /// with an additional property is a different one, even though objects are open. `null` at the pair
    /// itself is ignored, because it may be allowed beside the alternatives.
    pub(super) fn relation(&self, pair: PairId) -> Effect {
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
            let described = self.pairs[id].edges.iter().filter(|edge| !edge.hidden);
            waiting.extend(described.map(|edge| (edge.to, edge.flipped != flipped)));
        }
        effect
    }

    /// Returns which pairs have differences at or below them.
    pub(in crate::compat) fn dirty(&self) -> Vec<bool> {
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
