//! What a writer is, and how one fails.

use async_trait::async_trait;
use frontdesk_outbound::OutboundError;
use http::StatusCode;

use crate::task::{Draft, Task};

/// Turns ranked passages into an answer.
#[async_trait]
pub trait Writer: Send + Sync {
    /// Writes the answer to a task.
    async fn answer(&self, task: &Task) -> Result<Draft, WriterError>;

    /// Name of the writer in [`Draft::writer`].
    fn name(&self) -> &'static str;
}

/// Why a writer has no answer. The visitor never sees this: the extractive writer answers instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriterError {
    /// The model server could not be asked.
    #[error("the model server could not be asked: {0}")]
    Outbound(#[from] OutboundError),
    /// The model server refused or failed.
    #[error("the model server answered with status {status}")]
    Status {
        /// Its status.
        status: StatusCode,
    },
    /// The answer is not what was asked for, even after one repair.
    #[error("the model's answer cannot be used: {reason}")]
    Malformed {
        /// What is wrong with it; never a part of the answer.
        reason: &'static str,
    },
    /// All attempts together took longer than the configuration allows.
    #[error("the model took longer than {limit:?}")]
    Timeout {
        /// The limit.
        limit: std::time::Duration,
    },
}
