//! The outcome of looking at a channel for messages.

use serde_json::Value;

use crate::background::jobs::BoxError;

/// What a visit has brought.
pub(super) struct Visited {
    /// How far the channel has been read.
    pub(super) progress: Value,
    /// There is more.
    pub(super) has_more: bool,
}

/// How a visit has failed.
pub(super) enum VisitError {
    /// The other side does not work; why, for people of the account.
    Outside(String),
    /// The service itself has failed.
    Inside(BoxError),
}

impl<E: Into<BoxError>> From<E> for VisitError {
    fn from(error: E) -> Self {
        Self::Inside(error.into())
    }
}
