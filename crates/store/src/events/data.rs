//! What events say: snapshots of the entities that they are about.
//!
//! They are stored as JSON and outlive releases, so fields are added as optional ones only. The service turns them into the types of the
//! contract when it sends them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::record::{Column, unreadable};
use crate::{
    AuthorType, Chatbot, ChatbotStatus, Contact, Conversation, ConversationMode, Deal, DealOutcome, Message,
    MessageRole, Money, Thread, ThreadChannel, ThreadMessage, ThreadStatus, Website,
};

named_values! {
    /// The type of an event.
    pub enum EventType as "type of event" {
        /// A contact has an e-mail address or a phone number for the first time.
        LeadCreated = "lead.created",
        /// The first message of a visitor was stored.
        ConversationCreated = "conversation.created",
        /// A conversation waits for a person.
        HandoffRequested = "conversation.handoff_requested",
        /// A person answers in a conversation from now on.
        HandoffAccepted = "conversation.handoff_accepted",
        /// A conversation has ended.
        ConversationClosed = "conversation.closed",
        /// A message was added to a conversation, or to a thread of the inbox.
        MessageCreated = "message.created",
        /// A thread of the inbox has another status.
        ThreadStatusChanged = "thread.status_changed",
        /// The training of a chatbot has ended.
        TrainingCompleted = "chatbot.training_completed",
        /// The crawl of a website has ended without content.
        CrawlFailed = "website.crawl_failed",
        /// A contact was changed.
        ContactUpdated = "contact.updated",
        /// A contact became a paying customer.
        ContactBecameCustomer = "contact.became_customer",
        /// A deal was created.
        DealCreated = "deal.created",
        /// A deal is in another column, or open again.
        DealStatusChanged = "deal.status_changed",
        /// A deal was won.
        DealWon = "deal.won",
        /// A deal was lost.
        DealLost = "deal.lost",
        /// Somebody tests a webhook endpoint.
        WebhookTest = "webhook.test",
    }
}

/// What an event says, by its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventData {
    /// A contact has an e-mail address or a phone number for the first time.
    LeadCreated {
        /// The contact.
        contact: EventContact,
        /// The chatbot that it has talked to.
        chatbot_id: Option<Uuid>,
        /// The conversation in which it was given.
        conversation_id: Option<Uuid>,
    },
    /// The first message of a visitor was stored.
    ConversationCreated {
        /// The conversation.
        conversation: EventConversation,
        /// The message.
        first_message: EventMessage,
    },
    /// A conversation waits for a person.
    HandoffRequested {
        /// The conversation.
        conversation: EventConversation,
        /// The name of the reason in the contract, such as `user_request`.
        reason: String,
        /// What was added to the request.
        note: Option<String>,
        /// The last messages, oldest first.
        last_messages: Vec<EventMessage>,
        /// The visitor, if known.
        contact: Option<EventContact>,
    },
    /// A message was added to a conversation.
    MessageCreated {
        /// The conversation.
        conversation: EventConversation,
        /// The message.
        message: EventMessage,
    },
    /// A person answers in a conversation from now on.
    HandoffAccepted {
        /// The conversation.
        conversation: EventConversation,
        /// The person.
        team_member_id: Uuid,
    },
    /// A conversation has ended.
    ConversationClosed {
        /// The conversation.
        conversation: EventConversation,
    },
    /// A message was added to a thread of the inbox that is no chat.
    ThreadMessageCreated {
        /// The thread.
        thread: EventThread,
        /// The message.
        message: EventMessage,
    },
    /// A thread of the inbox has another status.
    ThreadStatusChanged {
        /// The thread.
        thread: EventThread,
        /// The name of the status before, such as `open`.
        previous_status: String,
    },
    /// The training of a chatbot has ended.
    TrainingCompleted {
        /// The chatbot.
        chatbot: EventChatbot,
        /// Why it has no content.
        error: Option<EventFailure>,
    },
    /// The crawl of a website has ended without content.
    CrawlFailed {
        /// The website.
        website: EventWebsite,
        /// Why it has none.
        error: EventFailure,
    },
    /// A contact was changed.
    ContactUpdated {
        /// The contact.
        contact: EventContact,
    },
    /// A contact became a paying customer.
    ContactBecameCustomer {
        /// The contact.
        contact: EventContact,
        /// Since when it is one.
        #[serde(with = "as_text")]
        became_customer_at: Timestamp,
    },
    /// A deal was created.
    DealCreated {
        /// The deal.
        deal: EventDeal,
    },
    /// A deal is in another column, or open again.
    DealStatusChanged {
        /// The deal.
        deal: EventDeal,
        /// The column before.
        from_deal_status_id: Uuid,
        /// Its name.
        from_status_name: String,
    },
    /// A deal was won.
    DealWon {
        /// The deal.
        deal: EventDeal,
    },
    /// A deal was lost.
    DealLost {
        /// The deal.
        deal: EventDeal,
    },
    /// Somebody tests a webhook endpoint.
    WebhookTest {
        /// The endpoint.
        webhook_endpoint_id: Uuid,
    },
}

impl EventData {
    /// Returns the type of the event.
    pub const fn event_type(&self) -> EventType {
        match self {
            Self::LeadCreated { .. } => EventType::LeadCreated,
            Self::ConversationCreated { .. } => EventType::ConversationCreated,
            Self::HandoffRequested { .. } => EventType::HandoffRequested,
            Self::HandoffAccepted { .. } => EventType::HandoffAccepted,
            Self::ConversationClosed { .. } => EventType::ConversationClosed,
            Self::MessageCreated { .. } | Self::ThreadMessageCreated { .. } => EventType::MessageCreated,
            Self::ThreadStatusChanged { .. } => EventType::ThreadStatusChanged,
            Self::TrainingCompleted { .. } => EventType::TrainingCompleted,
            Self::CrawlFailed { .. } => EventType::CrawlFailed,
            Self::ContactUpdated { .. } => EventType::ContactUpdated,
            Self::ContactBecameCustomer { .. } => EventType::ContactBecameCustomer,
            Self::DealCreated { .. } => EventType::DealCreated,
            Self::DealStatusChanged { .. } => EventType::DealStatusChanged,
            Self::DealWon { .. } => EventType::DealWon,
            Self::DealLost { .. } => EventType::DealLost,
            Self::WebhookTest { .. } => EventType::WebhookTest,
        }
    }

    /// Returns the chatbot whose event it is. Endpoints may be confined to some chatbots.
    pub(crate) const fn chatbot_id(&self) -> Option<Uuid> {
        match self {
            Self::LeadCreated { chatbot_id, .. } => *chatbot_id,
            Self::ConversationCreated { conversation, .. }
            | Self::HandoffRequested { conversation, .. }
            | Self::HandoffAccepted { conversation, .. }
            | Self::ConversationClosed { conversation }
            | Self::MessageCreated { conversation, .. } => Some(conversation.chatbot_id),
            Self::ThreadMessageCreated { thread, .. } | Self::ThreadStatusChanged { thread, .. } => {
                thread.chatbot_id
            }
            Self::TrainingCompleted { chatbot, .. } => Some(chatbot.chatbot_id),
            Self::CrawlFailed { website, .. } => Some(website.chatbot_id),
            Self::ContactUpdated { .. }
            | Self::ContactBecameCustomer { .. }
            | Self::DealCreated { .. }
            | Self::DealStatusChanged { .. }
            | Self::DealWon { .. }
            | Self::DealLost { .. }
            | Self::WebhookTest { .. } => None,
        }
    }

    pub(crate) const fn conversation_id(&self) -> Option<Uuid> {
        match self {
            Self::LeadCreated { conversation_id, .. } => *conversation_id,
            Self::ConversationCreated { conversation, .. }
            | Self::HandoffRequested { conversation, .. }
            | Self::HandoffAccepted { conversation, .. }
            | Self::ConversationClosed { conversation }
            | Self::MessageCreated { conversation, .. } => Some(conversation.conversation_id),
            Self::ThreadMessageCreated { thread, .. } | Self::ThreadStatusChanged { thread, .. } => {
                thread.conversation_id
            }
            Self::TrainingCompleted { .. }
            | Self::CrawlFailed { .. }
            | Self::ContactUpdated { .. }
            | Self::ContactBecameCustomer { .. }
            | Self::DealCreated { .. }
            | Self::DealStatusChanged { .. }
            | Self::DealWon { .. }
            | Self::DealLost { .. }
            | Self::WebhookTest { .. } => None,
        }
    }

    pub(crate) const fn contact_id(&self) -> Option<Uuid> {
        match self {
            Self::LeadCreated { contact, .. }
            | Self::ContactUpdated { contact }
            | Self::ContactBecameCustomer { contact, .. } => Some(contact.contact_id),
            Self::ConversationCreated { conversation, .. }
            | Self::HandoffRequested { conversation, .. }
            | Self::HandoffAccepted { conversation, .. }
            | Self::ConversationClosed { conversation }
            | Self::MessageCreated { conversation, .. } => conversation.contact_id,
            Self::ThreadMessageCreated { thread, .. } | Self::ThreadStatusChanged { thread, .. } => {
                thread.contact_id
            }
            // A deal may have several contacts, so the events of deals are found by what they say.
            Self::TrainingCompleted { .. }
            | Self::CrawlFailed { .. }
            | Self::DealCreated { .. }
            | Self::DealStatusChanged { .. }
            | Self::DealWon { .. }
            | Self::DealLost { .. }
            | Self::WebhookTest { .. } => None,
        }
    }
}

impl Column for EventData {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let text = String::read(row, name)?;
        serde_json::from_str(&text).map_err(|error| unreadable(name, error))
    }
}

/// The longest text of a message in an event, in characters.
const MAX_TEXT: usize = 2_000;

/// A contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventContact {
    /// Identifier.
    pub contact_id: Uuid,
    /// The name of its type in the contract, such as `lead`.
    #[serde(rename = "type")]
    pub contact_type: String,
    /// E-mail address.
    pub email: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Whether the identity is proven.
    pub is_verified: bool,
    /// Where it came from.
    pub source: String,
}

impl From<&Contact> for EventContact {
    fn from(contact: &Contact) -> Self {
        Self {
            contact_id: contact.contact_id,
            contact_type: match contact.became_customer_at {
                Some(_) => "customer".to_owned(),
                None => contact.kind.to_string(),
            },
            email: contact.email.clone(),
            name: contact.name.clone(),
            phone: contact.phone.clone(),
            company: contact.company.clone(),
            is_verified: contact.is_verified,
            source: contact.source.to_string(),
        }
    }
}

/// A deal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDeal {
    /// Identifier.
    pub deal_id: Uuid,
    /// What it is about.
    pub title: String,
    /// The column.
    pub deal_status_id: Uuid,
    /// Its name.
    pub status_name: String,
    /// The row.
    pub deal_row_id: Uuid,
    /// The contacts that it is about.
    pub contact_ids: Vec<Uuid>,
    /// What it is worth, as a decimal number.
    pub value: Option<String>,
    /// The currency of the value.
    pub currency: Option<String>,
    /// What became of it.
    #[serde(with = "as_text")]
    pub outcome: DealOutcome,
    /// Why it was lost.
    pub lost_reason: Option<String>,
    /// The user who works on it.
    pub owner_id: Option<Uuid>,
    /// When it was won or lost, in microseconds.
    pub closed_at: Option<i64>,
    /// When it was created.
    #[serde(with = "as_text")]
    pub created_at: Timestamp,
}

impl From<&Deal> for EventDeal {
    fn from(deal: &Deal) -> Self {
        Self {
            deal_id: deal.deal_id,
            title: deal.title.clone(),
            deal_status_id: deal.deal_status_id,
            status_name: deal.status_name.clone(),
            deal_row_id: deal.deal_row_id,
            contact_ids: deal.contact_ids.clone(),
            value: deal.value.as_ref().map(Money::amount),
            currency: deal.value.as_ref().map(|value| value.currency().to_owned()),
            outcome: deal.outcome,
            lost_reason: deal.lost_reason.clone(),
            owner_id: deal.owner_id,
            closed_at: deal.closed_at.map(Timestamp::as_microsecond),
            created_at: deal.created_at,
        }
    }
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventConversation {
    /// Identifier.
    pub conversation_id: Uuid,
    /// The chatbot.
    pub chatbot_id: Uuid,
    /// The visitor, if known.
    pub contact_id: Option<Uuid>,
    /// Where it takes place.
    pub source: String,
    /// Who answers.
    #[serde(with = "as_text")]
    pub mode: ConversationMode,
    /// When it began.
    #[serde(with = "as_text")]
    pub created_at: Timestamp,
    /// Its thread of the inbox.
    #[serde(default)]
    pub thread_id: Option<Uuid>,
}

/// A thread of the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventThread {
    /// Identifier.
    pub thread_id: Uuid,
    /// Where it takes place.
    #[serde(with = "as_text")]
    pub channel: ThreadChannel,
    /// The channel of the account.
    pub channel_id: Option<Uuid>,
    /// What the channel knows it by.
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
    #[serde(with = "as_text")]
    pub status: ThreadStatus,
    /// When it began.
    #[serde(with = "as_text")]
    pub created_at: Timestamp,
}

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

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventMessage {
    /// Identifier.
    pub message_id: Uuid,
    /// Who wrote it.
    #[serde(with = "as_text")]
    pub role: MessageRole,
    /// The beginning of its text.
    pub text: String,
    /// Whether the text is longer.
    pub truncated: bool,
    /// When it was stored.
    #[serde(with = "as_text")]
    pub created_at: Timestamp,
}

impl EventMessage {
    fn new(message_id: Uuid, role: MessageRole, body: &str, created_at: Timestamp) -> Self {
        let end = body.char_indices().nth(MAX_TEXT).map(|(end, _)| end);
        let text = body[..end.unwrap_or(body.len())].to_owned();
        Self { message_id, role, text, truncated: end.is_some(), created_at }
    }
}

impl From<&Message> for EventMessage {
    fn from(message: &Message) -> Self {
        Self::new(message.message_id, message.role, &message.body, message.created_at)
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

/// A chatbot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventChatbot {
    /// Identifier.
    pub chatbot_id: Uuid,
    /// Name.
    pub name: String,
    /// The state of its training.
    #[serde(with = "as_text")]
    pub status: ChatbotStatus,
}

impl From<&Chatbot> for EventChatbot {
    fn from(chatbot: &Chatbot) -> Self {
        Self { chatbot_id: chatbot.chatbot_id, name: chatbot.name.clone(), status: chatbot.status }
    }
}

/// A website.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventWebsite {
    /// Identifier.
    pub website_id: Uuid,
    /// The chatbot that it trains.
    pub chatbot_id: Uuid,
    /// Where the crawl began.
    pub url: String,
}

impl From<&Website> for EventWebsite {
    fn from(website: &Website) -> Self {
        Self { website_id: website.website_id, chatbot_id: website.chatbot_id, url: website.url.clone() }
    }
}

/// Why something has failed, for the account's people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFailure {
    /// The kind of failure.
    pub code: String,
    /// The reason as text.
    pub message: String,
    /// When it was found.
    #[serde(with = "as_text")]
    pub at: Timestamp,
}

/// Stores values as the text that they are displayed as.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(body: String) -> Message {
        Message {
            message_id: Uuid::nil(),
            conversation_id: Uuid::nil(),
            position: 1,
            role: MessageRole::Visitor,
            body,
            sources: serde_json::json!([]),
            needs_escalation: false,
            credits_used: 0,
            created_at: Timestamp::UNIX_EPOCH,
            team_member_id: None,
            feedback: None,
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let cut = EventMessage::from(&message("ä".repeat(2_001)));
        assert_eq!((cut.text.chars().count(), cut.truncated), (2_000, true));
        let whole = EventMessage::from(&message("ä".repeat(2_000)));
        assert_eq!((whole.text.chars().count(), whole.truncated), (2_000, false));
    }

    #[test]
    fn data_survives_being_stored() {
        let data = EventData::MessageCreated {
            conversation: EventConversation {
                conversation_id: Uuid::nil(),
                chatbot_id: Uuid::max(),
                contact_id: None,
                source: "api".to_owned(),
                mode: ConversationMode::HumanRequested,
                created_at: Timestamp::UNIX_EPOCH,
                thread_id: None,
            },
            message: EventMessage::from(&message("Hello".to_owned())),
        };
        let text = serde_json::to_string(&data).unwrap();
        assert!(text.contains(r#""mode":"human_requested""#), "{text}");
        assert_eq!(serde_json::from_str::<EventData>(&text).unwrap(), data);
    }
}
