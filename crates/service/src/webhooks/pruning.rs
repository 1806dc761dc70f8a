//! The recurring job that deletes events and notices that are no longer kept.

use frontdesk_store::{Events, Job};

use crate::{
    jobs::{JobError, JobKind, JobSpec, NoPayload, Outcome, hourly},
    service::Service,
};

/// How many events one write deletes, with their deliveries.
const EVENTS_PER_RUN: u32 = 1_000;

/// Deletes events, with their deliveries, and notices after 30 days.
#[derive(Debug)]
pub(crate) struct PruneEvents(pub(crate) Service);

impl JobKind for PruneEvents {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_events") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(Events::KEPT)?;
        self.0.store.notices().prune(before).await?;
        let pruned = self.0.store.events().prune(before, EVENTS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        Ok(if pruned < EVENTS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}
