//! Why a chatbot or a website has no content.

use jiff::Timestamp;
use sqlx::any::AnyRow;

use crate::sql::record::Column;

/// Why a chatbot's training failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatbotError {
    /// A stable code.
    pub code: String,
    /// What happened, for people.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

impl Column for Option<ChatbotError> {
    fn read(row: &AnyRow, _: &str) -> sqlx::Result<Self> {
        let (code, at) = (Column::read(row, "error_code")?, Column::read(row, "error_at")?);
        let (Some(code), Some(at)) = (code, at) else { return Ok(None) };
        let message = Option::<String>::read(row, "error_message")?.unwrap_or_default();
        Ok(Some(ChatbotError { code, message, at }))
    }
}
