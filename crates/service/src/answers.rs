//! Owns the wording of every error that is told in more than one place, as the types that the contract gives it.

use std::collections::BTreeMap;

use axum::response::Response;
use frontdesk_model::{
    ForbiddenError, ForbiddenErrorKind, Message, NotFound, RateLimitedError, RateLimitedErrorKind,
    UnauthorizedError, UnauthorizedErrorKind, ValidationError, ValidationFailed,
};
use frontdesk_runtime::{StatusCode, Timestamp, check, server};

use crate::rate_limit::Exceeded;

/// What is told of a fault; the log says more.
pub(crate) const FAULT: &str =
    "Something went wrong on our side. If it happens again, tell us the X-Request-Id of this answer.";

/// What is told to those who come over plain HTTP.
pub(crate) const HTTPS_ONLY: &str =
    "This service is reached over HTTPS only. If you sent an API key, others may have read it: replace it.";

/// An error that needs no code.
pub(crate) fn message(status: StatusCode, text: &str) -> Response {
    server::json(status, &Message::new(text))
}

/// A moment of the store as the interface writes it.
pub(crate) fn timestamp(moment: jiff::Timestamp) -> Timestamp {
    Timestamp::from_microseconds(moment.as_microsecond()).expect("both types cover the same years")
}

/// The request has no Bearer header.
pub(crate) fn unauthorized() -> UnauthorizedError {
    UnauthorizedError::new(
        UnauthorizedErrorKind::Unauthorized,
        "Send your API key in the Authorization header: Bearer sk_live_…",
    )
}

/// The key is unknown or revoked, or its creator may not act.
pub(crate) fn invalid_api_key() -> UnauthorizedError {
    UnauthorizedError::new(
        UnauthorizedErrorKind::InvalidApiKey,
        "This API key does not exist or has been revoked.",
    )
}

/// The plan does not include the interface.
pub(crate) fn api_access_disabled() -> ForbiddenError {
    ForbiddenError::new(
        ForbiddenErrorKind::ApiAccessDisabled,
        "API access is included in the Growth, Business and Scale plans.",
    )
}

/// The role of the key's creator lacks the right.
pub(crate) fn managers_only() -> ForbiddenError {
    ForbiddenError::new(
        ForbiddenErrorKind::Forbidden,
        "Only owners and admins of the account may make this call.",
    )
}

/// Too many requests.
pub(crate) fn rate_limited(exceeded: Exceeded) -> RateLimitedError {
    let seconds = exceeded.retry_after;
    let unit = if seconds == 1 { "second" } else { "seconds" };
    RateLimitedError::new(format!("Too many requests. Try again in {seconds} {unit}."))
        .error(RateLimitedErrorKind::RateLimited)
}

/// There is no such chatbot, or it is somebody else's.
pub(crate) fn no_such_chatbot() -> Message {
    Message::new("Chatbot not found.")
}

/// [`no_such_chatbot`] as the answer of an operation.
pub(crate) fn chatbot_not_found() -> NotFound {
    NotFound { body: no_such_chatbot() }
}

/// Fields that break the rules of an operation.
pub(crate) fn validation(failures: impl IntoIterator<Item = check::Failure>) -> ValidationError {
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for failure in failures {
        errors.entry(failure.path).or_default().push(failure.message);
    }
    let message = match errors.len() {
        1 => "The request is invalid in 1 field.".to_owned(),
        count => format!("The request is invalid in {count} fields."),
    };
    ValidationError::new(message, errors)
}

/// [`validation`] as the answer of an operation.
pub(crate) fn validation_failed(failures: impl IntoIterator<Item = check::Failure>) -> ValidationFailed {
    ValidationFailed { body: validation(failures) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_keep_their_microseconds() {
        let moment: jiff::Timestamp = "2026-11-20T16:20:41.123456Z".parse().unwrap();
        assert_eq!(timestamp(moment).to_string(), "2026-11-20T16:20:41.123456Z");
    }
}
