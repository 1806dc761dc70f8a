//! HTTP client of a chat completions endpoint: `POST {base_url}/chat/completions`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use frontdesk_outbound::{Fetched, Limits, Outbound};
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use super::config::ModelConfig;
use super::observer::{ModelObserver, ModelRequest};
use super::reply;
use crate::writer::WriterError;

/// Maximum size of a response in bytes. Responses are a few kilobytes.
const MAX_RESPONSE_BYTES: u64 = 1024 * 1024;

/// Time limit of connecting, which is also bounded by the time limit of the answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The JSON that a completion must consist of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Answer,
    Verdict,
}

impl Format {
    /// Returns the value of `response_format`.
    fn schema(self) -> Value {
        let (name, schema) = match self {
            Self::Answer => ("answer", reply::answer_schema()),
            Self::Verdict => ("verdict", reply::verdict_schema()),
        };
        json!({ "type": "json_schema", "json_schema": { "name": name, "strict": true, "schema": schema } })
    }
}

/// The endpoint of the configured model.
pub(super) struct Endpoint {
    config: ModelConfig,
    outbound: Outbound,
    observer: Arc<dyn ModelObserver>,
    /// Set after the endpoint has refused `response_format`; the field is omitted from then on.
    lacks_formats: AtomicBool,
}

impl Endpoint {
    pub(super) fn new(config: ModelConfig, outbound: Outbound, observer: Arc<dyn ModelObserver>) -> Self {
        Self { config, outbound, observer, lacks_formats: AtomicBool::new(false) }
    }

    pub(super) fn config(&self) -> &ModelConfig {
        &self.config
    }

    pub(super) fn observer(&self) -> &dyn ModelObserver {
        &*self.observer
    }

    pub(super) fn set_observer(&mut self, observer: Arc<dyn ModelObserver>) {
        self.observer = observer;
    }

    /// Sends messages and returns the content of the completion.
    pub(super) async fn complete(&self, messages: Vec<Value>, format: Format) -> Result<String, WriterError> {
        let is_formatted = !self.lacks_formats.load(Ordering::Relaxed);
        let mut response = self.post(&messages, is_formatted.then_some(format)).await?;
        let may_lack_formats =
            matches!(response.status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
        if is_formatted && may_lack_formats {
            response = self.post(&messages, None).await?;
            if response.status.is_success() {
                self.lacks_formats.store(true, Ordering::Relaxed);
            }
        }
        if !response.status.is_success() {
            return Err(WriterError::Status { status: response.status });
        }
        let body: Value = serde_json::from_slice(&response.body)
            .map_err(|_| WriterError::Malformed { reason: "the body is not JSON" })?;
        let content = body.pointer("/choices/0/message/content").and_then(Value::as_str);
        content.map(str::to_owned).ok_or(WriterError::Malformed { reason: "the body has no message" })
    }

    async fn post(&self, messages: &[Value], format: Option<Format>) -> Result<Fetched, WriterError> {
        let config = &self.config;
        let mut body = json!({ "model": config.model, "messages": messages });
        body[config.token_parameter.as_str()] = json!(config.max_tokens);
        if let Some(temperature) = config.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(format) = format {
            body["response_format"] = format.schema();
        }
        let limits = Limits {
            total: config.timeout,
            connect: config.timeout.min(CONNECT_TIMEOUT),
            max_bytes: MAX_RESPONSE_BYTES,
            max_redirects: 0,
        };
        let url = completions_url(&config.base_url);
        let mut measured = Measured::start(&*self.observer);
        let response = self.outbound.post_json(&url, &self.headers(), &body, &limits).await?;
        measured.read_usage(&response);
        Ok(response)
    }

    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        self.config.api_key.iter().map(|key| (AUTHORIZATION, key.bearer())).collect()
    }
}

/// A request being measured. Reports when it is dropped, so that requests that a time limit cancels count too.
struct Measured<'a> {
    observer: &'a dyn ModelObserver,
    started: Instant,
    usage: (Option<u64>, Option<u64>),
}

impl<'a> Measured<'a> {
    fn start(observer: &'a dyn ModelObserver) -> Self {
        Self { observer, started: Instant::now(), usage: (None, None) }
    }

    /// Reads the tokens that the endpoint reports, if any.
    fn read_usage(&mut self, response: &Fetched) {
        let Ok(body) = serde_json::from_slice::<Value>(&response.body) else { return };
        let tokens = |name: &str| body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        self.usage = (tokens("prompt_tokens"), tokens("completion_tokens"));
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        let (prompt_tokens, completion_tokens) = self.usage;
        let duration = self.started.elapsed();
        self.observer.request(&ModelRequest { duration, prompt_tokens, completion_tokens });
    }
}

/// Returns the address of the endpoint below a base URL, which may end in a slash.
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
