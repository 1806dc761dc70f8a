//! Changes of the mode of a conversation, each within a transaction that has locked its row.
//!
//! `ai` becomes `human_requested` when a person is asked for, and `human` with the first message of a person;
//! from any of these it becomes `ai` again or `closed`. Three functions write these changes:
//! [`request_person`], [`take_over`] and [`end_exchange`]; [`accept`] takes over without a message.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::insertion::{NewMessage, insert_message};
use super::record::{Conversation, EscalationReason, Message};
use crate::events::states::{ConversationMode, MessageRole};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::micros;
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// A request for a person.
#[derive(Debug, Clone)]
pub struct NewEscalation {
    /// Why the person is needed.
    pub reason: EscalationReason,
    /// What the person should know.
    pub note: Option<String>,
    /// When the visitor is to be informed that nobody is available, if nobody takes over before.
    pub unclaimed_at: Option<Timestamp>,
}

/// A message of a team member or of Frontdesk itself, with its conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The conversation after the message.
    pub conversation: Conversation,
    /// The message.
    pub message: Message,
}

/// Finds a conversation and locks its row until the transaction ends. SQLite needs no lock: its write
/// transactions run one at a time.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    conversation_id: Uuid,
) -> Result<Option<Conversation>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT ",
                conversation_columns!(),
                " FROM conversations WHERE ",
                in_scope!(),
                " AND conversation_id = $3",
                $lock
            )
        };
    }
    let sql = dialect.pick(select!(""), select!(" FOR NO KEY UPDATE"));
    Ok(scoped_as(sql, scope).bind(conversation_id.to_string()).fetch_optional(connection).await?)
}

/// Makes a locked conversation wait for a person.
pub(super) async fn request_person(
    connection: &mut AnyConnection,
    conversation_id: Uuid,
    escalation: &NewEscalation,
    now: Timestamp,
) -> Result<Conversation, StoreError> {
    let requested = sqlx::query_as(concat!(
        "UPDATE conversations SET mode = 'human_requested', needs_escalation = 1, escalated_at = $2, \
         escalation_reason = $3, escalation_note = $4, handover_due_at = $5 WHERE conversation_id = $1 RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string())
    .bind(micros(now))
    .bind(escalation.reason.as_str())
    .bind(escalation.note.as_deref().map(replace_nul))
    .bind(escalation.unclaimed_at.map(micros));
    Ok(requested.fetch_one(connection).await?)
}

/// Lets a person answer in a locked conversation that waits for one.
pub(crate) async fn accept(
    connection: &mut AnyConnection,
    conversation_id: Uuid,
) -> Result<Conversation, StoreError> {
    let accepted = sqlx::query_as(concat!(
        "UPDATE conversations SET mode = 'human', needs_escalation = 0, handover_due_at = NULL \
         WHERE conversation_id = $1 RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string());
    Ok(accepted.fetch_one(connection).await?)
}

/// Adds a message of a team member to a locked conversation, and lets that person answer.
pub(crate) async fn take_over(
    connection: &mut AnyConnection,
    conversation_id: Uuid,
    team_member_id: Uuid,
    text: &str,
    now: Timestamp,
) -> Result<Reply, StoreError> {
    let conversation: Conversation = sqlx::query_as(concat!(
        "UPDATE conversations SET mode = 'human', needs_escalation = 0, handover_due_at = NULL, \
         message_count = message_count + 1, last_message_at = $2 WHERE conversation_id = $1 RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string())
    .bind(micros(now))
    .fetch_one(&mut *connection)
    .await?;
    let message = NewMessage {
        team_member_id: Some(team_member_id),
        ..NewMessage::plain(MessageRole::TeamMember, text)
    };
    let message = insert_message(connection, &conversation, &message, now).await?;
    Ok(Reply { conversation, message })
}

/// Hands a locked conversation back to the chatbot, or closes it. What was said before is no longer context
/// of what follows.
pub(crate) async fn end_exchange(
    connection: &mut AnyConnection,
    conversation_id: Uuid,
    mode: ConversationMode,
) -> Result<Conversation, StoreError> {
    let ended = sqlx::query_as(concat!(
        "UPDATE conversations SET mode = $2, needs_escalation = 0, handover_due_at = NULL, \
         context_start = message_count WHERE conversation_id = $1 RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string())
    .bind(mode.as_str());
    Ok(ended.fetch_one(connection).await?)
}
