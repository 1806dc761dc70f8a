//! [`Change`]: a difference between two objects, before its locations in the interface are known.

use frontdesk_document::NodeRef;
use jiff::civil::Date;

use super::effect::{Effect, Level};
use super::lifecycle_keys::Levels;
use super::rules::Rule;

/// A difference between two objects.
#[derive(Clone, Debug)]
pub(super) struct Change<'d> {
    pub(super) rule: &'static Rule,
    /// The effect on the set of allowed values.
    pub(super) effect: Effect,
    /// The level, if it does not follow from the effect.
    pub(super) level: Option<Level>,
    pub(super) message: String,
    /// Why the change is allowed although it breaks something.
    pub(super) excuse: Option<String>,
    /// The change counts only if the policy requires more notice than lies between these dates.
    pub(super) notice: Option<(Date, Date)>,
    /// Whether no value can demonstrate the change, because the keyword does not apply to the type but is
    /// compared as if it did.
    pub(super) meant: bool,
    /// The object's own stability levels in both documents, for a change of the stability. Whether and how
    /// the stability changes depends on what contains the object too.
    pub(super) stability: Option<Levels>,
    /// The location in the base, or where an addition would be.
    pub(super) base: NodeRef<'d>,
    /// The location in the revision, or where a removed part would be.
    pub(super) revision: NodeRef<'d>,
}

impl<'d> Change<'d> {
    /// Makes a change of the allowed values.
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
            stability: None,
            base,
            revision,
        }
    }

    /// Makes a change whose level does not depend on the direction.
    pub(super) fn fixed(
        rule: &'static Rule,
        level: Level,
        places: (NodeRef<'d>, NodeRef<'d>),
        message: impl Into<String>,
    ) -> Self {
        Self { level: Some(level), ..Self::new(rule, Effect::Same, places, message) }
    }

    /// Marks the change as one of a keyword that does not apply to the type.
    pub(super) fn as_written(&mut self) {
        if !self.meant {
            self.message.push_str("; the keyword does not apply to this type, but is compared as if it did");
            self.meant = true;
        }
    }

    /// Returns the change with a reason why it is allowed.
    pub(super) fn excused(mut self, reason: Option<String>) -> Self {
        self.excuse = reason;
        self
    }
}
