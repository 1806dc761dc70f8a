//! One message of a visitor and its answer.
//!
//! A request runs to completion even if the client disconnects, so disconnecting early does not avoid the
//! charge. The answer is then in the conversation when the client comes back. Only a model that is writing a
//! stream stops: the answer is then what was sent, or a quotation if nothing was.

use frontdesk_assistant::{Action, Draft, Kind, Task, web_question};
use frontdesk_knowledge::Retrieval;
use frontdesk_model as model;
use frontdesk_retrieval::SearchError;
use frontdesk_store::{
    Chatbot, Conversation, ConversationError, EscalationReason, MessageRole, NewAnswer, NewEscalation,
    NewTurn, RecordedAnswer, SentBy, StoreError, Turn,
};
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use super::claim::Claim;
use super::contact::Visitor;
use super::content_statistics::ContentStatistics;
use super::credits::{Allowance, DailyShare, Reservation, price};
use super::{conversation, passages, sources};
use crate::answering::Answering;
use crate::edge::{rate_limit::Subject, responses::timestamp};
use crate::platform::chatbot_settings::Settings;
use crate::platform::priority::AnswerGuard;

/// A validated message, with everything that is needed to answer it.
pub(super) struct Exchange {
    pub(super) service: Answering,
    pub(super) chatbot: Chatbot,
    pub(super) settings: Settings,
    pub(super) text: String,
    pub(super) tags: Vec<Uuid>,
    pub(super) visitor: Visitor,
    /// The conversation that the message continues.
    pub(super) continued: Option<Conversation>,
    pub(super) allowance: Allowance,
    /// Where a conversation takes place that the message begins.
    pub(super) source: &'static str,
    /// The session of a widget that sends the message.
    pub(super) sent_by: Option<SentBy>,
    /// The part of the credits that visitors may use today, for a message of a widget.
    pub(super) share: Option<DailyShare>,
    /// Other work makes way until the answer is stored.
    pub(super) _answering: AnswerGuard,
}

/// The reason why a validated message is not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExchangeError {
    /// The chatbot was deleted in the meantime.
    #[error("the chatbot was deleted")]
    ChatbotDeleted,
    /// The message is stored, but there are no credits for an answer.
    #[error("the credits are used up")]
    CreditsExhausted {
        /// The conversation that holds the message.
        conversation_id: Uuid,
    },
    /// The session has sent the message before.
    #[error("the message was sent before")]
    Repeated,
    /// The session that sends the message has ended in the meantime.
    #[error("the session of the visitor has ended")]
    SessionEnded,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The conversation cannot be handed over.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// What has become of a message that is stored.
pub(super) enum Progress {
    /// A person answers it.
    LeftToPerson(model::Answer),
    /// The chatbot answers it.
    Accepted(Box<Accepted>),
}

impl Progress {
    /// Writes and stores the answer, unless a person answers.
    pub(super) async fn finish(self) -> Result<model::Answer, ExchangeError> {
        match self {
            Self::LeftToPerson(answer) => Ok(answer),
            Self::Accepted(accepted) => {
                let claim = accepted.claim();
                claim.hold(Box::pin(accepted.answer())).await
            }
        }
    }
}

/// A stored message for whose answer credits are reserved.
pub(super) struct Accepted {
    exchange: Exchange,
    turn: Turn,
    reservation: Reservation,
}

impl Accepted {
    /// Returns the claim on the answer, to be held while it is written.
    pub(super) fn claim(&self) -> Claim {
        self.exchange.claim(&self.turn)
    }

    async fn answer(self) -> Result<model::Answer, ExchangeError> {
        let draft = self.write().await?;
        self.record(draft).await
    }

    /// Writes the answer, which is not stored yet.
    async fn write(&self) -> Result<Draft, ExchangeError> {
        let task = self.exchange.task_with_passages(&self.turn).await?;
        let kept = self.exchange.may_search_the_web().then(|| task.clone());
        let draft = self.exchange.service.assistant.respond(task).await;
        Ok(self.exchange.or_from_web(kept, draft).await)
    }

    /// As [`write`](Self::write), and sends the sentences of a model's answer to `reader` as soon as they are
    /// verified.
    pub(super) async fn write_live(&self, reader: UnboundedSender<String>) -> Result<Draft, ExchangeError> {
        let task = self.exchange.task_with_passages(&self.turn).await?;
        let kept = self.exchange.may_search_the_web().then(|| task.clone());
        // Nothing of a refusal is sent before it is complete, so another answer may still replace it.
        let draft = self.exchange.service.assistant.respond_live(task, reader).await;
        Ok(self.exchange.or_from_web(kept, draft).await)
    }

    /// Stores the answer.
    pub(super) async fn record(self, draft: Draft) -> Result<model::Answer, ExchangeError> {
        self.exchange.finish(self.turn, draft, self.reservation).await
    }
}

impl Exchange {
    /// Stores the message and its contact, then answers it.
    pub(super) async fn run(self) -> Result<model::Answer, ExchangeError> {
        let progress = Box::pin(self.accept()).await?;
        Box::pin(progress.finish()).await
    }

    /// Stores the message and its contact, and reserves the credits of the answer.
    ///
    /// While a person answers, the message is only stored. Without credits it is stored too, and a request
    /// for a person is still recognized, but nothing is answered.
    pub(super) async fn accept(mut self) -> Result<Progress, ExchangeError> {
        let turn = self.begin().await?;
        if !conversation::is_answered_by_ai(turn.conversation.mode) {
            return self.leave_to_a_person(turn).await.map(Progress::LeftToPerson);
        }
        let Some(usage) = turn.reserved else { return Err(Box::pin(self.credits_exhausted(turn)).await) };
        let reservation = self.allowance.reserved(usage);
        Ok(Progress::Accepted(Box::new(Accepted { exchange: self, turn, reservation })))
    }

    async fn begin(&mut self) -> Result<Turn, ExchangeError> {
        let store = &self.service.store;
        let now = self.service.now();
        let mut visitor = std::mem::take(&mut self.visitor);
        visitor.add_own_words(self.continued.as_ref(), &self.text);
        let verified_subject = visitor.subject().cloned();
        let continued = self.continued.as_ref();
        let conversation_id = continued.map(|conversation| conversation.conversation_id);
        // Known beforehand, so that the event of a new lead can name its conversation.
        let new_conversation_id = Uuid::now_v7();
        let named = conversation_id.unwrap_or(new_conversation_id);
        let contact_id = visitor.store(store, &self.chatbot, continued, Some(named), now).await?;
        let turn = NewTurn {
            chatbot_id: self.chatbot.chatbot_id,
            conversation_id,
            new_conversation_id: Some(new_conversation_id),
            verified_subject,
            contact_id,
            source: self.source.to_owned(),
            text: self.text.clone(),
            sent_by: self.sent_by,
            charge: self.may_spend().then(|| self.allowance.charge()),
        };
        let begun = store.conversations().begin_turn(&self.chatbot.scope(), &turn, now).await;
        let begun = begun.map_err(|error| match self.sent_by {
            Some(_) if error.is_repeated() => ExchangeError::Repeated,
            Some(_) if error.is_orphaned() => ExchangeError::SessionEnded,
            _ => error.into(),
        });
        begun?.ok_or(ExchangeError::ChatbotDeleted)
    }

    /// Whether an answer may be paid for today.
    fn may_spend(&self) -> bool {
        self.share.as_ref().is_none_or(DailyShare::is_taken)
    }

    /// As [`accept`](Self::accept), for a message that was stored before and not answered.
    pub(super) async fn resume(self, turn: Turn) -> Result<Progress, ExchangeError> {
        if !conversation::is_answered_by_ai(turn.conversation.mode) {
            return self.leave_to_a_person(turn).await.map(Progress::LeftToPerson);
        }
        let reserved = if self.may_spend() { self.allowance.reserve().await? } else { None };
        let Some(reservation) = reserved else { return Err(Box::pin(self.credits_exhausted(turn)).await) };
        Ok(Progress::Accepted(Box::new(Accepted { exchange: self, turn, reservation })))
    }

    async fn leave_to_a_person(self, turn: Turn) -> Result<model::Answer, ExchangeError> {
        let usage = self.allowance.report(0).await?;
        let message_id = turn.message.message_id;
        let (response, needs_escalation) = ("", false);
        Ok(model::Answer::new(model::AnswerRequired {
            message_id: message_id.to_string(),
            conversation_id: turn.conversation.conversation_id.into(),
            response: response.to_owned(),
            needs_escalation,
            mode: conversation::answer_mode(turn.conversation.mode),
            sources: Vec::new(),
            usage,
            created_at: timestamp(turn.message.created_at),
        }))
    }

    fn claim(&self, turn: &Turn) -> Claim {
        let (service, scope) = (self.service.clone(), self.chatbot.scope());
        Claim::new(service, scope, turn.message.message_id, self.sent_by.is_some())
    }

    /// Hands the conversation over if the message asks for a person, and returns why it is not answered:
    /// there are no credits.
    async fn credits_exhausted(self, turn: Turn) -> ExchangeError {
        let conversation_id = turn.conversation.conversation_id;
        let claim = self.claim(&turn);
        let handed_over = self.hand_over_if_asked(turn).await;
        claim.release().await;
        handed_over.err().unwrap_or(ExchangeError::CreditsExhausted { conversation_id })
    }

    async fn hand_over_if_asked(self, turn: Turn) -> Result<(), ExchangeError> {
        let (store, assistant) = (&self.service.store, &self.service.assistant);
        let conversation_id = turn.conversation.conversation_id;
        // Whether the message asks for a person does not depend on passages.
        let task = self.task(&turn).await?;
        if assistant.respond_without_model(&task).action == Action::Escalate {
            let (scope, escalation, now) = (self.chatbot.scope(), self.escalation(), self.service.now());
            match store.conversations().escalate(&scope, conversation_id, &escalation, now).await {
                // A person has taken over in the meantime, or closed it.
                Ok(Some(_)) | Err(ConversationError::WrongMode { .. }) => {}
                Ok(None) => return Err(ExchangeError::ChatbotDeleted),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns the request for a person that the visitor makes.
    fn escalation(&self) -> NewEscalation {
        NewEscalation {
            reason: EscalationReason::UserRequest,
            note: None,
            unclaimed_at: self.settings.unclaimed_at(self.service.now()),
        }
    }

    /// Collects what the answer is written from.
    async fn task_with_passages(&self, turn: &Turn) -> Result<Task, ExchangeError> {
        let mut task = self.task(turn).await?;
        let Answering { search, assistant, .. } = &self.service;
        passages::find(search, assistant, &self.chatbot, &mut task, &self.tags).await?;
        Ok(task)
    }

    /// Collects what the answer is written from, apart from the passages.
    async fn task(&self, turn: &Turn) -> Result<Task, ExchangeError> {
        let store = &self.service.store;
        let Turn { conversation, message, .. } = turn;
        let context = conversation::context(store, &self.chatbot, conversation, message).await?;
        Ok(Task {
            question: self.text.clone(),
            stand_alone: None,
            history: context.turns,
            offer: context.offer,
            retrieval: Retrieval::default(),
            settings: self.settings.for_writer(),
            kind: Kind::Chat,
        })
    }

    fn may_search_the_web(&self) -> bool {
        self.settings.web_search_enabled == Some(true) && self.service.web_search.is_available()
    }

    /// Replaces a refusal that is due to the training content by an answer from the web, if there is one.
    async fn or_from_web(&self, task: Option<Task>, draft: Draft) -> Draft {
        let Some((mut task, question)) =
            task.and_then(|task| web_question(&task, &draft).map(|question| (task, question)))
        else {
            return draft;
        };
        let service = &self.service;
        let subject = Subject::WebSearchesOfChatbot(self.chatbot.chatbot_id);
        if service.rate_limits.take(subject, service.config.web_search.per_minute).await.is_err() {
            tracing::info!(chatbot_id = %self.chatbot.chatbot_id, "the limit of searches of the web is reached");
            return draft;
        }
        let Some(found) = service.web_search.find(&question).await else { return draft };
        task.retrieval = found;
        service.assistant.respond_from_web(&task, draft).await
    }

    async fn finish(
        self,
        turn: Turn,
        draft: Draft,
        reservation: Reservation,
    ) -> Result<model::Answer, ExchangeError> {
        let credits_used = price(&draft);
        self.service.metrics.answer(draft.action.as_str());
        let escalation = (draft.action == Action::Escalate).then(|| self.escalation());
        let statistics = ContentStatistics::of(&draft, &self.text, &turn.message);
        let cited = sources(draft.sources);
        let answer = NewAnswer {
            role: MessageRole::Assistant,
            body: draft.text,
            question_id: Some(turn.message.message_id),
            offer: draft.offer.map(str::to_owned),
            sources: json!(cited),
            needs_escalation: draft.needs_escalation,
            credits_used,
            charge: Some(self.allowance.charge()),
        };
        let conversation_id = turn.conversation.conversation_id;
        let scope = self.chatbot.scope();
        let store = &self.service.store;
        let stored = store
            .conversations()
            .record_answer(&scope, conversation_id, &answer, escalation.as_ref(), self.service.now())
            .await
            .map_err(|error| match error {
                ConversationError::AnsweredBefore => ExchangeError::Repeated,
                error => error.into(),
            })?;
        let RecordedAnswer { conversation, message, refunded } =
            stored.ok_or(ExchangeError::ChatbotDeleted)?;
        statistics.record_later(&self.service, &self.chatbot);
        let usage = reservation.stored(credits_used, refunded).await?;
        if let Some(share) = self.share.filter(|_| credits_used > 0) {
            share.spend();
        }
        Ok(model::Answer::new(model::AnswerRequired {
            message_id: message.message_id.to_string(),
            conversation_id: conversation_id.into(),
            response: message.body,
            needs_escalation: message.needs_escalation,
            mode: conversation::answer_mode(conversation.mode),
            sources: cited,
            usage,
            created_at: timestamp(message.created_at),
        }))
    }
}
