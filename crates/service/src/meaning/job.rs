//! The job that makes the vectors of new chunks. Until it has, questions are answered by words alone.

use frontdesk_store::Job;
use jiff::SignedDuration;

use crate::{
    background::jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    platform::Clock,
    search::ContentSearch,
};

static SPEC: JobSpec = JobSpec {
    name: "embed_chunks",
    queue: Queue::Embed,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_hours(24),
    every: Some(SignedDuration::from_secs(5)),
};

/// The time until the next look while no model is configured: another process may have one.
const WITHOUT_MODEL: SignedDuration = SignedDuration::from_mins(1);

/// Chunks that are processed at a time, for about a second.
const BATCH: u32 = 16;

/// Makes the vectors of chunks without them, and of all chunks after a change of the model.
#[derive(Debug)]
pub(crate) struct EmbedChunks {
    pub(crate) search: ContentSearch,
    pub(crate) clock: Clock,
}

impl JobKind for EmbedChunks {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let ContentSearch { store, embedding, .. } = &self.search;
        let Some(model) = embedding.ready().await? else {
            return Ok(Outcome::RepeatAt(self.clock.now().saturating_add(WITHOUT_MODEL)?));
        };
        // One batch for each account in turn: the pages of a new customer do not wait for the thousands of another one.
        let mut account = None;
        loop {
            let next = store.vectors().unembedded_in_turn(&model.id, account, BATCH).await?;
            let Some((account_id, chunks)) = next else { return Ok(Outcome::Done) };
            account = Some(account_id);
            let made = embedding.embed_chunks(chunks).await?;
            store.vectors().save(&model.id, &made).await?;
        }
    }
}
