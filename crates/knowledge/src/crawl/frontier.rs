//! The durable memory of a crawl.

use url::Url;
use uuid::Uuid;

use super::reason::Reason;
use super::visit::{Found, Validators, Visit};

/// The next page to visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The frontier's id of the page.
    pub id: Uuid,
    /// Its address.
    pub url: Url,
    /// Number of links between a root and the page.
    pub depth: u32,
    /// Content hash at the last visit; content that has not changed is not indexed again.
    pub known_hash: Option<String>,
    /// The validators that the server sent at the last visit; they make the request conditional.
    pub validators: Option<Validators>,
}

/// The progress of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pages with content.
    pub ready: usize,
    /// Pages visited, including those with content.
    pub visited: usize,
}

/// The error of a frontier's storage.
pub type FrontierError = Box<dyn std::error::Error + Send + Sync>;

/// The durable memory of one crawl.
///
/// A crawl survives a crash if `finish` is atomic: the page, its state and the links it adds are stored
/// together or not at all. A page that was visited but not finished is visited again.
pub trait Frontier: Send {
    /// Adds pages that are not known yet; known ones stay unchanged.
    fn add(&mut self, pages: &[Found]) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Returns the next page to visit, the smallest depth first and then the page that was added first.
    /// Returns the same page again until it is finished.
    fn next(&mut self) -> impl Future<Output = Result<Option<Pending>, FrontierError>> + Send;

    /// Stores the outcome of a visit, and adds the pages in its `links`. A page that left the frontier during
    /// the visit, because the crawl was stopped, stays as it is.
    fn finish(&mut self, id: Uuid, visit: &Visit) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Returns the address of another ready page with this content hash.
    fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> impl Future<Output = Result<Option<Url>, FrontierError>> + Send;

    /// Returns the progress of the crawl, including earlier runs.
    fn progress(&mut self) -> impl Future<Output = Result<Progress, FrontierError>> + Send;

    /// Closes every page that is still pending, for this reason.
    fn close_pending(&mut self, reason: Reason) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Returns whether the crawl should stop.
    fn is_cancelled(&mut self) -> impl Future<Output = Result<bool, FrontierError>> + Send;
}
