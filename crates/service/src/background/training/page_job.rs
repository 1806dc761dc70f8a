//! The job that fetches a single webpage.

use frontdesk_knowledge::{
    CrawlBounds, CrawlEnd, Crawler, Found, Frontier, FrontierError, Pending, Progress, Reason, Root, Visit,
};
use frontdesk_store::{
    Job, NewJob, PLAN_LIMIT_REASON, PageFinish, PageStatus, PageVisit, Scope, VisitOutcome, Webpage,
};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::frontier::pending;
use super::linked;
use super::outcome;
use super::visit::{log, page_visit};
use super::waiting::WaitingCrawlers;
use crate::background::{
    Background,
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "fetch_webpage",
    queue: Queue::Crawl,
    max_attempts: 5,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_hours(1),
    every: None,
};

/// The page to fetch. The subject of the job is its chatbot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PageToFetch {
    webpage_id: Uuid,
}

/// Returns the job that fetches a page.
pub(crate) fn page_job(webpage_id: Uuid) -> NewJob {
    SPEC.new_job(&PageToFetch { webpage_id })
}

/// Fetches a page without following its links. A page that was deleted or fetched meanwhile is left alone.
#[derive(Debug)]
pub(crate) struct FetchWebpage {
    service: Background,
    waiting: WaitingCrawlers,
}

impl FetchWebpage {
    /// Returns the kind of job that works on this service.
    pub(crate) fn new(service: Background) -> Self {
        Self { service, waiting: WaitingCrawlers::default() }
    }

    /// Returns the page of a job if it is still to be fetched.
    async fn page(&self, job: &Job, webpage_id: Uuid) -> Result<Option<(Scope, Webpage)>, BoxError> {
        let Some(scope) = job.scope() else { return Ok(None) };
        let page = self.service.store.webpages().find(&scope, webpage_id).await?;
        Ok(page.filter(|page| page.queued).map(|page| (scope, page)))
    }
}

impl JobKind for FetchWebpage {
    type Payload = PageToFetch;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, PageToFetch { webpage_id }: PageToFetch) -> Result<Outcome, JobError> {
        let Some((scope, page)) = self.page(job, webpage_id).await.map_err(JobError::Retry)? else {
            return Ok(Outcome::Done);
        };
        let service = &self.service;
        let mut crawler = match self.waiting.take(job) {
            Some(crawler) => crawler,
            None => {
                let bounds = CrawlBounds {
                    max_depth: 0,
                    sitemaps: false,
                    delay: service.config.training.delay,
                    // A request for the address of a file means the file itself.
                    files: Some(linked::files(service)),
                    ..CrawlBounds::default()
                };
                let url: Url = page.url.parse()?;
                let hosts = service.crawled_hosts.clone();
                Crawler::new(service.outbound.clone(), hosts, [Root { url, final_url: None }], bounds)
            }
        };
        let mut frontier = OnePage { service: service.clone(), scope, page: page.clone() };
        if let CrawlEnd::Waiting { wait } = crawler.crawl(&mut frontier).await? {
            self.waiting.keep(job, crawler, wait);
            return Ok(Outcome::ContinueAt(service.now().saturating_add(SignedDuration::try_from(wait)?)?));
        }
        outcome::announce(service, &scope, page.chatbot_id).await?;
        Ok(Outcome::Done)
    }

    async fn give_up(&self, job: &Job, _: &GiveUpReason) -> Result<(), BoxError> {
        let payload: PageToFetch = serde_json::from_value(job.payload.clone())?;
        let Some((scope, page)) = self.page(job, payload.webpage_id).await? else { return Ok(()) };
        // Content that was stored before is kept.
        let status = if page.status == PageStatus::Ready { PageStatus::Ready } else { PageStatus::Failed };
        let outcome = frontdesk_store::PageOutcome::without_content(status, Reason::Timeout.as_str());
        let visit = PageVisit { outcome, result: VisitOutcome::Failed, validators: None };
        let (service, now) = (&self.service, self.service.now());
        service.store.websites().finish_page(&scope, &page, &visit, now).await?;
        outcome::announce(service, &scope, page.chatbot_id).await?;
        Ok(())
    }
}

/// A frontier of one page.
struct OnePage {
    service: Background,
    scope: Scope,
    page: Webpage,
}

impl Frontier for OnePage {
    async fn add(&mut self, _: &[Found]) -> Result<(), FrontierError> {
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Pending>, FrontierError> {
        let page = self.service.store.webpages().find(&self.scope, self.page.webpage_id).await?;
        let Some(page) = page.filter(|page| page.queued) else { return Ok(None) };
        let mut pending = pending(&page, true)?;
        // The page is the root of its own crawl, wherever it is on its website.
        pending.depth = 0;
        self.page = page;
        Ok(Some(pending))
    }

    async fn finish(&mut self, _: Uuid, visit: &Visit) -> Result<(), FrontierError> {
        let (visited, known) = (visit.clone(), self.page.clone());
        let stored = tokio::task::spawn_blocking(move || page_visit(&visited, &known, Vec::new(), 0)).await?;
        let now = self.service.now();
        match self.service.store.websites().finish_page(&self.scope, &self.page, &stored, now).await? {
            PageFinish::Stored => {
                self.service.metrics.page(stored.outcome.reason.as_deref().unwrap_or("ready"));
                log(visit, &self.page);
            }
            PageFinish::OverPlan => self.service.metrics.page(PLAN_LIMIT_REASON),
            PageFinish::Gone => {}
        }
        Ok(())
    }

    async fn page_with_content(
        &mut self,
        content_hash: &str,
        except: Uuid,
    ) -> Result<Option<Url>, FrontierError> {
        let pages = self.service.store.webpages();
        let page = pages.find_by_content(&self.scope, self.page.chatbot_id, content_hash).await?;
        let other = page.filter(|page| page.webpage_id != except);
        Ok(other.and_then(|page| page.url.parse().ok()))
    }

    async fn progress(&mut self) -> Result<Progress, FrontierError> {
        Ok(Progress::default())
    }

    async fn close_pending(&mut self, _: Reason) -> Result<(), FrontierError> {
        Ok(())
    }

    async fn is_cancelled(&mut self) -> Result<bool, FrontierError> {
        Ok(false)
    }
}
