//! Owns the writing of answers: a value in the coding of its media type.

use crate::{
    media::{Content, Family},
    value::Shown,
};
use axum::{body::Body, response::Response};
use frontdesk_runtime::codec::{Event, EventStream};
use frontdesk_runtime::server::reply;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;

/// Events of one answer: a stream of a mock should end.
const EVENTS: usize = 3;

/// A response with the value as its body.
pub(crate) fn response(status: StatusCode, content: &Content, shown: Shown) -> Response {
    if forbids_body(status) {
        return reply::empty(status);
    }
    match (content.family, shown) {
        (Family::Json, shown) => typed(status, concrete(content, "application/json"), shown.to_text()),
        (family, shown) => other(status, content, family, shown.into_json()),
    }
}

/// A response with a body that is no JSON.
fn other(status: StatusCode, content: &Content, family: Family, value: Value) -> Response {
    match (family, value) {
        (Family::Form, value @ Value::Object(_)) => reply::form(status, &value, &content.members),
        (Family::Multipart, value @ Value::Object(_)) => {
            reply::multipart(status, concrete(content, "multipart/form-data"), value)
        }
        (Family::Events, Value::String(text)) if text.contains("data:") => {
            typed(status, "text/event-stream", text)
        }
        (Family::Events, Value::String(text)) => {
            let events =
                (0..EVENTS).map(move |_| Ok::<_, std::convert::Infallible>(Event::new(text.clone())));
            reply::text_events(status, EventStream::new(stream::iter(events)))
        }
        (Family::Events, value) => {
            // A list of events may be given as an example.
            let data = match value {
                Value::Array(list) => list,
                value => vec![value; EVENTS],
            };
            let events = data.into_iter().map(|data| Ok::<_, std::convert::Infallible>(Event::new(data)));
            reply::events(status, EventStream::new(stream::iter(events)))
        }
        // Text, bytes, and what is no object where one should be: as it is written in the document.
        (family, value) => {
            let usual =
                if family == Family::Text { "text/plain; charset=utf-8" } else { "application/octet-stream" };
            let text = match value {
                Value::String(text) => text,
                value => value.to_string(),
            };
            typed(status, concrete(content, usual), text)
        }
    }
}

/// A response whose body nothing is known of.
pub(crate) fn blank(status: StatusCode, content: &Content) -> Response {
    match content.family {
        _ if forbids_body(status) => reply::empty(status),
        Family::Json => typed(status, concrete(content, "application/json"), "{}".to_owned()),
        Family::Form | Family::Multipart | Family::Events | Family::Text | Family::Bytes => {
            other(status, content, content.family, Value::String(String::new()))
        }
    }
}

/// Whether an answer of this status never has a body (RFC 9110, section 6.4.1).
fn forbids_body(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED | StatusCode::RESET_CONTENT)
}

/// The media type to send: a range stands for the usual one.
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
