//! `POST /api/v1/chatbots/{chatbot_id}/reply`: drafts the reply to an email thread, without a key.
//!
//! The chatbot's id is public, so every use is bounded: the thread is cut, the number of drafts and the
//! credits they use have limits, and nothing about people is stored. A draft is not stored either; its id
//! only names it.

use std::sync::Arc;

use frontdesk_assistant::{Assessment, Kind, Offer, Task};
use frontdesk_knowledge::Retrieval;
use frontdesk_model::{DraftReplyError, EmailReply, EmailReplyRequired};
use frontdesk_retrieval::SearchError;
use frontdesk_runtime::Failure;
use frontdesk_server::DraftReply;
use frontdesk_store::{Chatbot, Day, ReplyCreditsError, Store, StoreError, replace_nul};
use url::Url;
use uuid::Uuid;

use super::credits::{Allowance, Reservation, price};
use super::thread::{Business, Thread};
use super::{error_responses, mail, sources};
use crate::answering::Answering;
use crate::edge::authorization::resources::{gone, loaded};
use crate::edge::rate_limit::Subject;
use crate::edge::responses::timestamp;
use crate::platform::chatbot_settings::Settings;

pub(crate) async fn draft(
    service: &Answering,
    request: DraftReply,
) -> Result<EmailReply, Failure<DraftReplyError>> {
    let _answering = service.priority.begin();
    let DraftReply { chatbot_id, body, incoming } = request;
    let store = &service.store;
    let chatbot: Chatbot = loaded(&incoming)?;
    let settings = Settings::of(&chatbot)?;
    let scope = chatbot.scope();
    // Held until the draft is complete.
    let Ok(_slot) = Arc::clone(&service.reply_slots).try_acquire_owned() else {
        return Err(error_responses::replies_busy().into());
    };
    // Counted here and not before the body is read: requests with an invalid body must not use up the
    // chatbot's limit.
    let subject = Subject::RepliesOfChatbot(chatbot_id.uuid());
    let limit = service.config.limits.replies_per_chatbot;
    service.rate_limits.take(subject, limit).await.map_err(error_responses::too_many_replies)?;
    if store.search().corpus_stats(&scope, chatbot_id.uuid()).await?.chunks == 0 {
        return Err(error_responses::no_training_data().into());
    }
    let now = service.now();
    let allowance = Allowance::of(service, &chatbot).await?.ok_or_else(gone::<Chatbot>)?;
    let reservation = match allowance.reserve_for_reply().await? {
        Ok(reservation) => reservation,
        Err(ReplyCreditsError::AccountMonth) => return Err(error_responses::credits_exhausted().into()),
        Err(ReplyCreditsError::ReplyMonth) => return Err(error_responses::reply_share_used_up().into()),
        Err(ReplyCreditsError::ReplyDay) => return Err(error_responses::day_used_up(now).into()),
    };
    let limit = u64::from(service.config.limits.replies_per_day);
    if store.credits().reserve_daily_reply(&scope, chatbot_id.uuid(), &Day::of(now), limit).await?.is_none() {
        return Err(error_responses::day_used_up(now).into());
    }
    let business = business(store, &chatbot, &settings).await?;
    let subject = replace_nul(body.subject);
    let thread = Thread::recent(body.messages);
    let drafting = Drafting {
        service: service.clone(),
        question: thread.question(&subject, &business),
        chatbot,
        settings,
        subject,
        thread,
        reservation,
    };
    Ok(drafting.run().await?)
}

/// Collects the features by which messages of the business itself are recognized in a thread: its name, its
/// domains, and the hosts of the websites that the chatbot was trained on.
async fn business(store: &Store, chatbot: &Chatbot, settings: &Settings) -> Result<Business, StoreError> {
    let scope = chatbot.scope();
    let domains = store.domains().list(&scope).await?.into_iter().map(|domain| domain.hostname);
    let roots = store.webpages().root_urls(&scope, chatbot.chatbot_id).await?;
    let host = |root: String| Url::parse(&root).ok().and_then(|url| url.host_str().map(str::to_owned));
    Ok(Business::new(&settings.business_name, domains.chain(roots.into_iter().filter_map(host))))
}

/// A validated thread, with everything that is needed to draft the reply.
struct Drafting {
    service: Answering,
    chatbot: Chatbot,
    settings: Settings,
    subject: String,
    thread: Thread,
    /// The newest words of the customer.
    question: String,
    reservation: Reservation,
}

/// The reason why a draft failed.
#[derive(Debug, thiserror::Error)]
enum DraftingError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Drafting {
    async fn run(self) -> Result<EmailReply, DraftingError> {
        let task = self.task().await?;
        let draft = self.service.assistant.respond(task).await;
        self.service.metrics.answer(draft.action.as_str());
        let usage = self.reservation.commit(price(&draft)).await?;
        let created_at = timestamp(self.service.now());
        Ok(EmailReply::new(EmailReplyRequired {
            message_id: Uuid::new_v4().to_string(),
            reply: draft.text,
            sources: sources(draft.sources),
            usage,
            created_at,
        }))
    }

    /// Returns the task of drafting for the first question of the email that the training content answers. If
    /// there is none, the question is the whole text, which may ask for a person, with the passages found for
    /// its first question.
    async fn task(&self) -> Result<Task, DraftingError> {
        let topic = mail::topic(&self.subject);
        let mut first = None;
        for mail::Question { text, before } in mail::questions(&self.question) {
            let context = format!("{topic} {before}").trim().to_owned();
            let previous = Some(context).filter(|context| !context.is_empty());
            let retrieval = self.service.search.find(&self.chatbot, &text, previous, &[]).await?;
            let task = self.task_of(text, retrieval);
            if Assessment::of(&task).is_answerable() {
                return Ok(task);
            }
            first.get_or_insert(task.retrieval);
        }
        let retrieval = first.expect("there is at least one question");
        Ok(self.task_of(self.question.clone(), retrieval))
    }

    fn task_of(&self, question: String, retrieval: Retrieval) -> Task {
        Task {
            question,
            stand_alone: None,
            history: Vec::new(),
            offer: Offer::NotMade,
            retrieval,
            settings: self.settings.for_writer(),
            kind: Kind::EmailReply { subject: self.subject.clone(), thread: self.thread.mails().to_vec() },
        }
    }
}
