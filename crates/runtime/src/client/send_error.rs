//! [`SendError`]: why a request got no response.

use std::{error, fmt};

/// Why a request got no response.
#[derive(Debug)]
pub struct SendError {
    kind: Kind,
    cause: Option<Box<dyn error::Error + Send + Sync>>,
}

/// The kind of failure, which determines whether a retry is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unsent,
    Broken,
    TimedOut,
    Final,
}

impl SendError {
    /// The request was not sent, so a retry is safe.
    pub fn unsent(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Unsent, cause: Some(cause.into()) }
    }

    /// The connection failed. It is unknown whether the service processed the request.
    pub fn broken(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Broken, cause: Some(cause.into()) }
    }

    /// There was no response in time. It is unknown whether the service processed the request.
    pub fn timed_out() -> Self {
        Self { kind: Kind::TimedOut, cause: None }
    }

    /// A failure that a retry would meet again, such as a token that could not be obtained.
    pub fn other(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Final, cause: Some(cause.into()) }
    }

    /// Whether there was no response in time.
    pub fn is_timeout(&self) -> bool {
        self.kind == Kind::TimedOut
    }

    /// Whether a retry is safe and may succeed.
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
            None => formatter.write_str("no response in time"),
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
