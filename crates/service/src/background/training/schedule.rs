//! Crawls of websites that are due: the recurring job that begins them, and the beginning of a crawl on
//! demand.

use frontdesk_store::{CrawlScope, Job, RecrawlRefused, Scope, Website};
use jiff::SignedDuration;

use super::job;
use crate::background::{
    Background,
    jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "begin_scheduled_crawls",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_mins(1)),
};

/// Websites whose crawl begins in one run. Others follow a minute later.
const BATCH: u32 = 500;

/// Begins the crawls of websites whose refresh interval has passed.
#[derive(Debug)]
pub(crate) struct BeginScheduledCrawls(pub(crate) Background);

impl JobKind for BeginScheduledCrawls {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        self.begin_due().await?;
        Ok(Outcome::Done)
    }
}

impl BeginScheduledCrawls {
    /// Begins the crawls of the websites that are due now.
    pub(super) async fn begin_due(&self) -> Result<(), RecrawlRefused> {
        let service = &self.0;
        for website in service.store.websites().due(service.now(), BATCH).await? {
            let scope = website.account_scope();
            let websites = service.store.websites();
            match websites.recrawl(&scope, &website, CrawlScope::Changed, &job(), None, service.now()).await {
                Ok(_) | Err(RecrawlRefused::InProgress | RecrawlRefused::TooSoon { .. }) => {}
                Err(error) => return Err(error),
            }
            service.job_signals.enqueued(Queue::Crawl);
        }
        Ok(())
    }
}

/// Begins a crawl that an owner asks for. `None` when the website no longer exists.
pub(crate) async fn recrawl(
    service: &Background,
    scope: &Scope,
    website: &Website,
    what: CrawlScope,
) -> Result<Option<Website>, RecrawlRefused> {
    let pause = SignedDuration::try_from(service.config.training.recrawl_pause).ok();
    let begun = service.store.websites().recrawl(scope, website, what, &job(), pause, service.now()).await?;
    service.job_signals.enqueued(Queue::Crawl);
    Ok(begun)
}
