//! Listing chatbots.

use frontdesk_model::{ChatbotList, ListChatbotsError};
use frontdesk_runtime::Failure;
use frontdesk_server::ListChatbots;

use super::{search::SearchStates, shown};
use crate::{api::Service, edge::Caller};

pub(super) async fn list(
    service: &Service,
    request: ListChatbots<Caller>,
) -> Result<ChatbotList, Failure<ListChatbotsError>> {
    let stored = service.store.chatbots().list(&request.caller.scope).await?;
    let search = SearchStates::of_all(service, &request.caller.scope).await?;
    Ok(ChatbotList::new(stored.into_iter().map(|stored| shown(stored, &search))))
}
