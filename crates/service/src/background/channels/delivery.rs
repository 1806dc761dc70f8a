//! Sends what people write in threads: one job for each message, and at most one attempt whose end nobody
//! knows.

use frontdesk_outbound::Handover;
use frontdesk_store::{DeliveryOutcome, Job, NewJob, OutgoingMessage, Scope};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{DeliveryError, deliver};
use crate::background::{
    Background,
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "deliver_message",
    queue: Queue::Channels,
    max_attempts: 6,
    backoff: Backoff { first: SignedDuration::from_secs(15), longest: SignedDuration::from_mins(30) },
    time_limit: SignedDuration::from_hours(24),
    every: None,
};

/// The message to send.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Payload {
    message_id: Uuid,
}

/// Returns the job that sends a message.
pub(crate) fn job(message_id: Uuid) -> NewJob {
    SPEC.new_job(&Payload { message_id })
}

/// Sends a message by its channel.
#[derive(Debug)]
pub(crate) struct DeliverMessage(pub(crate) Background);

impl JobKind for DeliverMessage {
    type Payload = Payload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, Payload { message_id }: Payload) -> Result<Outcome, JobError> {
        let Self(service) = self;
        let Some(scope) = job.scope() else { return Ok(Outcome::Done) };
        let threads = service.store.threads();
        let Some(outgoing) = threads.take_outgoing(&scope, message_id).await? else {
            return Ok(Outcome::Done);
        };
        let attempt = outgoing.attempts;
        let handover = handover(service, scope, message_id, attempt);
        let (outcome, retry) = match deliver(service, &outgoing, &handover).await {
            Ok(delivered) => (DeliveryOutcome::Sent { external_id: delivered.external_id }, None),
            Err(DeliveryError::NotSent(error)) => (DeliveryOutcome::NotSent, Some(error)),
            Err(DeliveryError::Refused(error)) => (DeliveryOutcome::Failed { error }, None),
            Err(DeliveryError::Unknown(error)) => {
                let error = format!("The message may have been sent, so it is not sent again: {error}");
                (DeliveryOutcome::Failed { error }, None)
            }
        };
        threads.finish_sending(&scope, message_id, attempt, &outcome).await?;
        match retry {
            Some(error) => Err(JobError::Retry(without_recipient(&error, &outgoing).into())),
            None => Ok(Outcome::Done),
        }
    }

    async fn give_up(&self, job: &Job, reason: &GiveUpReason) -> Result<(), BoxError> {
        let Some(scope) = job.scope() else { return Ok(()) };
        let Payload { message_id } = serde_json::from_value(job.payload.clone())?;
        let error = format!("The message was not sent: {reason}");
        self.0.store.threads().give_up_outgoing(&scope, message_id, &error).await?;
        Ok(())
    }
}

/// Marks a message as being sent just before it, or a part of it, is handed over.
fn handover(service: &Background, scope: Scope, message_id: Uuid, attempt: u32) -> Handover {
    let store = service.store.clone();
    Handover::new(move || {
        let store = store.clone();
        async move {
            let is_ours = store.threads().begin_sending(&scope, message_id, attempt).await?;
            if is_ours { Ok(()) } else { Err("another process sends it, or it was given up".into()) }
        }
    })
}

/// Returns an error without what the channel knows the recipient by, such as the number of a chat. It is kept
/// with the job, and logged; e-mail addresses are taken out of both in any case.
fn without_recipient(error: &str, outgoing: &OutgoingMessage) -> String {
    match &outgoing.thread.external_key {
        Some(key) if key.len() >= SHORTEST_KEY => error.replace(key.as_str(), "[address]"),
        _ => error.to_owned(),
    }
}

/// Shorter keys are found by chance.
const SHORTEST_KEY: usize = 5;

static PRUNING: JobSpec = JobSpec {
    name: "prune_attachments",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_mins(30),
    every: Some(SignedDuration::from_mins(30)),
};

/// How long an attachment waits for its message.
const UNUSED: SignedDuration = SignedDuration::from_hours(24);
/// Attachments that one run deletes.
const PER_RUN: u32 = 500;

/// Deletes attachments that were uploaded and never sent. Their content is deleted as every object that
/// nothing names.
#[derive(Debug)]
pub(crate) struct PruneAttachments(pub(crate) Background);

impl JobKind for PruneAttachments {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &PRUNING
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(UNUSED)?;
        let pruned = self.0.store.threads().prune_attachments(before, PER_RUN).await?;
        Ok(if pruned == u64::from(PER_RUN) { Outcome::ContinueAt(now) } else { Outcome::Done })
    }
}
