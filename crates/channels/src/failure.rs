//! What became of an attempt to send a message.

use std::time::Duration;

use frontdesk_outbound::{Fetched, OutboundError, PostError};

/// How an attempt to send a message has failed. The texts are for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// The message certainly was not accepted; another attempt may succeed.
    #[error("{reason}")]
    NotSent {
        /// Why.
        reason: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The message was not accepted, and will not be.
    #[error("{0}")]
    Refused(String),
    /// Nobody knows whether the message was accepted, so it must not be sent again.
    #[error("{0}")]
    Unknown(String),
}

impl SendFailure {
    pub(crate) fn not_sent(reason: impl Into<String>) -> Self {
        Self::NotSent { reason: reason.into(), retry_after: None }
    }

    /// Converts a failure before the message was handed over, so nothing can have been accepted.
    pub(crate) fn before_handover(error: &OutboundError) -> Self {
        match error {
            // The text names an internal address, which customers must not learn.
            OutboundError::BlockedAddress { .. } | OutboundError::BlockedPort { .. } => Self::Refused(
                "The host may not be contacted: only public addresses and the usual ports are allowed."
                    .to_owned(),
            ),
            OutboundError::BadUrl { .. } | OutboundError::Setup { .. } => Self::Refused(error.to_string()),
            _ => Self::not_sent(error.to_string()),
        }
    }

    /// Converts a failure of a post. Only once its last byte was written, it may have been accepted.
    pub(crate) fn of_post(failed: &PostError) -> Self {
        match Self::before_handover(&failed.error) {
            Self::NotSent { reason, .. } if failed.was_handed_over => Self::Unknown(reason),
            failure => failure,
        }
    }

    /// Converts an unsuccessful response whose body has no further details.
    pub(crate) fn of_response(service: &str, response: &Fetched, reason: &str) -> Self {
        let status = response.status;
        let text = if reason.is_empty() {
            format!("{service} responded with {status}.")
        } else {
            format!("{service}: {reason}")
        };
        match status.as_u16() {
            429 => {
                let after =
                    response.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
                let retry_after = after.and_then(|after| after.trim().parse().ok()).map(Duration::from_secs);
                Self::NotSent { reason: text, retry_after }
            }
            500.. => Self::Unknown(text),
            _ => Self::Refused(text),
        }
    }
}
