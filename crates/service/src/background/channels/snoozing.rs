//! Snoozed threads come back: a recurring job opens them.

use frontdesk_store::Job;
use jiff::SignedDuration;

use crate::background::{
    Background,
    jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "wake_threads",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_secs(15)),
};

/// Threads that come back in one run. Others follow in the next.
const BATCH: u32 = 200;

/// Opens snoozed threads whose time has come.
#[derive(Debug)]
pub(crate) struct WakeThreads(pub(crate) Background);

impl JobKind for WakeThreads {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let woken = self.0.store.threads().wake(now, BATCH).await?;
        Ok(if woken == u64::from(BATCH) { Outcome::ContinueAt(now) } else { Outcome::Done })
    }
}
