//! The configured embedding model, and the job that makes the vectors of new chunks. Until it has, questions
//! are answered by words alone.

use std::time::Duration;

use frontdesk_assistant::ApiKey;
use frontdesk_outbound::OutboundError;
use frontdesk_retrieval::{ContentSearch, EmbeddingModel, EndpointConfig};
use frontdesk_store::{Job, Store};
use jiff::SignedDuration;
use tokio::time::{Instant, sleep};

use super::jobs::{Backoff, JobError, JobKind, JobSignals, JobSpec, NoPayload, Outcome, Queue};
use crate::platform::{
    Clock,
    config::{Search, SearchModel},
    model_endpoint,
};

/// Returns the configured model, without loading it. One behind an endpoint has an outbound client of its
/// own, so that networks opened for it stay closed to the crawler.
pub(crate) fn embedding_model(config: &Search) -> Result<EmbeddingModel, OutboundError> {
    Ok(match &config.model {
        SearchModel::None => EmbeddingModel::none(),
        SearchModel::Bundled => EmbeddingModel::bundled(),
        SearchModel::Folder(folder) => EmbeddingModel::in_folder(folder.clone()),
        SearchModel::Endpoint(base_url) => {
            let api_key = config.api_key.as_ref().and_then(|key| ApiKey::new(key.expose()));
            let endpoint = EndpointConfig {
                base_url: base_url.clone(),
                authorization: api_key.map(|key| key.bearer()),
                model: config.endpoint_model.clone().unwrap_or_default(),
                query_prefix: config.query_prefix.clone(),
                passage_prefix: config.passage_prefix.clone(),
            };
            let outbound = model_endpoint::outbound(Some(base_url), &config.allow_networks)?;
            EmbeddingModel::behind_endpoint(endpoint, outbound)
        }
    })
}

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

/// Chunks that are processed at a time, for less than a second.
const BATCH: u32 = 16;

/// How often the job polls for new chunks, so that the first pages of a crawl get vectors while the others
/// are read. A poll is one lookup in an index, while a new run of the job would write to the database.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The longest run. Afterwards another process may take the job.
const LONGEST_RUN: Duration = Duration::from_mins(5);

/// Makes the vectors of chunks without them, and of all chunks after a change of the model.
#[derive(Debug)]
pub(crate) struct EmbedChunks {
    pub(crate) search: ContentSearch,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) signals: JobSignals,
}

impl JobKind for EmbedChunks {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let Self { search, store, clock, signals } = self;
        let embedding = search.embedding();
        let Some(model_id) = embedding.id().await? else {
            return Ok(Outcome::RepeatAt(clock.now().saturating_add(WITHOUT_MODEL)?));
        };
        // One batch for each account in turn: the pages of a new customer do not wait for the thousands of
        // another one.
        let mut account = None;
        let begin = Instant::now();
        while begin.elapsed() < LONGEST_RUN && !signals.is_stopping() {
            let next = store.vectors().unembedded_in_turn(&model_id, account, BATCH).await?;
            let Some((account_id, chunks)) = next else {
                sleep(LOOK_INTERVAL).await;
                continue;
            };
            account = Some(account_id);
            let made = embedding.embed_chunks(chunks).await?;
            store.vectors().save(&model_id, &made).await?;
        }
        Ok(Outcome::RepeatAt(clock.now()))
    }
}
