//! Failures of handing conversations over and of answering them.

use crate::events::states::ConversationMode;
use crate::sql::error::StoreError;

/// Why a conversation cannot be handed over or answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationError {
    /// Its mode does not allow it.
    #[error("the mode of the conversation is {mode}, which does not allow this")]
    WrongMode {
        /// The mode.
        mode: ConversationMode,
    },
    /// A message of a widget has an answer already.
    #[error("the message was answered before")]
    AnsweredBefore,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ConversationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
