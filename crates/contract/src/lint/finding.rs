//! Findings of lint, with their locations.

use frontdesk_document::NodeRef;

use super::rules::{Level, Rule};
use crate::compat::Location;

/// A violation of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The level in this run.
    pub level: Level,
    /// What is wrong, without a full stop.
    pub message: String,
    /// How to fix it.
    pub hint: String,
    /// The location in the file that contains it.
    pub location: Location,
    /// The reason why it is allowed, from `x-lint-allow`.
    pub allowed: Option<String>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings, ordered by file and line, including allowed ones.
    pub list: Vec<Finding>,
}

impl Findings {
    /// Returns the number of findings of a level that are not allowed.
    pub fn count(&self, level: Level) -> usize {
        self.list.iter().filter(|finding| finding.level == level && finding.allowed.is_none()).count()
    }

    /// Returns the number of allowed findings.
    pub fn allowed(&self) -> usize {
        self.list.iter().filter(|finding| finding.allowed.is_some()).count()
    }

    /// Returns whether there is an error, or in strict mode a warning, that is not allowed.
    pub fn fails(&self, strict: bool) -> bool {
        self.count(Level::Error) > 0 || strict && self.count(Level::Warning) > 0
    }
}

/// A finding before rule settings and allowances are applied.
#[derive(Clone, Debug)]
pub(super) struct Draft<'d> {
    pub(super) rule: &'static Rule,
    pub(super) node: NodeRef<'d>,
    pub(super) message: String,
    pub(super) hint: String,
}

/// The collected findings of all checks.
#[derive(Debug, Default)]
pub(super) struct Drafts<'d> {
    pub(super) list: Vec<Draft<'d>>,
}

impl<'d> Drafts<'d> {
    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        node: NodeRef<'d>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.list.push(Draft { rule, node, message: message.into(), hint: hint.into() });
    }
}
