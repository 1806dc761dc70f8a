//! Search for values that one set of schemas accepts and another rejects.
//!
//! A single value can decide what the structure of two schemas leaves open, and it convinces readers.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use frontdesk_document::{Document, NodeId, NodeRef};
use serde_json::Value;

use crate::compat::direction::Direction;
use crate::instance::Instances;
use crate::oracle::{Fault, Oracle};

/// The number of generated values that are tried unchanged: a few first, more at the end.
const SOME: u64 = 4;
const VALID: u64 = 16;

/// The number of values of the other set whose mutants are tried.
const BASES: u64 = 3;

/// The number of mutants of each.
const NEIGHBORS: usize = 40;

/// The number of pairs of branches for which values that fit both are made.
const MOST_OVERLAPS: usize = 45;

/// Two sets of schemas with their oracles.
#[derive(Clone, Debug)]
pub(in crate::compat) struct Probe<'d> {
    from: Vec<NodeRef<'d>>,
    to: Vec<NodeRef<'d>>,
    giving: Rc<Oracle>,
    taking: Rc<Oracle>,
}

impl<'d> Probe<'d> {
    /// Returns a probe, or `None` if a set is empty, reaches more than `most` schemas, or cannot be
    /// validated.
    pub(in crate::compat) fn new(
        from: Vec<NodeRef<'d>>,
        to: Vec<NodeRef<'d>>,
        direction: Direction,
        most: usize,
    ) -> Option<Self> {
        reach(&from, most).and(reach(&to, most))?;
        let giving = Rc::new(Oracle::of_document(from.iter().copied(), direction.into()).ok()?);
        let taking = Rc::new(Oracle::of_document(to.iter().copied(), direction.into()).ok()?);
        Some(Self { from, to, giving, taking })
    }

    /// Returns a probe with existing oracles, each with the schemas that it validates.
    pub(in crate::compat) fn with_oracles(
        (from, giving): (Vec<NodeRef<'d>>, Rc<Oracle>),
        (to, taking): (Vec<NodeRef<'d>>, Rc<Oracle>),
    ) -> Self {
        Self { from, to, giving, taking }
    }

    /// Returns the fault that `to` reports for a value that `from` accepts; `None` if it accepts the value or
    /// reports no wanted fault.
    pub(in crate::compat) fn refusal(&self, value: &Value, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        self.faults(value).into_iter().find(wanted)
    }

    /// As [`refusal`](Self::refusal), but `None` also if `to` reports any fault that is not wanted.
    pub(in crate::compat) fn lone_refusal(
        &self,
        value: &Value,
        wanted: impl Fn(&Fault) -> bool,
    ) -> Option<Fault> {
        let faults = self.faults(value);
        let is_lone = faults.iter().all(wanted);
        faults.into_iter().next().filter(|_| is_lone)
    }

    /// Returns the faults that `to` reports for a value that `from` accepts.
    fn faults(&self, value: &Value) -> Vec<Fault> {
        let (giving, taking) = (&self.giving, &self.taking);
        if !self.from.iter().all(|schema| giving.is_valid(*schema, value)) {
            return Vec::new();
        }
        let refusing = self.to.iter().filter(|schema| !taking.is_valid(**schema, value));
        refusing.flat_map(|schema| taking.faults(*schema, value)).collect()
    }

    /// Returns values that both sets accept.
    pub(in crate::compat) fn shared(&self) -> impl Iterator<Item = Value> + '_ {
        let target = self.to.first().copied();
        let others =
            (0..BASES).filter_map(move |seed| Instances::new(&self.taking).valid(target?, seed).ok());
        let accepted = |schemas: &[NodeRef<'d>], oracle: &Oracle, value: &Value| {
            schemas.iter().all(|schema| oracle.is_valid(*schema, value))
        };
        (0..BASES).zip(self.taken()).map(|(_, value)| value).chain(others).filter(move |value| {
            accepted(&self.from, &self.giving, value) && accepted(&self.to, &self.taking, value)
        })
    }

    /// Returns values that `from` accepts.
    pub(in crate::compat) fn taken(&self) -> impl Iterator<Item = Value> + '_ {
        let first = self.from.first().copied();
        (0..VALID).filter_map(move |seed| Instances::new(&self.giving).valid(first?, seed).ok())
    }

    /// Returns values of a schema that is part of either set, such as a branch or a `not`.
    pub(in crate::compat) fn values_of(&self, part: NodeRef<'_>) -> impl Iterator<Item = Value> + '_ {
        let from_here = |judge: &Oracle, seed| Instances::new(judge).valid(part, seed).ok();
        let found: Vec<Value> = (0..BASES)
            .flat_map(|seed| [from_here(&self.giving, seed), from_here(&self.taking, seed)])
            .flatten()
            .collect();
        found.into_iter()
    }

    /// Returns a value that satisfies all schemas of `from` but not all of `to`, with the fault that `to`
    /// reports. Mutants that violate the keyword are tried first; `refused` selects values by their faults.
    pub(in crate::compat) fn find(
        &self,
        keyword: Option<&str>,
        refused: impl Fn(&Value) -> Option<Fault>,
    ) -> Option<(Value, Fault)> {
        let (giving, taking) = (&self.giving, &self.taking);
        let (first, target) = (self.from.first()?, self.to.first()?);
        let valid = |seeds: std::ops::Range<u64>| {
            seeds
                .filter_map(|seed| Instances::new(giving).valid(*first, seed).ok())
                .find_map(|value| refused(&value).map(|message| (value, message)))
        };
        if let Some(found) = valid(0..SOME) {
            return Some(found);
        }
        let mut other = None;
        for seed in 0..BASES {
            let Ok(taken) = Instances::new(taking).valid(*target, seed) else { break };
            for mutant in Instances::new(taking).invalid(*target, &taken, seed, NEIGHBORS) {
                let fits = keyword.is_none_or(|keyword| mutant.keyword == keyword);
                if !fits && other.is_some() {
                    continue;
                }
                if let Some(message) = refused(&mutant.value) {
                    if fits {
                        return Some((mutant.value, message));
                    }
                    other = Some((mutant.value, message));
                }
            }
        }
        other.or_else(|| valid(SOME..VALID))
    }
}

impl Probe<'_> {
    /// Returns a value that two branches of a union allow together, and that satisfies all schemas of `from`
    /// but not all of `to`.
    pub(in crate::compat) fn find_among_overlaps(&self) -> Option<(Value, Fault)> {
        let sides = [(&self.from, &self.giving), (&self.to, &self.taking)];
        sides.into_iter().find_map(|(schemas, oracle)| {
            let pairs = schemas.iter().flat_map(|schema| branches(*schema)).take(MOST_OVERLAPS);
            pairs.into_iter().find_map(|(one, other)| {
                (0..SOME).find_map(|seed| {
                    let value = Instances::new(oracle).valid_together(&[one, other], seed).ok()?;
                    self.refusal(&value, |_| true).map(|refusal| (value, refusal))
                })
            })
        })
    }
}

/// Returns all pairs of branches of the unions of a schema.
fn branches(schema: NodeRef<'_>) -> Vec<(NodeRef<'_>, NodeRef<'_>)> {
    let Some(schema) = crate::oracle::resolve(schema) else { return Vec::new() };
    let unions = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
    unions
        .flat_map(|union| {
            let branches: Vec<_> = union.items().collect();
            let pairs =
                (0..branches.len()).flat_map(|one| (one + 1..branches.len()).map(move |two| (one, two)));
            pairs.map(|(one, two)| (branches[one], branches[two])).collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the number of reachable schemas, if it is at most `most` and they can be validated. Schemas that
/// include themselves by composition alone cannot be validated.
pub(in crate::compat) fn reach(schemas: &[NodeRef<'_>], most: usize) -> Option<usize> {
    let mut seen = BTreeSet::new();
    gather(schemas, most, &mut seen);
    let document = schemas.first()?.document();
    (seen.len() <= most && !is_endless(document, &seen)).then_some(seen.len())
}

/// Returns whether one of these schemas includes itself by composition alone.
fn is_endless(document: &Document, schemas: &BTreeSet<NodeId>) -> bool {
    // Schemas whose parts are all resolved are removed until none is left.
    let parts = |id: &NodeId| {
        let schema = document.node(*id);
        let lists = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
        let parts = lists.flat_map(NodeRef::items).chain(schema.get("not"));
        parts.filter_map(crate::oracle::resolve).map(NodeRef::id).collect::<Vec<_>>()
    };
    let mut users: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    let mut open: HashMap<NodeId, usize> = HashMap::new();
    let mut ended = Vec::new();
    for id in schemas {
        let parts = parts(id);
        for part in &parts {
            users.entry(*part).or_default().push(*id);
        }
        if parts.is_empty() {
            ended.push(*id);
        }
        open.insert(*id, parts.len());
    }
    let mut left = schemas.len();
    while let Some(id) = ended.pop() {
        left -= 1;
        for user in users.get(&id).into_iter().flatten() {
            if let Some(count) = open.get_mut(user) {
                *count -= 1;
                if *count == 0 {
                    ended.push(*user);
                }
            }
        }
    }
    left > 0
}

/// Adds the reachable schemas to `seen`, until there are more than `most`.
pub(in crate::compat) fn gather(schemas: &[NodeRef<'_>], most: usize, seen: &mut BTreeSet<NodeId>) {
    let mut waiting: Vec<NodeRef<'_>> = schemas.to_vec();
    while let Some(schema) = waiting.pop() {
        let Some(schema) = crate::oracle::resolve(schema) else { continue };
        if seen.len() > most || !seen.insert(schema.id()) {
            continue;
        }
        let each = |keyword: &str| schema.get(keyword);
        waiting.extend(each("properties").into_iter().flat_map(NodeRef::members).map(|(_, member)| member));
        for keyword in ["allOf", "oneOf", "anyOf"] {
            waiting.extend(each(keyword).into_iter().flat_map(NodeRef::items));
        }
        waiting.extend(["items", "not", "additionalProperties"].into_iter().filter_map(each));
    }
}
