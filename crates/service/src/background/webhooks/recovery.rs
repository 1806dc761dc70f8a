//! Sending missed events again: a few at once, many by a job.

use std::time::Duration;

use frontdesk_store::{Job, MissedEvents, Scope, StoreError, WebhookEndpoint};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use crate::background::{
    Background,
    jobs::{Backoff, JobError, JobKind, JobSpec, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "recover_deliveries",
    queue: Queue::Housekeeping,
    max_attempts: 5,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_hours(6),
    every: None,
};

/// How many events one write queues. It takes a few hundredths of a second.
const EVENTS_AT_ONCE: u32 = 500;
/// How long a run goes on before other housekeeping has its turn. The next run passes over what is queued
/// already.
const RUN: Duration = Duration::from_secs(5);

/// What a job recovers. Times are in microseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Payload {
    webhook_endpoint_id: Uuid,
    since: i64,
    until: i64,
    given_up_until: i64,
}

/// Queues the events of a period that an endpoint should have received and did not: at once if they are few,
/// or else by a job. Returns their number, or `None` if there is no such endpoint.
pub(crate) async fn recover(
    service: &Background,
    scope: &Scope,
    endpoint: &WebhookEndpoint,
    missed: &MissedEvents,
) -> Result<Option<u64>, StoreError> {
    let id = endpoint.webhook_endpoint_id;
    let webhooks = service.store.webhooks();
    let Some(count) = webhooks.count_missed(scope, id, missed).await? else { return Ok(None) };
    if count <= u64::from(EVENTS_AT_ONCE) {
        let part = webhooks.recover_part(scope, id, missed, i64::MIN, EVENTS_AT_ONCE, service.now()).await?;
        return Ok(part.map(|part| part.queued));
    }
    let payload = Payload {
        webhook_endpoint_id: id,
        since: missed.since.as_microsecond(),
        until: missed.until.as_microsecond(),
        given_up_until: missed.given_up_until.as_microsecond(),
    };
    let account = Scope::of_account(endpoint.account_id);
    let enqueued = service.store.jobs().enqueue(&account, &SPEC.new_job(&payload), service.now()).await?;
    service.job_signals.enqueued(SPEC.queue);
    Ok(enqueued.map(|_| count))
}

/// Queues missed events in short writes, between which others have their turn.
#[derive(Debug)]
pub(crate) struct RecoverDeliveries(pub(crate) Background);

impl JobKind for RecoverDeliveries {
    type Payload = Payload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, payload: Payload) -> Result<Outcome, JobError> {
        let Some(account_id) = job.account_id else { return Ok(Outcome::Done) };
        let (scope, id) = (Scope::of_account(account_id), payload.webhook_endpoint_id);
        let missed = MissedEvents {
            since: Timestamp::from_microsecond(payload.since)?,
            until: Timestamp::from_microsecond(payload.until)?,
            given_up_until: Timestamp::from_microsecond(payload.given_up_until)?,
        };
        let begun = Instant::now();
        let mut after = i64::MIN;
        while begun.elapsed() < RUN {
            let webhooks = self.0.store.webhooks();
            let part =
                webhooks.recover_part(&scope, id, &missed, after, EVENTS_AT_ONCE, self.0.now()).await?;
            match part.and_then(|part| part.last) {
                Some(last) => after = last,
                // All are queued, or the endpoint was deleted.
                None => return Ok(Outcome::Done),
            }
        }
        Ok(Outcome::ContinueAt(self.0.now()))
    }
}
