//! Encoding of response bodies in the format of their media type.

use crate::{
    headers::with_warning,
    media::{BodyFormat, Content},
    value::BodyValue,
};
use axum::{body::Body, response::Response};
use frontdesk_document::event_data;
use frontdesk_runtime::codec::{Event, EventStream};
use frontdesk_runtime::server::reply;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;

/// The number of events in a stream; the stream of a mock should end.
const EVENTS: usize = 3;

/// Makes a response with the value as its body. A warning says what of it the mock cannot produce.
pub(crate) fn response(status: StatusCode, content: &Content, shown: BodyValue) -> Response {
    if forbids_body(status) {
        return reply::empty(status);
    }
    let is_made = matches!(shown, BodyValue::Generated(_));
    match (content.format, shown) {
        (BodyFormat::Json, shown) => typed(status, concrete(content, "application/json"), shown.to_text()),
        (format, shown) => {
            let value = shown.into_json();
            match unwritable(content, &value, is_made) {
                Some(Unwritable { why, is_empty: true }) => {
                    with_warning(typed(status, usual(content), String::new()), &why)
                }
                Some(Unwritable { why, is_empty: false }) => {
                    with_warning(other(status, content, format, value), &why)
                }
                None => other(status, content, format, value),
            }
        }
    }
}

/// What the mock cannot write.
struct Unwritable {
    why: String,
    /// Whether the body is left out, because clients could not read it.
    is_empty: bool,
}

/// Returns what is wrong with a value as a body of a media type that is not JSON.
fn unwritable(content: &Content, value: &Value, is_made: bool) -> Option<Unwritable> {
    let media_type = content.media_type;
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let left_out = |why: &str| {
        let why = format!("the response has no body, because {why}");
        Some(Unwritable { why, is_empty: true })
    };
    let sent = |why: String| Some(Unwritable { why, is_empty: false });
    match (content.format, value) {
        (BodyFormat::Form | BodyFormat::Multipart, value) if !value.is_object() => {
            left_out(&format!("{media_type} needs an object"))
        }
        (BodyFormat::Text, Value::Object(_) | Value::Array(_)) if essence != "text/plain" => left_out(
            &format!("the mock cannot write objects and lists as {media_type}; give an example that is text"),
        ),
        (BodyFormat::Text, Value::Object(_) | Value::Array(_)) => {
            sent(format!("the mock writes objects and lists in {media_type} as the text of their JSON"))
        }
        (BodyFormat::Bytes, value) if is_xml(&essence) => {
            let is_text = value.as_str().is_some_and(|text| text.trim_start().starts_with('<'));
            if is_text {
                return None;
            }
            left_out(&format!(
                "the mock cannot write {media_type}; give an example that is the text of the XML"
            ))
        }
        (BodyFormat::Bytes, value)
            if is_any_bytes(&essence) || is_of_json(&essence) && !value.is_string() =>
        {
            None
        }
        (BodyFormat::Bytes, Value::String(_)) if !is_made => None,
        (BodyFormat::Bytes, Value::String(_)) => sent(format!(
            "the body is a text, because the mock cannot produce {media_type}{}",
            if essence.contains('*') { "; it is sent as application/octet-stream" } else { "" }
        )),
        (BodyFormat::Bytes, _) => {
            left_out(&format!("the mock cannot write {media_type}; give an example that is text"))
        }
        _ => None,
    }
}

fn is_xml(essence: &str) -> bool {
    matches!(essence, "application/xml" | "text/xml") || essence.ends_with("+xml")
}

/// Returns whether any bytes are a body of the media type.
fn is_any_bytes(essence: &str) -> bool {
    matches!(essence, "application/octet-stream" | "*/*" | "application/*" | "*" | "binary/octet-stream")
}

/// Returns whether the text of a JSON value in one line is a body of the media type: lines of JSON, and YAML.
fn is_of_json(essence: &str) -> bool {
    essence.contains("ndjson")
        || essence.contains("jsonl")
        || essence.contains("yaml")
        || matches!(essence, "application/json-seq" | "application/x-json-stream")
}

/// Makes a response whose body is not JSON.
fn other(status: StatusCode, content: &Content, format: BodyFormat, value: Value) -> Response {
    match (format, value) {
        (BodyFormat::Form, value @ Value::Object(_)) => reply::form(status, &value, &content.members),
        (BodyFormat::Multipart, value @ Value::Object(_)) => {
            reply::multipart(status, concrete(content, "multipart/form-data"), value)
        }
        (BodyFormat::Events, Value::String(text)) if text.contains("data:") => {
            typed(status, "text/event-stream", text)
        }
        (BodyFormat::Events, Value::String(text)) => {
            let events =
                (0..EVENTS).map(move |_| Ok::<_, std::convert::Infallible>(Event::new(text.clone())));
            reply::text_events(status, EventStream::new(stream::iter(events)))
        }
        (BodyFormat::Events, value) => {
            // An example may be a list of events.
            let data = match value {
                Value::Array(list) => list,
                value => vec![value; EVENTS],
            };
            if content.schema.is_some_and(|schema| event_data(schema).is_some()) {
                let events = data.into_iter().map(|event| Ok::<_, std::convert::Infallible>(event_of(event)));
                return reply::text_events(status, EventStream::new(stream::iter(events)));
            }
            let events = data.into_iter().map(|data| Ok::<_, std::convert::Infallible>(Event::new(data)));
            reply::events(status, EventStream::new(stream::iter(events)))
        }
        (_, value) => {
            let text = match value {
                Value::String(text) => text,
                value => value.to_string(),
            };
            typed(status, usual(content), text)
        }
    }
}

/// Returns the media type to send for a body that is not JSON.
fn usual(content: &Content) -> &'static str {
    let usual = match content.format {
        BodyFormat::Text => "text/plain; charset=utf-8",
        BodyFormat::Form => "application/x-www-form-urlencoded",
        BodyFormat::Multipart => "multipart/form-data",
        _ => "application/octet-stream",
    };
    concrete(content, usual)
}

/// Makes the event that a value describes whole.
fn event_of(mut value: Value) -> Event<String> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let (kind, id, retry) = (text("event"), text("id"), value.get("retry").and_then(Value::as_u64));
    let data = match value.get_mut("data").map(Value::take).unwrap_or_default() {
        Value::String(text) => text,
        data => data.to_string(),
    };
    Event { kind, id, retry, data }
}

/// Makes a response for a content without schema and example.
pub(crate) fn blank(status: StatusCode, content: &Content) -> Response {
    match content.format {
        _ if forbids_body(status) => reply::empty(status),
        BodyFormat::Json => typed(status, concrete(content, "application/json"), "{}".to_owned()),
        BodyFormat::Events | BodyFormat::Text => {
            other(status, content, content.format, Value::String(String::new()))
        }
        BodyFormat::Form | BodyFormat::Multipart | BodyFormat::Bytes => with_warning(
            typed(status, usual(content), String::new()),
            &format!(
                "the body is empty, because the document has neither schema nor example for {}",
                content.media_type
            ),
        ),
    }
}

/// Returns whether responses of this status never have a body (RFC 9110, section 6.4.1).
fn forbids_body(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED | StatusCode::RESET_CONTENT)
}

/// Returns the media type to send; a media range is replaced by the usual type.
fn concrete(content: &Content, usual: &'static str) -> &'static str {
    if content.media_type.contains('*') || !content.media_type.contains('/') {
        usual
    } else {
        content.media_type
    }
}

fn typed(status: StatusCode, media_type: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let value = HeaderValue::from_str(media_type);
    let value = value.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}
