//! One message of a visitor and its answer.
//!
//! Requests are worked on to their end even when the client hangs up, so an early end gets no free answer: it is paid
//! for, and stands in the conversation when the client comes back.

use frontdesk_assistant::{Draft, Kind, Task};
use frontdesk_model as model;
use frontdesk_store::{Chatbot, Conversation, Message, MessageRole, NewAnswer, NewTurn, StoreError, Turn};
use serde_json::json;
use uuid::Uuid;

use super::contact::{SOURCE, Visitor};
use super::credits::{Allowance, Reservation, price};
use super::passages::SearchFailed;
use super::{conversation, passages, sources};
use crate::answers::timestamp;
use crate::service::Service;
use crate::settings::Settings;

/// A message that has passed every check.
pub(super) struct Exchange {
    pub(super) service: Service,
    pub(super) chatbot: Chatbot,
    pub(super) settings: Settings,
    pub(super) text: String,
    pub(super) tags: Vec<Uuid>,
    pub(super) visitor: Visitor,
    /// The conversation that the message names, if it continues it.
    pub(super) continued: Option<Conversation>,
    pub(super) allowance: Allowance,
    /// What the answer is paid with; none while a person answers.
    pub(super) reservation: Option<Reservation>,
}

/// Why a message that has passed every check is not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unanswered {
    /// The chatbot was deleted meanwhile.
    #[error("the chatbot was deleted")]
    ChatbotDeleted,
    /// The conversation came back to the chatbot meanwhile, and there are no credits for it.
    #[error("the credits are used up")]
    CreditsExhausted,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchFailed),
}

impl Exchange {
    /// Stores the message, answers it unless a person does, and stores the answer.
    pub(super) async fn run(mut self) -> Result<model::Answer, Unanswered> {
        let turn = self.begin().await?;
        if !conversation::is_answered_by_ai(turn.conversation.mode) {
            return self.leave_to_a_person(turn).await;
        }
        let reservation = match self.reservation.take() {
            Some(reservation) => reservation,
            None => self.allowance.reserve().await?.ok_or(Unanswered::CreditsExhausted)?,
        };
        let draft = self.write(&turn.message).await?;
        self.finish(turn, draft, reservation).await
    }

    async fn begin(&mut self) -> Result<Turn, Unanswered> {
        let Service { store, .. } = &self.service;
        let now = self.service.now();
        let visitor = std::mem::take(&mut self.visitor);
        let verified_subject = visitor.subject().map(str::to_owned);
        let contact_id = visitor.keep(store, &self.chatbot, self.continued.as_ref(), now).await?;
        let turn = NewTurn {
            chatbot_id: self.chatbot.chatbot_id,
            conversation_id: self.continued.as_ref().map(|conversation| conversation.conversation_id),
            verified_subject,
            contact_id,
            source: SOURCE.to_owned(),
            text: self.text.clone(),
        };
        store.begin_turn(&self.chatbot.scope(), &turn, now).await?.ok_or(Unanswered::ChatbotDeleted)
    }

    async fn leave_to_a_person(self, turn: Turn) -> Result<model::Answer, Unanswered> {
        let usage = match self.reservation {
            Some(reservation) => reservation.settle(0).await?,
            None => self.allowance.report(0).await?,
        };
        let message_id = turn.message.message_id;
        let (response, needs_escalation) = ("", false);
        Ok(model::Answer::new(
            message_id,
            turn.conversation.conversation_id,
            response,
            needs_escalation,
            conversation::answer_mode(turn.conversation.mode),
            [],
            usage,
            timestamp(turn.message.created_at),
        ))
    }

    async fn write(&self, message: &Message) -> Result<Draft, Unanswered> {
        let Service { store, assistant, .. } = &self.service;
        let history = conversation::history(store, &self.chatbot, message).await?;
        let previous = conversation::previous_question(&history);
        let retrieval = passages::find(store, &self.chatbot, &self.text, previous, &self.tags).await?;
        let task = Task {
            question: self.text.clone(),
            history,
            retrieval,
            settings: self.settings.for_writer(),
            kind: Kind::Chat,
        };
        Ok(assistant.respond(task).await)
    }

    async fn finish(
        self,
        turn: Turn,
        draft: Draft,
        reservation: Reservation,
    ) -> Result<model::Answer, Unanswered> {
        let credits_used = price(&draft);
        self.service.metrics.answer(draft.action.as_str());
        let cited = sources(draft.sources);
        let answer = NewAnswer {
            role: MessageRole::Assistant,
            body: draft.text,
            sources: json!(cited),
            needs_escalation: draft.needs_escalation,
            credits_used,
        };
        let conversation_id = turn.conversation.conversation_id;
        let scope = self.chatbot.scope();
        let store = &self.service.store;
        let stored = store.record_answer(&scope, conversation_id, &answer, None, self.service.now()).await?;
        let stored = stored.ok_or(Unanswered::ChatbotDeleted)?;
        let usage = reservation.settle(credits_used).await?;
        Ok(model::Answer::new(
            stored.message_id,
            conversation_id,
            stored.body,
            stored.needs_escalation,
            conversation::answer_mode(turn.conversation.mode),
            cited,
            usage,
            timestamp(stored.created_at),
        ))
    }
}
