//! Drafts: what a writer returns.

use frontdesk_knowledge::{Passage, SourceType};
use uuid::Uuid;

use crate::named::named;

/// Name of the extractive writer in drafts.
pub(crate) const EXTRACTIVE: &str = "extractive";

/// Name of the model writer in drafts.
pub(crate) const MODEL: &str = "model";

named! {
    /// What an answer does.
    Action {
        /// Answers the question, or returns a courtesy.
        Answer = "answer",
        /// Asks a question back.
        Clarify = "clarify",
        /// Says that the question cannot or must not be answered here.
        Refuse = "refuse",
        /// Hands the conversation over to a person.
        Escalate = "escalate",
    }
}

/// An answer, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Text of the answer. Plain text, or Markdown with links to cited sources and without images.
    pub text: String,
    /// The question whether to hand over to a person, to be sent as the last paragraph. A conversation
    /// contains it at most once, so whoever stores the answer checks that no concurrent answer has asked it.
    pub offer: Option<&'static str>,
    /// Sources of the text. Empty unless it is an answer, and if the owner hides sources.
    pub sources: Vec<Cited>,
    /// Ids of the passages that the text was taken from, whether or not the owner shows sources.
    pub used_chunks: Vec<Uuid>,
    /// What the answer does.
    pub action: Action,
    /// Whether the training content does not answer the question. `false` for topics that the chatbot must
    /// not discuss.
    pub is_unanswered: bool,
    /// Whether a person should take over or at least look: the visitor asked for one, is angry, repeats a
    /// question, or was refused twice in a row. The conversation is handed over only by [`Action::Escalate`].
    pub needs_escalation: bool,
    /// Name of the writer: `extractive` or `model`.
    pub writer: &'static str,
    /// Whether a model was called for this text, in which case even a refusal costs credits.
    pub model_ran: bool,
}

impl Draft {
    /// Returns a draft with a fixed phrase: without sources, not written by a model.
    pub(crate) fn phrase(action: Action, text: String) -> Self {
        Self {
            text,
            offer: None,
            sources: Vec::new(),
            used_chunks: Vec::new(),
            action,
            is_unanswered: false,
            needs_escalation: action == Action::Escalate,
            writer: EXTRACTIVE,
            model_ran: false,
        }
    }

    /// Returns the text with the offer, if there is one.
    pub fn full_text(&self) -> String {
        match self.offer {
            Some(offer) => [self.text.as_str(), offer].join("\n\n"),
            None => self.text.clone(),
        }
    }
}

/// A source as visitors see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Title of the page, file, snippet or FAQ item.
    pub title: String,
    /// Its address; empty if it has none.
    pub url: String,
    /// Kind of content.
    pub source_type: SourceType,
}

impl Cited {
    /// Returns the sources of passages in order, without duplicates of a page.
    pub(crate) fn all<'a>(passages: impl IntoIterator<Item = &'a Passage>) -> Vec<Self> {
        let mut sources: Vec<Self> = Vec::new();
        for passage in passages {
            let cited = Self {
                title: passage.title.clone(),
                url: passage.url.clone(),
                source_type: passage.source_type,
            };
            let is_known = sources
                .iter()
                .any(|other| if cited.url.is_empty() { *other == cited } else { other.url == cited.url });
            if !is_known {
                sources.push(cited);
            }
        }
        sources
    }
}
