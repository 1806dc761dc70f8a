//! [`ApiError`]: why a call of any operation failed.

use super::{Error, Raw};
use http::StatusCode;
use std::{collections::BTreeMap, error, fmt, time::Duration};

/// Why a call failed, whichever operation it was: one type for programs that do not tell the errors of each
/// operation apart.
///
/// `?` converts the [`Error`] of every operation to it. What it says is read from the response: `code`,
/// `message` and `fields` look for the members that error bodies usually have, and `None` or nothing means
/// that the body has none of them.
///
/// ```
/// use frontdesk_runtime::client::{ApiError, Endpoint, Call};
///
/// async fn succeeds<E: Endpoint>(call: Call<E>) -> Result<bool, ApiError> {
///     match call.await.map_err(ApiError::from) {
///         Ok(_) => Ok(true),
///         Err(error) if error.is_not_found() => Ok(false),
///         Err(error) => Err(error),
///     }
/// }
/// ```
pub struct ApiError(Box<Error<()>>);

impl<E> From<Error<E>> for ApiError {
    fn from(error: Error<E>) -> Self {
        Self(Box::new(error.map(|_| ())))
    }
}

impl ApiError {
    /// Returns the status, if there was a response.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status()
    }

    /// Returns the code of the error, as the body states it in a member such as `code`, `error` or `type`.
    pub fn code(&self) -> Option<String> {
        self.0.code()
    }

    /// Returns the message for people, as the body states it in a member such as `message`, `detail` or
    /// `error_description`.
    pub fn message(&self) -> Option<String> {
        self.0.message()
    }

    /// Returns the problems of single fields, by their paths as the body writes them.
    pub fn fields(&self) -> BTreeMap<String, Vec<String>> {
        self.0.fields()
    }

    /// Returns how long the service asks to wait before the next attempt: `Retry-After`.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after()
    }

    /// Returns the id by which the service finds the request in its logs, from a header such as
    /// `X-Request-Id` or from the body.
    pub fn request_id(&self) -> Option<String> {
        self.0.request_id()
    }

    /// Returns the response as it was received, if there was one.
    pub fn raw(&self) -> Option<&Raw> {
        self.0.raw()
    }

    /// Whether the service responded with 401.
    pub fn is_unauthorized(&self) -> bool {
        self.0.is_unauthorized()
    }

    /// Whether the service responded with 403.
    pub fn is_forbidden(&self) -> bool {
        self.0.is_forbidden()
    }

    /// Whether the service responded with 404.
    pub fn is_not_found(&self) -> bool {
        self.0.is_not_found()
    }

    /// Whether the service responded with 409.
    pub fn is_conflict(&self) -> bool {
        self.0.is_conflict()
    }

    /// Whether the service responded with 400 or 422: the request is not valid.
    pub fn is_invalid(&self) -> bool {
        self.0.is_invalid()
    }

    /// Whether the service responded with 429.
    pub fn is_rate_limited(&self) -> bool {
        self.0.is_rate_limited()
    }

    /// Whether the service responded with 500 or more: it failed.
    pub fn is_server_error(&self) -> bool {
        self.0.is_server_error()
    }

    /// Whether there was no response within the time limit.
    pub fn is_timeout(&self) -> bool {
        self.0.is_timeout()
    }

    /// Whether the service could not be reached, or the connection failed.
    pub fn is_connection(&self) -> bool {
        self.0.is_connection()
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl error::Error for ApiError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.0.source()
    }
}
