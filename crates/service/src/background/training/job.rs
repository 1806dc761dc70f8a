//! The job that crawls a website.

use frontdesk_store::{Job, NewJob, Scope, Subject, SubjectKind};
use jiff::SignedDuration;
use uuid::Uuid;

use super::{crawl, outcome, waiting::WaitingCrawlers};
use crate::background::{
    Background,
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "crawl_website",
    queue: Queue::Crawl,
    // A crash of the process costs an attempt: a page that kills the worker each time must not do so for
    // ever. A crawl of hours survives more crashes than other jobs do.
    max_attempts: 16,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    // A site that allows one request in ten seconds takes hours for a few thousand pages.
    time_limit: SignedDuration::from_hours(24),
    every: None,
};

/// Returns the job that crawls a website; its subject is the website.
pub(crate) fn job() -> NewJob {
    SPEC.new_job(&NoPayload {})
}

/// Crawls the website that is the subject of the job.
#[derive(Debug)]
pub(crate) struct CrawlWebsite {
    service: Background,
    waiting: WaitingCrawlers,
}

impl CrawlWebsite {
    /// Returns the kind of job that works on this service.
    pub(crate) fn new(service: Background) -> Self {
        Self { service, waiting: WaitingCrawlers::default() }
    }
}

impl JobKind for CrawlWebsite {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let Some((scope, website_id)) = website(job) else {
            return Err(JobError::GiveUp("the job names no website".into()));
        };
        crawl::run(&self.service, &self.waiting, job, scope, website_id).await
    }

    async fn give_up(&self, job: &Job, reason: &GiveUpReason) -> Result<(), BoxError> {
        if let Some((scope, website_id)) = website(job) {
            outcome::give_up(&self.service, &scope, website_id, reason).await?;
        }
        Ok(())
    }
}

fn website(job: &Job) -> Option<(Scope, Uuid)> {
    match (job.scope()?, job.subject?) {
        (scope, Subject { kind: SubjectKind::Website, id }) => Some((scope, id)),
        _ => None,
    }
}
