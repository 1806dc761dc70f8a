//! The recurring job that deletes events and notices that are no longer kept.

use frontdesk_store::{Events, Job};

use crate::background::{
    Background,
    jobs::{JobError, JobKind, JobSpec, NoPayload, Outcome, hourly},
};

/// How many events one write deletes, each with a delivery for up to twenty endpoints.
const EVENTS_PER_RUN: u32 = 200;
/// How many notices one write deletes.
const NOTICES_PER_RUN: u32 = 1_000;

/// Deletes events, with their deliveries, and notices after 30 days.
#[derive(Debug)]
pub(crate) struct PruneEvents(pub(crate) Background);

impl JobKind for PruneEvents {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_events") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(Events::KEPT)?;
        let notices = self.0.store.notices().prune(before, NOTICES_PER_RUN).await?;
        let events = self.0.store.events().prune(before, EVENTS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        let is_all = notices < NOTICES_PER_RUN.into() && events < EVENTS_PER_RUN.into();
        Ok(if is_all { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}
