//! The result of a visit to one page.

use url::Url;

use super::reason::Reason;
use crate::page::Page;

/// A page to visit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Found {
    /// Its normalized address.
    pub url: Url,
    /// Number of links between a root and the page.
    pub depth: u32,
}

/// Validators that a server sent for the content of a page (RFC 9110, section 8.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validators {
    /// The address that the content came from, after redirects.
    pub url: Url,
    /// The value of `ETag`.
    pub etag: Option<String>,
    /// The value of `Last-Modified`.
    pub last_modified: Option<String>,
}

/// The result of visiting an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The address that was visited.
    pub url: Url,
    /// The last address that responded, after redirects; `url` itself if none did.
    pub final_url: Url,
    /// Number of links between a root and the page.
    pub depth: u32,
    /// Status of the last response.
    pub http_status: Option<u16>,
    /// The page, or why there is none.
    pub outcome: PageOutcome,
    /// Pages of the same site to visit next, normalized and within bounds.
    pub links: Vec<Found>,
    /// The validators of the server, if it sent the content.
    pub validators: Option<Validators>,
}

/// The outcome of a visit.
///
/// The details are written for the operator's log. They may name internal addresses, so customers are shown
/// [`Reason::explanation`] instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageOutcome {
    /// The page has content.
    Ready(Box<Page>),
    /// The page has no content, or none that may be used.
    Skipped {
        /// Why.
        reason: Reason,
        /// The details, for the log.
        detail: String,
    },
    /// The page could not be read; another visit may succeed.
    Failed {
        /// Why.
        reason: Reason,
        /// The details, for the log.
        detail: String,
    },
}

impl PageOutcome {
    /// Returns the outcome of a page without content: failed or skipped, depending on the reason.
    pub fn without_content(reason: Reason, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        if reason.is_failure() { Self::Failed { reason, detail } } else { Self::Skipped { reason, detail } }
    }

    /// Returns why there is no content, or `None` if the page is ready.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Ready(_) => None,
            Self::Skipped { reason, .. } | Self::Failed { reason, .. } => Some(*reason),
        }
    }
}
