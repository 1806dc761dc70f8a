//! The instances that a driver is asked about: valid ones to be read and written, and all of them to be checked.

use std::collections::BTreeSet;

use anyhow::Result;
use frontdesk_contract::{Instances, Oracle, Side};
use serde_json::Value;

use super::subjects::{Check, Subject};

/// Valid instances of a document, about, so that a large one does not take all day.
const VALID: usize = 4_000;
/// Instances of a type and direction, at least and at most.
const EACH: (usize, usize) = (3, 24);
/// Broken ones made of each valid one, at most.
const BROKEN: usize = 8;

/// An instance, and what it is there for.
#[derive(Clone, Debug)]
pub struct Case {
    /// The type, by its index among the subjects.
    pub subject: usize,
    /// The direction.
    pub side: Side,
    /// What must come of it.
    pub expected: Expected,
    /// The instance as JSON.
    pub text: String,
}

/// What must come of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is read, and written again as it was.
    Same,
    /// The check takes it.
    Taken,
    /// The check refuses it.
    Refused {
        /// What it breaks.
        keyword: &'static str,
        /// Where.
        pointer: String,
    },
}

/// Every case of a document.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// In the order in which the driver is asked.
    pub all: Vec<Case>,
    /// Types for which no instance was found, and why.
    pub given_up: BTreeSet<String>,
}

impl Cases {
    /// Instances of all of these types. The same document gives the same ones.
    pub fn of(subjects: &[Subject<'_>]) -> Result<Self> {
        let ways: usize = subjects.iter().map(|subject| subject.sides.len()).sum();
        let seeds = (VALID / ways.max(1)).clamp(EACH.0, EACH.1) as u64;
        let mut cases = Self::default();
        for side in [Side::Request, Side::Response, Side::Neither] {
            let travelling: Vec<(usize, &Subject<'_>)> =
                subjects.iter().enumerate().filter(|(_, subject)| subject.sides.contains(&side)).collect();
            let oracle = Oracle::new(travelling.iter().map(|(_, subject)| subject.schema), side)?;
            let instances = Instances::new(&oracle);
            for (index, subject) in travelling {
                for seed in 0..seeds {
                    match instances.valid(subject.schema, seed) {
                        Ok(value) => cases.add(index, subject, instances, side, seed, &value),
                        Err(reason) => {
                            cases.given_up.insert(reason.to_string());
                        }
                    }
                }
            }
        }
        Ok(cases)
    }

    fn add(
        &mut self,
        index: usize,
        subject: &Subject<'_>,
        instances: Instances<'_>,
        side: Side,
        seed: u64,
        value: &Value,
    ) {
        let mut push = |expected, value: &Value| {
            self.all.push(Case { subject: index, side, expected, text: value.to_string() });
        };
        push(Expected::Same, value);
        // Whether `null` may stand for a type is a property of the place, not of the type.
        if side != Side::Request || subject.check == Check::None || value.is_null() {
            return;
        }
        push(Expected::Taken, value);
        for mutant in instances.invalid(subject.schema, value, seed, BROKEN) {
            push(Expected::Refused { keyword: mutant.keyword, pointer: mutant.pointer }, &mutant.value);
        }
    }

    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many valid instances, and how many broken ones.
    pub fn counts(&self) -> (usize, usize) {
        let count =
            |wanted: fn(&Expected) -> bool| self.all.iter().filter(|case| wanted(&case.expected)).count();
        (
            count(|expected| *expected == Expected::Same),
            count(|expected| matches!(expected, Expected::Refused { .. })),
        )
    }

    /// The questions, one a line: what to do, the type, the instance.
    pub fn lines(&self, subjects: &[Subject<'_>]) -> String {
        let line = |case: &Case| {
            let task = if case.expected == Expected::Same { "echo" } else { "check" };
            format!("{task}\t{}\t{}\n", subjects[case.subject].name, case.text)
        };
        self.all.iter().map(line).collect()
    }
}
