//! Encoding of response bodies in the format of their media type.

use crate::{
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

/// Makes a response with the value as its body.
pub(crate) fn response(status: StatusCode, content: &Content, shown: BodyValue) -> Response {
    if forbids_body(status) {
        return reply::empty(status);
    }
    match (content.format, shown) {
        (BodyFormat::Json, shown) => typed(status, concrete(content, "application/json"), shown.to_text()),
        (format, shown) => other(status, content, format, shown.into_json()),
    }
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
        // Text, bytes, and values that are not objects although the format needs one, are sent as the
        // document writes them.
        (format, value) => {
            let usual = if format == BodyFormat::Text {
                "text/plain; charset=utf-8"
            } else {
                "application/octet-stream"
            };
            let text = match value {
                Value::String(text) => text,
                value => value.to_string(),
            };
            typed(status, concrete(content, usual), text)
        }
    }
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
        BodyFormat::Form
        | BodyFormat::Multipart
        | BodyFormat::Events
        | BodyFormat::Text
        | BodyFormat::Bytes => other(status, content, content.format, Value::String(String::new())),
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
