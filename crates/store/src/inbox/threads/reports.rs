//! What the journal of events says of threads.

use jiff::Timestamp;

use super::record::{AuthorType, Thread, ThreadMessage};
use crate::events;
use crate::events::data::EventData;
use crate::events::snapshots::{EventMessage, EventThread};
use crate::events::states::{MessageRole, ThreadStatus};
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;

impl From<&Thread> for EventThread {
    fn from(thread: &Thread) -> Self {
        Self {
            thread_id: thread.thread_id,
            channel: thread.channel,
            channel_id: thread.channel_id,
            external_key: thread.external_key.clone(),
            conversation_id: thread.conversation_id,
            chatbot_id: thread.chatbot_id,
            contact_id: thread.contact_id,
            subject: thread.subject.clone(),
            status: thread.status,
            created_at: thread.created_at,
        }
    }
}

impl From<&ThreadMessage> for EventMessage {
    fn from(message: &ThreadMessage) -> Self {
        let role = match message.author_type {
            AuthorType::Contact => MessageRole::Visitor,
            AuthorType::TeamMember => MessageRole::TeamMember,
            AuthorType::Ai => MessageRole::Assistant,
            AuthorType::System => MessageRole::System,
        };
        Self::new(message.message_id, role, &message.body, message.created_at)
    }
}

/// Reports a new status of a thread. To be called last, as all that inserts events.
pub(crate) async fn report_status(
    transaction: &mut WriteTransaction,
    thread: &Thread,
    before: ThreadStatus,
    now: Timestamp,
) -> Result<(), StoreError> {
    if thread.status == before {
        return Ok(());
    }
    let data =
        EventData::ThreadStatusChanged { thread: thread.into(), previous_status: before.as_str().to_owned() };
    events::insert(transaction, thread.account_id, [data], now).await
}

/// Reports a message of a thread that is not a chat.
pub(crate) async fn report_message(
    transaction: &mut WriteTransaction,
    thread: &Thread,
    message: &ThreadMessage,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ThreadMessageCreated { thread: thread.into(), message: message.into() };
    events::insert(transaction, thread.account_id, [data], now).await
}
