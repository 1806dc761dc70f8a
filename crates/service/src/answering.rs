//! A visitor's turn: identity, credits, search, writing, storing; and drafts of replies.
//!
//! [`Answering`] is what it needs beside the background, the edge and the platform.
//!
//! - `send` and `reply` are the two operations. Each validates its request completely before it stores or
//!   charges anything.
//! - `visitors` is what the browsers of visitors call: it answers their messages, once each.
//! - `stream` sends an answer as server-sent events.
//! - `turn` answers one message of a conversation; it runs to completion even if the client disconnects.
//! - `claim` holds the right to write an answer, so that one process writes it at a time.
//! - `identity` verifies identity assertions; `contact` combines them with unproven claims about the visitor.
//! - `own_words` finds the address and the phone number that a visitor leaves when the chatbot has offered a
//!   person.
//! - `conversation` turns stored messages into the context of an answer.
//! - `thread` orders the messages of an email thread and finds those of the customer; `mail` finds the
//!   questions in their text.
//! - `passages` finds what an answer is written from, for a question that stands alone.
//! - `web_search` finds pages of the web for questions that the content does not answer.
//! - `retrieve` returns the passages themselves, without an answer.
//! - `content_statistics` counts which sources answers used, and keeps what could not be answered; `hits`
//!   collects the counts.
//! - `thread_draft` drafts a reply in a thread of the inbox.
//! - `error_responses` builds the declared error responses.
//! - `credits` reserves, charges and refunds AI credits.

mod claim;
mod contact;
mod content_statistics;
mod conversation;
mod credits;
mod error_responses;
pub(crate) mod hits;
mod identity;
pub(crate) mod identity_key;
mod mail;
mod own_words;
pub(crate) mod passages;
mod reply;
mod retrieve;
mod send;
mod stream;
mod thread;
mod thread_draft;
mod turn;
mod visitors;
pub(crate) mod web_search;

use std::{ops::Deref, sync::Arc};

use frontdesk_assistant::{Assistant, Cited};
use frontdesk_model::{Source, SourceRequired, SourceType};
use frontdesk_retrieval::ContentSearch;
use tokio::sync::Semaphore;

use self::{hits::HitCounts, web_search::WebSearch};
pub(crate) use self::{
    reply::draft as draft_reply,
    retrieve::retrieve,
    send::send,
    thread_draft::draft as draft_for_thread,
    visitors::{identify as identify_visitor, introduce as introduce_visitor, send as send_as_visitor},
};
use crate::background::Background;

/// What a visitor's turn needs, on the background, the edge and the platform. Clones are cheap and share
/// everything.
#[derive(Clone, Debug)]
pub struct Answering {
    /// What it runs on.
    pub background: Background,
    /// From passages to an answer.
    pub assistant: Arc<Assistant>,
    /// The search in the training content.
    pub search: ContentSearch,
    /// Web search, for questions that the content does not answer.
    pub(crate) web_search: WebSearch,
    /// The answers whose sources are to be counted.
    pub(crate) hits: HitCounts,
    /// Limits the keyless replies that this process drafts at a time.
    pub reply_slots: Arc<Semaphore>,
}

impl Deref for Answering {
    type Target = Background;

    fn deref(&self) -> &Background {
        &self.background
    }
}

/// Converts the sources of a draft to the names of the interface.
fn sources(cited: Vec<Cited>) -> Vec<Source> {
    let named = cited.into_iter().map(|cited| {
        Source::new(SourceRequired {
            title: cited.title,
            url: cited.url,
            r#type: source_type(cited.source_type),
        })
    });
    named.collect()
}

/// Converts a kind of content to its name in the interface.
fn source_type(source_type: frontdesk_knowledge::SourceType) -> SourceType {
    match source_type {
        frontdesk_knowledge::SourceType::Webpage => SourceType::Webpage,
        frontdesk_knowledge::SourceType::File => SourceType::File,
        frontdesk_knowledge::SourceType::TextSnippet => SourceType::Snippet,
        frontdesk_knowledge::SourceType::Faq => SourceType::Faq,
        frontdesk_knowledge::SourceType::WebSearch => SourceType::WebSearch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_the_names_of_the_interface() {
        for (source_type, name) in [
            ("webpage", "webpage"),
            ("file", "file"),
            ("text_snippet", "snippet"),
            ("faq", "faq"),
            ("web_search", "web_search"),
        ] {
            let source_type = source_type.parse().unwrap();
            let cited = Cited { title: "T".into(), url: "https://a.example/".into(), source_type };
            assert_eq!(sources(vec![cited])[0].r#type.as_str(), name);
        }
    }
}
