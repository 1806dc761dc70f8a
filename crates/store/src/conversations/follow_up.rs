//! Messages of follow-ups: the business writes to the visitor by itself.

use jiff::Timestamp;
use uuid::Uuid;

use super::insertion::{NewMessage, insert_message};
use super::record::Conversation;
use super::reports;
use crate::events::states::MessageRole;
use crate::sql::error::StoreError;
use crate::sql::row::micros;

/// Adds the message of a follow-up to a conversation, in the name of the chatbot. Who answers does not
/// change, so a closed conversation stays closed until the visitor writes.
pub(crate) async fn write_follow_up(
    transaction: &mut crate::sql::database::WriteTransaction,
    conversation_id: Uuid,
    text: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let conversation: Conversation = sqlx::query_as(concat!(
        "UPDATE conversations SET message_count = message_count + 1, last_message_at = $2 WHERE conversation_id = $1 RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string())
    .bind(micros(now))
    .fetch_one(&mut **transaction)
    .await?;
    let message = NewMessage::plain(MessageRole::Assistant, text);
    let message = insert_message(transaction, &conversation, &message, now).await?;
    reports::message_created(transaction, &conversation, &message, now).await?;
    Ok(())
}
