//! The `messages` operations: answering a visitor's message, and drafting a reply to an email.
//!
//! - `send` and `reply` are the two operations. Each validates its request completely before it stores or charges anything.
//! - `stream` sends an answer as server-sent events.
//! - `turn` answers one message of a conversation; it runs to completion even if the client disconnects.
//! - `identity` verifies identity assertions; `contact` combines them with unproven claims about the visitor.
//! - `own_words` finds the address and the phone number that a visitor leaves when the chatbot has offered a person.
//! - `conversation` turns stored messages into the context of an answer.
//! - `thread` orders the messages of an email thread and finds those of the customer; `mail` finds the questions in their text.
//! - `retrieve` returns the passages themselves, without an answer.
//! - `content_statistics` counts which sources answers used, and keeps what could not be answered.
//! - `thread_draft` drafts a reply in a thread of the inbox.
//! - `error_responses` builds the declared error responses.
//! - `credits` reserves, charges and refunds AI credits.

mod contact;
mod content_statistics;
mod conversation;
mod credits;
mod error_responses;
mod identity;
pub(crate) mod identity_key;
mod mail;
mod own_words;
mod reply;
mod retrieve;
mod send;
pub(crate) mod stream;
mod thread;
mod thread_draft;
mod turn;

use frontdesk_assistant::Cited;
use frontdesk_model::{
    DraftReplyError, DraftThreadReplyError, EmailReply, RetrievePassagesError, RetrievedPassages,
    SendMessageError, SendMessageOkBody, Source, SourceType, ThreadDraft,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{DraftReply, DraftThreadReply, Messages, Passages, RetrievePassages, SendMessage};

use crate::service::{Caller, Service};

impl Messages for Service {
    type Caller = Caller;

    async fn send_message(
        &self,
        request: SendMessage<Caller>,
    ) -> Result<SendMessageOkBody, Failure<SendMessageError>> {
        Box::pin(send::send(self, request)).await
    }

    async fn draft_reply(&self, request: DraftReply) -> Result<EmailReply, Failure<DraftReplyError>> {
        reply::draft(self, request).await
    }
}

impl Passages for Service {
    type Caller = Caller;

    async fn retrieve_passages(
        &self,
        request: RetrievePassages<Caller>,
    ) -> Result<RetrievedPassages, Failure<RetrievePassagesError>> {
        retrieve::retrieve(self, request).await
    }
}

/// Drafts a reply in a thread of the inbox.
pub(crate) async fn draft_for_thread(
    service: &Service,
    request: DraftThreadReply<Caller>,
) -> Result<ThreadDraft, Failure<DraftThreadReplyError>> {
    Box::pin(thread_draft::draft(service, request)).await
}

/// Converts the sources of a draft to the names of the interface.
fn sources(cited: Vec<Cited>) -> Vec<Source> {
    let named =
        cited.into_iter().map(|cited| Source::new(cited.title, cited.url, source_type(cited.source_type)));
    named.collect()
}

/// Converts a kind of content to its name in the interface.
fn source_type(source_type: frontdesk_knowledge::SourceType) -> SourceType {
    match source_type {
        frontdesk_knowledge::SourceType::Webpage => SourceType::Webpage,
        frontdesk_knowledge::SourceType::File => SourceType::File,
        frontdesk_knowledge::SourceType::TextSnippet => SourceType::Snippet,
        frontdesk_knowledge::SourceType::Faq => SourceType::Faq,
    }
}

#[cfg(test)]
mod operation_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_the_names_of_the_interface() {
        for (source_type, name) in
            [("webpage", "webpage"), ("file", "file"), ("text_snippet", "snippet"), ("faq", "faq")]
        {
            let source_type = source_type.parse().unwrap();
            let cited = Cited { title: "T".into(), url: "https://a.example/".into(), source_type };
            assert_eq!(sources(vec![cited])[0].r#type.as_str(), name);
        }
    }
}
