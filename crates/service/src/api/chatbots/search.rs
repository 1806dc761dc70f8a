//! How far the search by meaning has come, as chatbots show it.

use std::collections::HashMap;

use frontdesk_model::SearchProgress;
use frontdesk_store::{Chatbot, Scope, StoreError, VectorProgress};
use uuid::Uuid;

use crate::api::{Service, count};

/// The chatbots that are not searched by meaning as a whole.
pub(super) struct SearchStates(HashMap<Uuid, VectorProgress>);

impl SearchStates {
    /// Returns those of all chatbots of the scope.
    pub(super) async fn of_all(service: &Service, scope: &Scope) -> Result<Self, StoreError> {
        Self::read(service, scope, None).await
    }

    /// Returns that of one chatbot.
    pub(super) async fn of_chatbot(service: &Service, chatbot: &Chatbot) -> Result<Self, StoreError> {
        Self::read(service, &chatbot.scope(), Some(chatbot.chatbot_id)).await
    }

    async fn read(service: &Service, scope: &Scope, chatbot_id: Option<Uuid>) -> Result<Self, StoreError> {
        let embedding = service.search.embedding();
        if !embedding.is_configured() {
            return Ok(Self(HashMap::new()));
        }
        let model_id = embedding.id_soon().await;
        let incomplete = service.store.vectors().progress(scope, chatbot_id, model_id.as_deref()).await?;
        Ok(Self(incomplete.into_iter().map(|progress| (progress.chatbot_id, progress)).collect()))
    }

    /// Returns how far a chatbot has come; `None` if it is searched by meaning as a whole.
    pub(super) fn progress(&self, chatbot_id: Uuid) -> Option<SearchProgress> {
        let progress = self.0.get(&chatbot_id)?;
        Some(SearchProgress::new(count(progress.passages), count(progress.processed)))
    }
}
