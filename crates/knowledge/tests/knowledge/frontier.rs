//! A frontier in memory. A new crawler continues with it as with a database after a restart.

use frontdesk_knowledge::{
    Found, Frontier, FrontierError, Page, PageOutcome, Pending, Progress, Reason, Visit,
};
use url::Url;
use uuid::Uuid;

/// A page and its outcome.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) found: Found,
    pub(crate) known_hash: Option<String>,
    pub(crate) visit: Option<Visit>,
    pub(crate) closed: Option<Reason>,
}

/// All pages of a crawl in the order they were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryFrontier {
    pub(crate) entries: Vec<Entry>,
    /// Ask to stop after this many visits.
    pub(crate) cancel_after: Option<usize>,
}

impl MemoryFrontier {
    pub(crate) fn pages(&self) -> Vec<&Page> {
        self.entries
            .iter()
            .filter_map(|entry| match &entry.visit.as_ref()?.outcome {
                PageOutcome::Ready(page) => Some(&**page),
                _ => None,
            })
            .collect()
    }

    /// Returns the outcome of the page at a path: `ready`, a reason's name, or `pending`; `None` if it was
    /// never found.
    pub(crate) fn outcome(&self, path: &str) -> Option<&'static str> {
        let entry =
            self.entries.iter().find(|entry| &entry.found.url[url::Position::BeforePath..] == path)?;
        Some(match (&entry.visit, entry.closed) {
            (_, Some(reason)) => reason.as_str(),
            (Some(visit), None) => visit.outcome.reason().map_or("ready", Reason::as_str),
            (None, None) => "pending",
        })
    }

    pub(crate) fn count(&self, outcome: &str) -> usize {
        let paths = self.entries.iter().map(|entry| &entry.found.url[url::Position::BeforePath..]);
        paths.filter(|path| self.outcome(path) == Some(outcome)).count()
    }
}

impl Frontier for MemoryFrontier {
    async fn add(&mut self, pages: &[Found]) -> Result<(), FrontierError> {
        for found in pages {
            if !self.entries.iter().any(|entry| entry.found.url == found.url) {
                let (id, found) = (Uuid::new_v4(), found.clone());
                self.entries.push(Entry { id, found, known_hash: None, visit: None, closed: None });
            }
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Pending>, FrontierError> {
        let pending = self.entries.iter().filter(|entry| entry.visit.is_none() && entry.closed.is_none());
        Ok(pending.min_by_key(|entry| entry.found.depth).map(|entry| Pending {
            id: entry.id,
            url: entry.found.url.clone(),
            depth: entry.found.depth,
            known_hash: entry.known_hash.clone(),
            validators: None,
        }))
    }

    async fn finish(&mut self, id: Uuid, visit: &Visit) -> Result<(), FrontierError> {
        let entry = self.entries.iter_mut().find(|entry| entry.id == id).ok_or("no such page")?;
        entry.visit = Some(visit.clone());
        self.add(&visit.links).await
    }

    async fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> Result<Option<Url>, FrontierError> {
        let others = self.entries.iter().filter(|entry| entry.id != except);
        Ok(others.filter_map(|entry| entry.visit.as_ref()).find_map(|visit| match &visit.outcome {
            PageOutcome::Ready(page) if page.content_hash == content_hash => Some(page.url.clone()),
            _ => None,
        }))
    }

    async fn progress(&mut self) -> Result<Progress, FrontierError> {
        let visited = self.entries.iter().filter(|entry| entry.visit.is_some()).count();
        Ok(Progress { ready: self.pages().len(), visited })
    }

    async fn close_pending(&mut self, reason: Reason) -> Result<(), FrontierError> {
        for entry in self.entries.iter_mut().filter(|entry| entry.visit.is_none()) {
            entry.closed = Some(reason);
        }
        Ok(())
    }

    async fn is_cancelled(&mut self) -> Result<bool, FrontierError> {
        let visited = self.entries.iter().filter(|entry| entry.visit.is_some()).count();
        Ok(self.cancel_after.is_some_and(|after| visited >= after))
    }
}
