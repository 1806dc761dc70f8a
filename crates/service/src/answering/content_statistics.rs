//! Statistics about the training content, from the answers that are written: which sources were used, and
//! what could not be answered.

use frontdesk_assistant::Draft;
use frontdesk_store::{Chatbot, Message};
use uuid::Uuid;

use crate::answering::Answering;

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

    /// Writes the statistics a moment later, so that the visitor neither waits for them nor loses an answer
    /// because of them.
    pub(super) fn record_later(self, service: &Answering, chatbot: &Chatbot) {
        if !self.used_chunks.is_empty() {
            service.hits.count_later(&service.store, chatbot, self.used_chunks);
        }
        let Some(question) = self.unanswered else { return };
        let (service, scope, chatbot_id) = (service.clone(), chatbot.scope(), chatbot.chatbot_id);
        let (asked, now) = (self.asked, service.now());
        tokio::spawn(async move {
            let questions = service.store.unanswered_questions();
            if let Err(error) = questions.record_asked(&scope, chatbot_id, &question, &asked, now).await {
                tracing::warn!(%error, %chatbot_id, "failed to record a question that the content does not answer");
            }
        });
    }
}
