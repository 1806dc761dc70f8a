//! Statistics about the training content, from the answers that are written: which sources were used, and what could not be answered.

use frontdesk_assistant::Draft;
use frontdesk_store::{Chatbot, Message, StoreError};
use uuid::Uuid;

use crate::service::Service;

/// What one answer shows about the training content.
pub(super) struct ContentStatistics {
    /// The passages that the answer used.
    used_chunks: Vec<Uuid>,
    /// The question, if the content does not answer it.
    unanswered: Option<String>,
    /// The message with the question.
    asked: Message,
}

impl ContentStatistics {
    pub(super) fn of(draft: &Draft, question: &str, asked: &Message) -> Self {
        Self {
            used_chunks: draft.used_chunks.clone(),
            unanswered: draft.is_unanswered.then(|| question.to_owned()),
            asked: asked.clone(),
        }
    }

    /// Writes the statistics in a task of its own, so that the visitor neither waits for them nor loses an answer because of them.
    /// A process that is stopped in this moment loses them.
    pub(super) fn record_later(self, service: &Service, chatbot: &Chatbot) {
        if self.used_chunks.is_empty() && self.unanswered.is_none() {
            return;
        }
        let (service, scope, chatbot_id) = (service.clone(), chatbot.scope(), chatbot.chatbot_id);
        tokio::spawn(async move {
            if let Err(error) = self.record(&service, &scope, chatbot_id).await {
                tracing::warn!(%error, %chatbot_id, "failed to record which content an answer used");
            }
        });
    }

    async fn record(
        self,
        service: &Service,
        scope: &frontdesk_store::Scope,
        chatbot_id: Uuid,
    ) -> Result<(), StoreError> {
        service.store.hits().count(scope, chatbot_id, &self.used_chunks).await?;
        if let Some(question) = &self.unanswered {
            let (questions, now) = (service.store.unanswered_questions(), service.now());
            questions.record_asked(scope, chatbot_id, question, &self.asked, now).await?;
        }
        Ok(())
    }
}
