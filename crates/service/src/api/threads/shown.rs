//! Threads, messages and attachments of the store as types of the contract.

use frontdesk_model::{
    Attachment, InboxMessage, MessageAuthor, MessageAuthorType, MessageDeliveryStatus, MessageDirection,
    Thread, ThreadChannel, ThreadPriority, ThreadStatus,
};
use frontdesk_store::{self as store, Scope, StoreError};

use crate::{
    api::{Service, count, texts},
    edge::responses::timestamp,
};

pub(in crate::api) fn thread(stored: store::Thread) -> Thread {
    Thread::new(
        stored.thread_id,
        ThreadChannel::from(stored.channel.as_str()),
        stored.channel_id,
        stored.external_key,
        stored.conversation_id,
        stored.chatbot_id,
        stored.contact_id,
        stored.subject,
        ThreadStatus::from(stored.status.as_str()),
        ThreadPriority::from(stored.priority.as_str()),
        stored.assignee_id,
        texts(&stored.tags),
        stored.snoozed_until.map(timestamp),
        count(stored.unread_count),
        count(stored.message_count),
        timestamp(stored.last_message_at),
        stored.last_message_preview,
        stored.waiting_since.map(timestamp),
        stored.first_reply_at.map(timestamp),
        stored.resolved_at.map(timestamp),
        stored.deal_ids,
        timestamp(stored.created_at),
        timestamp(stored.updated_at),
    )
}

pub(in crate::api) fn attachment(stored: store::Attachment) -> Attachment {
    Attachment::new(
        stored.attachment_id,
        stored.file_name,
        stored.mime_type,
        count(stored.size_bytes),
        timestamp(stored.created_at),
    )
}

/// Returns messages with their attachments.
pub(in crate::api) async fn messages(
    service: &Service,
    scope: &Scope,
    stored: Vec<store::ThreadMessage>,
) -> Result<Vec<InboxMessage>, StoreError> {
    let ids: Vec<_> = stored.iter().map(|message| message.message_id).collect();
    let mut attachments = service.store.threads().attachments_of(scope, &ids).await?;
    let shown = stored.into_iter().map(|stored| {
        let attached = attachments.remove(&stored.message_id).unwrap_or_default();
        message(stored, attached)
    });
    Ok(shown.collect())
}

/// Returns one message with its attachments.
pub(in crate::api) async fn one_message(
    service: &Service,
    scope: &Scope,
    stored: store::ThreadMessage,
) -> Result<InboxMessage, StoreError> {
    let ids = [stored.message_id];
    let attached = service.store.threads().attachments_of(scope, &ids).await?.remove(&stored.message_id);
    Ok(message(stored, attached.unwrap_or_default()))
}

fn message(stored: store::ThreadMessage, attachments: Vec<store::Attachment>) -> InboxMessage {
    let author_type = MessageAuthorType::from(stored.author_type.as_str());
    let mut shown = InboxMessage::new(
        stored.message_id,
        MessageDirection::from(stored.direction.as_str()),
        MessageAuthor::new(author_type, stored.author_id, stored.author_name),
        stored.body,
        stored.body_html,
        attachments.into_iter().map(attachment),
        stored.delivery_status.map(|status| MessageDeliveryStatus::from(status.as_str())),
        stored.delivery_error,
        stored.client_message_id,
        stored.sent_at.map(timestamp),
        timestamp(stored.created_at),
    );
    shown.subject = stored.subject;
    shown.folded_text = stored.folded_text;
    shown
}
