//! Owns the writing of responses.

use super::Refusal;
use crate::Failure;
use axum::{body::Body, response::Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// A response with a JSON body.
pub fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => {
            let mut response = Response::new(Body::from(bytes));
            *response.status_mut() = status;
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(error) => {
            tracing::error!(%error, "a response body could not be written as JSON");
            empty(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// A response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
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

/// Turns what a handler returned into a response.
pub fn respond<T, E>(
    outcome: Result<T, Failure<E>>,
    success: impl FnOnce(T) -> Response,
    failure: impl FnOnce(E) -> Response,
) -> Result<Response, Refusal> {
    match outcome {
        Ok(value) => Ok(success(value)),
        Err(Failure::Declared(error)) => Ok(failure(error)),
        Err(Failure::Fault(fault)) => Err(Refusal::Fault(fault)),
    }
}
