//! The frontier of a crawl, stored in the database.

use std::time::Duration;

use frontdesk_knowledge::{
    Found, Frontier, FrontierError, PageOutcome, Pending, Progress, Reason, Validators, Visit,
};
use frontdesk_store::{
    ChatbotStatus, CrawlScope, NewPage, PLAN_LIMIT_REASON, PageFinish, PageStatus, PageVisit, Scope,
    StoreError, VisitOutcome, Webpage, Website,
};
use jiff::{SignedDuration, Timestamp};
use url::Url;
use uuid::Uuid;

use super::visit::{log, page_visit};
use crate::background::Background;

/// A frontier that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrontierFault {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The website was deleted, and its pages with it.
    #[error("the website was deleted")]
    WebsiteDeleted,
    /// A stored address is invalid.
    #[error("the stored address of page {webpage_id} is invalid")]
    UnreadableAddress {
        /// The page.
        webpage_id: Uuid,
        /// The parser's error.
        #[source]
        source: url::ParseError,
    },
}

/// How long a large site keeps its chatbot in `training`. After this time the chatbot is `ready` with the
/// pages read so far, and the other pages follow.
const MAX_TRAINING_STATUS: SignedDuration = SignedDuration::from_mins(2);

/// After so many visits, the visited pages are counted again. In between, those that others add or remove are
/// not noticed.
const VISITS_PER_COUNT: u32 = 100;

/// While visitors are being answered, the next page waits for so long at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// The frontier of one website's crawl.
pub(super) struct StoredFrontier {
    service: Background,
    website: Website,
    scope: Scope,
    /// Most pages the frontier may have.
    max_pages: u64,
    /// When the crawl was requested.
    began_at: Timestamp,
    /// Whether the chatbot was made `ready` before the crawl finished.
    is_announced: bool,
    /// The page that is being visited.
    current: Option<Webpage>,
    /// Whether the plan of the account includes no further pages. Those that have content are still visited.
    is_over_plan: bool,
    /// How far the crawl has come, and after how many visits since it was counted.
    progress: Option<(Progress, u32)>,
}

impl StoredFrontier {
    pub(super) fn new(service: Background, website: Website, max_pages: u64, began_at: Timestamp) -> Self {
        let scope = website.account_scope();
        Self {
            service,
            website,
            scope,
            max_pages,
            began_at,
            is_announced: false,
            current: None,
            is_over_plan: false,
            progress: None,
        }
    }

    /// Makes the chatbot `ready` if the crawl takes long.
    async fn announce(&mut self) -> Result<(), StoreError> {
        let now = self.service.now();
        if self.is_announced || self.began_at.duration_until(now) < MAX_TRAINING_STATUS {
            return Ok(());
        }
        self.is_announced = true;
        let (ready, chatbot_id) = (ChatbotStatus::Ready, self.website.chatbot_id);
        self.service.store.chatbots().set_status(&self.scope, chatbot_id, ready, None, now).await?;
        Ok(())
    }
}

fn new_page(found: &Found, parent: Option<&Url>) -> NewPage {
    let root = parent.unwrap_or(&found.url);
    NewPage {
        url: found.url.to_string(),
        root_url: root.to_string(),
        parent_url: parent.map(Url::to_string),
        depth: found.depth,
    }
}

/// Returns a stored page as the crawler visits it. Unless `is_anew`, content that has not changed is
/// recognized.
pub(super) fn pending(page: &Webpage, is_anew: bool) -> Result<Pending, FrontierFault> {
    let webpage_id = page.webpage_id;
    let url = page.url.parse().map_err(|source| FrontierFault::UnreadableAddress { webpage_id, source })?;
    let known = Some(page).filter(|page| page.status == PageStatus::Ready && !is_anew);
    let validators = known.filter(|page| page.etag.is_some() || page.last_modified.is_some());
    let validators = validators.and_then(|page| {
        Some(Validators {
            url: page.final_url.as_ref()?.parse().ok()?,
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
        })
    });
    let known_hash = known.and_then(|page| page.content_hash.clone());
    Ok(Pending { id: webpage_id, url, depth: page.depth, known_hash, validators })
}

impl Frontier for StoredFrontier {
    async fn add(&mut self, pages: &[Found]) -> Result<(), FrontierError> {
        let pages: Vec<NewPage> = pages.iter().map(|found| new_page(found, None)).collect();
        let (websites, now) = (self.service.store.websites(), self.service.now());
        let added = websites.add_pages(&self.scope, &self.website, &pages, self.max_pages, now).await?;
        added.map(drop).ok_or_else(|| FrontierFault::WebsiteDeleted.into())
    }

    async fn next(&mut self) -> Result<Option<Pending>, FrontierError> {
        self.service.priority.pause(LONGEST_PAUSE).await;
        let websites = self.service.store.websites();
        self.current = loop {
            match websites.next_page(&self.scope, self.website.website_id).await? {
                Some(page) if self.is_over_plan && page.status != PageStatus::Ready => {
                    let visit = PageVisit::skipped(None, PLAN_LIMIT_REASON);
                    websites.finish_page(&self.scope, &page, &visit, self.service.now()).await?;
                }
                next => break next,
            }
        };
        let is_anew = self.website.scope == CrawlScope::All;
        Ok(self.current.as_ref().map(|page| pending(page, is_anew)).transpose()?)
    }

    async fn finish(&mut self, id: Uuid, visit: &Visit) -> Result<(), FrontierError> {
        let Some(page) = self.current.take().filter(|page| page.webpage_id == id) else {
            return Err(FrontierFault::WebsiteDeleted.into());
        };
        // Analyzing a large page is CPU-bound and must not block the threads that serve requests.
        let (visited, known, max_pages) = (visit.clone(), page.clone(), self.max_pages);
        let stored = tokio::task::spawn_blocking(move || {
            let links = visited.links.iter().map(|found| new_page(found, Some(&visited.url))).collect();
            page_visit(&visited, &known, links, max_pages)
        })
        .await?;
        let now = self.service.now();
        match self.service.store.websites().finish_page(&self.scope, &page, &stored, now).await? {
            PageFinish::Stored => {}
            PageFinish::OverPlan => {
                tracing::info!(url = %visit.url, "the plan of the account includes no more pages");
                self.service.metrics.page(PLAN_LIMIT_REASON);
                self.is_over_plan = true;
                return Ok(());
            }
            PageFinish::Gone => {
                tracing::debug!(url = %visit.url, "the page left the frontier during its visit");
                return Ok(());
            }
        }
        if let Some((progress, _)) = &mut self.progress {
            progress.visited += 1;
            progress.ready += usize::from(stored.outcome.status == PageStatus::Ready);
        }
        self.service.metrics.page(stored.outcome.reason.as_deref().unwrap_or("ready"));
        log(visit, &page);
        if matches!(visit.outcome, PageOutcome::Ready(_)) {
            self.announce().await?;
        }
        Ok(())
    }

    async fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> Result<Option<Url>, FrontierError> {
        let pages = self.service.store.webpages();
        let page = pages.find_by_content(&self.scope, self.website.chatbot_id, content_hash).await?;
        let other = page.filter(|page| page.webpage_id != except);
        Ok(other.and_then(|page| page.url.parse().ok()))
    }

    async fn progress(&mut self) -> Result<Progress, FrontierError> {
        if let Some((progress, visits)) = self.progress.filter(|(_, visits)| *visits < VISITS_PER_COUNT) {
            self.progress = Some((progress, visits + 1));
            return Ok(progress);
        }
        let counted = self.service.store.websites().progress(&self.scope, self.website.website_id).await?;
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let progress = Progress { ready: number(counted.ready), visited: number(counted.visited) };
        self.progress = Some((progress, 0));
        Ok(progress)
    }

    async fn close_pending(&mut self, reason: Reason) -> Result<(), FrontierError> {
        let websites = self.service.store.websites();
        while let Some(page) = websites.next_page(&self.scope, self.website.website_id).await? {
            let mut outcome =
                frontdesk_store::PageOutcome::without_content(PageStatus::Skipped, reason.as_str());
            outcome.chunks = (page.status == PageStatus::Ready).then(Vec::new);
            let visit = PageVisit { outcome, result: VisitOutcome::Skipped, validators: None };
            websites.finish_page(&self.scope, &page, &visit, self.service.now()).await?;
        }
        Ok(())
    }

    async fn is_cancelled(&mut self) -> Result<bool, FrontierError> {
        // A worker that stops drops the crawl; this is about owners who stop it.
        Ok(!self.service.store.websites().is_unfinished(&self.scope, self.website.website_id).await?)
    }
}
