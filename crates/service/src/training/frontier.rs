//! The database as the frontier of a crawl.

use std::collections::BTreeMap;

use async_trait::async_trait;
use frontdesk_knowledge::{
    Found, Frontier, FrontierError, Page, PageOutcome, Pending, Progress, Reason, Visit,
};
use frontdesk_store::{ChatbotStatus, NewChunk, NewPage, PageStatus, Scope, SourceType, StoreError};
use jiff::{SignedDuration, Timestamp};
use url::Url;
use uuid::Uuid;

use crate::service::Service;

/// Text that no page could be read as; shown nowhere, only logged.
#[derive(Debug, thiserror::Error)]
enum FrontierFault {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chatbot has vanished, and its pages with it.
    #[error("the chatbot was deleted")]
    ChatbotDeleted,
    /// A stored address is none.
    #[error("the stored address of page {webpage_id} cannot be read")]
    UnreadableAddress {
        /// The page.
        webpage_id: Uuid,
        /// Why.
        #[source]
        source: url::ParseError,
    },
}

/// How long a large site keeps its chatbot in `training`: after this time it is `ready` with what there is, and the
/// rest follows. A small site is complete before.
const PATIENCE: SignedDuration = SignedDuration::from_mins(2);

/// The frontier of one chatbot's crawl.
pub(super) struct StoredFrontier {
    service: Service,
    scope: Scope,
    chatbot_id: Uuid,
    /// Most pages that are remembered at all.
    max_pages: u64,
    /// When the training was asked for.
    began_at: Timestamp,
    is_announced: bool,
    /// What went wrong in the words of this run, by address; the database keeps only the reason's name.
    details: BTreeMap<String, String>,
}

impl StoredFrontier {
    pub(super) fn new(
        service: Service,
        scope: Scope,
        chatbot_id: Uuid,
        max_pages: u64,
        began_at: Timestamp,
    ) -> Self {
        Self {
            service,
            scope,
            chatbot_id,
            max_pages,
            began_at,
            is_announced: false,
            details: BTreeMap::new(),
        }
    }

    /// What went wrong with the pages of this run, by address.
    pub(super) fn into_details(self) -> BTreeMap<String, String> {
        self.details
    }

    async fn keep(
        &mut self,
        webpage_id: Uuid,
        outcome: &frontdesk_store::PageOutcome,
    ) -> Result<(), FrontierFault> {
        let now = self.service.now();
        let is_kept = self.service.store.finish_page(&self.scope, webpage_id, outcome, now).await?;
        if is_kept { Ok(()) } else { Err(FrontierFault::ChatbotDeleted) }
    }

    /// Lets a chatbot answer that has waited for the rest of a large site for long enough.
    async fn announce(&mut self) -> Result<(), StoreError> {
        let now = self.service.now();
        if self.is_announced || self.began_at.duration_until(now) < PATIENCE {
            return Ok(());
        }
        self.is_announced = true;
        let ready = ChatbotStatus::Ready;
        self.service.store.set_chatbot_status(&self.scope, self.chatbot_id, ready, None, now).await?;
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

/// A visit as the store keeps it.
fn stored_outcome(visit: &Visit, max_pages: u64) -> frontdesk_store::PageOutcome {
    let links = visit.links.iter().map(|found| new_page(found, Some(&visit.url))).collect();
    let (status, reason, page) = match &visit.outcome {
        PageOutcome::Ready(page) => (PageStatus::Ready, None, Some(page)),
        // The page keeps the chunks it has.
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
    let chunks = page.chunks(&std::collections::BTreeSet::new()).into_iter().map(|chunk| NewChunk {
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
        let added =
            self.service.store.add_pages(&self.scope, self.chatbot_id, &pages, self.max_pages, now).await?;
        match added {
            Some(_) => Ok(()),
            None => Err(FrontierFault::ChatbotDeleted.into()),
        }
    }

    async fn next(&mut self) -> Result<Option<Pending>, FrontierError> {
        let Some(page) = self.service.store.next_pending(&self.scope, self.chatbot_id).await? else {
            return Ok(None);
        };
        let id = page.webpage_id;
        let url =
            page.url.parse().map_err(|source| FrontierFault::UnreadableAddress { webpage_id: id, source })?;
        Ok(Some(Pending { id, url, depth: page.depth, known_hash: page.content_hash }))
    }

    async fn finish(&mut self, id: Uuid, visit: &Visit) -> Result<(), FrontierError> {
        // Analysing the words of a large page is work for a processor, not for the threads that serve requests.
        let (visit_to_store, max_pages) = (visit.clone(), self.max_pages);
        let outcome = tokio::task::spawn_blocking(move || stored_outcome(&visit_to_store, max_pages)).await?;
        self.keep(id, &outcome).await?;
        self.service.metrics.page(outcome.reason.as_deref().unwrap_or("ready"));
        if let PageOutcome::Failed { detail, .. } | PageOutcome::Skipped { detail, .. } = &visit.outcome {
            self.details.insert(visit.url.to_string(), detail.clone());
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
            self.service.store.webpage_with_content(&self.scope, self.chatbot_id, content_hash).await?;
        let other = page.filter(|page| page.webpage_id != except);
        Ok(other.and_then(|page| page.url.parse().ok()))
    }

    async fn progress(&mut self) -> Result<Progress, FrontierError> {
        let counts = self.service.store.page_counts(&self.scope, self.chatbot_id).await?;
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Progress {
            ready: number(counts.ready),
            visited: number(counts.ready + counts.failed + counts.skipped),
        })
    }

    async fn close_pending(&mut self, reason: Reason) -> Result<(), FrontierError> {
        let outcome = frontdesk_store::PageOutcome::without_content(PageStatus::Skipped, reason.as_str());
        while let Some(page) = self.service.store.next_pending(&self.scope, self.chatbot_id).await? {
            self.keep(page.webpage_id, &outcome).await?;
        }
        Ok(())
    }

    async fn is_cancelled(&mut self) -> Result<bool, FrontierError> {
        // The worker drops the whole crawl when it is to stop.
        Ok(false)
    }
}
