//! The memory of a crawl, and the loop that works through it.

use async_trait::async_trait;
use url::Url;
use uuid::Uuid;

use super::{Crawler, PageOutcome, Reason, Visit};

/// A page to visit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Found {
    /// Its normalised address.
    pub url: Url,
    /// Links from a root to it.
    pub depth: u32,
}

/// The page whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The frontier's name for it.
    pub id: Uuid,
    /// Its address.
    pub url: Url,
    /// Links from a root to it.
    pub depth: u32,
    /// Content hash at the last visit; the same content again is not worth indexing again.
    pub known_hash: Option<String>,
}

/// How far a crawl has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pages with content.
    pub ready: usize,
    /// Pages visited, those with content included.
    pub visited: usize,
}

/// How a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlEnd {
    /// Every page was visited.
    Finished,
    /// The bounds were reached; what was left is closed as over the limit.
    OverLimit,
    /// The frontier asked to stop; what was left is still pending.
    Cancelled,
}

/// What a frontier's storage reports when it fails.
pub type FrontierError = Box<dyn std::error::Error + Send + Sync>;

/// The durable memory of one crawl.
///
/// A crawl survives a crash if `finish` is atomic: the page, its state and the links it adds are kept together or
/// not at all. A page that was visited but not finished is visited again.
#[async_trait]
pub trait Frontier: Send {
    /// Adds pages that are not known yet; known ones stay as they are.
    async fn add(&mut self, pages: &[Found]) -> Result<(), FrontierError>;

    /// The next page to visit, the smallest depth first; the same one again until it is finished.
    async fn next(&mut self) -> Result<Option<Pending>, FrontierError>;

    /// Keeps the outcome of a visit, and adds the pages in its `links`.
    async fn finish(&mut self, id: Uuid, visit: &Visit) -> Result<(), FrontierError>;

    /// The address of another ready page with this content hash.
    async fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> Result<Option<Url>, FrontierError>;

    /// How far the crawl has come, earlier runs included.
    async fn progress(&mut self) -> Result<Progress, FrontierError>;

    /// Closes every page that is still pending for this reason.
    async fn close_pending(&mut self, reason: Reason) -> Result<(), FrontierError>;

    /// Whether the crawl should stop.
    async fn is_cancelled(&mut self) -> Result<bool, FrontierError>;
}

impl Crawler {
    /// Crawls until the frontier is empty, the bounds are reached or the frontier asks to stop.
    pub async fn crawl(
        &mut self,
        roots: &[Url],
        frontier: &mut dyn Frontier,
    ) -> Result<CrawlEnd, FrontierError> {
        let seeds = self.seeds(roots).await;
        frontier.add(&seeds).await?;
        loop {
            if frontier.is_cancelled().await? {
                return Ok(CrawlEnd::Cancelled);
            }
            let Some(pending) = frontier.next().await? else { return Ok(CrawlEnd::Finished) };
            let progress = frontier.progress().await?;
            if progress.ready >= self.bounds.max_pages || progress.visited >= self.bounds.max_visits {
                frontier.close_pending(Reason::OverLimit).await?;
                return Ok(CrawlEnd::OverLimit);
            }
            let mut visit = self.visit(&pending.url, pending.depth).await;
            if let PageOutcome::Ready(page) = &visit.outcome {
                if pending.known_hash.as_ref() == Some(&page.content_hash) {
                    visit.outcome = PageOutcome::without_content(
                        Reason::Unchanged,
                        "the content is the same as at the last visit",
                    );
                } else if let Some(other) = frontier.page_with_content(&page.content_hash, pending.id).await?
                {
                    visit.outcome = PageOutcome::without_content(
                        Reason::Duplicate,
                        format!("{other} has the same content"),
                    );
                }
            }
            tracing::debug!(url = %visit.url, reason = ?visit.outcome.reason(), links = visit.links.len(), "page visited");
            frontier.finish(pending.id, &visit).await?;
        }
    }
}
