//! Comparison of two runs over the same questions.
//!
//! Each question is compared with itself, so a difference counts by the questions that changed, not by the
//! width of two intervals.

use std::collections::BTreeMap;
use std::fmt::Write;

use frontdesk_knowledge::Passage;
use serde::{Deserialize, Serialize};

use crate::judge::{Answer, judge};
use crate::measures::rank;
use crate::questions::Question;

/// What became of one question in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The site.
    pub site: String,
    /// The question's id, unique in its site.
    pub id: String,
    /// Whether the site has the answer.
    pub answerable: bool,
    /// Whether the answer has the fact.
    pub has_fact: bool,
    /// Whether it was refused.
    pub refused: bool,
    /// The rank of the first right page, from 1.
    pub rank: Option<u32>,
}

impl Outcome {
    /// Judges an answer to a question of a site.
    pub fn of(site: &str, question: &Question, passages: &[Passage], answer: &Answer) -> Self {
        Self {
            site: site.to_owned(),
            id: question.id.clone(),
            answerable: question.answerable,
            has_fact: judge(question, answer).has_fact,
            refused: answer.refused,
            rank: rank(question, passages.iter().map(|passage| passage.url.as_str())),
        }
    }
}

/// A property of outcomes, and whether it counts for those of answerable questions or of the others.
type Property = (&'static str, bool, fn(&Outcome) -> bool);

const PROPERTIES: [Property; 4] = [
    ("right page among the first 5", true, |outcome| outcome.rank.is_some_and(|rank| rank <= 5)),
    ("accuracy", true, |outcome| outcome.has_fact),
    ("wrongly refused", true, |outcome| outcome.refused),
    ("rightly refused", false, |outcome| outcome.refused),
];

/// Returns what changed from one run to another as Markdown: shares, the questions that gained and lost each
/// property, and how probable so uneven a change is by chance (exact test of McNemar). Questions of only one
/// run are left out, and counted.
pub fn compare(before: &[Outcome], after: &[Outcome]) -> String {
    let earlier: BTreeMap<_, _> =
        before.iter().map(|outcome| ((&*outcome.site, &*outcome.id), outcome)).collect();
    let pairs: Vec<(&Outcome, &Outcome)> = after
        .iter()
        .filter_map(|outcome| Some((*earlier.get(&(&*outcome.site, &*outcome.id))?, outcome)))
        .filter(|(before, after)| before.answerable == after.answerable)
        .collect();
    let mut text =
        "| measure | before | after | gained | lost | by chance |\n|---|---|---|---|---|---|\n".to_owned();
    let mut changes = String::new();
    for (name, answerable, has) in PROPERTIES {
        let pairs: Vec<_> = pairs.iter().filter(|(before, _)| before.answerable == answerable).collect();
        let changed = |from: bool| {
            let pairs = pairs.iter().filter(move |(before, after)| has(before) == from && has(after) != from);
            pairs.map(|(_, after)| format!("{} {}", after.site, after.id)).collect::<Vec<_>>()
        };
        let (gained, lost) = (changed(false), changed(true));
        let share = |count: usize| match pairs.len() {
            0 => "–".to_owned(),
            all => format!("{:.2}", real(count) / real(all)),
        };
        let was = pairs.iter().filter(|(before, _)| has(before)).count();
        let is = was + gained.len() - lost.len();
        let chance = chance(gained.len(), lost.len());
        let counts = format!("{} | {}", gained.len(), lost.len());
        writeln!(text, "| {name} | {} | {} | {counts} | {chance:.2} |", share(was), share(is))
            .expect("a string takes any text");
        for (what, questions) in [("gained", gained), ("lost", lost)] {
            if !questions.is_empty() {
                writeln!(changes, "{name}, {what}: {}", questions.join(", "))
                    .expect("a string takes any text");
            }
        }
    }
    let single = before.len() + after.len() - 2 * pairs.len();
    if single > 0 {
        writeln!(changes, "{single} questions are in one of the runs only, and are left out.")
            .expect("a string takes any text");
    }
    format!("{text}\n{changes}")
}

/// Returns how probable it is that of all changes at most so few go one way, or at most so few the other, if
/// both ways are equally probable.
fn chance(gained: usize, lost: usize) -> f64 {
    let changes = gained + lost;
    let (mut ways, mut tail) = (1.0, 0.0);
    for few in 0..=gained.min(lost) {
        tail += ways;
        ways *= real(changes - few) / real(few + 1);
    }
    (2.0 * tail * 0.5_f64.powf(real(changes))).min(1.0)
}

/// Returns a number of questions as a real number; no run has more than it can count.
fn real(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(id: &str, answerable: bool, has_fact: bool) -> Outcome {
        Outcome {
            site: "site".to_owned(),
            id: id.to_owned(),
            answerable,
            has_fact,
            refused: !has_fact,
            rank: has_fact.then_some(1),
        }
    }

    #[test]
    fn questions_are_compared_with_themselves() {
        let before = [
            outcome("a", true, true),
            outcome("b", true, false),
            outcome("c", true, false),
            outcome("d", true, true),
            outcome("x", false, false),
            outcome("old", true, true),
        ];
        let after = [
            outcome("d", true, false),
            outcome("c", true, true),
            outcome("b", true, true),
            outcome("a", true, true),
            outcome("x", false, true),
            outcome("new", true, true),
        ];
        let text = compare(&before, &after);
        assert!(text.contains("| accuracy | 0.50 | 0.75 | 2 | 1 | 1.00 |"), "{text}");
        assert!(text.contains("| rightly refused | 1.00 | 0.00 | 0 | 1 | 1.00 |"), "{text}");
        assert!(text.contains("accuracy, gained: site c, site b\naccuracy, lost: site d\n"), "{text}");
        assert!(text.contains("2 questions are in one of the runs only"), "{text}");
    }

    #[test]
    fn chance_is_that_of_a_fair_coin() {
        for (gained, lost, expected) in
            [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (0, 10, 2.0 / 1024.0), (3, 1, 0.625), (4, 4, 1.0)]
        {
            let found = chance(gained, lost);
            assert!((found - expected).abs() < 1e-9, "{gained} and {lost}: {found}");
        }
        assert!(chance(300, 200) < 0.001);
    }

    #[test]
    fn outcomes_survive_being_stored() {
        let outcomes = vec![outcome("a", true, true), outcome("b", false, false)];
        let text = serde_json::to_string(&outcomes).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Outcome>>(&text).unwrap(), outcomes);
    }
}
