//! Owns the reading of one chatbot.

use frontdesk_model::{Chatbot, GetChatbotError};
use frontdesk_runtime::Failure;
use frontdesk_server::GetChatbot;

use super::shown;
use crate::{
    answers,
    service::{Caller, Service},
};

pub(super) async fn get(
    service: &Service,
    request: GetChatbot<Caller>,
) -> Result<Chatbot, Failure<GetChatbotError>> {
    let stored = service.store.chatbot(&request.caller.scope, request.chatbot_id).await?;
    Ok(shown(stored.ok_or_else(answers::chatbot_not_found)?))
}
