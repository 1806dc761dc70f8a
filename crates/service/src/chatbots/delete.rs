//! Owns the deletion of a chatbot.

use frontdesk_model::DeleteChatbotError;
use frontdesk_runtime::Failure;
use frontdesk_server::DeleteChatbot;

use crate::{
    answers,
    service::{Caller, Service},
};

pub(super) async fn delete(
    service: &Service,
    request: DeleteChatbot<Caller>,
) -> Result<(), Failure<DeleteChatbotError>> {
    // A worker that trains it at this moment loses its lease and stops.
    if service.store.delete_chatbot(&request.caller.scope, request.chatbot_id).await? {
        Ok(())
    } else {
        Err(answers::chatbot_not_found().into())
    }
}
