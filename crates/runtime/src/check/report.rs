//! Owns [`Report`]: the failures found so far.

use super::Path;
use std::fmt;

/// One rule that one place breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place, dotted from the root of the body; or the name of a parameter.
    pub path: String,
    /// The rule, as the end of a sentence that begins with the place: `must have at most 250 characters`.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// The failures found so far, in the order of the document's fields.
#[derive(Debug, Default)]
pub struct Report {
    failures: Vec<Failure>,
}

impl Report {
    /// More failures than this say nothing new, and would let a small request ask for a large answer.
    pub const MOST: usize = 100;

    /// Notes one failure.
    #[cold]
    pub fn push(&mut self, at: &Path<'_>, message: impl Into<String>) {
        if self.failures.len() < Self::MOST {
            self.failures.push(Failure { path: at.to_string(), message: message.into() });
        }
    }

    /// Adds failures found elsewhere.
    pub fn extend(&mut self, failures: impl IntoIterator<Item = Failure>) {
        let room = Self::MOST.saturating_sub(self.failures.len());
        self.failures.extend(failures.into_iter().take(room));
    }

    /// How many failures there are.
    pub const fn len(&self) -> usize {
        self.failures.len()
    }

    /// Whether nothing has failed.
    pub const fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    /// Gives the failures away.
    pub fn into_failures(self) -> Vec<Failure> {
        self.failures
    }
}
