//! The recurring job that finds chatbots whose training nobody continues.
//!
//! Giving a job up tells its chatbot first, so this job finds a chatbot only after a process of another version gave up a
//! kind of job that it does not know.

use async_trait::async_trait;
use frontdesk_store::Job;
use jiff::SignedDuration;

use super::outcome;
use crate::{
    jobs::{Backoff, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    service::Service,
};

static SPEC: JobSpec = JobSpec {
    name: "end_training_without_job",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_mins(1)),
};

/// Ends the training of chatbots that wait for a job that does not exist.
#[derive(Debug)]
pub(crate) struct EndTrainingWithoutJob(pub(crate) Service);

#[async_trait]
impl JobKind for EndTrainingWithoutJob {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        for chatbot in self.0.store.chatbots().stranded().await? {
            tracing::error!(chatbot_id = %chatbot.chatbot_id, "a chatbot is in training without a job");
            outcome::give_up(&self.0, &chatbot.scope(), chatbot.chatbot_id, &GiveUpReason::WorkerLost)
                .await?;
        }
        Ok(Outcome::Done)
    }
}
