//! The job that trains a chatbot.

use async_trait::async_trait;
use frontdesk_store::{Job, NewJob, Scope, Subject, SubjectKind};
use jiff::SignedDuration;
use uuid::Uuid;

use super::{crawl, outcome, waiting::WaitingCrawlers};
use crate::{
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    service::Service,
};

static SPEC: JobSpec = JobSpec {
    name: "train",
    queue: Queue::Crawl,
    // A crash of the process costs an attempt: a page that kills the worker each time must not do so for ever.
    max_attempts: 8,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    // A site that allows one request in ten seconds takes hours for a few thousand pages.
    time_limit: SignedDuration::from_hours(24),
    every: None,
};

/// Returns the job that trains a new chatbot; its subject is the chatbot.
pub(crate) fn job() -> NewJob {
    SPEC.new_job(&NoPayload {})
}

/// Crawls the start addresses of a chatbot.
#[derive(Debug)]
pub(crate) struct TrainChatbot {
    service: Service,
    waiting: WaitingCrawlers,
}

impl TrainChatbot {
    /// Returns the kind of job that works on this service.
    pub(crate) fn new(service: Service) -> Self {
        Self { service, waiting: WaitingCrawlers::default() }
    }
}

#[async_trait]
impl JobKind for TrainChatbot {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let Some((scope, chatbot_id)) = chatbot(job) else {
            return Err(JobError::GiveUp("the job names no chatbot".into()));
        };
        crawl::run(&self.service, &self.waiting, job, scope, chatbot_id).await
    }

    async fn give_up(&self, job: &Job, reason: &GiveUpReason) -> Result<(), BoxError> {
        if let Some((scope, chatbot_id)) = chatbot(job) {
            outcome::give_up(&self.service, &scope, chatbot_id, reason).await?;
        }
        Ok(())
    }
}

fn chatbot(job: &Job) -> Option<(Scope, Uuid)> {
    match (job.scope()?, job.subject?) {
        (scope, Subject { kind: SubjectKind::Chatbot, id }) => Some((scope, id)),
    }
}
