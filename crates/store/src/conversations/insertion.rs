//! Insertion of a message into a conversation.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::{Conversation, Message};
use crate::events::states::MessageRole;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{micros, new_id, stored};

/// A message that has no place in its conversation yet.
pub(super) struct NewMessage<'a> {
    pub(super) role: MessageRole,
    pub(super) body: &'a str,
    pub(super) sources: &'a Value,
    pub(super) needs_escalation: bool,
    pub(super) credits_used: u64,
    pub(super) team_member_id: Option<Uuid>,
}

impl<'a> NewMessage<'a> {
    /// A message that cites nothing and costs nothing.
    pub(super) fn plain(role: MessageRole, body: &'a str) -> Self {
        const NONE: &Value = &Value::Array(Vec::new());
        Self { role, body, sources: NONE, needs_escalation: false, credits_used: 0, team_member_id: None }
    }
}

/// Stores the newest message of a conversation that already counts it.
pub(super) async fn insert_message(
    connection: &mut AnyConnection,
    conversation: &Conversation,
    message: &NewMessage<'_>,
    now: Timestamp,
) -> Result<Message, StoreError> {
    let inserted = sqlx::query_as(concat!(
        "INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, \
         sources, needs_escalation, credits_used, created_at, team_member_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ",
        message_columns!()
    ))
    .bind(new_id().to_string())
    .bind(conversation.conversation_id.to_string())
    .bind(conversation.account_id.to_string())
    .bind(conversation.chatbot_id.to_string())
    .bind(stored(conversation.message_count))
    .bind(message.role.as_str())
    .bind(replace_nul(message.body))
    .bind(message.sources.to_string())
    .bind(i64::from(message.needs_escalation))
    .bind(stored(message.credits_used))
    .bind(micros(now))
    .bind(message.team_member_id.map(|id| id.to_string()));
    Ok(inserted.fetch_one(connection).await?)
}
