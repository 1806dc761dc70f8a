//! The frontier of a crawl, stored in the database.

use async_trait::async_trait;
use frontdesk_knowledge::{
    Found, Frontier, FrontierError, Page, PageOutcome, Pending, Progress, Reason, Visit,
};
use frontdesk_store::{ChatbotStatus, NewChunk, NewPage, PageStatus, Scope, SourceType, StoreError};
use jiff::{SignedDuration, Timestamp};
use url::Url;
use uuid::Uuid;

use crate::service::Service;

/// A frontier that cannot be used.
#[derive(Debug, thiserror::Error)]
enum FrontierFault {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chatbot was deleted, and its pages with it.
    #[error("the chatbot was deleted")]
    ChatbotDeleted,
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

/// How long a large site keeps its chatbot in `training`. After this time the chatbot is `ready` with the pages read so
/// far, and the other pages follow.
const MAX_TRAINING_STATUS: SignedDuration = SignedDuration::from_mins(2);

/// The frontier of one chatbot's crawl.
pub(super) struct StoredFrontier {
    service: Service,
    scope: Scope,
    chatbot_id: Uuid,
    /// Most pages the frontier may have.
    max_pages: u64,
    /// When the training was requested.
    began_at: Timestamp,
    /// Whether the chatbot was made `ready` before the crawl finished.
    is_announced: bool,
}

impl StoredFrontier {
    pub(super) fn new(
        service: Service,
        scope: Scope,
        chatbot_id: Uuid,
        max_pages: u64,
        began_at: Timestamp,
    ) -> Self {
        Self { service, scope, chatbot_id, max_pages, began_at, is_announced: false }
    }

    async fn store(
        &mut self,
        webpage_id: Uuid,
        outcome: &frontdesk_store::PageOutcome,
    ) -> Result<(), FrontierFault> {
        let now = self.service.now();
        let is_stored = self.service.store.webpages().finish(&self.scope, webpage_id, outcome, now).await?;
        if is_stored { Ok(()) } else { Err(FrontierFault::ChatbotDeleted) }
    }

    /// Makes the chatbot `ready` if the crawl takes long.
    async fn announce(&mut self) -> Result<(), StoreError> {
        let now = self.service.now();
        if self.is_announced || self.began_at.duration_until(now) < MAX_TRAINING_STATUS {
            return Ok(());
        }
        self.is_announced = true;
        let ready = ChatbotStatus::Ready;
        self.service.store.chatbots().set_status(&self.scope, self.chatbot_id, ready, None, now).await?;
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

/// Converts a visit for the store.
fn stored_outcome(visit: &Visit, max_pages: u64) -> frontdesk_store::PageOutcome {
    let links = visit.links.iter().map(|found| new_page(found, Some(&visit.url))).collect();
    let (status, reason, page) = match &visit.outcome {
        PageOutcome::Ready(page) => (PageStatus::Ready, None, Some(page)),
        // The page keeps its chunks.
        PageOutcome::Skipped { reason: Reason::Unchanged, .. } => (PageStatus::Ready, None, None),
        PageOutcome::Skipped { reason, .. } => (PageStatus::Skipped, Some(*reason), None),
        PageOutcome::Failed { reason, .. } => (PageStatus::Failed, Some(*reason), None),
    };
    frontdesk_store::PageOutcome {
        status,
        reason: reason.map(|reason| reason.as_str().to_owned()),
        http_status: visit.http_status,
        final_url: Some(visit.final_url.to_string()),
        title: page.map(|page| page.title.clone()),
        content_hash: page.map(|page| page.content_hash.clone()),
        language: page.and_then(|page| page.language.clone()),
        chunks: page.map(|page| new_chunks(page)),
        links,
        max_pages,
    }
}

fn new_chunks(page: &Page) -> Vec<NewChunk> {
    let chunks = page.chunks().into_iter().map(|chunk| NewChunk {
        source_type: SourceType::Webpage,
        title: chunk.title,
        headings: chunk.headings,
        text: chunk.text,
        url: page.url.to_string(),
        language: page.language.clone(),
        terms_title: chunk.terms.title,
        terms_headings: chunk.terms.headings,
        terms_body: chunk.terms.body,
    });
    chunks.collect()
}

#[async_trait]
impl Frontier for StoredFrontier {
    async fn add(&mut self, pages: &[Found]) -> Result<(), FrontierError> {
        let pages: Vec<NewPage> = pages.iter().map(|found| new_page(found, None)).collect();
        let now = self.service.now();
        let added = self
            .service
            .store
            .webpages()
            .add(&self.scope, self.chatbot_id, &pages, self.max_pages, now)
            .await?;
        match added {
            Some(_) => Ok(()),
            None => Err(FrontierFault::ChatbotDeleted.into()),
        }
    }

    async fn next(&mut self) -> Result<Option<Pending>, FrontierError> {
        let Some(page) = self.service.store.webpages().next_pending(&self.scope, self.chatbot_id).await?
        else {
            return Ok(None);
        };
        let id = page.webpage_id;
        let url =
            page.url.parse().map_err(|source| FrontierFault::UnreadableAddress { webpage_id: id, source })?;
        Ok(Some(Pending { id, url, depth: page.depth, known_hash: page.content_hash }))
    }

    async fn finish(&mut self, id: Uuid, visit: &Visit) -> Result<(), FrontierError> {
        // Analysing a large page is CPU-bound and must not block the threads that serve requests.
        let (visit_to_store, max_pages) = (visit.clone(), self.max_pages);
        let outcome = tokio::task::spawn_blocking(move || stored_outcome(&visit_to_store, max_pages)).await?;
        self.store(id, &outcome).await?;
        self.service.metrics.page(outcome.reason.as_deref().unwrap_or("ready"));
        // Details may name internal addresses, so they go to the log only; customers see the reason.
        match &visit.outcome {
            PageOutcome::Ready(_) => {}
            PageOutcome::Skipped { reason, detail } => {
                tracing::debug!(chatbot_id = %self.chatbot_id, url = %visit.url, %reason, detail, "page skipped");
            }
            PageOutcome::Failed { reason, detail } => {
                tracing::info!(chatbot_id = %self.chatbot_id, url = %visit.url, %reason, detail, "page failed");
            }
        }
        if outcome.status == PageStatus::Ready {
            self.announce().await?;
        }
        Ok(())
    }

    async fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> Result<Option<Url>, FrontierError> {
        let page =
            self.service.store.webpages().find_by_content(&self.scope, self.chatbot_id, content_hash).await?;
        let other = page.filter(|page| page.webpage_id != except);
        Ok(other.and_then(|page| page.url.parse().ok()))
    }

    async fn progress(&mut self) -> Result<Progress, FrontierError> {
        let counts = self.service.store.webpages().counts(&self.scope, self.chatbot_id).await?;
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Progress {
            ready: number(counts.ready),
            visited: number(counts.ready + counts.failed + counts.skipped),
        })
    }

    async fn close_pending(&mut self, reason: Reason) -> Result<(), FrontierError> {
        let outcome = frontdesk_store::PageOutcome::without_content(PageStatus::Skipped, reason.as_str());
        while let Some(page) =
            self.service.store.webpages().next_pending(&self.scope, self.chatbot_id).await?
        {
            self.store(page.webpage_id, &outcome).await?;
        }
        Ok(())
    }

    async fn is_cancelled(&mut self) -> Result<bool, FrontierError> {
        // A worker that stops drops the crawl.
        Ok(false)
    }
}
