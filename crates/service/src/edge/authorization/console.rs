//! Authorization of people who are signed in to the console.
//!
//! The steps run in the order of the contract: session (401), role, second factor and confirmation (403),
//! rate limit (429). The origin of the request has been checked before, by
//! [`admit`](crate::edge::console::admit). Handlers look for the resources in the path themselves, each
//! within the account or the person of the session.

use axum::response::Response;
use frontdesk_console_model::{
    BadRequest, Forbidden, ForbiddenError, ForbiddenErrorKind, InternalError, Message, NotFound,
    PayloadTooLarge, RateLimited, RateLimitedError, RateLimitedErrorKind, Unauthorized, UnauthorizedError,
    UnauthorizedErrorKind, UnsupportedMediaType, ValidationError, ValidationFailed,
};
use frontdesk_console_server::{Authenticator, OPERATIONS};
use frontdesk_runtime::{
    Operation, StatusCode, check,
    server::{Incoming, Refusal, Refuse, Rejection},
};
use frontdesk_store::{PendingSignIn, Session, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::{
    fault,
    policy::{Policies, PolicyError},
    refusals,
    resources::{Resolver, Resolvers},
};
use crate::{
    edge::{
        Edge, changes,
        rate_limit::{Exceeded, Subject},
        responses,
    },
    platform::secrets::people_tokens::Purpose,
};

/// Requests that a session may make in a minute.
pub(crate) const REQUESTS_PER_SESSION: u32 = 600;
/// How long a sign-in or its confirmation is recent.
pub(crate) const RECENT: SignedDuration = SignedDuration::from_mins(10);

/// Returns the session of a token, unless it has ended, and notes that it is used.
pub(crate) async fn session(service: &Edge, token: &str) -> Result<Option<Session>, StoreError> {
    let Some(hash) = Purpose::Session.hash(token) else { return Ok(None) };
    let now = service.now();
    let Some(session) = service.store.sessions().authenticate(&hash, now).await? else { return Ok(None) };
    // Nobody waits for it, and a failure loses no more than minutes.
    let (service, used) = (service.clone(), session.clone());
    tokio::spawn(async move {
        if let Err(error) = service.store.sessions().touch(&used, now).await {
            tracing::warn!(%error, "the session of a person could not be extended");
        }
    });
    Ok(Some(session))
}

/// Returns the sign-in of a token that waits for a code, if it is the token of one.
pub(crate) async fn pending(service: &Edge, token: &str) -> Result<Option<PendingSignIn>, StoreError> {
    let Some(hash) = Purpose::Session.hash(token) else { return Ok(None) };
    service.store.pending_sign_ins().find(&hash, service.now()).await
}

/// Returns the 401 for a token that is not the token of a session.
pub(crate) async fn without_session(service: &Edge, token: &str) -> Result<UnauthorizedError, StoreError> {
    let is_pending = pending(service, token).await?.is_some();
    Ok(if is_pending { factor_required() } else { session_ended() })
}

/// Decides who is signed in, and whether the call may go on.
#[derive(Debug)]
pub(crate) struct ConsoleAuthorization {
    service: Edge,
    policies: Policies,
}

impl ConsoleAuthorization {
    /// Reads the policies of the console's operations. Fails if one cannot be enforced.
    pub(crate) fn new(service: Edge) -> Result<Self, PolicyError> {
        // Handlers find what these name, because some belong to a person and not to an account.
        let named =
            ["invitation_id", "key_id", "member_id", "passkey_id", "session_id"].map(Resolver::by_handler);
        let policies = Policies::read(OPERATIONS, &Resolvers::new(named))?;
        Ok(Self { service, policies })
    }

    /// Returns the largest body that an operation reads, in bytes.
    pub(crate) fn body_limits(&self) -> impl Fn(&'static Operation) -> usize + Clone + use<> {
        let (policies, general) = (self.policies.clone(), self.service.config.http.body_limit);
        move |operation| policies.of(operation).body_limit(general)
    }
}

/// 401 without a session.
pub(crate) fn unauthorized() -> UnauthorizedError {
    UnauthorizedError::new(UnauthorizedErrorKind::Unauthorized, "Sign in first.")
}

/// 401 for a session that has ended.
pub(crate) fn session_ended() -> UnauthorizedError {
    UnauthorizedError::new(UnauthorizedErrorKind::SessionEnded, "Your session has ended. Sign in again.")
}

/// 401 for a sign-in that waits for a code.
fn factor_required() -> UnauthorizedError {
    let text = "Complete the sign-in with your second factor first.";
    UnauthorizedError::new(UnauthorizedErrorKind::FactorRequired, text)
}

/// 429 for a rate limit.
pub(crate) fn too_many(exceeded: Exceeded) -> RateLimited {
    let retry_after = i64::try_from(exceeded.retry_after).unwrap_or(i64::MAX);
    let message = responses::rate_limited(exceeded).message;
    RateLimited { retry_after, body: RateLimitedError::new(RateLimitedErrorKind::RateLimited, message) }
}

/// 422 for fields that violate the rules of an operation.
pub(crate) fn validation_failed(failures: impl IntoIterator<Item = check::Failure>) -> ValidationFailed {
    let error = responses::validation(failures);
    ValidationFailed { body: ValidationError::new(error.message, error.errors) }
}

/// Whether a sign-in or its confirmation is recent.
pub(super) fn is_recent(confirmed_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(confirmed_at) <= RECENT
}

/// 403 for what needs a recent sign-in.
pub(super) fn confirmation_required() -> ForbiddenError {
    let text = "Confirm with your password that it is you.";
    ForbiddenError::new(ForbiddenErrorKind::ConfirmationRequired, text)
}

/// 403 for a person who lacks the second factor that the account requires.
pub(crate) fn second_factor_required() -> ForbiddenError {
    let text = "This account requires a second factor. Add one to go on.";
    ForbiddenError::new(ForbiddenErrorKind::SecondFactorRequired, text)
}

fn forbidden(kind: ForbiddenErrorKind, text: &str) -> Rejection {
    let error = ForbiddenError::new(kind, text);
    Rejection::new(StatusCode::FORBIDDEN, error.message.clone()).because(error)
}

impl Authenticator for ConsoleAuthorization {
    type Caller = Session;

    async fn session(&self, token: &str, _: &Incoming) -> Result<Session, Rejection> {
        let found = session(&self.service, token).await.map_err(|error| fault(&error))?;
        if let Some(session) = found {
            return Ok(session);
        }
        let error = without_session(&self.service, token).await.map_err(|error| fault(&error))?;
        Err(Rejection::new(StatusCode::UNAUTHORIZED, error.message.clone()).because(error))
    }

    async fn authorize(&self, caller: Option<&Session>, incoming: &mut Incoming) -> Result<(), Rejection> {
        // The handlers of calls without a session count their failures.
        let Some(session) = caller else { return Ok(()) };
        changes::note_caller(incoming, &session.scope());
        let policy = self.policies.of(incoming.operation());
        if !policy.roles.contains(&session.role) {
            let text = responses::role_not_allowed(&policy.roles).message;
            return Err(forbidden(ForbiddenErrorKind::Forbidden, &text));
        }
        if session.lacks_second_factor && !policy.without_factor {
            let error = second_factor_required();
            return Err(Rejection::new(StatusCode::FORBIDDEN, error.message.clone()).because(error));
        }
        if policy.recent && !is_recent(session.confirmed_at, self.service.now()) {
            let error = confirmation_required();
            return Err(Rejection::new(StatusCode::FORBIDDEN, error.message.clone()).because(error));
        }
        let subject = Subject::RequestsOfSession(session.session_id);
        let taken = self.service.rate_limits.take(subject, REQUESTS_PER_SESSION).await;
        taken.map_err(refusals::too_many)
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        responses::message(refusal.status(), &text(&refusal))
    }
}

/// Returns the text of a refusal.
fn text(refusal: &Refusal) -> String {
    match refusal {
        Refusal::UnknownResource { .. } => "There is no such resource.".to_owned(),
        Refusal::Fault(_) => responses::FAULT.to_owned(),
        other => other.message(),
    }
}

impl Refuse<Unauthorized> for ConsoleAuthorization {
    fn refuse(&self, refusal: &Refusal) -> Unauthorized {
        let error = refusal.reason::<UnauthorizedError>().cloned().unwrap_or_else(unauthorized);
        Unauthorized { body: error }
    }
}

impl Refuse<Forbidden> for ConsoleAuthorization {
    fn refuse(&self, refusal: &Refusal) -> Forbidden {
        let otherwise = || ForbiddenError::new(ForbiddenErrorKind::Forbidden, text(refusal));
        Forbidden { body: refusal.reason::<ForbiddenError>().cloned().unwrap_or_else(otherwise) }
    }
}

impl Refuse<RateLimited> for ConsoleAuthorization {
    fn refuse(&self, refusal: &Refusal) -> RateLimited {
        too_many(refusal.reason().copied().unwrap_or(Exceeded { retry_after: 1 }))
    }
}

impl Refuse<ValidationFailed> for ConsoleAuthorization {
    fn refuse(&self, refusal: &Refusal) -> ValidationFailed {
        validation_failed(refusal.failures().iter().cloned())
    }
}

/// The responses whose body is a text.
macro_rules! texts {
    ($($response:ident),+ $(,)?) => {
        $(
            impl Refuse<$response> for ConsoleAuthorization {
                fn refuse(&self, refusal: &Refusal) -> $response {
                    $response { body: Message::new(text(refusal)) }
                }
            }
        )+
    };
}

texts!(BadRequest, InternalError, NotFound, PayloadTooLarge, UnsupportedMediaType);
