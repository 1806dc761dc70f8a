//! Owns [`Error`]: everything that can keep a call from succeeding.

use super::{Raw, SendError};
use http::StatusCode;
use std::{error, fmt};

/// Why a call did not succeed.
#[derive(Debug)]
pub enum Error<E> {
    /// The request could not be made from what was given; nothing was sent.
    Request(String),
    /// The service could not be reached, or the connection broke.
    Connection(SendError),
    /// No answer within the time allowed.
    TimedOut(SendError),
    /// The service answered with an error that its document declares.
    Declared(Box<Declared<E>>),
    /// The service answered with a status that its document does not declare.
    Undocumented(Box<Raw>),
    /// The body does not fit what the document says of this status.
    Unreadable {
        /// The answer as it came.
        raw: Box<Raw>,
        /// Where, and what does not fit.
        error: serde_json::Error,
    },
}

/// Why there is no answer; what an [`Error`] says of it whatever the operation.
#[derive(Debug)]
pub(super) enum Problem {
    /// The request could not be made.
    Request(String),
    /// It was not answered.
    Send(SendError),
}

impl From<SendError> for Problem {
    fn from(error: SendError) -> Self {
        Self::Send(error)
    }
}

/// An error that the document declares, with the answer it was read from.
#[derive(Clone, Debug)]
pub struct Declared<E> {
    /// The error, by status.
    pub error: E,
    /// The answer as it came.
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

    /// The status, where there was an answer.
    pub fn status(&self) -> Option<StatusCode> {
        self.raw().map(|raw| raw.status)
    }

    /// The error that the document declares, where it is one.
    pub fn declared(&self) -> Option<&E> {
        match self {
            Self::Declared(declared) => Some(&declared.error),
            _ => None,
        }
    }

    /// The answer as it came, where there was one.
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
            Self::TimedOut(_) => formatter.write_str("the service did not answer in time"),
            Self::Declared(declared) => {
                write!(formatter, "the service answered {}: {}", declared.raw.status, Excerpt(&declared.raw))
            }
            Self::Undocumented(raw) => {
                write!(
                    formatter,
                    "the service answered {}, which its document does not declare: {}",
                    raw.status,
                    Excerpt(raw)
                )
            }
            Self::Unreadable { raw, error } => {
                write!(
                    formatter,
                    "the service answered {} with a body that does not fit its document: {error}",
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

/// The first characters of a body, enough for a log line.
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
