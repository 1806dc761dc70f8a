//! [`Error`]: why a call failed.

use super::{
    Raw, ReadError, SendError,
    explanation::{self, Explanation},
    retry,
};
use http::StatusCode;
use std::{borrow::Cow, collections::BTreeMap, error, fmt, time::Duration};

/// Why a call failed.
#[derive(Debug)]
pub enum Error<E> {
    /// The request could not be built; nothing was sent.
    Request(String),
    /// The service could not be reached, or the connection failed.
    Connection(SendError),
    /// There was no response within the time limit.
    TimedOut(SendError),
    /// The service responded with an error that its document declares.
    Declared(Box<Declared<E>>),
    /// The service responded with a status that its document does not declare.
    Undocumented(Box<Raw>),
    /// The body does not match the document's declaration for this status.
    Unreadable {
        /// The response as it was received.
        raw: Box<Raw>,
        /// The location and the reason.
        error: ReadError,
    },
}

/// The reason why there is no response, independent of the operation.
#[derive(Debug)]
pub(super) enum Problem {
    /// The request could not be built.
    Request(String),
    /// There was no response.
    Send(SendError),
}

impl From<SendError> for Problem {
    fn from(error: SendError) -> Self {
        match error.credential_problem() {
            Some(problem) => Self::Request(problem),
            None => Self::Send(error),
        }
    }
}

/// A declared error, with the response that contained it.
#[derive(Clone, Debug)]
pub struct Declared<E> {
    /// The error, by status.
    pub error: E,
    /// The response as it was received.
    pub raw: Raw,
}

impl<E> Error<E> {
    pub(super) fn unsent(problem: Problem) -> Self {
        match problem {
            Problem::Request(message) => Self::Request(message),
            Problem::Send(error) if error.is_timeout() => Self::TimedOut(error),
            Problem::Send(error) => Self::Connection(error),
        }
    }

    /// Returns the status, if there was a response.
    pub fn status(&self) -> Option<StatusCode> {
        self.raw().map(|raw| raw.status)
    }

    /// Returns the declared error, if it is one.
    pub fn declared(&self) -> Option<&E> {
        match self {
            Self::Declared(declared) => Some(&declared.error),
            _ => None,
        }
    }

    /// Returns the declared error by value, or else the whole error.
    pub fn into_declared(self) -> Result<E, Self> {
        match self {
            Self::Declared(declared) => Ok(declared.error),
            other => Err(other),
        }
    }

    /// Converts the declared error, if it is one.
    pub fn map<F>(self, convert: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Self::Request(message) => Error::Request(message),
            Self::Connection(error) => Error::Connection(error),
            Self::TimedOut(error) => Error::TimedOut(error),
            Self::Declared(declared) => {
                let Declared { error, raw } = *declared;
                Error::Declared(Box::new(Declared { error: convert(error), raw }))
            }
            Self::Undocumented(raw) => Error::Undocumented(raw),
            Self::Unreadable { raw, error } => Error::Unreadable { raw, error },
        }
    }

    /// Returns the code of the error, as the body states it in a member such as `code`, `error` or `type`.
    pub fn code(&self) -> Option<String> {
        self.explanation()?.code()
    }

    /// Returns the message for people, as the body states it in a member such as `message`, `detail` or
    /// `error_description`.
    pub fn message(&self) -> Option<String> {
        self.explanation()?.message()
    }

    /// Returns the problems of single fields, by their paths as the body writes them.
    pub fn fields(&self) -> BTreeMap<String, Vec<String>> {
        self.explanation().map(|explanation| explanation.fields()).unwrap_or_default()
    }

    fn explanation(&self) -> Option<Explanation> {
        self.raw().map(Explanation::of)
    }

    /// Returns how long the service asks to wait before the next attempt: `Retry-After`.
    pub fn retry_after(&self) -> Option<Duration> {
        retry::retry_after(&self.raw()?.headers)
    }

    /// Returns the id by which the service finds the request in its logs, from a header such as
    /// `X-Request-Id` or from the body.
    pub fn request_id(&self) -> Option<String> {
        explanation::request_id(self.raw()?)
    }

    /// Whether the service responded with 404, declared or not.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(StatusCode::NOT_FOUND)
    }

    /// Whether the service responded with 401, declared or not.
    pub fn is_unauthorized(&self) -> bool {
        self.status() == Some(StatusCode::UNAUTHORIZED)
    }

    /// Whether the service responded with 403, declared or not.
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(StatusCode::FORBIDDEN)
    }

    /// Whether the service responded with 409, declared or not.
    pub fn is_conflict(&self) -> bool {
        self.status() == Some(StatusCode::CONFLICT)
    }

    /// Whether the service responded with 400 or 422, declared or not: the request is not valid.
    pub fn is_invalid(&self) -> bool {
        matches!(self.status(), Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY))
    }

    /// Whether the service responded with 500 or more, declared or not: it failed.
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Whether the service responded with 429, declared or not.
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether there was no response within the time limit.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut(_))
    }

    /// Whether the service could not be reached, or the connection failed.
    pub fn is_connection(&self) -> bool {
        matches!(self, Self::Connection(_))
    }

    /// Returns the response as it was received, if there was one.
    pub fn raw(&self) -> Option<&Raw> {
        match self {
            Self::Declared(declared) => Some(&declared.raw),
            Self::Undocumented(raw) | Self::Unreadable { raw, .. } => Some(raw),
            Self::Request(_) | Self::Connection(_) | Self::TimedOut(_) => None,
        }
    }
}

impl<E> fmt::Display for Error<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(message) => write!(formatter, "the request could not be made: {message}"),
            Self::Connection(error) => write!(formatter, "the service could not be reached: {error}"),
            Self::TimedOut(_) => formatter.write_str("the service did not respond in time"),
            Self::Declared(declared) => {
                // Only the message: the rest of the body may hold personal data, which must not reach logs by
                // accident.
                write!(formatter, "the service responded with {}", declared.raw.status)?;
                match self.message() {
                    Some(message) => write!(formatter, ": {}", Excerpt(&message)),
                    None => Ok(()),
                }
            }
            Self::Undocumented(raw) => {
                let text = self.message();
                let text = text.map_or_else(|| String::from_utf8_lossy(&raw.body), Cow::Owned);
                write!(
                    formatter,
                    "the service responded with {}, which its document does not declare: {}",
                    raw.status,
                    Excerpt(&text)
                )
            }
            Self::Unreadable { raw, error } => {
                write!(
                    formatter,
                    "the service responded with {} with a body that does not fit its document: {error}",
                    raw.status
                )
            }
        }
    }
}

impl<E: fmt::Debug> error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Connection(error) | Self::TimedOut(error) => Some(error),
            Self::Unreadable { error, .. } => Some(error),
            Self::Request(_) | Self::Declared(_) | Self::Undocumented(_) => None,
        }
    }
}

/// The first characters of a text, for a log line.
struct Excerpt<'t>(&'t str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 300;
        match self.0.char_indices().nth(MOST) {
            Some((end, _)) => write!(formatter, "{}…", &self.0[..end]),
            None => formatter.write_str(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Error, Raw, SendError};
    use crate::client::ApiError;
    use http::{HeaderMap, StatusCode, header};
    use std::{error::Error as _, time::Duration};

    fn raw(status: u16, body: &'static str) -> Raw {
        Raw { status: StatusCode::from_u16(status).unwrap(), headers: HeaderMap::new(), body: body.into() }
    }

    fn declared(status: u16, body: &'static str) -> Error<&'static str> {
        Error::Declared(Box::new(Declared { error: "typed", raw: raw(status, body) }))
    }

    #[test]
    fn an_error_says_what_the_service_said() {
        for (error, expected) in [
            (
                declared(404, r#"{"message":"No such pet."}"#),
                "the service responded with 404 Not Found: No such pet.",
            ),
            (declared(404, r#"{"name":"Ada"}"#), "the service responded with 404 Not Found"),
            (
                Error::Undocumented(Box::new(raw(418, r#"{"detail":"Short and stout."}"#))),
                "the service responded with 418 I'm a teapot, which its document does not declare: Short and stout.",
            ),
            (
                Error::Undocumented(Box::new(raw(502, "<h1>Bad</h1>"))),
                "the service responded with 502 Bad Gateway, which its document does not declare: <h1>Bad</h1>",
            ),
        ] {
            assert_eq!(error.to_string(), expected);
            assert_eq!(ApiError::from(error).to_string(), expected);
        }
        let long = Box::leak(format!("{:?}", "a".repeat(400)).into_boxed_str());
        assert!(declared(404, long).to_string().ends_with("aaa…"), "a log line has a limit");
    }

    #[test]
    fn errors_of_every_operation_become_one() {
        let mut response =
            raw(429, r#"{"error":"rate_limited","message":"Slow down.","errors":{"a":["b"]}}"#);
        response.headers.insert(header::RETRY_AFTER, 7.into());
        response.headers.insert("x-request-id", "r1".parse().unwrap());
        let typed = || -> Result<(), ApiError> {
            Err(Error::Declared(Box::new(Declared { error: 1, raw: response.clone() })))?;
            Err(Error::Declared(Box::new(Declared { error: "typed", raw: raw(404, "") })))?;
            Ok(())
        };
        let error = typed().unwrap_err();
        assert!(error.is_rate_limited() && !error.is_not_found() && !error.is_server_error());
        assert_eq!(error.status(), Some(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(
            (error.code().as_deref(), error.message().as_deref()),
            (Some("rate_limited"), Some("Slow down."))
        );
        assert_eq!(error.fields()["a"], ["b"]);
        assert_eq!(
            (error.retry_after(), error.request_id().as_deref()),
            (Some(Duration::from_secs(7)), Some("r1"))
        );
        let boxed = || -> Result<(), Box<dyn std::error::Error + Send + Sync>> { Ok(typed()?) };
        assert!(boxed().unwrap_err().downcast::<ApiError>().unwrap().is_rate_limited());
    }

    #[test]
    fn without_a_response_there_is_a_source_and_nothing_else() {
        let error = ApiError::from(Error::<()>::Connection(SendError::broken("reset")));
        assert_eq!(error.source().unwrap().to_string(), "reset");
        assert!(error.is_connection() && !error.is_timeout());
        assert_eq!(
            (error.status(), error.code(), error.message(), error.request_id()),
            (None, None, None, None)
        );
        assert!(error.fields().is_empty() && error.retry_after().is_none());
        assert!(ApiError::from(Error::<()>::TimedOut(SendError::timed_out())).is_timeout());
    }
}
