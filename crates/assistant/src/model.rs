//! The model writer: asks a configured model, and keeps only what it can verify.
//!
//! Any endpoint that implements `POST {base_url}/chat/completions` works. The prompt separates passages by
//! markers that nobody can guess, the completion is JSON, and [`verify`] checks it before anyone reads it, as
//! a whole or sentence by sentence ([`live`]). A circuit breaker and a concurrency limit protect the endpoint
//! and the visitors' time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_knowledge::Passage;
use frontdesk_outbound::Outbound;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use uuid::Uuid;

use crate::assessment::Assessment;
use crate::canned::{blocked, for_channel, hand_over, refuse};
use crate::draft::{Action, Cited, Draft, MODEL};
use crate::writer::{Writer, WriterError};

mod breaker;
mod budget;
mod completion;
mod config;
mod endpoint;
mod events;
mod growing;
mod links;
mod live;
mod marks;
mod observer;
mod prompt;
mod reply;
mod rewrite;
mod rewrite_prompt;
mod schema;
mod verify;

use breaker::{Breaker, Change};
pub use config::{ApiKey, BreakerSettings, ModelConfig, TokenParameter, UnknownTokenParameter};
use endpoint::Endpoint;
use live::{Live, Releasing};
use observer::Unobserved;
pub use observer::{ModelObserver, ModelOutcome, ModelRequest};
use prompt::Prompt;
use reply::Reply;
use schema::Format;

/// Longest wait for a free slot when too many answers are being written. Longer waits would only move the
/// overload.
const SLOT_WAIT: Duration = Duration::from_secs(2);

/// Generates a string that nobody can guess, a new one at each call.
type Nonce = Box<dyn Fn() -> String + Send + Sync>;

/// The writer that asks a model.
pub struct ModelWriter {
    endpoint: Endpoint,
    breaker: Breaker,
    slots: Semaphore,
    nonce: Nonce,
}

impl ModelWriter {
    /// Creates a writer for a model. `outbound` needs a policy that allows the endpoint.
    pub fn new(config: ModelConfig, outbound: Outbound) -> Self {
        Self {
            breaker: Breaker::new(config.breaker),
            slots: Semaphore::new(config.max_concurrency),
            endpoint: Endpoint::new(config, outbound, Arc::new(Unobserved)),
            nonce: Box::new(|| Uuid::new_v4().simple().to_string()),
        }
    }

    /// Takes the random part of the markers from `nonce`. They protect against instructions in passages only
    /// if they cannot be guessed.
    pub fn with_nonce(mut self, nonce: Nonce) -> Self {
        self.nonce = nonce;
        self
    }

    /// Reports measurements to `observer`.
    pub fn observed_by(mut self, observer: Arc<dyn ModelObserver>) -> Self {
        self.endpoint.set_observer(observer);
        self
    }

    /// Writes an answer as [`Writer::answer`] does, and sends its sentences to `reader` as soon as they are
    /// verified.
    ///
    /// What is sent is the beginning of the draft's text, possibly all of it and possibly nothing. If the
    /// endpoint fails after the first sentence, the draft is what was sent. If the receiver is dropped, the
    /// request is cancelled.
    pub async fn answer_live(
        &self,
        assessment: &Assessment<'_>,
        reader: &UnboundedSender<String>,
    ) -> Result<Draft, WriterError> {
        let mut live = Live::new(reader);
        let limit = self.endpoint.config().timeout;
        let result = tokio::select! {
            biased;
            result = self.guarded(limit, self.write(assessment, Some(&mut live))) => result,
            () = reader.closed() => Err(WriterError::Abandoned),
        };
        self.endpoint.observer().answer(ModelOutcome::of_result(&result));
        match (result, live.draft()) {
            (Err(error), Some(released)) => {
                if !matches!(error, WriterError::Abandoned) {
                    tracing::warn!(%error, "the model's answer broke off; the visitor keeps its beginning");
                }
                Ok(released)
            }
            (result, _) => result,
        }
    }

    /// Does `work`, which calls the endpoint, within `limit` if the circuit is closed and a slot is free.
    async fn guarded<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, WriterError>>,
    ) -> Result<T, WriterError> {
        let config = self.endpoint.config();
        let slot = tokio::time::timeout(SLOT_WAIT.min(limit), self.slots.acquire()).await;
        let overloaded = WriterError::Overloaded { limit: config.max_concurrency };
        let _slot = slot.ok().and_then(Result::ok).ok_or(overloaded)?;
        let admission =
            self.breaker.admit(Instant::now()).map_err(|retry_in| WriterError::CircuitOpen { retry_in })?;
        let outcome = tokio::time::timeout(limit, work).await;
        let result = outcome.unwrap_or(Err(WriterError::Timeout { limit }));
        let change = match ModelOutcome::of_result(&result).endpoint_works() {
            Some(true) => admission.succeed(),
            // An endpoint that needs longer than a shorter limit may still answer in time.
            Some(false) if limit < config.timeout && matches!(result, Err(WriterError::Timeout { .. })) => {
                None
            }
            Some(false) => admission.fail(Instant::now()),
            None => None,
        };
        if let Some(change) = change {
            self.announce(change);
        }
        result
    }

    fn announce(&self, change: Change) {
        let BreakerSettings { failures, cooldown } = self.endpoint.config().breaker;
        match change {
            Change::Opened => {
                tracing::warn!(failures, ?cooldown, "the model endpoint keeps failing; pausing calls");
            }
            Change::Closed => tracing::info!("the model endpoint works again"),
        }
        self.endpoint.observer().circuit(change == Change::Opened);
    }

    async fn write(
        &self,
        assessment: &Assessment<'_>,
        live: Option<&mut Live<'_>>,
    ) -> Result<Draft, WriterError> {
        let (task, language) = (assessment.task(), assessment.language());
        if task.retrieval.passages.is_empty() {
            return Ok(for_channel(task, language, refuse(task, language)));
        }
        let limit = self.endpoint.config().max_prompt_chars;
        let prompt = Prompt::new(task, language, &(self.nonce)(), limit)
            .ok_or(WriterError::PromptTooLong { limit })?;
        let format = Format::Answer { sources: prompt.sources() };
        let messages = prompt.messages();
        let Some(live) = live else {
            let content = self.endpoint.complete(&messages, format, None).await?;
            let (content, reply) = self.parsed(&prompt, content).await?;
            let cited = prompt.cited(&reply.citations());
            return self.checked(assessment, &prompt, &content, reply, cited).await;
        };
        let mut releasing = Releasing::new(live, &prompt, assessment);
        let mut listener = |part: &str| releasing.add(part);
        let content = self.endpoint.complete(&messages, format, Some(&mut listener)).await?;
        let (content, reply) = match (Reply::parse(&content), live.draft()) {
            (Ok(reply), _) => (content, reply),
            // A second completion would say something else than what the visitor has read.
            (Err(_), Some(released)) => return Ok(released),
            (Err(_), None) => self.parsed(&prompt, content).await?,
        };
        // Sentences have been verified against the list alone, because marks within the text come too late
        // for that.
        let numbers = if live.has_released() { reply.listed() } else { reply.citations() };
        let cited = prompt.cited(&numbers);
        let draft = self.checked(assessment, &prompt, &content, reply, cited).await?;
        Ok(live.reconcile(draft))
    }

    /// Parses a completion, or asks once more for one in the requested form.
    async fn parsed(&self, prompt: &Prompt<'_>, content: String) -> Result<(String, Reply), WriterError> {
        if let Ok(reply) = Reply::parse(&content) {
            return Ok((content, reply));
        }
        let format = Format::Answer { sources: prompt.sources() };
        let content = self.endpoint.complete(&prompt.repair(&content), format, None).await?;
        let reply = Reply::parse(&content).map_err(|reason| WriterError::Malformed { reason })?;
        Ok((content, reply))
    }

    /// Turns a well-formed reply into a draft that may be sent.
    async fn checked(
        &self,
        assessment: &Assessment<'_>,
        prompt: &Prompt<'_>,
        content: &str,
        reply: Reply,
        cited: Vec<&Passage>,
    ) -> Result<Draft, WriterError> {
        let (task, language) = (assessment.task(), assessment.language());
        let draft = if prompt.leaks_into(content) {
            tracing::warn!("the model's answer contained its instructions and was withheld");
            refuse(task, language)
        } else {
            self.draft(assessment, prompt, reply, cited).await?
        };
        Ok(for_channel(task, language, Draft { writer: MODEL, model_ran: true, ..draft }))
    }

    async fn draft(
        &self,
        assessment: &Assessment<'_>,
        prompt: &Prompt<'_>,
        reply: Reply,
        cited: Vec<&Passage>,
    ) -> Result<Draft, WriterError> {
        let (task, language) = (assessment.task(), assessment.language());
        match reply.action {
            Action::Refuse => Ok(refuse(task, language)),
            Action::Escalate => Ok(hand_over(task, language)),
            Action::Clarify => {
                let question = verify::question(&reply.answer);
                let allowed = question.filter(|question| !assessment.topics().names(question));
                Ok(allowed
                    .map_or_else(|| refuse(task, language), |text| Draft::phrase(Action::Clarify, text)))
            }
            Action::Answer => self.verified_answer(assessment, prompt, &reply, cited).await,
        }
    }

    async fn verified_answer(
        &self,
        assessment: &Assessment<'_>,
        prompt: &Prompt<'_>,
        reply: &Reply,
        cited: Vec<&Passage>,
    ) -> Result<Draft, WriterError> {
        let (task, language) = (assessment.task(), assessment.language());
        let mut claims = verify::Claims::new(&reply.answer, &cited, assessment.topics());
        if claims.are_foreign(language) {
            // Words of two languages cannot be compared, so a second request checks the sentences.
            let undecided = claims.undecided();
            if !undecided.is_empty() {
                let messages = prompt.judge(&undecided, &cited);
                let content = self.endpoint.complete(&messages, Format::Verdict, None).await?;
                let supported =
                    reply::verdict(&content).map_err(|reason| WriterError::Malformed { reason })?;
                claims.decide(&supported);
            }
        }
        if claims.name_blocked_topic() {
            return Ok(blocked(task, language));
        }
        let Some(text) = claims.supported_text() else { return Ok(refuse(task, language)) };
        let used_chunks = cited.iter().map(|passage| passage.chunk_id).collect();
        let sources = if task.settings.show_sources { Cited::all(cited) } else { Vec::new() };
        Ok(Draft { sources, used_chunks, ..Draft::phrase(Action::Answer, text) })
    }
}

impl Writer for ModelWriter {
    async fn answer(&self, assessment: &Assessment<'_>) -> Result<Draft, WriterError> {
        let result = self.guarded(self.endpoint.config().timeout, self.write(assessment, None)).await;
        self.endpoint.observer().answer(ModelOutcome::of_result(&result));
        result
    }

    fn name(&self) -> &'static str {
        MODEL
    }
}

impl fmt::Debug for ModelWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ModelWriter").field("config", self.endpoint.config()).finish_non_exhaustive()
    }
}
