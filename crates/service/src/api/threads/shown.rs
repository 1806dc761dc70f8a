//! Threads, messages and attachments of the store as types of the contract.

use frontdesk_model::{
    Attachment, AttachmentRequired, InboxMessage, InboxMessageRequired, MessageAuthor, MessageAuthorType,
    MessageDeliveryStatus, MessageDirection, Thread, ThreadChannel, ThreadPriority, ThreadRequired,
    ThreadStatus,
};
use frontdesk_store::{self as store, Scope, Store, StoreError};

use crate::{
    api::{Service, converted_ids, count, texts},
    edge::responses::timestamp,
};

pub(in crate::api) fn thread(stored: store::Thread) -> Thread {
    Thread::new(ThreadRequired {
        thread_id: stored.thread_id.into(),
        channel: ThreadChannel::from(stored.channel.as_str()),
        channel_id: stored.channel_id.map(Into::into),
        thread_key: stored.external_key,
        conversation_id: stored.conversation_id.map(Into::into),
        chatbot_id: stored.chatbot_id.map(Into::into),
        contact_id: stored.contact_id.map(Into::into),
        subject: stored.subject,
        status: ThreadStatus::from(stored.status.as_str()),
        priority: ThreadPriority::from(stored.priority.as_str()),
        assignee_id: stored.assignee_id.map(Into::into),
        tags: texts(&stored.tags),
        snoozed_until: stored.snoozed_until.map(timestamp),
        unread_count: count(stored.unread_count),
        message_count: count(stored.message_count),
        last_message_at: timestamp(stored.last_message_at),
        last_message_preview: stored.last_message_preview,
        waiting_since: stored.waiting_since.map(timestamp),
        first_reply_at: stored.first_reply_at.map(timestamp),
        resolved_at: stored.resolved_at.map(timestamp),
        deal_ids: converted_ids(stored.deal_ids),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}

pub(in crate::api) fn attachment(stored: store::Attachment) -> Attachment {
    Attachment::new(AttachmentRequired {
        attachment_id: stored.attachment_id.into(),
        file_name: stored.file_name,
        mime_type: stored.mime_type,
        size_bytes: count(stored.size_bytes),
        created_at: timestamp(stored.created_at),
    })
}

/// Returns messages with their attachments.
pub(in crate::api) async fn messages(
    store: &Store,
    scope: &Scope,
    stored: Vec<store::ThreadMessage>,
) -> Result<Vec<InboxMessage>, StoreError> {
    let ids: Vec<_> = stored.iter().map(|message| message.message_id).collect();
    let mut attachments = store.threads().attachments_of(scope, &ids).await?;
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
    let mut shown = InboxMessage::new(InboxMessageRequired {
        message_id: stored.message_id.into(),
        direction: MessageDirection::from(stored.direction.as_str()),
        author: MessageAuthor::new(author_type, stored.author_id, stored.author_name),
        body: stored.body,
        body_html: stored.body_html,
        attachments: attachments.into_iter().map(attachment).collect(),
        delivery_status: stored.delivery_status.map(|status| MessageDeliveryStatus::from(status.as_str())),
        delivery_error: stored.delivery_error,
        client_message_id: stored.client_message_id,
        sent_at: stored.sent_at.map(timestamp),
        created_at: timestamp(stored.created_at),
    });
    shown.subject = stored.subject;
    shown.folded_text = stored.folded_text;
    shown
}
