//! Changing the settings of a chatbot.

use frontdesk_model::{UpdateChatbotError, UpdatedChatbot, UpdatedChatbotRequired};
use frontdesk_runtime::Failure;
use frontdesk_server::UpdateChatbot;
use frontdesk_store::Chatbot;

use super::{count, last_error, search::SearchStates, status};
use crate::edge::responses::timestamp;
use crate::{
    api::Service,
    edge::{
        Caller,
        authorization::resources::{gone, loaded},
    },
    platform::chatbot_settings::{Settings, apply_update},
};

pub(super) async fn update(
    service: &Service,
    request: UpdateChatbot<Caller>,
) -> Result<UpdatedChatbot, Failure<UpdateChatbotError>> {
    let UpdateChatbot { caller, chatbot_id, body, incoming } = request;
    let stored = match body {
        Some(update) => {
            // Unreadable settings are left as they are: the record is written back unchanged.
            let mut applied = Ok(());
            let change = |stored: &mut _| applied = apply_update(stored, update);
            let stored = service
                .store
                .chatbots()
                .update(&caller.scope, chatbot_id.uuid(), service.now(), change)
                .await?;
            applied?;
            stored
        }
        None => Some(loaded(&incoming)?),
    };
    let stored = stored.ok_or_else(gone::<Chatbot>)?;
    let mut settings = Settings::of(&stored)?.into_model();
    settings.web_search_available = Some(service.web_search.is_available());
    let status = status(&stored);
    let training_sources = count(stored.training_sources);
    let created_at = timestamp(stored.created_at);
    let progress = SearchStates::of_chatbot(service, &stored).await?.progress(stored.chatbot_id);
    let mut updated = UpdatedChatbot::new(UpdatedChatbotRequired {
        chatbot_id: stored.chatbot_id.into(),
        name: stored.name,
        status,
        training_sources,
        created_at,
        settings,
    })
    .last_error(last_error(stored.last_error))
    .search_ready(progress.is_none());
    updated.search_progress = progress;
    Ok(updated)
}
