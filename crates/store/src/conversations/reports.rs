//! What the journal of events says of conversations.

use jiff::Timestamp;
use uuid::Uuid;

use super::modes::NewEscalation;
use super::record::{Conversation, Message};
use crate::contacts::record::{Contact, contact_columns};
use crate::events;
use crate::events::data::EventData;
use crate::events::snapshots::{EventContact, EventConversation, EventMessage};
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;

/// Messages that a request for a person shows.
const LAST_MESSAGES: i64 = 5;

impl From<&Conversation> for EventConversation {
    fn from(conversation: &Conversation) -> Self {
        Self {
            conversation_id: conversation.conversation_id,
            chatbot_id: conversation.chatbot_id,
            contact_id: conversation.contact_id,
            source: conversation.source.clone(),
            mode: conversation.mode,
            created_at: conversation.created_at,
            thread_id: conversation.thread_id,
        }
    }
}

impl From<&Message> for EventMessage {
    fn from(message: &Message) -> Self {
        Self::new(message.message_id, message.role, &message.body, message.created_at)
    }
}

/// Reports a message of a visitor, and the conversation if it begins with it.
pub(crate) async fn visitor_said(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    message: &Message,
    is_new: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    let created = is_new.then(|| EventData::ConversationCreated {
        conversation: conversation.into(),
        first_message: message.into(),
    });
    let said = EventData::MessageCreated { conversation: conversation.into(), message: message.into() };
    events::insert(transaction, conversation.account_id, created.into_iter().chain([said]), now).await
}

/// Reports a message.
pub(crate) async fn message_created(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    message: &Message,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::MessageCreated { conversation: conversation.into(), message: message.into() };
    events::insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a person answers in a conversation from now on.
pub(crate) async fn handoff_accepted(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    team_member_id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::HandoffAccepted { conversation: conversation.into(), team_member_id };
    events::insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a conversation has ended.
pub(crate) async fn conversation_closed(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ConversationClosed { conversation: conversation.into() };
    events::insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a conversation waits for a person.
pub(crate) async fn handoff_requested(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    escalation: &NewEscalation,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut last_messages: Vec<Message> = sqlx::query_as(concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages WHERE conversation_id = $1 ORDER BY position DESC LIMIT $2"
    ))
    .bind(conversation.conversation_id.to_string())
    .bind(LAST_MESSAGES)
    .fetch_all(&mut **transaction)
    .await?;
    last_messages.reverse();
    let contact: Option<Contact> = sqlx::query_as(concat!(
        "SELECT ",
        contact_columns!(),
        " FROM contacts WHERE contact_id = $1 AND account_id = $2"
    ))
    .bind(conversation.contact_id.map(|id| id.to_string()))
    .bind(conversation.account_id.to_string())
    .fetch_optional(&mut **transaction)
    .await?;
    let data = EventData::HandoffRequested {
        conversation: conversation.into(),
        reason: escalation.reason.as_str().to_owned(),
        note: escalation.note.clone(),
        last_messages: last_messages.iter().map(EventMessage::from).collect(),
        contact: contact.as_ref().map(EventContact::from),
    };
    events::insert(transaction, conversation.account_id, [data], now).await
}
