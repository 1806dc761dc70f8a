//! [`Error`]: why a call failed.

use super::{Raw, ReadError, SendError};
use http::StatusCode;
use std::{error, fmt};

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

    /// Whether the service responded with 404, declared or not.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(StatusCode::NOT_FOUND)
    }

    /// Whether the service responded with 401, declared or not.
    pub fn is_unauthorized(&self) -> bool {
        self.status() == Some(StatusCode::UNAUTHORIZED)
    }

    /// Whether the service responded with 429, declared or not.
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether there was no response within the time limit.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut(_))
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
                // The body may hold personal data, which must not reach logs by accident.
                write!(formatter, "the service responded with {}", declared.raw.status)
            }
            Self::Undocumented(raw) => {
                write!(
                    formatter,
                    "the service responded with {}, which its document does not declare: {}",
                    raw.status,
                    Excerpt(raw)
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

/// The first characters of a body, for a log line.
struct Excerpt<'r>(&'r Raw);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 300;
        let text = String::from_utf8_lossy(&self.0.body);
        match text.char_indices().nth(MOST) {
            Some((end, _)) => write!(formatter, "{}…", &text[..end]),
            None => formatter.write_str(&text),
        }
    }
}
