//! Creating a chatbot, which starts its training.

use frontdesk_model::{self as model, CreatedChatbot, CreatedChatbotRequired};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::CreateChatbot;
use frontdesk_store::{CreateChatbotError, NewChatbot};

use super::status;
use crate::api::account::acting;
use crate::edge::responses::timestamp;
use crate::{
    api::Service,
    background::{
        jobs::Queue,
        training::{self, UnusableStart},
    },
    edge::{Caller, responses},
    platform::chatbot_settings::Settings,
};

pub(super) async fn create(
    service: &Service,
    request: CreateChatbot<Caller>,
) -> Result<CreatedChatbot, Failure<model::CreateChatbotError>> {
    let CreateChatbot { caller, body, .. } = request;
    let caller = acting(service, caller, body.account_id.map(Into::into)).await??;
    let pages = training::start_pages(&body.training_urls).map_err(|unusable| {
        responses::validation_failed(unusable.into_iter().map(|UnusableStart { index, problem }| {
            check::Failure { path: format!("training_urls.{index}"), message: problem.to_owned() }
        }))
    })?;
    let settings = Settings::of_new(&body);
    let new = NewChatbot {
        name: body.name,
        language: settings.language.clone(),
        settings: settings.to_document(),
        pages,
        job: training::job(),
    };
    let stored = match service.store.chatbots().create(&caller.scope, &new, service.now()).await {
        Ok(stored) => stored,
        Err(CreateChatbotError::PlanLimit(reached)) => {
            return Err(responses::plan_limit_reached(reached).into());
        }
        Err(error) => return Err(error.into()),
    };
    service.job_signals.enqueued(Queue::Crawl);
    let status = status(&stored);
    Ok(CreatedChatbot::new(CreatedChatbotRequired {
        chatbot_id: stored.chatbot_id.into(),
        name: stored.name,
        status,
        created_at: timestamp(stored.created_at),
    }))
}
