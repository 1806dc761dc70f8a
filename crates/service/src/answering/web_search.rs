//! Web search for questions that the training content does not answer: a search engine finds pages, and a
//! separate client fetches the first of them. They are extracted and searched like training content.
//!
//! There are limits on the time and size of each response, on the number of concurrent searches, and a pause
//! after a failure of the search engine. Whatever fails, the visitor gets the refusal that would be given
//! without a search.
//!
//! - `engine` asks the search engine.
//! - `pages` fetches and reads what it finds.

mod engine;
mod pages;

use std::{fmt, sync::Arc, time::Duration};

use frontdesk_assistant::WebQuestion;
use frontdesk_knowledge::Retrieval;
use frontdesk_outbound::{Outbound, OutboundError, Policy};
use tokio::{
    sync::{Mutex, Semaphore},
    time::Instant,
};

use self::engine::{Engine, EngineError};
use crate::platform::config;

/// The time limit of a whole search. A visitor waits for it.
const TOTAL: Duration = Duration::from_secs(8);
/// The largest number of concurrent searches. Further questions are refused as without a search.
const CONCURRENT: usize = 8;
/// The pause after a failure of the search engine.
const PAUSE: Duration = Duration::from_secs(20);
/// The number of pages that a search reads.
const PAGES: usize = 3;

/// Why the search of the web cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebSearchError {
    /// The client for the search engine or for pages cannot be created.
    #[error("the search of the web cannot be set up")]
    Outbound(#[from] OutboundError),
}

/// The search of the web, if the operator has configured a search engine. Clones are cheap and share
/// everything.
#[derive(Clone, Default)]
pub(crate) struct WebSearch {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    engine: Engine,
    /// Reaches public addresses and the networks that are allowed for pages, whatever the search engine
    /// returns.
    pages: Outbound,
    running: Semaphore,
    /// The end of the pause after a failure of the search engine.
    paused_until: Mutex<Option<Instant>>,
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebSearch").field("is_available", &self.is_available()).finish()
    }
}

impl WebSearch {
    /// Prepares the search without sending a request.
    pub(crate) fn open(settings: &config::WebSearch) -> Result<Self, WebSearchError> {
        let Some(url) = &settings.url else { return Ok(Self::default()) };
        let pages = Outbound::new(Policy {
            allow: settings.page_allow_networks.clone(),
            ..Policy::new(concat!("Frontdesk/", env!("CARGO_PKG_VERSION")))
        })?;
        let engine = Engine::open(url, settings)?;
        let (running, paused_until) = (Semaphore::new(CONCURRENT), Mutex::default());
        Ok(Self { inner: Some(Arc::new(Inner { engine, pages, running, paused_until })) })
    }

    /// Returns whether a search engine is configured.
    pub(crate) fn is_available(&self) -> bool {
        self.inner.is_some()
    }

    /// Returns passages from the web for a question, or `None` if nothing is found in time.
    pub(super) async fn find(&self, question: &WebQuestion) -> Option<Retrieval> {
        let inner = self.inner.as_deref()?;
        let Ok(_running) = inner.running.try_acquire() else {
            tracing::info!("{CONCURRENT} searches of the web are running; another question is refused");
            return None;
        };
        if inner.paused_until.lock().await.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let searched = tokio::time::timeout(TOTAL, inner.search(question)).await;
        searched.unwrap_or_else(|_| {
            tracing::warn!("a search of the web took longer than {TOTAL:?}");
            None
        })
    }
}

impl Inner {
    async fn search(&self, question: &WebQuestion) -> Option<Retrieval> {
        let asked = match &question.about {
            Some(business) => format!("{} {business}", question.text),
            None => question.text.clone(),
        };
        let found = match self.engine.search(&asked).await {
            Ok(found) => found,
            Err(error) => {
                self.pause(&error).await;
                return None;
            }
        };
        pages::passages(&self.pages, &found, PAGES, question).await
    }

    async fn pause(&self, error: &EngineError) {
        tracing::warn!(
            error = error as &dyn std::error::Error,
            "the search engine failed; the web is not searched for {PAUSE:?}"
        );
        *self.paused_until.lock().await = Some(Instant::now() + PAUSE);
    }
}
