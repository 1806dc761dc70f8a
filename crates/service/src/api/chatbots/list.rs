//! Listing chatbots.

use frontdesk_model::{ChatbotList, ListChatbotsError};
use frontdesk_runtime::Failure;
use frontdesk_server::ListChatbots;

use super::shown;
use crate::api::account::acting;
use crate::service::{Caller, Service};

pub(super) async fn list(
    service: &Service,
    request: ListChatbots<Caller>,
) -> Result<ChatbotList, Failure<ListChatbotsError>> {
    let caller = acting(service, request.caller, request.account_id).await??;
    let stored = service.store.chatbots().list(&caller.scope).await?;
    Ok(ChatbotList::new(stored.into_iter().map(shown)))
}
