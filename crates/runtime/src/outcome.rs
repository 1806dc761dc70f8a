//! [`Failure`] and [`Fault`]: the unsuccessful results of a handler.

#[cfg(feature = "server")]
use crate::codec::StreamError;
use std::{error::Error, fmt};

/// An unsuccessful result of a handler: an error that its operation declares, or a fault.
///
/// `?` converts both to a `Failure`: a declared response such as `NotFound` only if the operation declares
/// it, which the compiler checks; any other [`Error`] becomes a [`Fault`], which the server logs and hides
/// behind an opaque 500.
#[derive(Debug)]
pub enum Failure<E> {
    /// A response that the document declares.
    Declared(E),
    /// An unexpected error.
    Fault(Fault),
}

impl<E, X: Error + Send + Sync + 'static> From<X> for Failure<E> {
    fn from(error: X) -> Self {
        Self::Fault(Fault(error.into()))
    }
}

/// An unexpected error, which is logged and never shown to the caller.
pub struct Fault(Box<dyn Error + Send + Sync>);

impl Fault {
    /// Makes a fault from a message, without an underlying error.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into().into())
    }

    /// Returns the server's limit if the cause is a request body that exceeds it.
    #[cfg(feature = "server")]
    pub(crate) fn request_limit(&self) -> Option<u64> {
        let mut cause: Option<&(dyn Error + 'static)> = Some(&*self.0);
        while let Some(error) = cause {
            if let Some(limit) = error.downcast_ref::<StreamError>().and_then(StreamError::request_limit) {
                return Some(limit);
            }
            // An I/O error that wraps another error reports only the source of the wrapped one.
            cause = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
                Some(held) => Some(held),
                None => error.source(),
            };
        }
        None
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.0)
    }
}

impl fmt::Display for Fault {
    /// Writes the error and all its causes on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(formatter, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
