//! Conversations and messages as they are stored.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::events::states::{ConversationMode, MessageRole};
use crate::sql::record::Column;

named_values! {
    /// Why a person is needed.
    pub enum EscalationReason as "reason of an escalation" {
        /// The visitor asks for one.
        UserRequest = "user_request",
        /// The visitor is annoyed.
        Frustration = "frustration",
        /// The chatbot does not know.
        NoAnswer = "no_answer",
        /// The chatbot must not say.
        Policy = "policy",
        /// Something else.
        Other = "other",
    }
}

named_values! {
    /// What a visitor thinks of a message.
    pub enum FeedbackRating as "rating" {
        /// It is good.
        Up = "up",
        /// It is bad.
        Down = "down",
    }
}

/// A request for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalation {
    /// Why the person is needed.
    pub reason: EscalationReason,
    /// What the person should know.
    pub note: Option<String>,
    /// When the person was asked for.
    pub escalated_at: Timestamp,
}

impl Column for Option<Escalation> {
    fn read(row: &AnyRow, _: &str) -> sqlx::Result<Self> {
        let Some(escalated_at) = Column::read(row, "escalated_at")? else { return Ok(None) };
        let reason = Column::read(row, "escalation_reason")?;
        Ok(Some(Escalation { reason, note: Column::read(row, "escalation_note")?, escalated_at }))
    }
}

/// The rating of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// Good or bad.
    pub rating: FeedbackRating,
    /// The reason.
    pub comment: Option<String>,
    /// When it was given.
    pub rated_at: Timestamp,
}

impl Column for Option<Feedback> {
    fn read(row: &AnyRow, _: &str) -> sqlx::Result<Self> {
        let Some(rating) = Column::read(row, "feedback_rating")? else { return Ok(None) };
        let comment = Column::read(row, "feedback_comment")?;
        Ok(Some(Feedback { rating, comment, rated_at: Column::read(row, "feedback_at")? }))
    }
}

record! {
    /// A conversation of a visitor with a chatbot.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Conversation, columns conversation_columns {
        /// Identifier.
        pub conversation_id: Uuid,
        /// The account of the chatbot.
        pub account_id: Uuid,
        /// The chatbot.
        pub chatbot_id: Uuid,
        /// The visitor, if known.
        pub contact_id: Option<Uuid>,
        /// Who answers.
        pub mode: ConversationMode,
        /// Where it takes place, such as `api`.
        pub source: String,
        /// The subject of the proven identity the conversation belongs to; it continues for no one else.
        pub verified_subject: Option<String>,
        /// Whether a person should look at it: the chatbot's last answer said so or a person was asked for,
        /// and no person has taken over, handed it back or closed it since.
        pub needs_escalation: bool,
        /// The last request for a person.
        pub escalation: Option<Escalation> = ["escalated_at, escalation_reason, escalation_note"],
        /// The worst rating of its messages.
        pub feedback: Option<FeedbackRating>,
        /// Messages in it.
        pub message_count: u64,
        /// Its thread of the inbox, once a person was asked for or has answered.
        pub thread_id: Option<Uuid> = "(SELECT inbox.thread_id FROM threads AS inbox \
            WHERE inbox.conversation_id = conversations.conversation_id)",
        /// Position of the message that offers to hand the conversation over to a person. There is at most
        /// one.
        pub offer_position: Option<u64>,
        /// When it began.
        pub created_at: Timestamp,
        /// When its last message was written.
        pub last_message_at: Timestamp,
    }
}

record! {
    /// A message of a conversation.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Message, columns message_columns {
        /// Identifier.
        pub message_id: Uuid,
        /// The conversation.
        pub conversation_id: Uuid,
        /// Its place in the conversation, from 1.
        pub position: u64,
        /// Who wrote it.
        pub role: MessageRole,
        /// Its text; empty while it is being erased.
        pub body: String = (crate::sql::hidden::unless_hidden!("messages" in "conversation_id": "body" else "''")),
        /// What it cites, as the service wrote it; an array, empty for a visitor.
        pub sources: Value = (crate::sql::hidden::unless_hidden!("messages" in "conversation_id": "sources" else "'[]'")),
        /// Whether a person should take over.
        pub needs_escalation: bool,
        /// What it cost.
        pub credits_used: u64,
        /// The person who wrote it, if it is a message of a team member. That person may have been deleted.
        pub team_member_id: Option<Uuid>,
        /// What the visitor thinks of it.
        pub feedback: Option<Feedback> = [concat!("feedback_rating, ",
            crate::sql::hidden::unless_hidden!("messages" in "conversation_id": "feedback_comment" else "NULL"), " AS feedback_comment, feedback_at")],
        /// When it was written.
        pub created_at: Timestamp,
    }
}
