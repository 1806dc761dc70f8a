//! [`Report`]: the violations found so far.

use super::Path;
use std::fmt;

/// One rule that is violated in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The location, dotted from the root of the body, or the name of a parameter.
    pub path: String,
    /// The rule, as the end of a sentence that begins with the location: `must have at most 250 characters`.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// The violations found so far, in the order of the document's fields.
#[derive(Debug, Default)]
pub struct Report {
    failures: Vec<Failure>,
    /// Whether a rule needs the raw value.
    needs_raw: bool,
}

impl Report {
    /// The maximum number of violations. Without it, a small request could cause a large response.
    pub const MOST: usize = 100;

    /// Adds a violation.
    #[cold]
    pub fn push(&mut self, at: &Path<'_>, message: impl Into<String>) {
        if self.failures.len() < Self::MOST {
            self.failures.push(Failure { path: at.to_string(), message: message.into() });
        }
    }

    /// Adds violations found elsewhere.
    pub fn extend(&mut self, failures: impl IntoIterator<Item = Failure>) {
        let room = Self::MOST.saturating_sub(self.failures.len());
        self.failures.extend(failures.into_iter().take(room));
    }

    /// Adds everything that another report has found.
    pub(crate) fn append(&mut self, other: Self) {
        self.needs_raw |= other.needs_raw;
        self.extend(other.failures);
    }

    /// Returns the number of violations.
    pub const fn len(&self) -> usize {
        self.failures.len()
    }

    /// Whether there are no violations.
    pub const fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    /// Notes that a rule depends on what a decoded value no longer says: how it was spelled, and the members
    /// that its type does not declare.
    pub(super) const fn ask_for_raw(&mut self) {
        self.needs_raw = true;
    }

    /// Whether a rule needs the raw value.
    pub(super) const fn needs_raw(&self) -> bool {
        self.needs_raw
    }

    /// Returns the violations.
    pub fn into_failures(self) -> Vec<Failure> {
        self.failures
    }
}
