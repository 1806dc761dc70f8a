//! Conversion of changes to findings: the locations, the level, and the id of each.

use std::collections::{HashMap, HashSet, VecDeque};

use frontdesk_document::{Document, NodeId, NodeRef, SourceFile};

use super::change::Change;
use super::draft::{Draft, Origin};
use super::effect::{Bump, Bumps, Level, Verdict};
use super::finding::{Comparison, Finding, Location, Use};
use super::lifecycle;
use super::lifecycle_keys::Stability;
use super::policy::Policy;
use super::rules::{self, Rule};
use super::schema::{Graph, PairId};
use super::walk::{OperationId, Root, Walk};
use super::witness;
use crate::compat::direction::Direction;

/// How a schema was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Route {
    /// An odd number of `not` is around it.
    flipped: bool,
    /// It belongs to a property that should not be sent in this direction.
    hidden: bool,
    /// It is described by a keyword that does not apply to the type.
    meant: bool,
}

/// The identity of a finding; changes with the same identity are merged.
type Identity = (&'static str, Direction, Level, (bool, NodeId), (bool, NodeId), String);

struct Collector<'w, 'd> {
    walk: &'w Walk<'d>,
    drafts: Vec<Draft<'d>>,
    known: HashMap<Identity, usize>,
}

/// Returns the findings of a completed walk.
pub(super) fn collect(walk: &Walk<'_>) -> Comparison {
    let mut collector = Collector { walk, drafts: Vec::new(), known: HashMap::new() };
    for direct in &walk.direct {
        let stability = lifecycle::within(direct.part, walk.operations[direct.operation].stability);
        let place = direct.place.clone();
        collector.add(direct.operation, place, direct.direction, stability, (&direct.change, false), None);
    }
    let dirty = walk.graph.dirty();
    for root in &walk.roots {
        if dirty[root.pair] {
            collector.below(root, &dirty);
        }
    }
    let mut drafts = collector.drafts;
    drafts.sort_by_key(|draft| (draft.order, draft.level));
    let mut findings = finish(walk, &drafts);
    witness::find(walk, &drafts, &mut findings);
    Comparison {
        findings,
        differs: differs(walk.base.document(), walk.revision.document()),
        code: None,
        javascript: None,
    }
}

fn differs(base: &Document, revision: &Document) -> bool {
    if base.files().map(SourceFile::text).eq(revision.files().map(SourceFile::text)) {
        return false;
    }
    // The division into files has no meaning. A single file equals its bundle except for layout.
    let whole = |document: &Document| document.files().count() == 1;
    whole(base) && whole(revision) || base.bundle().to_yaml() != revision.bundle().to_yaml()
}

impl<'d> Collector<'_, 'd> {
    /// Adds every change of a schema and of the schemas below it, by the shortest path.
    fn below(&mut self, Root { operation, place, direction, pair: root, part }: &Root, dirty: &[bool]) {
        let (operation, direction, root) = (*operation, *direction, *root);
        let graph: &Graph<'d> = &self.walk.graph;
        let mut seen: HashSet<(PairId, Route)> = HashSet::new();
        let stability = lifecycle::within(*part, self.walk.operations[operation].stability);
        let mut waiting = VecDeque::from([(root, Route::default(), stability, Vec::<String>::new())]);
        while let Some((pair, route, stability, steps)) = waiting.pop_front() {
            let Route { flipped, hidden, meant } = route;
            if !seen.insert((pair, route)) {
                continue;
            }
            for change in &graph.get(pair).changes {
                let full = if steps.is_empty() {
                    place.to_owned()
                } else {
                    format!("{place} › {}", steps.concat())
                };
                let origin = Origin { root, pair, steps: steps.clone(), place: place.to_owned(), flipped };
                let mut change = change.clone();
                if hidden && change.level.unwrap_or(Level::Breaking) < Level::Notice {
                    change.level = Some(Level::Notice);
                }
                if meant {
                    change.as_written();
                }
                self.add(operation, full, direction, stability, (&change, flipped), Some(origin));
            }
            for edge in graph.get(pair).edges.iter().filter(|edge| dirty[edge.to]) {
                let mut steps = steps.clone();
                steps.push(edge.step.clone());
                let stability = lifecycle::within(edge.stability, stability);
                let route = Route {
                    flipped: edge.flipped != flipped,
                    hidden: hidden || edge.hidden,
                    meant: meant || edge.meant,
                };
                waiting.push_back((edge.to, route, stability, steps));
            }
        }
    }

    fn add(
        &mut self,
        operation: OperationId,
        place: String,
        direction: Direction,
        around: (Stability, Stability),
        (change, flipped): (&Change<'d>, bool),
        origin: Option<Origin>,
    ) {
        let policy = self.walk.policy;
        let Some(change) = lifecycle::effective(change, around) else { return };
        let stability = around.0;
        if change.notice.is_some_and(|days| policy.leaves_notice(stability, days)) {
            return;
        }
        let effect = if flipped { change.effect.flipped() } else { change.effect };
        let level = change.level.unwrap_or_else(|| effect.level(direction));
        let excuse = change.excuse.clone().or_else(|| unstable(change.rule, stability, policy));
        let at = |node: NodeRef<'d>| (std::ptr::eq(node.document(), self.walk.base.document()), node.id());
        let identity =
            (change.rule.id, direction, level, at(change.base), at(change.revision), change.message.clone());
        let used = Use { operation: self.walk.operations[operation].name.clone(), place };
        let drafts = &mut self.drafts;
        let index = *self.known.entry(identity).or_insert_with(|| {
            drafts.push(Draft {
                change: change.clone(),
                direction,
                level,
                origin,
                uses: Vec::new(),
                order: operation,
                excuse: excuse.clone(),
            });
            drafts.len() - 1
        });
        let draft = &mut drafts[index];
        // A change that is excused in one location but not in another is not excused.
        if excuse.is_none() {
            draft.excuse = None;
        }
        draft.uses.push(used);
    }
}

/// Returns why a change of an unstable part is allowed.
fn unstable(rule: &'static Rule, stability: Stability, policy: &Policy) -> Option<String> {
    (stability < policy.kept && rule.id != rules::STABILITY_INVALID.id)
        .then(|| format!("it is {stability}, which may change"))
}

fn finish(walk: &Walk<'_>, drafts: &[Draft<'_>]) -> Vec<Finding> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let home = |document: &Document| {
        let path = document.root().file().to_owned();
        path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
    };
    let homes = (home(walk.base.document()), home(walk.revision.document()));
    let mut findings = Vec::new();
    for draft in drafts {
        let change = &draft.change;
        let location = |node: NodeRef<'_>, document: &Document| {
            std::ptr::eq(node.document(), document).then(|| Location::of(node))
        };
        let base = location(change.base, walk.base.document());
        let revision = location(change.revision, walk.revision.document());
        let local = |location: &Option<Location>, home: &str| {
            location.as_ref().map(|location| {
                let file = location.file.strip_prefix(home).unwrap_or(&location.file);
                format!("{file}{}", location.pointer)
            })
        };
        let place = local(&base, &homes.0).or(local(&revision, &homes.1)).unwrap_or_default();
        let mut id = name(change.rule, draft.direction, &place, &change.message);
        let count = counts.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            id = format!("{id}-{count}");
        }
        let excuse = draft.excuse.clone().or_else(|| exempted(&id, walk.policy));
        let excuse = excuse.filter(|_| draft.level == Level::Breaking);
        findings.push(Finding {
            rule: change.rule,
            level: draft.level,
            verdicts: verdicts(draft),
            message: change.message.clone(),
            uses: draft.uses.clone(),
            base,
            revision,
            witness: None,
            bumps: bumps(change.rule, draft.direction, draft.level, excuse.is_some()),
            code: Vec::new(),
            excuse,
            id,
        });
    }
    findings
}

fn verdicts(draft: &Draft<'_>) -> Vec<Verdict> {
    // No value demonstrates the change, so clients do not fail on the wire, but servers may enforce what was
    // meant.
    if draft.change.meant && draft.level == Level::Breaking {
        return vec![Verdict::Behavior];
    }
    draft.change.rule.verdicts(draft.direction, draft.level)
}

/// Returns an id that depends on the change and its location, but not on line numbers or other changes.
pub(super) fn name(rule: &Rule, direction: Direction, place: &str, message: &str) -> String {
    // Positions in lists shift when an entry is inserted; the message distinguishes the entries.
    let place = place.trim_end_matches(|last: char| last.is_ascii_digit()).trim_end_matches('/');
    let direction = match direction {
        Direction::Request => "request",
        Direction::Response => "response",
    };
    // FNV-1a, because the standard hashers may change between versions.
    let hash = [direction, place, message]
        .join("\n")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{}-{:08x}", rule.id, (hash >> 32) ^ (hash & 0xffff_ffff))
}

/// Returns the exemption of a security fix: a changelog entry that names the finding.
fn exempted(id: &str, policy: &Policy) -> Option<String> {
    let changelog = policy.changelog.as_ref()?;
    changelog.says(id, &["security"]).then(|| "the changelog exempts it as a security fix".to_owned())
}

fn bumps(rule: &Rule, direction: Direction, level: Level, excused: bool) -> Bumps {
    let spec = match level {
        Level::Breaking if !excused => Bump::Major,
        Level::Safe if rule.manner == rules::Manner::Prose => Bump::Patch,
        _ => Bump::Minor,
    };
    let (server, client) = rule.source_breaks(direction);
    let of = |breaks: bool| if breaks { Bump::Major } else { spec };
    Bumps { spec, server: of(server), client: of(client), javascript: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_depend_on_positions_in_lists() {
        let of = |place| name(rules::ENUM_VALUE_ADDED, Direction::Request, place, "the value 1 is new");
        assert_eq!(of("a.yaml#/components/schemas/A/enum/1"), of("a.yaml#/components/schemas/A/enum/12"));
        assert_ne!(of("a.yaml#/components/schemas/A/enum/1"), of("a.yaml#/components/schemas/B/enum/1"));
    }

    #[test]
    fn code_that_stops_compiling_needs_a_major_version_of_its_crate() {
        let bumps = bumps(rules::OPERATION_ADDED, Direction::Response, Level::Safe, false);
        let expected =
            Bumps { spec: Bump::Minor, server: Bump::Major, client: Bump::Minor, javascript: None };
        assert_eq!(bumps, expected);
    }
}
