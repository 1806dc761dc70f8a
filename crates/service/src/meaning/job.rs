//! The job that makes the vectors of new chunks. Until it has, questions are answered by words alone.

use async_trait::async_trait;
use frontdesk_embedding::{Model, ModelError, Vector};
use frontdesk_knowledge::{SegmentVector, segments};
use frontdesk_store::{ChunkVectors, Job, NewVectors, UnembeddedChunk};
use jiff::SignedDuration;

use super::segments::encode;
use crate::{
    jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    service::Service,
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
pub(crate) struct EmbedChunks(pub(crate) Service);

#[async_trait]
impl JobKind for EmbedChunks {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let Service { store, embedding, .. } = &self.0;
        let Some(model_id) = embedding.run(|model| Ok(model.id().to_owned())).await? else {
            return Ok(Outcome::RepeatAt(self.0.now().saturating_add(WITHOUT_MODEL)?));
        };
        loop {
            let chunks = store.vectors().unembedded(&model_id, BATCH).await?;
            if chunks.is_empty() {
                return Ok(Outcome::Done);
            }
            let made = embedding
                .run(move |model| Ok(chunks.iter().map(|chunk| vectors(model, chunk)).collect::<Vec<_>>()))
                .await?;
            store.vectors().save(&model_id, &made.unwrap_or_default()).await?;
        }
    }
}

/// Returns the vectors of a chunk. A text on which the model fails gets none, so that it does not stop all others.
fn vectors(model: &Model, chunk: &UnembeddedChunk) -> NewVectors {
    let vectors = embed(model, chunk);
    if let Err(error) = &vectors {
        tracing::warn!(%error, chunk_id = %chunk.chunk_id, "a chunk has no vector and is found by its words only");
    }
    NewVectors { chunk_id: chunk.chunk_id, vectors: vectors.ok() }
}

fn embed(model: &Model, chunk: &UnembeddedChunk) -> Result<ChunkVectors, ModelError> {
    let lead = [chunk.title.as_str(), &chunk.headings].join(" > ");
    let ranges = segments(&chunk.text);
    let parts: Vec<&str> = ranges.iter().map(|range| &chunk.text[range.clone()]).collect();
    let (whole, parts) = model.embed_parts(lead.trim_end_matches(" > "), &parts)?;
    let with_vector = |(range, vector): (_, Option<Vector>)| {
        vector.map(|vector| SegmentVector { range, vector: vector.quantize() })
    };
    let segments: Vec<SegmentVector> = ranges.into_iter().zip(parts).filter_map(with_vector).collect();
    Ok(ChunkVectors { vector: whole.quantize().to_bytes(), segments: encode(&segments) })
}
