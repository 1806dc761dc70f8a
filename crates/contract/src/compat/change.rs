//! One difference before it is known where in the interface it is met.

use frontdesk_document::NodeRef;
use jiff::civil::Date;

use super::effect::{Effect, Level};
use super::rules::Rule;

/// One difference between two objects.
#[derive(Clone, Debug)]
pub(super) struct Change<'d> {
    pub(super) rule: &'static Rule,
    /// What it does to the values that travel.
    pub(super) effect: Effect,
    /// How grave it is, where that does not follow from the effect.
    pub(super) level: Option<Level>,
    pub(super) message: String,
    /// Why it is allowed if it breaks something.
    pub(super) excuse: Option<String>,
    /// It holds only where the policy asks for more notice than lies between these days.
    pub(super) notice: Option<(Date, Date)>,
    /// Whether no value can show it: a word about other kinds of values, which is judged as it is meant.
    pub(super) meant: bool,
    /// Where it is in the base, or would be.
    pub(super) base: NodeRef<'d>,
    /// Where it is in the revision, or would be.
    pub(super) revision: NodeRef<'d>,
}

impl<'d> Change<'d> {
    /// A change of what may travel.
    pub(super) fn new(
        rule: &'static Rule,
        effect: Effect,
        (base, revision): (NodeRef<'d>, NodeRef<'d>),
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            effect,
            level: None,
            message: message.into(),
            excuse: None,
            notice: None,
            meant: false,
            base,
            revision,
        }
    }

    /// A change whose gravity does not depend on who sends.
    pub(super) fn fixed(
        rule: &'static Rule,
        level: Level,
        places: (NodeRef<'d>, NodeRef<'d>),
        message: impl Into<String>,
    ) -> Self {
        Self { level: Some(level), ..Self::new(rule, Effect::Same, places, message) }
    }

    /// The change with a reason why it is allowed.
    pub(super) fn excused(mut self, reason: Option<String>) -> Self {
        self.excuse = reason;
        self
    }
}
