//! The recurring job that finds websites and chatbots whose training nobody continues.
//!
//! Giving a job up ends the crawl of its website first, so this job finds something only after a process of
//! another version gave up a kind of job that it does not know.

use frontdesk_store::Job;
use jiff::SignedDuration;

use super::outcome;
use crate::background::{
    Background,
    jobs::{Backoff, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "end_training_without_job",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_mins(1)),
};

/// Ends the crawls of websites, and the training of chatbots, that wait for a job that does not exist.
#[derive(Debug)]
pub(crate) struct EndTrainingWithoutJob(pub(crate) Background);

impl JobKind for EndTrainingWithoutJob {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        for website in self.0.store.websites().stranded().await? {
            tracing::error!(website_id = %website.website_id, "a website is being crawled without a job");
            let scope = website.account_scope();
            outcome::give_up(&self.0, &scope, website.website_id, &GiveUpReason::WorkerLost).await?;
        }
        for chatbot in self.0.store.chatbots().stranded().await? {
            tracing::error!(chatbot_id = %chatbot.chatbot_id, "a chatbot is in training without a job");
            let (scope, reason) = (chatbot.scope(), GiveUpReason::WorkerLost);
            outcome::end_training(&self.0, &scope, chatbot.chatbot_id, &reason).await?;
        }
        Ok(Outcome::Done)
    }
}
