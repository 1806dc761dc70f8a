//! The bodies of requests that are refused before their handler, with the types that the contract declares
//! for them.
//!
//! Authorization gives its reason as a value, and the router asks for the body of the operation that was
//! called, so that a body of another shape does not compile.

use frontdesk_model::{
    BadRequest, ConflictError, Forbidden, ForbiddenError, ForbiddenErrorKind, InternalError, Message,
    MessageRejected, NotFound, PayloadTooLarge, RateLimited, RecrawlTooSoon, RecrawlTooSoonError,
    RecrawlTooSoonErrorKind, ReplyRateLimited, ReplyRateLimitedError, ReplyRateLimitedErrorKind,
    ReplyRejected, SessionRejected, Unauthorized, UnauthorizedError, UnsupportedFile, UnsupportedFileError,
    UnsupportedMediaType, ValidationError, ValidationFailed, VisitorUnauthorized, VisitorUnauthorizedError,
};
use frontdesk_runtime::{
    StatusCode, server,
    server::{Refusal, Refuse, Rejection},
};
use http::header;

use super::{Authorization, VisitorAuthorization, resources::Resolvers};
use crate::edge::{rate_limit::Exceeded, responses};

/// 401 for a key that is not accepted.
pub(crate) fn unauthorized(error: UnauthorizedError) -> Rejection {
    Rejection::new(StatusCode::UNAUTHORIZED, error.message.clone()).because(error)
}

/// 401 for the token of a visitor that is not accepted.
pub(crate) fn visitor_unauthorized(error: VisitorUnauthorizedError) -> Rejection {
    Rejection::new(StatusCode::UNAUTHORIZED, error.message.clone()).because(error)
}

/// 403 for a caller who may not call the operation.
pub(crate) fn forbidden(error: ForbiddenError) -> Rejection {
    Rejection::new(StatusCode::FORBIDDEN, error.message.clone()).because(error)
}

/// 422 for a request that contradicts an earlier one.
pub(crate) fn unprocessable(error: ValidationError) -> Rejection {
    Rejection::new(StatusCode::UNPROCESSABLE_ENTITY, error.message.clone()).because(error)
}

/// 409 for a request that is running already. The router knows no reason of its own for this status.
pub(crate) fn conflict(error: &ConflictError) -> Rejection {
    Rejection::from(server::json(StatusCode::CONFLICT, error))
}

/// 429 for a rate limit.
pub(crate) fn too_many(exceeded: Exceeded) -> Rejection {
    Rejection::new(StatusCode::TOO_MANY_REQUESTS, responses::rate_limited(exceeded).message)
        .because(exceeded)
        .with_header(header::RETRY_AFTER, exceeded.retry_after)
}

/// Returns the limit that the request exceeds.
fn exceeded(refusal: &Refusal) -> Exceeded {
    refusal.reason().copied().unwrap_or(Exceeded { retry_after: 1 })
}

fn retry_after(exceeded: Exceeded) -> i64 {
    i64::try_from(exceeded.retry_after).unwrap_or(i64::MAX)
}

fn validation(refusal: &Refusal) -> ValidationError {
    let given = refusal.reason::<ValidationError>().cloned();
    given.unwrap_or_else(|| responses::validation(refusal.failures().iter().cloned()))
}

/// Returns the text of a refusal.
pub(super) fn text(resolvers: &Resolvers, refusal: &Refusal) -> String {
    match refusal {
        Refusal::UnknownResource { parameter } => resolvers.not_found(parameter).to_owned(),
        Refusal::Fault(_) => responses::FAULT.to_owned(),
        other => other.message(),
    }
}

impl Authorization {
    /// Returns the text of a refusal.
    pub(super) fn message(&self, refusal: &Refusal) -> String {
        text(&self.resolvers, refusal)
    }
}

impl VisitorAuthorization {
    fn message(&self, refusal: &Refusal) -> String {
        text(&self.resolvers, refusal)
    }
}

impl Refuse<VisitorUnauthorized> for VisitorAuthorization {
    fn refuse(&self, refusal: &Refusal) -> VisitorUnauthorized {
        let given = refusal.reason::<VisitorUnauthorizedError>().cloned();
        given.unwrap_or_else(responses::visitor_unauthorized).into()
    }
}

impl Refuse<Unauthorized> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> Unauthorized {
        refusal.reason::<UnauthorizedError>().cloned().unwrap_or_else(responses::unauthorized).into()
    }
}

impl Refuse<Forbidden> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> Forbidden {
        let otherwise = || ForbiddenError::new(ForbiddenErrorKind::Forbidden, self.message(refusal));
        refusal.reason::<ForbiddenError>().cloned().unwrap_or_else(otherwise).into()
    }
}

/// The responses that both kinds of callers get.
macro_rules! of_both {
    ($($authorization:ident),+) => {
        $(
            impl Refuse<RateLimited> for $authorization {
                fn refuse(&self, refusal: &Refusal) -> RateLimited {
                    let exceeded = exceeded(refusal);
                    RateLimited { retry_after: retry_after(exceeded), body: responses::rate_limited(exceeded) }
                }
            }

            impl Refuse<ValidationFailed> for $authorization {
                fn refuse(&self, refusal: &Refusal) -> ValidationFailed {
                    validation(refusal).into()
                }
            }

            texts!($authorization: BadRequest, InternalError, NotFound, PayloadTooLarge, UnsupportedMediaType);
        )+
    };
}

impl Refuse<ReplyRateLimited> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> ReplyRateLimited {
        let exceeded = exceeded(refusal);
        let message = responses::rate_limited(exceeded).message;
        let body = ReplyRateLimitedError::new(ReplyRateLimitedErrorKind::RateLimited, message);
        ReplyRateLimited { retry_after: retry_after(exceeded), body }
    }
}

impl Refuse<RecrawlTooSoon> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> RecrawlTooSoon {
        let exceeded = exceeded(refusal);
        let body = RecrawlTooSoonError::new(responses::rate_limited(exceeded).message)
            .error(RecrawlTooSoonErrorKind::RateLimited);
        RecrawlTooSoon { retry_after: retry_after(exceeded), body }
    }
}

impl Refuse<UnsupportedFile> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> UnsupportedFile {
        UnsupportedFile { body: UnsupportedFileError::new(self.message(refusal)) }
    }
}

impl Refuse<SessionRejected> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> SessionRejected {
        SessionRejected { body: validation(refusal).into() }
    }
}

impl Refuse<MessageRejected> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> MessageRejected {
        MessageRejected { body: validation(refusal).into() }
    }
}

impl Refuse<ReplyRejected> for Authorization {
    fn refuse(&self, refusal: &Refusal) -> ReplyRejected {
        ReplyRejected { body: validation(refusal).into() }
    }
}

/// The responses whose body is a text.
macro_rules! texts {
    ($authorization:ident: $($response:ident),+ $(,)?) => {
        $(
            impl Refuse<$response> for $authorization {
                fn refuse(&self, refusal: &Refusal) -> $response {
                    $response { body: Message::new(self.message(refusal)) }
                }
            }
        )+
    };
}

of_both!(Authorization, VisitorAuthorization);
