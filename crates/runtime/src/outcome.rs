//! Owns [`Failure`] and [`Fault`]: how a handler ends when it does not succeed.

#[cfg(feature = "server")]
use crate::codec::StreamError;
use std::{error::Error, fmt};

/// How a handler ends when it does not succeed: with an error that its operation declares, or with a fault.
///
/// `?` turns either into a `Failure`: a declared response such as `NotFound` only where the operation declares it, which
/// the compiler checks; any other [`Error`] becomes a [`Fault`], which the server logs and answers with an opaque 500.
#[derive(Debug)]
pub enum Failure<E> {
    /// An answer that the document declares.
    Declared(E),
    /// Something that should not have happened.
    Fault(Fault),
}

impl<E, X: Error + Send + Sync + 'static> From<X> for Failure<E> {
    fn from(error: X) -> Self {
        Self::Fault(Fault(error.into()))
    }
}

/// Something that should not have happened; it is for the log and never for the caller.
pub struct Fault(Box<dyn Error + Send + Sync>);

impl Fault {
    /// A fault that has no error value behind it.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into().into())
    }

    /// The limit of the server, where the cause of all is that the body of a request was longer.
    #[cfg(feature = "server")]
    pub(crate) fn request_limit(&self) -> Option<u64> {
        let mut cause: Option<&(dyn Error + 'static)> = Some(&*self.0);
        while let Some(error) = cause {
            if let Some(limit) = error.downcast_ref::<StreamError>().and_then(StreamError::request_limit) {
                return Some(limit);
            }
            // An input or output error that holds another one names only the cause of that as its own.
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
    /// The error and everything that caused it, on one line.
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

/// Lets `?` turn a response into the error of an operation that declares it.
///
/// Each `Variant(Type)` is a response that only one status of the operation carries, so its type alone tells the status.
#[macro_export]
macro_rules! declares {
    ($error:ident { $($variant:ident($response:ident)),* $(,)? }) => {
        $(
            impl From<$response> for $error {
                fn from(response: $response) -> Self {
                    Self::$variant(response)
                }
            }

            impl From<$response> for $crate::Failure<$error> {
                fn from(response: $response) -> Self {
                    Self::Declared($error::$variant(response))
                }
            }
        )*

        impl From<$error> for $crate::Failure<$error> {
            fn from(error: $error) -> Self {
                Self::Declared(error)
            }
        }
    };
}
