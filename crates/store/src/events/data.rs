//! What events say, by their types.
//!
//! It is stored as JSON and outlives releases, so fields are added as optional ones only. The service turns
//! it into the types of the contract when it sends it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::as_text;
use super::snapshots::{
    EventChatbot, EventContact, EventConversation, EventDeal, EventFailure, EventMessage, EventThread,
    EventWebsite,
};
use crate::sql::record::{Column, unreadable};
use crate::sql::signals::ChangeTopic;

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
    /// A message was added to a thread of the inbox that is not a chat.
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

    /// Returns what of the account has changed, for those who have a page of it open.
    pub(crate) const fn topics(&self) -> &'static [ChangeTopic] {
        match self {
            Self::LeadCreated { .. } | Self::ContactUpdated { .. } | Self::ContactBecameCustomer { .. } => {
                &[ChangeTopic::Contacts]
            }
            // The inbox shows a conversation that a person was asked for, too.
            Self::ConversationCreated { .. }
            | Self::HandoffRequested { .. }
            | Self::HandoffAccepted { .. }
            | Self::ConversationClosed { .. }
            | Self::MessageCreated { .. } => &[ChangeTopic::Conversations, ChangeTopic::Threads],
            Self::ThreadMessageCreated { .. } | Self::ThreadStatusChanged { .. } => &[ChangeTopic::Threads],
            Self::TrainingCompleted { .. } | Self::CrawlFailed { .. } => {
                &[ChangeTopic::Chatbots, ChangeTopic::Content]
            }
            Self::DealCreated { .. }
            | Self::DealStatusChanged { .. }
            | Self::DealWon { .. }
            | Self::DealLost { .. } => &[ChangeTopic::Deals],
            Self::WebhookTest { .. } => &[ChangeTopic::Account],
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
            // A deal may have several contacts, so the events of deals are found by the deal.
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

impl EventData {
    /// Returns the thread or the deal that the event is about.
    pub(crate) const fn about_id(&self) -> Option<Uuid> {
        match self {
            Self::ThreadMessageCreated { thread, .. } | Self::ThreadStatusChanged { thread, .. } => {
                Some(thread.thread_id)
            }
            Self::DealCreated { deal }
            | Self::DealStatusChanged { deal, .. }
            | Self::DealWon { deal }
            | Self::DealLost { deal } => Some(deal.deal_id),
            Self::LeadCreated { .. }
            | Self::ConversationCreated { .. }
            | Self::HandoffRequested { .. }
            | Self::MessageCreated { .. }
            | Self::HandoffAccepted { .. }
            | Self::ConversationClosed { .. }
            | Self::TrainingCompleted { .. }
            | Self::CrawlFailed { .. }
            | Self::ContactUpdated { .. }
            | Self::ContactBecameCustomer { .. }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::states::ConversationMode;

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
            message: EventMessage {
                message_id: Uuid::nil(),
                role: crate::events::states::MessageRole::Visitor,
                text: "Hello".to_owned(),
                truncated: false,
                created_at: Timestamp::UNIX_EPOCH,
            },
        };
        let text = serde_json::to_string(&data).unwrap();
        assert!(text.contains(r#""mode":"human_requested""#), "{text}");
        assert_eq!(serde_json::from_str::<EventData>(&text).unwrap(), data);
    }
}
