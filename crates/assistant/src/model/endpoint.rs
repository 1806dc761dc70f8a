//! HTTP client of a chat completions endpoint: `POST {base_url}/chat/completions`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use frontdesk_outbound::{Limits, Outbound};
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::completion::{self, Listener, Usage};
use super::config::{ModelConfig, TokenParameter};
use super::observer::{ModelObserver, ModelRequest};
use super::schema::Format;
use crate::writer::WriterError;

/// Maximum size of a response in bytes. A completion has a few kilobytes; as a stream, each of its words has
/// some hundred bytes of its own.
const MAX_RESPONSE_BYTES: u64 = 2 * 1024 * 1024;

/// Time limit of connecting, which is also bounded by the time limit of the answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The endpoint of the configured model.
pub(super) struct Endpoint {
    config: ModelConfig,
    outbound: Outbound,
    observer: Arc<dyn ModelObserver>,
    /// Set after the endpoint has refused `response_format`; the field is omitted from then on.
    lacks_formats: AtomicBool,
    /// Set after the endpoint has refused `stream` or `stream_options`; both are omitted from then on.
    lacks_streams: AtomicBool,
}

/// The form of a request, as far as endpoints differ in what they accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    is_formatted: bool,
    is_streamed: bool,
}

impl Form {
    /// Returns the next form to try after an endpoint has refused this one.
    fn simpler(self) -> Option<Self> {
        match self {
            Self { is_streamed: true, .. } => Some(Self { is_streamed: false, ..self }),
            Self { is_formatted: true, .. } => Some(Self { is_formatted: false, ..self }),
            _ => None,
        }
    }
}

/// The body of a request.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl Endpoint {
    pub(super) fn new(config: ModelConfig, outbound: Outbound, observer: Arc<dyn ModelObserver>) -> Self {
        let (lacks_formats, lacks_streams) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { config, outbound, observer, lacks_formats, lacks_streams }
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

    /// Sends messages and returns the content of the completion. With a listener, the endpoint is asked for a
    /// stream, and the listener is given each part when it arrives.
    pub(super) async fn complete(
        &self,
        messages: &[Value],
        format: Format,
        listener: Option<&mut Listener<'_>>,
    ) -> Result<String, WriterError> {
        let wanted = Form {
            is_formatted: !self.lacks_formats.load(Ordering::Relaxed),
            is_streamed: listener.is_some() && !self.lacks_streams.load(Ordering::Relaxed),
        };
        let mut ignore = |_: &str| {};
        let listener = listener.unwrap_or(&mut ignore);
        let mut form = wanted;
        loop {
            let status = match self.post(messages, format, form, listener).await? {
                Ok(content) => {
                    self.learn(wanted, form);
                    return Ok(content);
                }
                Err(status) => status,
            };
            let may_lack = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
            form = form.simpler().filter(|_| may_lack).ok_or(WriterError::Status { status })?;
        }
    }

    /// Remembers what the endpoint lacks, if another form was accepted than the one that was wanted.
    fn learn(&self, wanted: Form, accepted: Form) {
        if wanted.is_formatted != accepted.is_formatted {
            // Whether it streams is not known then: it was asked for a stream only together with a format.
            self.lacks_formats.store(true, Ordering::Relaxed);
        } else if wanted.is_streamed != accepted.is_streamed {
            self.lacks_streams.store(true, Ordering::Relaxed);
        }
    }

    /// Sends one request. Returns the content of the completion, or the status that the endpoint refused
    /// with.
    async fn post(
        &self,
        messages: &[Value],
        format: Format,
        form: Form,
        listener: &mut Listener<'_>,
    ) -> Result<Result<String, StatusCode>, WriterError> {
        let config = &self.config;
        let max_tokens = format.max_tokens(config.max_tokens);
        let limit = |parameter| (config.token_parameter == parameter).then_some(max_tokens);
        let body = Body {
            model: &config.model,
            messages,
            max_tokens: limit(TokenParameter::MaxTokens),
            max_completion_tokens: limit(TokenParameter::MaxCompletionTokens),
            temperature: config.temperature,
            response_format: form.is_formatted.then_some(format),
            stream: form.is_streamed.then_some(true),
            stream_options: form.is_streamed.then_some(StreamOptions { include_usage: true }),
        };
        let body = serde_json::to_vec(&body)
            .map_err(|_| WriterError::Malformed { reason: "the request cannot be written" })?;
        let limits = Limits {
            total: config.timeout,
            connect: config.timeout.min(CONNECT_TIMEOUT),
            max_bytes: MAX_RESPONSE_BYTES,
            max_redirects: 0,
        };
        let url = completions_url(&config.base_url);
        let headers = self.headers(form);
        let mut measured = Measured::start(&*self.observer);
        let response = self.outbound.post_streamed(&url, &headers, body, &limits).await?;
        let status = response.status();
        if !status.is_success() {
            // Read completely, so that the connection can be used again.
            response.rest().await?;
            return Ok(Err(status));
        }
        completion::read(response, &mut measured.usage, listener).await.map(Ok)
    }

    fn headers(&self, form: Form) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        headers.extend(self.config.api_key.iter().map(|key| (AUTHORIZATION, key.bearer())));
        if form.is_streamed {
            // A server that compresses a stream collects it first. llama.cpp closes the connection after a
            // stream without saying so, and the next request on it would fail.
            headers.push((ACCEPT_ENCODING, HeaderValue::from_static("identity")));
            headers.push((CONNECTION, HeaderValue::from_static("close")));
        }
        headers
    }
}

/// A request being measured. Reports when it is dropped, so that requests that a time limit cancels count
/// too.
struct Measured<'a> {
    observer: &'a dyn ModelObserver,
    started: Instant,
    usage: Usage,
}

impl<'a> Measured<'a> {
    fn start(observer: &'a dyn ModelObserver) -> Self {
        Self { observer, started: Instant::now(), usage: Usage::default() }
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        let Usage { prompt_tokens, completion_tokens } = self.usage;
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

    #[test]
    fn a_refused_form_is_simplified_one_step_at_a_time() {
        let form = |is_formatted, is_streamed| Form { is_formatted, is_streamed };
        assert_eq!(form(true, true).simpler(), Some(form(true, false)));
        assert_eq!(form(true, false).simpler(), Some(form(false, false)));
        assert_eq!(form(false, true).simpler(), Some(form(false, false)));
        assert_eq!(form(false, false).simpler(), None);
    }
}
