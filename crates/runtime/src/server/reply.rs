//! Responses: generated code calls these functions, and authenticators and tests may call them too.

use super::{ErrorResponse, HandlerResult, Refusal, Refuse};
use crate::{
    Failure,
    codec::{self, ByteStream, EventStream, Member, Multipart},
    headers::{self, WithHeaders},
};
use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// The media type of bytes of unknown type (RFC 2046, section 4.5.1).
const OCTETS: &str = "application/octet-stream";

/// Makes a response with a JSON body.
pub fn json(status: StatusCode, body: &impl Serialize) -> Response {
    json_as(status, "application/json", body)
}

/// Makes a response with a JSON body of another media type, such as `application/problem+json`.
pub fn json_as(status: StatusCode, media_type: &'static str, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => with_body(status, HeaderValue::from_static(media_type), bytes),
        Err(error) => unwritable(&error),
    }
}

/// Makes a response with a JSON body and the headers beside it.
pub fn answer<T: Serialize>(status: StatusCode, answer: WithHeaders<T>) -> Response {
    with_headers(json(status, &answer.body), *answer.headers)
}

/// Makes a response with a form as its body (`application/x-www-form-urlencoded`).
pub fn form(status: StatusCode, body: &impl Serialize, members: &[Member]) -> Response {
    match codec::encode_form(body, members) {
        Ok(text) => with_body(status, HeaderValue::from_static("application/x-www-form-urlencoded"), text),
        Err(error) => unwritable(&error),
    }
}

/// Makes a response with a multipart body.
pub fn multipart(status: StatusCode, media_type: &str, body: impl Multipart) -> Response {
    match codec::encode_multipart(body, media_type) {
        Ok((media_type, parts)) => match HeaderValue::try_from(media_type) {
            Ok(media_type) => with_body(status, media_type, Body::from_stream(parts)),
            Err(error) => unwritable(&error),
        },
        Err(error) => unwritable(&error),
    }
}

/// Makes a response with text as its body. The media type states the charset unless it is implied.
pub fn text(status: StatusCode, media_type: &'static str, body: String) -> Response {
    with_body(status, HeaderValue::from_static(media_type), body)
}

/// Makes a response that streams bytes.
///
/// A media type range of the document (`image/*`) is sent as `application/octet-stream`, unless a layer sets
/// a more exact type.
pub fn bytes(status: StatusCode, media_type: &'static str, body: ByteStream) -> Response {
    let media_type = if media_type.contains('*') { OCTETS } else { media_type };
    let length = body.length();
    let mut response = with_body(status, HeaderValue::from_static(media_type), Body::from_stream(body));
    if let Some(length) = length {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response
}

/// Makes a response with server-sent events, each with its data as JSON.
pub fn events<T: Serialize + 'static>(status: StatusCode, events: EventStream<T>) -> Response {
    event_stream(status, events.encode_json())
}

/// Makes a response with server-sent events, each with its data unchanged.
pub fn text_events(status: StatusCode, events: EventStream<String>) -> Response {
    event_stream(status, events.encode_text())
}

fn event_stream(status: StatusCode, body: ByteStream) -> Response {
    let mut response =
        with_body(status, HeaderValue::from_static("text/event-stream"), Body::from_stream(body));
    // Proxies must neither cache events, nor compress or collect them; nginx and others that follow it ask
    // for a header of their own.
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// Makes a response without a body.
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

/// Sets the media type that the caller prefers among several with the same body. A response with another
/// media type than the first of them is unchanged.
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

/// Sets a header. A value that HTTP does not allow is left out and logged.
pub fn with_header(mut response: Response, name: HeaderName, value: impl std::fmt::Display) -> Response {
    headers::write(response.headers_mut(), name, &value);
    response
}

/// Sets headers.
pub fn with_headers(mut response: Response, headers: HeaderMap) -> Response {
    response.headers_mut().extend(headers);
    response
}

/// Makes the response to a refusal with the JSON body that the operation declares, beside its headers.
pub fn refused<G, T, B>(guard: &G, refusal: &Refusal) -> Response
where
    G: Refuse<T>,
    T: Into<WithHeaders<B>>,
    B: Serialize,
{
    answer(refusal.status(), guard.refuse(refusal).into())
}

/// Converts the result of a handler to a response.
pub fn respond<T, E: ErrorResponse>(
    outcome: Result<T, Failure<E>>,
    success: impl FnOnce(T) -> Response,
) -> HandlerResult<E> {
    match outcome {
        Ok(value) => Ok(success(value).into()),
        Err(Failure::Declared(error)) => Ok(error.into_response().into()),
        Err(Failure::Fault(fault)) => Err(match fault.request_limit() {
            Some(limit) => Refusal::TooLarge { limit: usize::try_from(limit).unwrap_or(usize::MAX) },
            None => Refusal::Fault(fault),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorResponse, Refusal, Response, json, json_as, prefer, respond, text};
    use crate::{Failure, codec::ByteStream};
    use futures_util::FutureExt;
    use http::{StatusCode, header};

    #[derive(Debug)]
    enum Undeclared {}

    impl ErrorResponse for Undeclared {
        fn into_response(self) -> Response {
            match self {}
        }
    }

    #[test]
    fn only_a_request_that_is_too_long_is_the_fault_of_the_caller() {
        for (stream, status) in
            [(ByteStream::from("abc").of_request(2), 413), (ByteStream::from("abc").limited(2), 500)]
        {
            let error = stream.bytes(9).now_or_never().unwrap().unwrap_err();
            let outcome: Result<(), Failure<Undeclared>> = Err(std::io::Error::other(error).into());
            let refusal: Refusal = respond(outcome, |()| unreachable!()).unwrap_err();
            assert_eq!(refusal.status().as_u16(), status);
        }
    }

    #[test]
    fn only_the_first_of_several_media_types_gives_way() {
        const OFFERED: &[&str] = &["application/json", "application/vnd.a+json"];
        let media_type = |response: &Response| response.headers()[header::CONTENT_TYPE].clone();
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
