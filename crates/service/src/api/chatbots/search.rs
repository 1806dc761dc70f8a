//! The progress of the search by meaning, as responses show it.

use std::collections::HashMap;

use frontdesk_model::{SearchProgress, SearchProgressRequired};
use frontdesk_store::{Chatbot, Scope, StoreError, VectorProgress};
use uuid::Uuid;

use crate::api::{Service, count};

/// The progress of each chatbot whose content cannot be searched by meaning completely yet.
pub(super) struct SearchStates(HashMap<Uuid, VectorProgress>);

impl SearchStates {
    /// Reads the progress of all chatbots of the scope.
    pub(super) async fn of_all(service: &Service, scope: &Scope) -> Result<Self, StoreError> {
        Self::read(service, scope, None).await
    }

    /// Reads the progress of one chatbot.
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

    /// Returns the progress of a chatbot, or `None` if all of its content can be searched by meaning.
    pub(super) fn progress(&self, chatbot_id: Uuid) -> Option<SearchProgress> {
        let progress = self.0.get(&chatbot_id)?;
        Some(SearchProgress::new(SearchProgressRequired {
            passages: count(progress.passages),
            searched_by_meaning: count(progress.processed),
        }))
    }
}
