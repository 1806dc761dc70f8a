//! Tasks: what a writer is given.

use frontdesk_knowledge::Retrieval;

use crate::conversation::{Author, Offer, Turn};
use crate::settings::Settings;

/// A question to answer, with everything that a writer may use.
#[derive(Debug, Clone)]
pub struct Task {
    /// The visitor's message; for an e-mail the newest message of the thread.
    pub question: String,
    /// Earlier turns of the conversation, oldest first, without the question itself. It starts after the last time a
    /// person handed the conversation back, so that an old request for a person has no effect.
    pub history: Vec<Turn>,
    /// Whether the conversation already contains the offer of a person.
    pub offer: Offer,
    /// Passages found for the question.
    pub retrieval: Retrieval,
    /// Settings of the chatbot.
    pub settings: Settings,
    /// Channel of the answer.
    pub kind: Kind,
}

impl Task {
    /// Returns the visitor's last message before the question.
    pub(crate) fn previous_question(&self) -> Option<&str> {
        let visitor = self.history.iter().rev().find(|turn| turn.author == Author::Visitor);
        visitor.map(|turn| turn.text.as_str())
    }

    /// Returns whether the answer is a draft for an e-mail thread.
    pub(crate) fn is_email(&self) -> bool {
        matches!(self.kind, Kind::EmailReply { .. })
    }
}

/// Channel of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A turn of a chat.
    Chat,
    /// A draft that a person may send as the next message of an e-mail thread.
    EmailReply {
        /// Subject of the thread.
        subject: String,
        /// Messages of the thread, oldest first, including the newest.
        thread: Vec<Mail>,
    },
}

/// A message of an e-mail thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Sender as the caller gave it: an address or a name.
    pub from: String,
    /// Text of the message.
    pub body: String,
}
