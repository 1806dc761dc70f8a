//! The interface of the answer writers, and their errors.

use std::time::Duration;

use frontdesk_outbound::OutboundError;
use http::StatusCode;

use crate::assessment::Assessment;
use crate::draft::Draft;

/// Turns ranked passages into an answer.
pub trait Writer: Send + Sync {
    /// Writes the answer to an assessed task.
    fn answer(&self, assessment: &Assessment<'_>) -> impl Future<Output = Result<Draft, WriterError>> + Send;

    /// Returns the name of the writer in [`Draft::writer`].
    fn name(&self) -> &'static str;
}

/// The reason why a writer has no answer. Visitors never see it: the extractive writer answers instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriterError {
    /// The model endpoint could not be called.
    #[error("the model endpoint could not be called: {0}")]
    Outbound(#[from] OutboundError),
    /// The model endpoint responded with an error status.
    #[error("the model endpoint responded with status {status}")]
    Status {
        /// The status.
        status: StatusCode,
    },
    /// The completion is not in the requested form, even after one repair.
    #[error("the model's completion cannot be used: {reason}")]
    Malformed {
        /// What is wrong with it; never a part of it.
        reason: &'static str,
    },
    /// The endpoint began a stream and did not finish it.
    #[error("the model endpoint broke its stream off: {reason}")]
    BrokenStream {
        /// What is wrong with it; never a part of it.
        reason: &'static str,
    },
    /// Nobody reads the answer any more.
    #[error("nobody reads the answer any more; the request to the model was cancelled")]
    Abandoned,
    /// All requests for one answer together took too long.
    #[error("the model took longer than {limit:?}")]
    Timeout {
        /// The configured limit.
        limit: Duration,
    },
    /// The model endpoint failed repeatedly and is not called for a while.
    #[error("the model endpoint failed repeatedly; the next call is allowed in {retry_in:?}")]
    CircuitOpen {
        /// Time until a call is allowed again.
        retry_in: Duration,
    },
    /// Too many answers are being written.
    #[error("the model is already writing {limit} answers; raise the concurrency limit if it can write more")]
    Overloaded {
        /// The configured limit.
        limit: usize,
    },
    /// The instructions of the chatbot leave no space for passages.
    #[error(
        "the chatbot's instructions leave no space for passages in a prompt of {limit} characters; shorten its \
         critical instructions or raise the prompt limit"
    )]
    PromptTooLong {
        /// The configured limit in characters.
        limit: usize,
    },
}
