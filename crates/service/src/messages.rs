//! The operations that answer: a visitor's message, and the draft of an email.
//!
//! - `send` and `reply` are the two operations; each judges its request completely before anything is stored or paid.
//! - `turn` answers one message of a conversation: it is what goes on when the client has left.
//! - `identity` verifies who a visitor is, `contact` says what is known about the visitor.
//! - `conversation` turns stored messages into the context of an answer.
//! - `mail` finds the question in an email thread.
//! - `passages` lets the search see the database as its index.
//! - `refusals` holds the declared answers that are no success.
//! - `credits` takes what an answer costs, and gives back what it did not.

mod contact;
mod conversation;
mod credits;
mod identity;
mod mail;
mod passages;
mod refusals;
mod reply;
mod send;
mod turn;

use frontdesk_assistant::Cited;
use frontdesk_model::{Answer, EmailReply, Source, SourceType};
use frontdesk_model::{DraftReplyError, SendMessageError};
use frontdesk_runtime::Failure;
use frontdesk_server::{DraftReply, Messages, SendMessage};

use crate::service::{Caller, Service};

impl Messages for Service {
    type Caller = Caller;

    async fn send_message(&self, request: SendMessage<Caller>) -> Result<Answer, Failure<SendMessageError>> {
        send::send(self, request).await
    }

    async fn draft_reply(&self, request: DraftReply) -> Result<EmailReply, Failure<DraftReplyError>> {
        reply::draft(self, request).await
    }
}

/// The sources of a draft as the interface names them.
fn sources(cited: Vec<Cited>) -> Vec<Source> {
    let named = cited.into_iter().map(|cited| {
        let source_type = match cited.source_type.as_str() {
            "text_snippet" => SourceType::Snippet,
            other => SourceType::from(other),
        };
        Source::new(cited.title, cited.url, source_type)
    });
    named.collect()
}

#[cfg(test)]
mod operation_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_the_names_of_the_interface() {
        for (inside, outside) in
            [("webpage", "webpage"), ("file", "file"), ("text_snippet", "snippet"), ("faq", "faq")]
        {
            let cited =
                Cited { title: "T".into(), url: "https://a.example/".into(), source_type: inside.into() };
            assert_eq!(sources(vec![cited])[0].r#type.as_str(), outside);
        }
    }
}
