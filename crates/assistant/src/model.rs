//! The writer that asks a model, and believes only what it can check.
//!
//! Any server that speaks `POST {base_url}/chat/completions` will do. The model sees passages between marks
//! that nobody can guess, answers in JSON, and its answer passes through [`verify`] before anyone reads it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use frontdesk_outbound::{Fetched, Limits, Outbound};
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::assistant::handed_over;
use crate::extractive::{blocked, refuse};
use crate::language::Language;
use crate::phrases::shape;
use crate::task::{Action, Cited, Draft, Task};
use crate::topics::Topics;
use crate::writer::{Writer, WriterError};

mod config;
mod links;
mod prompt;
mod reply;
mod verify;

pub use config::{ApiKey, ModelConfig};
use prompt::Prompt;
use reply::Reply;

/// Name of this writer in drafts.
const NAME: &str = "model";

/// Most bytes of an answer of the model server. Answers are a few kilobytes.
const MAX_RESPONSE_BYTES: u64 = 1024 * 1024;

/// Makes a string that nobody can guess, new at each call.
type Nonce = Box<dyn Fn() -> String + Send + Sync>;

/// The writer that asks a model.
pub struct ModelWriter {
    config: ModelConfig,
    outbound: Outbound,
    nonce: Nonce,
    /// The server has refused `response_format` before, so it is left out.
    plain: AtomicBool,
}

impl ModelWriter {
    /// A writer for this model.
    pub fn new(config: ModelConfig, outbound: Outbound) -> Self {
        Self::with_nonce(config, outbound, Box::new(|| Uuid::new_v4().simple().to_string()))
    }

    /// A writer whose marks come from `nonce`. They protect against instructions in passages only if they
    /// cannot be guessed.
    pub fn with_nonce(config: ModelConfig, outbound: Outbound, nonce: Nonce) -> Self {
        Self { config, outbound, nonce, plain: AtomicBool::new(false) }
    }

    async fn write(&self, task: &Task) -> Result<Draft, WriterError> {
        let language = Language::for_answer(task);
        if task.retrieval.passages.is_empty() {
            return Ok(shape(task, language, refuse(task, language)));
        }
        let prompt = Prompt::new(task, language, &(self.nonce)());
        let content = self.complete(prompt.messages(), Format::Answer).await?;
        let (content, parsed) = match Reply::parse(&content) {
            Ok(reply) => (content, reply),
            Err(_) => self.repair(&prompt, &content).await?,
        };
        let draft = if prompt.leaks_into(&content) {
            tracing::warn!("the model's answer contained its instructions and was withheld");
            refuse(task, language)
        } else {
            self.draft(task, language, &prompt, parsed).await?
        };
        Ok(shape(task, language, Draft { writer: NAME, model_ran: true, ..draft }))
    }

    /// Asks once more for an answer in the right form.
    async fn repair(&self, prompt: &Prompt<'_>, content: &str) -> Result<(String, Reply), WriterError> {
        let content = self.complete(prompt.repair(content), Format::Answer).await?;
        let reply = Reply::parse(&content).map_err(|reason| WriterError::Malformed { reason })?;
        Ok((content, reply))
    }

    /// Turns a well-formed reply into a draft.
    async fn draft(
        &self,
        task: &Task,
        language: Language,
        prompt: &Prompt<'_>,
        reply: Reply,
    ) -> Result<Draft, WriterError> {
        match reply.action {
            Action::Refuse => Ok(refuse(task, language)),
            Action::Escalate => Ok(handed_over(task, language)),
            Action::Clarify => {
                let question = verify::question(&reply.answer);
                let allowed = question.filter(|question| !Topics::of(&task.settings).names(question));
                Ok(allowed
                    .map_or_else(|| refuse(task, language), |text| Draft::phrase(Action::Clarify, text)))
            }
            Action::Answer => self.checked_answer(task, language, prompt, &reply).await,
        }
    }

    async fn checked_answer(
        &self,
        task: &Task,
        language: Language,
        prompt: &Prompt<'_>,
        reply: &Reply,
    ) -> Result<Draft, WriterError> {
        let cited = prompt.cited(reply);
        let mut claims = verify::Claims::new(&reply.answer, &cited, &Topics::of(&task.settings));
        if claims.are_foreign(language) {
            // Words of two languages cannot be compared, so a second call judges each sentence.
            let unsettled = claims.unsettled();
            if !unsettled.is_empty() {
                let content = self.complete(prompt.judge(&unsettled, &cited), Format::Verdict).await?;
                claims.settle(&reply::verdict(&content).map_err(|reason| WriterError::Malformed { reason })?);
            }
        }
        if claims.name_blocked_topic() {
            return Ok(blocked(task, language));
        }
        let Some(text) = claims.supported_text() else { return Ok(refuse(task, language)) };
        let sources = if task.settings.show_sources { Cited::all(cited) } else { Vec::new() };
        Ok(Draft { sources, ..Draft::phrase(Action::Answer, text) })
    }

    /// Sends messages and returns the content of the answer.
    async fn complete(&self, messages: Vec<Value>, format: Format) -> Result<String, WriterError> {
        let formatted = !self.plain.load(Ordering::Relaxed);
        let mut fetched = self.post(&messages, formatted.then_some(format)).await?;
        let unsupported =
            matches!(fetched.status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
        if formatted && unsupported {
            fetched = self.post(&messages, None).await?;
            if fetched.status.is_success() {
                self.plain.store(true, Ordering::Relaxed);
            }
        }
        if !fetched.status.is_success() {
            return Err(WriterError::Status { status: fetched.status });
        }
        let body: Value = serde_json::from_slice(&fetched.body)
            .map_err(|_| WriterError::Malformed { reason: "the body is not JSON" })?;
        let content = body.pointer("/choices/0/message/content").and_then(Value::as_str);
        content.map(str::to_owned).ok_or(WriterError::Malformed { reason: "the body has no message" })
    }

    async fn post(&self, messages: &[Value], format: Option<Format>) -> Result<Fetched, WriterError> {
        let mut body = json!({
            "model": self.config.model,
            "messages": messages,
            "max_tokens": self.config.max_tokens,
        });
        if let Some(temperature) = self.config.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(format) = format {
            body["response_format"] = format.schema();
        }
        let limits = Limits {
            total: self.config.timeout,
            connect: self.config.timeout.min(Duration::from_secs(5)),
            max_bytes: MAX_RESPONSE_BYTES,
            max_redirects: 0,
        };
        let url = completions_url(&self.config.base_url);
        Ok(self.outbound.post_json(&url, &self.headers(), &body, &limits).await?)
    }

    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let Some(key) = &self.config.api_key else { return Vec::new() };
        vec![(AUTHORIZATION, key.bearer())]
    }
}

#[async_trait]
impl Writer for ModelWriter {
    async fn answer(&self, task: &Task) -> Result<Draft, WriterError> {
        let limit = self.config.timeout;
        let outcome = tokio::time::timeout(limit, self.write(task)).await;
        outcome.unwrap_or(Err(WriterError::Timeout { limit }))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl fmt::Debug for ModelWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ModelWriter").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The JSON a message must be answered with.
#[derive(Debug, Clone, Copy)]
enum Format {
    Answer,
    Verdict,
}

impl Format {
    /// The value of `response_format`.
    fn schema(self) -> Value {
        let (name, schema) = match self {
            Self::Answer => ("answer", reply::answer_schema()),
            Self::Verdict => ("verdict", reply::verdict_schema()),
        };
        json!({ "type": "json_schema", "json_schema": { "name": name, "strict": true, "schema": schema } })
    }
}

/// The endpoint below a base URL, with or without a slash at its end.
fn completions_url(base: &Url) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(["chat", "completions"]);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_lies_below_the_base_url() {
        for (base, expected) in [
            ("https://api.example/v1", "https://api.example/v1/chat/completions"),
            ("https://api.example/v1/", "https://api.example/v1/chat/completions"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/chat/completions"),
            ("https://x.example/a?api-version=2", "https://x.example/a/chat/completions?api-version=2"),
        ] {
            assert_eq!(completions_url(&base.parse().unwrap()).as_str(), expected);
        }
    }
}
