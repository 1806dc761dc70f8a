//! Deleting a chatbot.

use frontdesk_model::DeleteChatbotError;
use frontdesk_runtime::Failure;
use frontdesk_server::DeleteChatbot;
use frontdesk_store::Chatbot;

use crate::{
    api::Service,
    edge::{Caller, authorization::resources::gone},
};

pub(super) async fn delete(
    service: &Service,
    request: DeleteChatbot<Caller>,
) -> Result<(), Failure<DeleteChatbotError>> {
    // A worker that trains it at this moment loses its lease and stops.
    if service.store.chatbots().delete(&request.caller.scope, request.chatbot_id.uuid()).await? {
        Ok(())
    } else {
        Err(gone::<Chatbot>().into())
    }
}
