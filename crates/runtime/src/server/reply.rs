//! Writing responses: generated code calls these functions, and so may an authenticator or a handler's tests.

use super::Refusal;
use crate::{
    Failure,
    codec::{self, ByteStream, EventStream, Member, Multipart, Param},
};
use axum::{body::Body, response::Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// What bytes are whose media type nobody states (RFC 2046, section 4.5.1).
const OCTETS: &str = "application/octet-stream";

/// A response with a JSON body.
pub fn json(status: StatusCode, body: &impl Serialize) -> Response {
    json_as(status, "application/json", body)
}

/// A response with a JSON body of a media type of its own, such as `application/problem+json`.
pub fn json_as(status: StatusCode, media_type: &'static str, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => with_body(status, HeaderValue::from_static(media_type), bytes),
        Err(error) => unwritable(&error),
    }
}

/// A response with a form as its body (`application/x-www-form-urlencoded`).
pub fn form(status: StatusCode, body: &impl Serialize, members: &[Member]) -> Response {
    match codec::encode_form(body, members) {
        Ok(text) => with_body(status, HeaderValue::from_static("application/x-www-form-urlencoded"), text),
        Err(error) => unwritable(&error),
    }
}

/// A response with a multipart body.
pub fn multipart(status: StatusCode, media_type: &str, body: impl Multipart) -> Response {
    match codec::encode_multipart(body, media_type) {
        Ok((media_type, parts)) => match HeaderValue::try_from(media_type) {
            Ok(media_type) => with_body(status, media_type, Body::from_stream(parts)),
            Err(error) => unwritable(&error),
        },
        Err(error) => unwritable(&error),
    }
}

/// A response with text as its body; the media type says the charset where it is not to be guessed.
pub fn text(status: StatusCode, media_type: &'static str, body: String) -> Response {
    with_body(status, HeaderValue::from_static(media_type), body)
}

/// A response with bytes as its body, sent as they come.
///
/// A media type that the document leaves open (`image/*`) is sent as `application/octet-stream`, unless the handler's
/// response is given a more exact one by a layer.
pub fn bytes(status: StatusCode, media_type: &'static str, body: ByteStream) -> Response {
    let media_type = if media_type.contains('*') { OCTETS } else { media_type };
    let length = body.length();
    let mut response = with_body(status, HeaderValue::from_static(media_type), Body::from_stream(body));
    if let Some(length) = length {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response
}

/// A response with server-sent events as its body, each with its data as JSON.
pub fn events<T: Serialize + 'static>(status: StatusCode, events: EventStream<T>) -> Response {
    event_stream(status, events.encode_json())
}

/// A response with server-sent events as its body, each with its data as it is.
pub fn text_events(status: StatusCode, events: EventStream<String>) -> Response {
    event_stream(status, events.encode_text())
}

fn event_stream(status: StatusCode, body: ByteStream) -> Response {
    let mut response =
        with_body(status, HeaderValue::from_static("text/event-stream"), Body::from_stream(body));
    // What stands between must neither keep an event back nor answer with it again.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn with_body(status: StatusCode, media_type: HeaderValue, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

fn unwritable(error: &dyn std::fmt::Display) -> Response {
    tracing::error!(%error, "a response body could not be written");
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The same response under the media type that the caller prefers, out of several that hold the same: only a response
/// that was written as the first of them changes.
pub fn prefer(mut response: Response, offered: &[&'static str], preferred: usize) -> Response {
    let written = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if preferred != 0
        && let Some(media_type) = offered.get(preferred)
        && written == offered.first().map(|first| first.as_bytes())
    {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    response
}

/// Adds a header; a value that HTTP does not allow is left out and logged.
pub fn with_header(mut response: Response, name: HeaderName, value: impl std::fmt::Display) -> Response {
    match HeaderValue::try_from(value.to_string()) {
        Ok(value) => {
            response.headers_mut().insert(name, value);
        }
        Err(error) => tracing::error!(%name, %error, "a response header could not be written"),
    }
    response
}

/// Adds a header that holds a list, an object or JSON, written as the document says.
pub fn with_styled_header(
    response: Response,
    name: HeaderName,
    param: Param,
    value: &impl Serialize,
) -> Response {
    match codec::encode(&param, value) {
        Ok(pairs) => match pairs.into_iter().next() {
            Some((_, text)) => with_header(response, name, text),
            None => response,
        },
        Err(error) => {
            tracing::error!(%name, error, "a response header could not be written");
            response
        }
    }
}

/// Turns what a handler returned into a response.
pub fn respond<T, E>(
    outcome: Result<T, Failure<E>>,
    success: impl FnOnce(T) -> Response,
    failure: impl FnOnce(E) -> Response,
) -> Result<Response, Refusal> {
    match outcome {
        Ok(value) => Ok(success(value)),
        Err(Failure::Declared(error)) => Ok(failure(error)),
        Err(Failure::Fault(fault)) => Err(match fault.request_limit() {
            Some(limit) => Refusal::TooLarge { limit: usize::try_from(limit).unwrap_or(usize::MAX) },
            None => Refusal::Fault(fault),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, json, json_as, prefer, respond, text};
    use crate::{Failure, codec::ByteStream};
    use futures_util::FutureExt;
    use http::{StatusCode, header};

    #[test]
    fn only_a_request_that_is_too_long_is_the_fault_of_the_caller() {
        for (stream, status) in
            [(ByteStream::from("abc").of_request(2), 413), (ByteStream::from("abc").limited(2), 500)]
        {
            let error = stream.bytes(9).now_or_never().unwrap().unwrap_err();
            let outcome: Result<(), Failure<()>> = Err(std::io::Error::other(error).into());
            let refusal: Refusal = respond(outcome, |()| unreachable!(), |()| unreachable!()).unwrap_err();
            assert_eq!(refusal.status().as_u16(), status);
        }
    }

    #[test]
    fn only_the_first_of_several_media_types_gives_way() {
        const OFFERED: &[&str] = &["application/json", "application/vnd.a+json"];
        let media_type = |response: &super::Response| response.headers()[header::CONTENT_TYPE].clone();
        let response = prefer(json(StatusCode::OK, &1), OFFERED, 1);
        assert_eq!(media_type(&response), "application/vnd.a+json");
        let response = prefer(json(StatusCode::OK, &1), OFFERED, 0);
        assert_eq!(media_type(&response), "application/json");
        let response = prefer(json_as(StatusCode::OK, "application/problem+json", &1), OFFERED, 1);
        assert_eq!(media_type(&response), "application/problem+json");
        let response = prefer(text(StatusCode::OK, "text/plain", "a".to_owned()), OFFERED, 1);
        assert_eq!(media_type(&response), "text/plain");
    }
}
