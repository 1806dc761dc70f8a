//! Deleting a chatbot.

use frontdesk_model::DeleteChatbotError;
use frontdesk_runtime::Failure;
use frontdesk_server::DeleteChatbot;
use frontdesk_store::Chatbot;

use crate::{
    authorization::resources::gone,
    service::{Caller, Service},
};

pub(super) async fn delete(
    service: &Service,
    request: DeleteChatbot<Caller>,
) -> Result<(), Failure<DeleteChatbotError>> {
    // A worker that trains it at this moment loses its lease and stops.
    if service.store.chatbots().delete(&request.caller.scope, request.chatbot_id).await? {
        Ok(())
    } else {
        Err(gone::<Chatbot>().into())
    }
}
