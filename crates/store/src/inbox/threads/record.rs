//! Threads, their messages and attachments as they are stored.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::contacts::ContactSource;
use crate::events::states::{ThreadChannel, ThreadStatus};
use crate::inbox::inbox_channels::ChannelKind;

impl From<ChannelKind> for ThreadChannel {
    fn from(kind: ChannelKind) -> Self {
        match kind {
            ChannelKind::ContactForm => Self::ContactForm,
            ChannelKind::Api => Self::Api,
            ChannelKind::Email => Self::Email,
            ChannelKind::Whatsapp => Self::Whatsapp,
            ChannelKind::Messenger => Self::Messenger,
            ChannelKind::Instagram => Self::Instagram,
            ChannelKind::Telegram => Self::Telegram,
            ChannelKind::Sms => Self::Sms,
        }
    }
}

impl ThreadChannel {
    /// Returns how a contact comes about that writes by the channel.
    pub(crate) const fn contact_source(self) -> ContactSource {
        match self {
            Self::Chatbot => ContactSource::Chatbot,
            Self::ContactForm => ContactSource::ContactForm,
            Self::Api => ContactSource::Api,
            Self::Email => ContactSource::Email,
            Self::Whatsapp | Self::Messenger | Self::Instagram | Self::Telegram | Self::Sms => {
                ContactSource::Messaging
            }
        }
    }
}

named_values! {
    /// How urgent a thread is.
    pub enum ThreadPriority as "priority of threads" {
        /// Nobody has said.
        None = "none",
        /// Not urgent.
        Low = "low",
        /// Of usual urgency.
        Medium = "medium",
        /// Urgent.
        High = "high",
        /// The first to be answered.
        Urgent = "urgent",
    }
}

named_values! {
    /// Which way a message goes.
    pub enum MessageDirection as "direction of messages" {
        /// To the account.
        Inbound = "inbound",
        /// From the account.
        Outbound = "outbound",
        /// Nowhere: a note.
        Internal = "internal",
    }
}

named_values! {
    /// Who wrote a message of a thread.
    pub enum AuthorType as "type of authors" {
        /// The contact.
        Contact = "contact",
        /// A person of the account.
        TeamMember = "team_member",
        /// A chatbot.
        Ai = "ai",
        /// Frontdesk itself.
        System = "system",
    }
}

named_values! {
    /// How far an outbound message has got.
    pub enum DeliveryState as "status of a delivery" {
        /// It waits to be sent.
        Queued = "queued",
        /// The channel has accepted it.
        Sent = "sent",
        /// It has arrived.
        Delivered = "delivered",
        /// The contact has read it.
        Read = "read",
        /// It was not sent, or has not arrived.
        Failed = "failed",
    }
}

record! {
    /// A thread of the inbox.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Thread, columns thread_columns {
        /// Identifier.
        pub thread_id: Uuid,
        /// The account whose thread it is.
        pub account_id: Uuid,
        /// Where it takes place.
        pub channel: ThreadChannel,
        /// The channel; `None` for a chat, and once the channel is deleted.
        pub channel_id: Option<Uuid>,
        /// What the channel knows the thread by.
        pub external_key: Option<String>,
        /// The conversation of a chat.
        pub conversation_id: Option<Uuid>,
        /// The chatbot of a chat.
        pub chatbot_id: Option<Uuid>,
        /// The person on the other side, if known.
        pub contact_id: Option<Uuid>,
        /// What it is about.
        pub subject: Option<String>,
        /// What is to be done.
        pub status: ThreadStatus,
        /// How urgent it is.
        pub priority: ThreadPriority,
        /// Who takes care of it.
        pub assignee_id: Option<Uuid>,
        /// Labels; an array of texts.
        pub tags: Value,
        /// When a snoozed thread comes back.
        pub snoozed_until: Option<Timestamp>,
        /// Inbound messages that nobody has read.
        pub unread_count: u64,
        /// Messages in it, notes included.
        pub message_count: u64,
        /// When its last message was written; notes do not count.
        pub last_message_at: Timestamp,
        /// The beginning of that message.
        pub last_message_preview: String,
        /// Since when the contact waits for an answer.
        pub waiting_since: Option<Timestamp>,
        /// When a person has answered for the first time.
        pub first_reply_at: Option<Timestamp>,
        /// When it was resolved.
        pub resolved_at: Option<Timestamp>,
        /// The deals that are about it, without deleted ones.
        pub deal_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(link.deal_id, ' ' ORDER BY link.deal_id) \
             FROM deal_threads AS link JOIN deals AS d ON d.deal_id = link.deal_id \
             WHERE link.thread_id = threads.thread_id AND d.deleted_at IS NULL), '')",
        /// When it began.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

record! {
    /// A message of a thread.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ThreadMessage, columns thread_message_columns {
        /// Identifier; that of the message of the conversation, in a chat.
        pub message_id: Uuid,
        /// The thread.
        pub thread_id: Uuid,
        /// Its place in the thread, from 1.
        pub position: u64,
        /// Which way it goes.
        pub direction: MessageDirection,
        /// Who wrote it.
        pub author_type: AuthorType,
        /// The contact or the person of the account. May have been deleted.
        pub author_id: Option<Uuid>,
        /// The name of the author at that time.
        pub author_name: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "author_name" else "NULL")),
        /// Its text; empty while it is being erased.
        pub body: String = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "body" else "''")),
        /// The same in HTML, as the service has cleaned it.
        pub body_html: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "body_html" else "NULL")),
        /// The subject that it came with; `None` for what has none, such as a message of a messenger.
        pub subject: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "subject" else "NULL")),
        /// What it quotes, and its signature: text that came with it and is not in `body`.
        pub folded_text: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "folded_text" else "NULL")),
        /// How far an outbound message has got; `None` for all others.
        pub delivery_status: Option<DeliveryState>,
        /// Why it was not delivered, for people.
        pub delivery_error: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "delivery_error" else "NULL")),
        /// The id that the sending client gave it.
        pub client_message_id: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "client_message_id" else "NULL")),
        /// What the channel knows it by.
        pub external_id: Option<String> = (crate::sql::hidden::unless_hidden!("thread_messages" in "thread_id": "external_id" else "NULL")),
        /// A hash of the content with which it came, if its channel needs one.
        pub content_digest: Option<String>,
        /// When it was sent, as the channel says.
        pub sent_at: Option<Timestamp>,
        /// When it was stored.
        pub created_at: Timestamp,
    }
}

record! {
    /// A file that was sent with a message, or is to be.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Attachment, columns attachment_columns {
        /// Identifier.
        pub attachment_id: Uuid,
        /// The account whose attachment it is.
        pub account_id: Uuid,
        /// The message; `None` until there is one.
        pub message_id: Option<Uuid>,
        /// The name of the file, for people.
        pub file_name: String,
        /// The media type of its content.
        pub mime_type: String,
        /// The size of its content in bytes.
        pub size_bytes: u64,
        /// Where the content is stored.
        pub object_key: String,
        /// When it was stored.
        pub created_at: Timestamp,
    }
}
