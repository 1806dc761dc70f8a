//! [`Policy`]: rules about stability and removals, in addition to the compatibility rule.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::announcements::Announcements;
use super::lifecycle_keys::Stability;
use crate::changelog::Changelog;

/// The rules that a comparison applies in addition to the compatibility rule.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The date of the change.
    pub today: Date,
    /// The lowest stability level that is guaranteed. Breaking changes of less stable parts are reported, but
    /// excused.
    pub kept: Stability,
    /// The required time between deprecation and sunset of stable parts; zero if no sunset is needed.
    pub notice_stable: Span,
    /// The required time for beta parts.
    pub notice_beta: Span,
    /// Whether optional parts (parameters, properties) may be removed only after a deprecation.
    pub removal_needs_notice: bool,
    /// The changelog, if removals must be announced in it. An entry with the word `security` and the id of a
    /// finding exempts the finding as a security fix.
    pub changelog: Option<Changelog>,
    /// The announcements of the releases up to the base, if notice is counted from them. The base must then
    /// be the bundle of the newest release.
    pub announcements: Option<Announcements>,
}

impl Policy {
    /// Returns the compatibility rule alone: everything from beta on is guaranteed, and deprecation needs no
    /// sunset.
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

    /// Returns the rules of this repository: beta may change, and stable parts may be removed twelve months
    /// after their deprecation, if the changelog announces it.
    pub fn project(today: Date, changelog: Changelog) -> Self {
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

    /// Returns whether a part of this level that was announced on the first date may be removed on the
    /// second.
    pub(crate) fn leaves_notice(&self, stability: Stability, (announced, sunset): (Date, Date)) -> bool {
        let notice = match stability {
            Stability::Stable => self.notice_stable,
            Stability::Beta => self.notice_beta,
            Stability::Draft | Stability::Alpha => Span::new(),
        };
        announced.saturating_add(notice) <= sunset
    }
}
