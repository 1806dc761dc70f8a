//! What the data of events consists of: snapshots of the entities that they are about.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::as_text;
use crate::events::states::{
    ChatbotStatus, ConversationMode, DealOutcome, MessageRole, ThreadChannel, ThreadStatus,
};

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
    /// Returns a snapshot with the beginning of a text.
    pub(crate) fn new(message_id: Uuid, role: MessageRole, body: &str, created_at: Timestamp) -> Self {
        let end = body.char_indices().nth(MAX_TEXT).map(|(end, _)| end);
        let text = body[..end.unwrap_or(body.len())].to_owned();
        Self { message_id, role, text, truncated: end.is_some(), created_at }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn message(body: &str) -> EventMessage {
        EventMessage::new(Uuid::nil(), MessageRole::Visitor, body, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let cut = message(&"ä".repeat(2_001));
        assert_eq!((cut.text.chars().count(), cut.truncated), (2_000, true));
        let whole = message(&"ä".repeat(2_000));
        assert_eq!((whole.text.chars().count(), whole.truncated), (2_000, false));
    }
}
