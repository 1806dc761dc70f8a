//! What is wrong with a document: findings with their places.

use frontdesk_document::NodeRef;

use super::rules::{Level, Rule};
use crate::compat::Spot;

/// A broken rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How grave it is in this run.
    pub level: Level,
    /// What is wrong, as a fragment without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: String,
    /// Where it is, in the file in which it is written.
    pub spot: Spot,
    /// Why it is allowed, as the document says by `x-lint-allow`.
    pub allowed: Option<String>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// In the order of files and lines; what is allowed is among them.
    pub list: Vec<Finding>,
}

impl Findings {
    /// Number of findings of a level that are not allowed.
    pub fn count(&self, level: Level) -> usize {
        self.list.iter().filter(|finding| finding.level == level && finding.allowed.is_none()).count()
    }

    /// Number of findings that the document allows.
    pub fn allowed(&self) -> usize {
        self.list.iter().filter(|finding| finding.allowed.is_some()).count()
    }

    /// Whether there is an error, or a warning where those count as much, that is not allowed.
    pub fn fails(&self, strict: bool) -> bool {
        self.count(Level::Error) > 0 || strict && self.count(Level::Warning) > 0
    }
}

/// A finding before it is known whether it counts.
#[derive(Clone, Debug)]
pub(super) struct Draft<'d> {
    pub(super) rule: &'static Rule,
    pub(super) node: NodeRef<'d>,
    pub(super) message: String,
    pub(super) hint: String,
}

/// Where rules leave what they find.
#[derive(Debug, Default)]
pub(super) struct Drafts<'d> {
    pub(super) list: Vec<Draft<'d>>,
}

impl<'d> Drafts<'d> {
    pub(super) fn tell(
        &mut self,
        rule: &'static Rule,
        node: NodeRef<'d>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.list.push(Draft { rule, node, message: message.into(), hint: hint.into() });
    }
}
