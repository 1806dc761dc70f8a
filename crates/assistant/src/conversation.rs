//! Earlier turns of a conversation.

use crate::draft::Action;

/// An earlier message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who wrote it.
    pub author: Author,
    /// Its text.
    pub text: String,
    /// What the assistant did, if it is the author and this is known.
    pub action: Option<Action>,
    /// Whether the assistant considered that a person should take over.
    pub needs_escalation: bool,
}

impl Turn {
    /// Returns a message of the visitor.
    pub fn visitor(text: impl Into<String>) -> Self {
        Self { author: Author::Visitor, text: text.into(), action: None, needs_escalation: false }
    }

    /// Returns an answer of the assistant.
    pub fn assistant(text: impl Into<String>, action: Action, needs_escalation: bool) -> Self {
        Self { author: Author::Assistant, text: text.into(), action: Some(action), needs_escalation }
    }

    /// Returns a message of a team member.
    pub fn team_member(text: impl Into<String>) -> Self {
        Self { author: Author::TeamMember, text: text.into(), action: None, needs_escalation: false }
    }
}

/// Author of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The visitor of the website.
    Visitor,
    /// This crate.
    Assistant,
    /// A person of the business.
    TeamMember,
}

/// Whether the assistant has already offered to hand the conversation over to a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offer {
    /// It has not, so it may.
    #[default]
    NotMade,
    /// It did in its last message, so the visitor's message may be the reply.
    Pending,
    /// It did earlier in the conversation, and does not repeat it.
    Past,
}
