//! The rules of the house around the law: how stable something is, and how it may be taken away.

use std::fmt;

use frontdesk_document::NodeRef;
use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::announcements::Announcements;
use crate::changelog::Changelog;

/// How much may be built on something, as `x-stability-level` says; `Stable` where it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stability {
    /// A thought.
    Draft,
    /// To be tried.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Kept.
    Stable,
}

impl Stability {
    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "draft" => Self::Draft,
            "alpha" => Self::Alpha,
            "beta" => Self::Beta,
            "stable" => Self::Stable,
            _ => return None,
        })
    }

    /// What an object says of itself: nothing, a level, or something that is no level.
    pub(crate) fn written(object: NodeRef<'_>) -> Option<Result<Self, NodeRef<'_>>> {
        let value = object.get("x-stability-level")?;
        Some(value.as_str().and_then(Self::named).ok_or(value))
    }
}

impl fmt::Display for Stability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Draft => "draft",
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        })
    }
}

/// What a comparison holds a change to, beyond the law.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The day on which the change is made.
    pub today: Date,
    /// The least level whose promises are kept. Breaking changes of what is below are told, and excused.
    pub kept: Stability,
    /// What must lie between a deprecation and its sunset, for what is stable; zero if a sunset is not needed.
    pub notice_stable: Span,
    /// The same for what is beta.
    pub notice_beta: Span,
    /// Whether optional things (parameters, properties) too may only be removed after a deprecation.
    pub removal_needs_notice: bool,
    /// The changelog, if removals have to be announced in it. A finding is excused as a security fix by an entry that
    /// holds the word `security` and the id of the finding.
    pub changelog: Option<Changelog>,
    /// What the releases up to the base have announced, if the notice of a removal is counted from there. The base is then
    /// the bundle of the newest release.
    pub announcements: Option<Announcements>,
}

impl Policy {
    /// The law alone: everything from beta on is kept, deprecation needs no sunset.
    pub fn plain(today: Date) -> Self {
        Self {
            today,
            kept: Stability::Beta,
            notice_stable: Span::new(),
            notice_beta: Span::new(),
            removal_needs_notice: false,
            changelog: None,
            announcements: None,
        }
    }

    /// The rules of this repository: beta may change, what is stable goes twelve months after it was deprecated, and the
    /// changelog announces it.
    pub fn house(today: Date, changelog: Changelog) -> Self {
        Self {
            today,
            kept: Stability::Stable,
            notice_stable: 12.months(),
            notice_beta: Span::new(),
            removal_needs_notice: true,
            changelog: Some(changelog),
            announcements: None,
        }
    }

    /// Whether something of this level that is announced on one day may go on the other.
    pub(crate) fn leaves_notice(&self, stability: Stability, (announced, sunset): (Date, Date)) -> bool {
        let notice = match stability {
            Stability::Stable => self.notice_stable,
            Stability::Beta => self.notice_beta,
            Stability::Draft | Stability::Alpha => Span::new(),
        };
        announced.saturating_add(notice) <= sunset
    }
}
