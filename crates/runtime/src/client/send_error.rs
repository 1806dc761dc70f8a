//! [`SendError`]: why a request got no response.

use std::{error, fmt, io};

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
    Unmet,
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

    /// A tower service failed. If it is an HTTP client that could not connect, the request was not sent, so a
    /// retry is safe.
    pub(super) fn from_service(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        match cause.downcast::<reqwest::Error>() {
            Ok(error) => (*error).into(),
            Err(cause) if is_refused(&*cause) => Self::unsent(cause),
            Err(cause) => Self::broken(cause),
        }
    }

    /// There was no response in time. It is unknown whether the service processed the request.
    pub fn timed_out() -> Self {
        Self { kind: Kind::TimedOut, cause: None }
    }

    /// A failure that a retry would meet again, such as a token that could not be obtained.
    pub fn other(cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self { kind: Kind::Final, cause: Some(cause.into()) }
    }

    /// The client lacks a credential that the operation requires, or cannot write it; nothing was sent.
    pub(super) fn unmet(problem: String) -> Self {
        Self { kind: Kind::Unmet, cause: Some(problem.into()) }
    }

    /// Returns the problem of a request that was not sent because of its credentials.
    pub(super) fn credential_problem(&self) -> Option<String> {
        (self.kind == Kind::Unmet).then(|| self.to_string())
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
            Kind::Final | Kind::Unmet => false,
        }
    }
}

/// Whether the error, or one of its causes, says that there was no connection.
fn is_refused(error: &(dyn error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        {
            return true;
        }
        #[cfg(not(target_arch = "wasm32"))]
        if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect) {
            return true;
        }
        // An I/O error that wraps another error reports only the source of the wrapped one.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    false
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
    fn a_service_that_could_not_connect_sent_nothing() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        assert!(SendError::from_service(std::io::Error::other(refused)).allows_retry(false));
        assert!(!SendError::from_service("reset").allows_retry(false));
    }

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
