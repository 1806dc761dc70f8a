//! Responses of chat completions endpoints, whole or as a stream of events.

use std::time::Duration;

use frontdesk_outbound::Streamed;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::events::Events;
use crate::writer::WriterError;

/// What a listener is given: each part of the content when it arrives.
pub(super) type Listener<'a> = dyn FnMut(&str) + Send + 'a;

/// Longest pause between two parts of a completion whose text has begun.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The data of the event that ends a stream.
const DONE: &str = "[DONE]";

/// Numbers of tokens that the endpoint reports, if any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
}

impl Usage {
    fn read(&mut self, body: &Value) {
        let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) else { return };
        let tokens = |name: &str| usage.get(name).and_then(Value::as_u64);
        *self =
            Self { prompt_tokens: tokens("prompt_tokens"), completion_tokens: tokens("completion_tokens") };
    }
}

/// Reads a successful response, whatever its form, and returns the content. `usage` is set as soon as it is
/// known, so it is known even if the rest fails. Endpoints that do not stream send the whole to the listener.
pub(super) async fn read(
    response: Streamed,
    usage: &mut Usage,
    listener: &mut Listener<'_>,
) -> Result<String, WriterError> {
    if is_event_stream(response.headers()) {
        return read_events(response, usage, listener).await;
    }
    let response = response.rest().await?;
    let body: Value = serde_json::from_slice(&response.body)
        .map_err(|_| WriterError::Malformed { reason: "the body is not JSON" })?;
    usage.read(&body);
    let content = body.pointer("/choices/0/message/content").and_then(Value::as_str);
    let content = content.ok_or(WriterError::Malformed { reason: "the body has no message" })?;
    listener(content);
    Ok(content.to_owned())
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
}

async fn read_events(
    mut response: Streamed,
    usage: &mut Usage,
    listener: &mut Listener<'_>,
) -> Result<String, WriterError> {
    let mut completion = Completion::default();
    let mut events = Events::default();
    // Before its first word, a model may think for as long as the request may take.
    let mut next = response.chunk().await?;
    while let Some(bytes) = next {
        for data in events.push(&bytes) {
            completion.add(&data, usage, listener)?;
        }
        if completion.is_done {
            return Ok(completion.content);
        }
        next = if completion.content.is_empty() {
            response.chunk().await?
        } else {
            response.chunk_within(LONGEST_PAUSE).await?
        };
    }
    if let Some(data) = events.finish() {
        completion.add(&data, usage, listener)?;
    }
    // Some servers omit the last event. Without the reason for the end too, the connection broke.
    if completion.is_done || completion.has_ended {
        Ok(completion.content)
    } else {
        Err(WriterError::BrokenStream { reason: "it ended before the completion did" })
    }
}

/// A completion that arrives in events.
#[derive(Debug, Default)]
struct Completion {
    content: String,
    /// The event that says why the completion ended has arrived.
    has_ended: bool,
    /// The last event has arrived.
    is_done: bool,
}

impl Completion {
    fn add(&mut self, data: &str, usage: &mut Usage, listener: &mut Listener<'_>) -> Result<(), WriterError> {
        if data.trim() == DONE {
            self.is_done = true;
            return Ok(());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|_| WriterError::BrokenStream { reason: "an event is not JSON" })?;
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(WriterError::BrokenStream { reason: "an event reports an error" });
        }
        usage.read(&event);
        let Some(choice) = event.pointer("/choices/0") else { return Ok(()) };
        if let Some(part) =
            choice.pointer("/delta/content").and_then(Value::as_str).filter(|it| !it.is_empty())
        {
            self.content.push_str(part);
            listener(part);
        }
        self.has_ended |= choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn added(events: &[&str]) -> (Result<(), WriterError>, Completion, Usage, String) {
        let (mut completion, mut usage, mut heard) = (Completion::default(), Usage::default(), String::new());
        let mut listener = |part: &str| heard.push_str(part);
        let result = events.iter().try_for_each(|data| completion.add(data, &mut usage, &mut listener));
        (result, completion, usage, heard)
    }

    #[test]
    fn parts_and_usage_are_read_from_events() {
        let (result, completion, usage, heard) = added(&[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"At "},"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"nine."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
            DONE,
        ]);
        assert!(result.is_ok() && completion.is_done && completion.has_ended);
        assert_eq!((&*completion.content, &*heard), ("At nine.", "At nine."));
        assert_eq!(usage, Usage { prompt_tokens: Some(7), completion_tokens: Some(2) });
    }

    #[test]
    fn errors_within_a_stream_are_failures_of_the_endpoint() {
        for data in ["{", r#"{"error":{"code":500,"message":"secret"}}"#] {
            let (result, ..) = added(&[data]);
            let error = result.unwrap_err();
            assert!(matches!(error, WriterError::BrokenStream { .. }));
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn the_media_type_decides() {
        for (value, is_stream) in [
            ("text/event-stream", true),
            ("Text/Event-Stream; charset=utf-8", true),
            ("application/json", false),
            ("application/json; x=text/event-stream", false),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))]);
            assert_eq!(is_event_stream(&headers), is_stream, "{value}");
        }
        assert!(!is_event_stream(&HeaderMap::new()));
    }
}
