//! Comparison of unions (`oneOf`, `anyOf`, discriminators) and of `not`.
//!
//! Which branch of the base corresponds to which branch of the revision depends on their differences. Pairs
//! of branches are therefore compared first, and unions are decided last.

use frontdesk_document::NodeRef;

use super::facets::{Facets, Member, Part, Union, parts, same_value};
use super::graph::{Choice, Edge, Graph, PairId, Places};
use super::kinds::Kinds;
use super::probe::Probe;
use crate::compat::change::Change;
use crate::compat::direction::Direction;
use crate::compat::effect::{Effect, Level};
use crate::compat::rules;
use crate::oracle::discriminated;

/// The number of pairs of branches above which a union stays undecided.
const MOST_BRANCHES: usize = 1_600;

/// The maximum number of unions that are decided by trying values, which is the most expensive step.
const MOST_PROBES: usize = 400;

impl<'d> Graph<'d> {
    /// Schedules the comparison of a union with a plain schema; returns `false` if that is not possible.
    pub(super) fn wrap(
        &mut self,
        id: PairId,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
    ) -> bool {
        let added = base.unions.is_empty();
        let Some(union) = base.unions.first().or(revision.unions.first()) else { return false };
        let key = self.pairs[id].key.clone();
        if key.base.is_empty() || key.revision.is_empty() {
            return false;
        }
        let mut alternatives = Vec::new();
        for branch in &union.branches {
            let mut set = if added { key.revision.clone() } else { key.base.clone() };
            set.retain(|part| part.node != union.holder.id());
            set.push(Part { node: union.holder.id(), bare: true });
            for part in parts([*branch]) {
                if !set.iter().any(|known| known.node == part.node) {
                    set.push(part);
                }
            }
            set.sort_unstable();
            alternatives.push(if added {
                self.beside(id, key.base.clone(), set)
            } else {
                self.beside(id, set, key.revision.clone())
            });
        }
        let tagged = union.holder.get("discriminator").is_some();
        let keyword = union.keyword;
        let place = union.list();
        let places = if added { (places.0, place) } else { (place, places.1) };
        self.choices.push(Choice::Wrap { pair: id, added, keyword, tagged, alternatives, places });
        true
    }

    pub(super) fn unions(
        &mut self,
        id: PairId,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
    ) {
        for (old, new) in base.unions.iter().zip(&revision.unions) {
            self.groups(id, old, new);
        }
        let paired = base.unions.len().min(revision.unions.len());
        for union in &base.unions[paired..] {
            let change = Change::new(
                rules::UNION,
                Effect::Wider,
                (union.list(), places.1),
                format!("`{}` is gone", union.keyword),
            );
            self.pairs[id].changes.push(change);
        }
        for union in &revision.unions[paired..] {
            let message = format!("`{}` was added", union.keyword);
            let change = Change::new(rules::UNION, Effect::Narrower, (places.0, union.list()), message);
            self.pairs[id].changes.push(change);
        }
        if base.unions.is_empty() && revision.unions.is_empty() {
            self.lone_discriminators(id, base, revision, places);
        }
    }

    fn groups(&mut self, id: PairId, old: &Union<'d>, new: &Union<'d>) {
        let mut named: Vec<(usize, usize)> = Vec::new();
        for (index, branch) in old.branches.iter().enumerate() {
            let found = (0..new.branches.len()).find(|other| {
                !named.iter().any(|(_, taken)| taken == other)
                    && corresponds((old.holder, *branch), (new.holder, new.branches[*other]))
            });
            named.extend(found.map(|other| (index, other)));
        }
        let mut tried = Vec::new();
        if old.branches.len() * new.branches.len() <= MOST_BRANCHES {
            for (index, branch) in old.branches.iter().enumerate() {
                for (other, candidate) in new.branches.iter().enumerate() {
                    let (left, right) = (
                        named.iter().any(|(taken, _)| *taken == index),
                        named.iter().any(|(_, taken)| *taken == other),
                    );
                    // A remaining branch may also be covered by a branch that already has a counterpart.
                    if !(left && right) {
                        let pair = self.beside(id, parts([*branch]), parts([*candidate]));
                        tried.push((index, other, pair));
                    }
                }
            }
        }
        self.choices.push(Choice::Groups { pair: id, old: old.clone(), new: new.clone(), named, tried });
    }

    pub(super) fn nots(&mut self, id: PairId, base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>) {
        for (old, new) in base.nots.iter().zip(&revision.nots) {
            let to = self.beside(id, parts([*old]), parts([*new]));
            self.pairs[id].edges.push(Edge { flipped: true, ..Edge::new(to, "(not)") });
        }
        let paired = base.nots.len().min(revision.nots.len());
        for not in &base.nots[paired..] {
            let change = Change::new(rules::NOT, Effect::Wider, (*not, places.1), "a `not` is gone");
            self.pairs[id].changes.push(change);
        }
        for not in &revision.nots[paired..] {
            let change = Change::new(rules::NOT, Effect::Narrower, (places.0, *not), "a `not` was added");
            self.pairs[id].changes.push(change);
        }
    }

    /// Compares discriminators of a shared schema that other schemas refer to by `allOf`.
    fn lone_discriminators(
        &mut self,
        id: PairId,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
    ) {
        let find = |facets: &Facets<'d>| facets.each("discriminator").next();
        let (old, new) = (find(base), find(revision));
        let at = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        let name = |node: Option<NodeRef<'d>>| {
            node.and_then(|node| node.get("propertyName")).and_then(NodeRef::as_str)
        };
        let mapping = |node: Option<NodeRef<'d>>| node.and_then(|node| node.get("mapping"));
        let change = match (old, new) {
            (Some(_), Some(_)) if name(old) != name(new) => {
                let message = "the discriminator property changed";
                Change::new(rules::DISCRIMINATOR, Effect::Incomparable, at, message)
            }
            (Some(_), Some(_))
                if mapping(old).map(NodeRef::to_json) != mapping(new).map(NodeRef::to_json) =>
            {
                let message = "the discriminator values changed";
                Change::fixed(rules::DISCRIMINATOR, Level::Notice, at, message)
            }
            (None, Some(_)) | (Some(_), None) => {
                let message = "a discriminator was added or removed";
                Change::fixed(rules::DISCRIMINATOR, Level::Notice, at, message)
            }
            _ => return,
        };
        self.pairs[id].changes.push(change);
    }

    pub(super) fn decide(&mut self, choice: Choice<'d>) {
        match choice {
            Choice::Wrap { pair, added, keyword, tagged, alternatives, places } => {
                self.decide_wrap(pair, added, (keyword, tagged), &alternatives, places);
            }
            Choice::Groups { pair, old, new, named, tried } => {
                self.decide_groups(pair, &old, &new, named, &tried);
            }
        }
    }

    fn decide_wrap(
        &mut self,
        pair: PairId,
        added: bool,
        (keyword, tagged): (&str, bool),
        alternatives: &[PairId],
        places: Places<'d>,
    ) {
        // From the perspective of the plain schema: the values that the union loses, and those that it adds.
        let relations: Vec<Effect> = alternatives
            .iter()
            .map(|alternative| {
                let effect = self.relation(*alternative);
                if added { effect } else { effect.flipped() }
            })
            .collect();
        let covering = relations.iter().filter(|effect| effect.keeps()).count();
        let adds_nothing = relations.iter().all(|effect| effect.adds_nothing());
        let certainly_adds =
            relations.iter().any(|effect| matches!(effect, Effect::Wider | Effect::Incomparable));
        // The plain schema is in the base if the union was added.
        let lost = if tagged || (covering > 1 && keyword == "oneOf") {
            // Values did not name an alternative before, or every value matches several alternatives, which
            // `oneOf` forbids.
            Some(true)
        } else if covering > 0 {
            Some(false)
        } else {
            self.refutes(pair, added).then_some(true)
        };
        let gained = match (adds_nothing, certainly_adds) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => self.refutes(pair, !added).then_some(true),
        };
        let effect = match (lost, gained) {
            (Some(lost), Some(gained)) => Effect::of(lost, gained),
            // A certain effect decides if it is in the direction that matters.
            (Some(true), None) if self.counts_losses(pair, added) => Effect::Incomparable,
            (None, Some(true)) if !self.counts_losses(pair, added) => Effect::Incomparable,
            _ => Effect::Unknown,
        };
        let effect = if added { effect } else { effect.flipped() };
        let count = alternatives.len();
        let mut message = if added {
            format!("the schema became a choice of {count}")
        } else {
            format!("the schema was a choice of {count} and is a single schema")
        };
        if effect == Effect::Same {
            // Code that names the alternatives changes nevertheless.
            message.push_str(", with the same values");
        }
        self.pairs[pair].changes.push(Change::new(rules::UNION, effect, places, message));
    }

    /// Returns whether the compatibility rule concerns values lost from the plain schema, rather than values
    /// added to it.
    fn counts_losses(&self, pair: PairId, added: bool) -> bool {
        (self.pairs[pair].key.direction == Direction::Request) == added
    }

    /// Returns whether a value is found that one document allows and the other does not.
    pub(super) fn refutes(&mut self, pair: PairId, from_base: bool) -> bool {
        if self.is_partial(pair) || self.probes >= MOST_PROBES {
            return false;
        }
        self.probes += 1;
        let (base, revision, direction) = self.schemas(pair);
        let (from, to) = if from_base { (base, revision) } else { (revision, base) };
        let Some(probe) = Probe::new(from, to, direction, usize::MAX) else { return false };
        probe.find(None, |value| probe.refusal(value, |_| true)).is_some()
            || probe.find_among_overlaps().is_some()
    }

    fn decide_groups(
        &mut self,
        pair: PairId,
        old: &Union<'d>,
        new: &Union<'d>,
        named: Vec<(usize, usize)>,
        tried: &[(usize, usize, PairId)],
    ) {
        let relations: Vec<(usize, usize, Effect)> =
            tried.iter().map(|(left, right, id)| (*left, *right, self.relation(*id))).collect();
        let mut matched = named;
        for wanted in [&[Effect::Same][..], &[Effect::Narrower, Effect::Wider]] {
            for (left, right, effect) in &relations {
                let taken = matched.iter().any(|(one, other)| one == left || other == right);
                if !taken && wanted.contains(effect) {
                    matched.push((*left, *right));
                }
            }
        }
        let free = |count: usize, direction: fn(&(usize, usize)) -> usize, matched: &[(usize, usize)]| {
            (0..count)
                .filter(|index| !matched.iter().any(|pair| direction(pair) == *index))
                .collect::<Vec<_>>()
        };
        let mut gone = free(old.branches.len(), |pair| pair.0, &matched);
        let mut fresh = free(new.branches.len(), |pair| pair.1, &matched);
        // If one branch without a name is left in each document, it is the same branch, changed.
        if let ([left], [right]) = (gone.as_slice(), fresh.as_slice())
            && (old.branches[*left].reference().is_none() || new.branches[*right].reference().is_none())
        {
            matched.push((*left, *right));
            gone.clear();
            fresh.clear();
        }
        for (left, right) in &matched {
            let to = self.beside(pair, parts([old.branches[*left]]), parts([new.branches[*right]]));
            let step = format!("({})", label(old.branches[*left], *left));
            self.pairs[pair].edges.push(Edge::new(to, step));
        }
        for left in &gone {
            let covered = !tagged(old, new)
                && relations.iter().any(|(index, _, effect)| index == left && effect.keeps());
            let branch = old.branches[*left];
            let message = format!("the alternative {} is gone", label(branch, *left));
            let at = (branch, new.list());
            // Its values are still allowed, but code that names the alternative no longer compiles.
            let change = if covered {
                let message = format!("{message}, and another one accepts its values");
                Change::fixed(rules::ALTERNATIVE_REMOVED, Level::Safe, at, message)
            } else {
                Change::new(rules::ALTERNATIVE_REMOVED, Effect::Narrower, at, message)
            };
            self.pairs[pair].changes.push(change);
        }
        for right in &fresh {
            let covered = !tagged(old, new)
                && relations.iter().any(|(_, index, effect)| index == right && effect.adds_nothing());
            let branch = new.branches[*right];
            let message = format!("the alternative {} was added", label(branch, *right));
            let at = (old.list(), branch);
            let change = if covered {
                let message = format!("{message}, and allows only what another one allowed");
                Change::fixed(rules::ALTERNATIVE_ADDED, Level::Safe, at, message)
            } else {
                Change::new(rules::ALTERNATIVE_ADDED, Effect::Wider, at, message)
            };
            self.pairs[pair].changes.push(change);
        }
        self.exclusion(pair, old, new);
        self.tags(pair, old, new, &matched);
    }

    /// Compares the exclusivity of `oneOf`. Alternatives of open objects nearly always overlap formally but
    /// not in practice, so only a change of the keyword counts.
    fn exclusion(&mut self, pair: PairId, old: &Union<'d>, new: &Union<'d>) {
        let apart = |union: &Union<'d>| {
            let branches: Vec<Facets<'d>> = union
                .branches
                .iter()
                .map(|branch| Facets::gather(branch.document(), &parts([*branch])))
                .collect();
            let overlap = branches
                .iter()
                .enumerate()
                .any(|(index, one)| branches[index + 1..].iter().any(|other| !disjoint(one, other)));
            !overlap || union.holder.get("discriminator").is_some()
        };
        let (exclusive, exclusive_now) = (old.keyword == "oneOf", new.keyword == "oneOf");
        let at = (old.list(), new.list());
        if exclusive == exclusive_now || apart(if exclusive { old } else { new }) {
            return;
        }
        let effect = match (exclusive_now, self.refutes(pair, exclusive_now)) {
            (_, false) => Effect::Unknown,
            (true, true) => Effect::Narrower,
            (false, true) => Effect::Wider,
        };
        let message = format!("`{}` became `{}`", old.keyword, new.keyword);
        self.pairs[pair].changes.push(Change::new(rules::UNION, effect, at, message));
    }

    /// Compares the discriminator property, and the values that name each branch.
    fn tags(&mut self, pair: PairId, old: &Union<'d>, new: &Union<'d>, matched: &[(usize, usize)]) {
        let (before, after) = (old.holder.get("discriminator"), new.holder.get("discriminator"));
        let at = (before.unwrap_or(old.list()), after.unwrap_or(new.list()));
        let found = match (before, after) {
            (None, None) => return,
            (None, Some(_)) => vec![(Effect::Narrower, "a discriminator was added".to_owned())],
            (Some(_), None) => vec![(Effect::Wider, "the discriminator is gone".to_owned())],
            (Some(before), Some(after)) => {
                let name = |node: NodeRef<'d>| {
                    node.get("propertyName").and_then(NodeRef::as_str).unwrap_or_default().to_owned()
                };
                let (was, is) = (name(before), name(after));
                if was == is {
                    matched.iter().filter_map(|pair| renamed(old, new, *pair)).collect()
                } else {
                    let message = format!("the discriminator property was `{was}` and is `{is}`");
                    vec![(Effect::Incomparable, message)]
                }
            }
        };
        for (effect, message) in found {
            self.pairs[pair].changes.push(Change::new(rules::DISCRIMINATOR, effect, at, message));
        }
    }
}

/// Returns whether certainly no value fits both schemas: their types, their enumerations, or those of a
/// property that both require, have nothing in common.
fn disjoint(one: &Facets<'_>, other: &Facets<'_>) -> bool {
    fn of<'d>(facets: &Facets<'d>, name: &str) -> Option<Facets<'d>> {
        let document = facets.tops.first()?.document();
        match facets.member(name) {
            Member::Allowed(set) if facets.required.contains_key(name) => {
                Some(Facets::gather(document, &set))
            }
            _ => None,
        }
    }
    if one.null != Some(false) && other.null != Some(false) {
        return false;
    }
    let listed = |one: &Facets<'_>, other: &Facets<'_>| match (&one.values, &other.values) {
        (Some((_, one)), Some((_, other))) => {
            !one.iter().any(|value| other.iter().any(|known| same_value(*value, *known)))
        }
        _ => false,
    };
    let told_apart = |name: &&str| {
        of(one, name)
            .zip(of(other, name))
            .is_some_and(|(one, other)| !one.real_kinds().has(other.real_kinds()) || listed(&one, &other))
    };
    !one.real_kinds().has(other.real_kinds())
        || listed(one, other)
        || one.kinds == Kinds::OBJECT && other.kinds == Kinds::OBJECT && one.required.keys().any(told_apart)
}

/// Compares the discriminator values of a branch.
fn renamed(old: &Union<'_>, new: &Union<'_>, (left, right): (usize, usize)) -> Option<(Effect, String)> {
    let values = |union: &Union<'_>, index: usize| {
        discriminated(union.holder, union.branches[index]).map(|(_, values)| values).unwrap_or_default()
    };
    let (was, is) = (values(old, left), values(new, right));
    let lost = was.iter().any(|value| !is.contains(value));
    let gained = is.iter().any(|value| !was.contains(value));
    let effect = Effect::of(lost, gained);
    let message = format!(
        "{} named the alternative {}, and now {} does",
        quoted(&was),
        label(old.branches[left], left),
        quoted(&is)
    );
    (effect != Effect::Same).then_some((effect, message))
}

/// Returns whether values name their alternative, so that no other one can match.
fn tagged(old: &Union<'_>, new: &Union<'_>) -> bool {
    [old, new].iter().any(|union| union.holder.get("discriminator").is_some())
}

fn quoted(values: &[String]) -> String {
    if values.is_empty() {
        "nothing".to_owned()
    } else {
        values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the name of a branch for messages.
fn label(branch: NodeRef<'_>, index: usize) -> String {
    match branch.reference() {
        Some(reference) => reference.rsplit('/').next().unwrap_or(reference).to_owned(),
        None => branch
            .get("title")
            .and_then(NodeRef::as_str)
            .map_or_else(|| format!("{}", index + 1), str::to_owned),
    }
}

/// Returns whether two branches have the same name, from their reference or the discriminator.
fn corresponds(
    (old_holder, old): (NodeRef<'_>, NodeRef<'_>),
    (new_holder, new): (NodeRef<'_>, NodeRef<'_>),
) -> bool {
    let tail = |branch: NodeRef<'_>| {
        branch.reference().map(|reference| reference.rsplit('/').next().unwrap_or(reference).to_owned())
    };
    if let (Some(old), Some(new)) = (tail(old), tail(new))
        && old == new
    {
        return true;
    }
    match (discriminated(old_holder, old), discriminated(new_holder, new)) {
        (Some((_, old)), Some((_, new))) => old.iter().any(|value| new.contains(value)),
        _ => false,
    }
}
