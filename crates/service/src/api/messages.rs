//! `messages` and `passages`: visitors' messages, drafts of replies, and the passages behind an answer.

use frontdesk_model::{
    DraftReplyError, EmailReply, RetrievePassagesError, RetrievedPassages, SendMessageError,
    SendMessageOkBody,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{DraftReply, Messages, Passages, RetrievePassages, SendMessage};

use crate::{answering, api::Service, edge::Caller};

impl Messages for Service {
    type Caller = Caller;

    async fn send_message(
        &self,
        request: SendMessage<Caller>,
    ) -> Result<SendMessageOkBody, Failure<SendMessageError>> {
        Box::pin(answering::send(self, request)).await
    }

    async fn draft_reply(&self, request: DraftReply) -> Result<EmailReply, Failure<DraftReplyError>> {
        answering::draft_reply(self, request).await
    }
}

impl Passages for Service {
    type Caller = Caller;

    async fn retrieve_passages(
        &self,
        request: RetrievePassages<Caller>,
    ) -> Result<RetrievedPassages, Failure<RetrievePassagesError>> {
        answering::retrieve(self, request).await
    }
}

#[cfg(test)]
mod operation_tests;
