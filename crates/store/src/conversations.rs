//! Conversations with visitors: what is said, who answers, and which questions stay open.
//!
//! - `turns`: what a visitor says, and what the chatbot answers.
//! - `record`: conversations and messages as they are stored; `insertion` adds a message.
//! - `list`: pages of conversations and messages, by a `filter`; `search` makes those of conversations in
//!   which something was said.
//! - `handover`: handing a conversation over to people and back; `modes` writes each change of the mode;
//!   `error` is why that or an answer is refused.
//! - `follow_up`: messages that activities of deals write by themselves.
//! - `chats`: the threads of conversations in the inbox, and what people do with a thread, which may be one
//!   of them.
//! - `visitors`: sessions of the browsers that use a widget, and which conversations are theirs.
//! - `feedback`: ratings of messages. `unanswered_questions`: what the chatbot did not know.
//! - `reports`: what the journal of events says of conversations.

#[macro_use]
pub(crate) mod record;
pub(crate) mod chats;
mod error;
mod feedback;
mod filter;
mod follow_up;
mod handover;
mod insertion;
mod list;
pub(crate) mod modes;
mod reports;
mod search;
mod turns;
pub(crate) mod unanswered_questions;
mod visitors;

pub use error::ConversationError;
pub use filter::{ConversationFilter, ListedConversation};
pub(crate) use follow_up::write_follow_up;
pub use modes::{NewEscalation, Reply};
pub use record::{Conversation, Escalation, EscalationReason, Feedback, FeedbackRating, Message};
pub use turns::{Conversations, NewAnswer, NewTurn, RecordedAnswer, SentBy, Turn};
pub use visitors::{NewVisitorSession, SentMessage, VisitorSession, Visitors};
