//! Owns [`SendError`]: why a request got no answer.

use std::{error, fmt};

/// Why a request got no answer.
#[derive(Debug)]
pub struct SendError {
    kind: Kind,
    cause: Option<Box<dyn error::Error + Send + Sync>>,
}

/// What a repetition depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unsent,
    Broken,
    TimedOut,
    Final,
}

impl SendError {
    /// The request did not leave, so it can be repeated without harm.
    pub fn unsent(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Unsent, cause: Some(cause.into()) }
    }

    /// The connection broke; whether the service acted on the request is unknown.
    pub fn broken(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Broken, cause: Some(cause.into()) }
    }

    /// No answer in time; whether the service acted on the request is unknown.
    pub fn timed_out() -> Self {
        Self { kind: Kind::TimedOut, cause: None }
    }

    /// A failure that a repetition would meet again, such as a token that could not be had.
    pub fn other(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Final, cause: Some(cause.into()) }
    }

    /// Whether no answer came in time.
    pub fn is_timeout(&self) -> bool {
        self.kind == Kind::TimedOut
    }

    /// Whether a repetition may meet better luck and does no harm.
    pub(super) fn allows_retry(&self, repeatable: bool) -> bool {
        match self.kind {
            Kind::Unsent => true,
            Kind::Broken | Kind::TimedOut => repeatable,
            Kind::Final => false,
        }
    }
}

impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        #[cfg(target_arch = "wasm32")]
        let unsent = false;
        #[cfg(not(target_arch = "wasm32"))]
        let unsent = error.is_connect();
        let kind = if unsent {
            Kind::Unsent
        } else if error.is_timeout() {
            Kind::TimedOut
        } else if error.is_request() || error.is_body() || error.is_decode() {
            Kind::Broken
        } else {
            Kind::Final
        };
        Self { kind, cause: Some(Box::new(error)) }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(formatter, "{cause}"),
            None => formatter.write_str("no answer in time"),
        }
    }
}

impl error::Error for SendError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause.as_deref().and_then(error::Error::source)
    }
}

#[cfg(test)]
mod tests {
    use super::SendError;

    #[test]
    fn only_what_was_never_sent_is_repeated_without_care() {
        for (error, careless, careful) in [
            (SendError::unsent("refused"), true, true),
            (SendError::broken("reset"), false, true),
            (SendError::timed_out(), false, true),
            (SendError::other("no token"), false, false),
        ] {
            assert_eq!((error.allows_retry(false), error.allows_retry(true)), (careless, careful), "{error}");
        }
    }
}
