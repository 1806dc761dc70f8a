//! Error responses that several operations or the router use, as types of the contract.

use std::collections::BTreeMap;

use axum::response::Response;
use frontdesk_model::{
    Conflict, ConflictError, ConflictErrorKind, ForbiddenError, ForbiddenErrorKind, Message, RateLimited,
    RateLimitedError, RateLimitedErrorKind, UnauthorizedError, UnauthorizedErrorKind, ValidationError,
    ValidationErrorKind, ValidationFailed, VisitorUnauthorizedError, VisitorUnauthorizedErrorKind,
};
use frontdesk_runtime::{StatusCode, Timestamp, check, server};

use frontdesk_store::{PlanLimitReached, Role};
use uuid::Uuid;

use crate::edge::rate_limit::Exceeded;

/// The message to callers about a fault; the log says more.
pub(crate) const FAULT: &str =
    "Something went wrong on our side. If it happens again, tell us the X-Request-Id of this answer.";

/// The message for requests over plain HTTP.
pub(crate) const HTTPS_ONLY: &str = "This service accepts requests over HTTPS only. If you sent an API key, others may have read it: replace it.";

/// An error that needs no code.
pub(crate) fn message(status: StatusCode, text: &str) -> Response {
    server::json(status, &Message::new(text))
}

/// A 403 response in the form of the contract, for requests that are refused before any operation is found.
pub(crate) fn forbidden(text: &str) -> Response {
    server::json(StatusCode::FORBIDDEN, &ForbiddenError::new(ForbiddenErrorKind::Forbidden, text))
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

/// The request has no token of a visitor.
pub(crate) fn visitor_unauthorized() -> VisitorUnauthorizedError {
    VisitorUnauthorizedError::new(
        VisitorUnauthorizedErrorKind::Unauthorized,
        "Send the token of the session in the Authorization header: Bearer vis_…",
    )
}

/// The token of a visitor is unknown, or its session has ended.
pub(crate) fn invalid_visitor_token() -> VisitorUnauthorizedError {
    VisitorUnauthorizedError::new(
        VisitorUnauthorizedErrorKind::InvalidVisitorToken,
        "This session does not exist or has ended. Begin another one.",
    )
}

/// The plan does not include the interface.
pub(crate) fn api_access_disabled() -> ForbiddenError {
    ForbiddenError::new(
        ForbiddenErrorKind::ApiAccessDisabled,
        "API access is included in the Growth, Business and Scale plans.",
    )
}

/// The role of the key's creator is not among those that may call the operation.
pub(crate) fn role_not_allowed(allowed: &[Role]) -> ForbiddenError {
    let names: Vec<String> = allowed.iter().map(|role| format!("{role}s")).collect();
    let allowed = match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "members".to_owned(),
    };
    let message = format!("Only {allowed} of the account may make this call.");
    ForbiddenError::new(ForbiddenErrorKind::Forbidden, message)
}

/// Too many requests.
pub(crate) fn rate_limited(exceeded: Exceeded) -> RateLimitedError {
    let seconds = exceeded.retry_after;
    let unit = if seconds == 1 { "second" } else { "seconds" };
    RateLimitedError::new(format!("Too many requests. Try again in {seconds} {unit}."))
        .error(RateLimitedErrorKind::RateLimited)
}

/// Too many requests, as the response of a handler.
pub(crate) fn too_many(exceeded: Exceeded) -> RateLimited {
    let retry_after = exceeded.retry_after.try_into().unwrap_or(i64::MAX);
    RateLimited { retry_after, body: rate_limited(exceeded) }
}

/// There is no such resource, or it belongs to another account.
pub(crate) fn not_found(text: &str) -> Message {
    Message::new(text)
}

/// A unique value is taken by the resource with this id.
pub(crate) fn already_exists(message: &str, existing_id: Uuid) -> Conflict {
    let error = ConflictError::new(ConflictErrorKind::AlreadyExists, message).existing_id(existing_id);
    Conflict { body: error }
}

/// A unique value is taken by a resource whose id the message names.
pub(crate) fn taken(message: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::AlreadyExists, message) }
}

/// There may be no more resources of a kind.
pub(crate) fn limit_reached(message: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::LimitReached, message) }
}

/// The plan of the account includes no more resources of a kind.
pub(crate) fn plan_limit_reached(reached: PlanLimitReached) -> Conflict {
    let message = plan_limit_message(reached);
    Conflict { body: ConflictError::new(ConflictErrorKind::PlanLimitReached, message) }
}

/// Says which limit of the plan was reached.
pub(crate) fn plan_limit_message(reached: PlanLimitReached) -> String {
    let PlanLimitReached { resource, limit } = reached;
    format!("The plan of this account includes {limit} {resource}. Delete some, or choose a larger plan.")
}

/// Other resources need what the request would take away.
pub(crate) fn in_use(message: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::InUse, message) }
}

/// What the request asks for is running already.
pub(crate) fn running_already(message: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::InProgress, message) }
}

/// The state of a resource does not allow the request.
pub(crate) fn conflict(message: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::Conflict, message) }
}

/// An equal request with the same idempotency key is running.
pub(crate) fn in_progress() -> ConflictError {
    ConflictError::new(
        ConflictErrorKind::InProgress,
        "A request with this Idempotency-Key is running. Repeat it in a few seconds.",
    )
}

/// The message of a visitor was sent before, and its answer is being written.
pub(crate) fn being_answered() -> Conflict {
    let message = "This message is being answered. Repeat it in a few seconds.";
    Conflict { body: ConflictError::new(ConflictErrorKind::InProgress, message) }
}

/// The request has run, but its stored response cannot be read.
pub(crate) fn response_lost() -> ConflictError {
    ConflictError::new(
        ConflictErrorKind::ResponseLost,
        "The request with this Idempotency-Key has had its effect, but its response can no longer be read. Look at what it has changed \
         before you send it with another key.",
    )
}

/// The idempotency key belongs to another request.
pub(crate) fn idempotency_key_reused() -> ValidationError {
    let problem = "was used for another request within the last 24 hours".to_owned();
    let errors = BTreeMap::from([("Idempotency-Key".to_owned(), vec![problem])]);
    ValidationError::new("This Idempotency-Key was used for another request.", errors)
        .error(ValidationErrorKind::IdempotencyKeyReused)
}

/// A field that breaks the rules of an operation.
pub(crate) fn failure(path: &str, problem: impl Into<String>) -> check::Failure {
    check::Failure { path: path.to_owned(), message: problem.into() }
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
