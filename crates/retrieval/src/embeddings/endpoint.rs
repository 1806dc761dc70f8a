//! An embedding model behind an OpenAI-compatible endpoint: `POST {base URL}/embeddings`.

use std::{iter, ops::Range, time::Duration};

use data_encoding::HEXLOWER;
use frontdesk_embedding::{Vector, VectorError};
use frontdesk_knowledge::{SegmentVector, segments};
use frontdesk_outbound::{Limits, Outbound, OutboundError};
use frontdesk_store::{ChunkVectors, NewVectors, UnembeddedChunk};
use http::{HeaderValue, StatusCode, header::AUTHORIZATION};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::{
    sync::OnceCell,
    time::{Instant, timeout},
};
use url::Url;

use super::{
    calibration::{Calibration, PASSAGES, QUESTIONS},
    known::Known,
    lead::lead,
    segments::encode,
};
use crate::lock::Lock;

/// Texts of one request. Endpoints accept at least so many.
const MOST_TEXTS: usize = 64;

/// Characters of a text that are sent, about 2,000 tokens. Endpoints refuse longer texts than their model can
/// read.
const MOST_CHARACTERS: usize = 8_000;

/// Maximum size of a response: 64 vectors of 4,096 numbers in decimal digits.
const MAX_RESPONSE_BYTES: u64 = 8 << 20;

/// How long questions are searched by their words only after a failure, so that visitors do not wait for an
/// endpoint that does not respond.
const PAUSE: Duration = Duration::from_secs(30);

/// How long a visitor waits for the vector of a question.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(4);

/// How long the job waits for the vectors of a request.
const CHUNK_TIMEOUT: Duration = Duration::from_mins(1);

/// An embedding model behind an OpenAI-compatible endpoint.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    /// Address of the endpoint without `/embeddings`, for example `https://api.openai.com/v1`.
    pub base_url: Url,
    /// Value of the `Authorization` header, if the endpoint requires one.
    pub authorization: Option<HeaderValue>,
    /// Name of the model.
    pub model: String,
    /// Put before each question.
    pub query_prefix: String,
    /// Put before each part of the content.
    pub passage_prefix: String,
}

impl EndpointConfig {
    fn embeddings_url(&self) -> Url {
        let mut url = self.base_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("embeddings");
        }
        url
    }
}

/// A model behind an endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    config: EndpointConfig,
    url: Url,
    outbound: Outbound,
    known: OnceCell<Known>,
    paused_until: Lock<Option<Instant>>,
}

/// Why an endpoint has no vectors for texts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It could not be reached.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// It refused the request.
    #[error("it responded with status {0}")]
    Status(StatusCode),
    /// Its response is none of the interface.
    #[error("its response is not a list of vectors: {0}")]
    Malformed(String),
    /// A vector has another length than those before.
    #[error("its vectors have {found} numbers where {expected} were expected; was its model changed?")]
    Dimensions {
        /// The length of the first vector.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// A vector cannot be used.
    #[error("a vector cannot be used: {0}")]
    Vector(#[from] VectorError),
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Returns the endpoint, without a request.
    pub(super) fn new(config: EndpointConfig, outbound: Outbound) -> Self {
        Self {
            url: config.embeddings_url(),
            config,
            outbound,
            known: OnceCell::new(),
            paused_until: Lock::default(),
        }
    }

    /// Returns what is known of the model. The first call asks for the vectors of a few texts.
    pub(super) async fn ready(&self) -> Result<Known, EndpointError> {
        Ok(self.known.get_or_try_init(|| self.introduce()).await?.clone())
    }

    pub(super) fn known(&self) -> Option<&Known> {
        self.known.get()
    }

    /// Returns what is known of the model, for callers that cannot wait long: the request has the timeout of
    /// a question, and none is sent for a while after a failure.
    pub(super) async fn ready_soon(&self) -> Option<Known> {
        if self.known.get().is_none() && self.is_paused() {
            return None;
        }
        let ready = timeout(QUESTION_TIMEOUT, self.ready()).await;
        let known = ready.ok().and_then(Result::ok);
        if known.is_none() {
            *self.paused_until.lock() = Some(Instant::now() + PAUSE);
        }
        known
    }

    /// Returns the vector of a question, or `None` for a while after a failure.
    pub(super) async fn embed_query(&self, question: &str) -> Result<Option<Vector>, EndpointError> {
        if self.is_paused() {
            return Ok(None);
        }
        let vector = async {
            self.known.get_or_try_init(|| self.introduce()).await?;
            let text = [self.config.query_prefix.as_str(), question].concat();
            Ok(self.embed(&[text], QUESTION_TIMEOUT).await?.pop())
        };
        let vector = vector.await;
        if vector.is_err() {
            *self.paused_until.lock() = Some(Instant::now() + PAUSE);
        }
        vector
    }

    /// Returns the vectors of chunks and of their segments.
    pub(super) async fn embed_chunks(
        &self,
        chunks: &[UnembeddedChunk],
    ) -> Result<Vec<NewVectors>, EndpointError> {
        let parts: Vec<Vec<Range<usize>>> = chunks.iter().map(|chunk| segments(&chunk.text)).collect();
        let mut texts = Vec::new();
        for (chunk, parts) in chunks.iter().zip(&parts) {
            let whole = [self.config.passage_prefix.as_str(), &lead(chunk), "\n", &chunk.text].concat();
            let parts = parts
                .iter()
                .map(|range| [self.config.passage_prefix.as_str(), &chunk.text[range.clone()]].concat());
            texts.extend(iter::once(whole).chain(parts));
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(MOST_TEXTS) {
            vectors.extend(self.embed(batch, CHUNK_TIMEOUT).await?);
        }
        let mut vectors = vectors.into_iter();
        let made = chunks.iter().zip(parts).map(|(chunk, parts)| {
            let whole = vectors.next().map(|vector| vector.quantize().to_bytes());
            let segments: Vec<SegmentVector> = parts
                .into_iter()
                .zip(vectors.by_ref())
                .map(|(range, vector)| SegmentVector { range, vector: vector.quantize() })
                .collect();
            let vectors = whole.map(|vector| ChunkVectors { vector, segments: encode(&segments) });
            NewVectors { chunk_id: chunk.chunk_id, vectors }
        });
        Ok(made.collect())
    }

    fn is_paused(&self) -> bool {
        let until = *self.paused_until.lock();
        until.is_some_and(|until| Instant::now() < until)
    }

    /// Asks for the vectors of texts that show the length and the band of the model's vectors.
    async fn introduce(&self) -> Result<Known, EndpointError> {
        let questions = QUESTIONS.map(|text| [self.config.query_prefix.as_str(), text].concat());
        let passages = PASSAGES.map(|text| [self.config.passage_prefix.as_str(), text].concat());
        let mut vectors = self.embed(&[&questions[..], &passages].concat(), CHUNK_TIMEOUT).await?;
        let passages = vectors.split_off(questions.len());
        let dimensions = vectors.first().map_or(0, |vector| vector.as_slice().len());
        let calibration = Calibration::of(&vectors, &passages);
        Ok(Known { id: self.id(dimensions), dimensions, calibration })
    }

    /// Returns an id that changes with whatever changes vectors, as far as the configuration tells: 16
    /// hexadecimal digits.
    fn id(&self, dimensions: usize) -> String {
        let mut hash = Sha256::new();
        let dimensions = dimensions.to_string();
        let EndpointConfig { model, query_prefix, passage_prefix, .. } = &self.config;
        for part in [self.url.as_str(), model, query_prefix, passage_prefix, &dimensions] {
            // The length keeps text from moving between parts unnoticed.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        HEXLOWER.encode(&hash.finalize()[..8])
    }

    /// Returns the vectors of texts, in their order.
    async fn embed(&self, texts: &[String], timeout: Duration) -> Result<Vec<Vector>, EndpointError> {
        let input: Vec<&str> = texts.iter().map(|text| beginning(text)).collect();
        let body = json!({ "model": self.config.model, "input": input, "encoding_format": "float" });
        let limits =
            Limits { total: timeout, max_bytes: MAX_RESPONSE_BYTES, max_redirects: 0, ..Limits::default() };
        let headers: Vec<_> =
            self.config.authorization.iter().map(|value| (AUTHORIZATION, value.clone())).collect();
        let response = self.outbound.post_json(&self.url, &headers, &body, &limits).await?;
        if !response.status.is_success() {
            return Err(EndpointError::Status(response.status));
        }
        let mut read: Response = serde_json::from_slice(&response.body)
            .map_err(|error| EndpointError::Malformed(error.to_string()))?;
        read.data.sort_by_key(|embedding| embedding.index);
        if !read.data.iter().map(|embedding| embedding.index).eq(0..texts.len()) {
            let problem = format!("{} vectors for {} texts", read.data.len(), texts.len());
            return Err(EndpointError::Malformed(problem));
        }
        read.data.into_iter().map(|embedding| self.vector(embedding.embedding)).collect()
    }

    fn vector(&self, numbers: Vec<f32>) -> Result<Vector, EndpointError> {
        let found = numbers.len();
        match self.known.get() {
            Some(known) if known.dimensions != found => {
                Err(EndpointError::Dimensions { expected: known.dimensions, found })
            }
            _ => Ok(Vector::new(numbers)?),
        }
    }
}

/// Returns the beginning of a text that is sent. An empty text, which endpoints refuse, is a space.
fn beginning(text: &str) -> &str {
    if text.is_empty() {
        return " ";
    }
    text.char_indices().nth(MOST_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}
