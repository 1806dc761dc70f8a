//! The instances that a driver processes: valid ones to decode and encode, and all of them to check.

use std::collections::BTreeSet;

use anyhow::Result;
use frontdesk_contract::{Direction, Instances, Oracle};
use serde_json::Value;

use super::subjects::{Check, Subject};

/// The approximate number of valid instances of a document, which limits the time for a large one.
const VALID: usize = 4_000;
/// The minimum and maximum number of instances for each type and direction.
const EACH: (usize, usize) = (3, 24);
/// The maximum number of invalid instances made from each valid one.
const BROKEN: usize = 8;

/// An instance with its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The type, by its index among the subjects.
    pub subject: usize,
    /// The direction.
    pub direction: Direction,
    /// The expected result.
    pub expected: Expected,
    /// The instance as JSON.
    pub text: String,
}

/// The expected result of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is decoded, and encoded to the same value.
    Same,
    /// The check accepts it.
    Accepted,
    /// The check rejects it.
    Rejected {
        /// The keyword that it violates.
        keyword: &'static str,
        /// The JSON pointer of the violation.
        pointer: String,
    },
}

/// All cases of a document.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// The cases in the order in which the driver processes them.
    pub all: Vec<Case>,
    /// The types for which no instance was found, with the reason.
    pub given_up: BTreeSet<String>,
}

impl Cases {
    /// Makes instances of all these types. The same document gives the same instances.
    pub fn of(subjects: &[Subject<'_>]) -> Result<Self> {
        let ways: usize = subjects.iter().map(|subject| subject.directions.len()).sum();
        let seeds = (VALID / ways.max(1)).clamp(EACH.0, EACH.1) as u64;
        let mut cases = Self::default();
        for direction in [Direction::Request, Direction::Response, Direction::Neither] {
            let traveling: Vec<(usize, &Subject<'_>)> = subjects
                .iter()
                .enumerate()
                .filter(|(_, subject)| subject.directions.contains(&direction))
                .collect();
            let oracle = Oracle::new(traveling.iter().map(|(_, subject)| subject.schema), direction)?;
            let instances = Instances::new(&oracle);
            for (index, subject) in traveling {
                for seed in 0..seeds {
                    match instances.valid(subject.schema, seed) {
                        Ok(value) => cases.add(index, subject, instances, direction, seed, &value),
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
        direction: Direction,
        seed: u64,
        value: &Value,
    ) {
        let mut push = |expected, value: &Value| {
            self.all.push(Case { subject: index, direction, expected, text: value.to_string() });
        };
        push(Expected::Same, value);
        // Whether `null` is allowed depends on where a type is used, not on the type.
        if direction != Direction::Request || subject.check == Check::None || value.is_null() {
            return;
        }
        push(Expected::Accepted, value);
        for mutant in instances.invalid(subject.schema, value, seed, BROKEN) {
            push(Expected::Rejected { keyword: mutant.keyword, pointer: mutant.pointer }, &mutant.value);
        }
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the numbers of valid and of invalid instances.
    pub fn counts(&self) -> (usize, usize) {
        let count =
            |wanted: fn(&Expected) -> bool| self.all.iter().filter(|case| wanted(&case.expected)).count();
        (
            count(|expected| *expected == Expected::Same),
            count(|expected| matches!(expected, Expected::Rejected { .. })),
        )
    }

    /// Returns the input of the driver, one line for each case: the task, the type and the instance.
    pub fn lines(&self, subjects: &[Subject<'_>]) -> String {
        let line = |case: &Case| {
            let task = if case.expected == Expected::Same { "echo" } else { "check" };
            format!("{task}\t{}\t{}\n", subjects[case.subject].name, case.text)
        };
        self.all.iter().map(line).collect()
    }
}
