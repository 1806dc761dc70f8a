//! `POST /api/v1/chatbots/{chatbot_id}/reply`: drafts the answer to an email thread, without a key.
//!
//! The chatbot's id is public, so everything here is bounded: the thread is cut, drafts of a chatbot are counted by
//! day, and nothing is learned about people. A draft is kept nowhere; its id only names it.

use frontdesk_assistant::{Kind, Mail, Task};
use frontdesk_knowledge::Retrieval;
use frontdesk_model::{DraftReplyError, EmailReply};
use frontdesk_runtime::Failure;
use frontdesk_server::DraftReply;
use frontdesk_store::{Chatbot, Day, Store, StoreError};
use uuid::Uuid;

use super::credits::{Allowance, Reservation, price};
use super::passages::{self, SearchFailed};
use super::{mail, refusals, sources};
use crate::answers;
use crate::answers::timestamp;
use crate::service::Service;
use crate::settings::Settings;

pub(super) async fn draft(
    service: &Service,
    request: DraftReply,
) -> Result<EmailReply, Failure<DraftReplyError>> {
    let DraftReply { chatbot_id, body, .. } = request;
    let store = &service.store;
    let (scope, chatbot) =
        store.chatbot_for_public_reply(chatbot_id).await?.ok_or_else(answers::chatbot_not_found)?;
    if store.corpus_stats(&scope, chatbot_id).await?.chunks == 0 {
        return Err(refusals::no_training_data().into());
    }
    let settings = Settings::of(&chatbot)?;
    let allowance = Allowance::of(service, &chatbot).await?.ok_or_else(answers::chatbot_not_found)?;
    let reservation = allowance.reserve().await?.ok_or_else(refusals::credits_exhausted)?;
    let now = service.now();
    let limit = u64::from(service.config.limits.replies_per_day);
    if store.reserve_daily_reply(&scope, chatbot_id, &Day::of(now), limit).await?.is_none() {
        return Err(refusals::day_used_up(now).into());
    }
    let drafting = Drafting {
        service: service.clone(),
        chatbot,
        settings,
        subject: body.subject.replace('\0', "\u{fffd}"),
        thread: mail::recent(body.messages),
        reservation,
    };
    Ok(drafting.run().await?)
}

/// A thread that has passed every check.
struct Drafting {
    service: Service,
    chatbot: Chatbot,
    settings: Settings,
    subject: String,
    thread: Vec<Mail>,
    reservation: Reservation,
}

/// Why there is no draft.
#[derive(Debug, thiserror::Error)]
enum Undrafted {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchFailed),
}

impl Drafting {
    async fn run(self) -> Result<EmailReply, Undrafted> {
        let words = mail::newest_words(&self.subject, &self.thread);
        let (question, retrieval) = search(&self.service.store, &self.chatbot, &self.subject, words).await?;
        let task = Task {
            question,
            history: Vec::new(),
            retrieval,
            settings: self.settings.for_writer(),
            kind: Kind::EmailReply { subject: self.subject, thread: self.thread },
        };
        let draft = self.service.assistant.respond(task).await;
        self.service.metrics.answer(draft.action.as_str());
        let usage = self.reservation.settle(price(&draft)).await?;
        let created_at = timestamp(self.service.now());
        Ok(EmailReply::new(Uuid::new_v4(), draft.text, sources(draft.sources), usage, created_at))
    }
}

/// The first question of a mail that the training content answers, with what was found for it. If none is answered,
/// the words as a whole, which may ask for a person, with what was found for the first question.
async fn search(
    store: &Store,
    chatbot: &Chatbot,
    subject: &str,
    words: String,
) -> Result<(String, Retrieval), SearchFailed> {
    let topic = mail::topic(subject);
    let mut first = None;
    for mail::Question { text, before } in mail::questions(&words) {
        let context = format!("{topic} {before}").trim().to_owned();
        let previous = Some(context).filter(|context| !context.is_empty());
        let retrieval = passages::find(store, chatbot, &text, previous, &[]).await?;
        if retrieval.support.accepted {
            return Ok((text, retrieval));
        }
        first.get_or_insert(retrieval);
    }
    Ok((words, first.expect("there is at least one question")))
}
