//! Chatbots, one file for each operation.

mod create;
mod delete;
mod list;
mod search;
mod update;

use frontdesk_model::{
    Chatbot, ChatbotList, ChatbotRequired, ChatbotStatus, CreateChatbotError, CreatedChatbot,
    DeleteChatbotError, GetChatbotError, ListChatbotsError, TrainingFailure, TrainingFailureRequired,
    UpdateChatbotError, UpdatedChatbot,
};
use frontdesk_runtime::{Failure, Patch};
use frontdesk_server::{Chatbots, CreateChatbot, DeleteChatbot, GetChatbot, ListChatbots, UpdateChatbot};
use frontdesk_store::{self as store, Scope, StoreError};
use http::Extensions;
use uuid::Uuid;

use self::search::SearchStates;
use super::count;
use crate::edge::authorization::resources::{Resource, loaded};
use crate::edge::{Edge, responses::timestamp};
use crate::platform::chatbot_settings;
use crate::{api::Service, edge::Caller};

impl Resource for store::Chatbot {
    const PARAMETER: &'static str = "chatbot_id";
    const NOT_FOUND: &'static str = "Chatbot not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        match scope {
            Some(scope) => service.store.chatbots().find(scope, id).await,
            // Only the email reply is called without a key, and a chatbot whose replies are off must look
            // like none.
            None => {
                let found = service.store.chatbots().find_public(id).await?.map(|(_, chatbot)| chatbot);
                Ok(found.filter(chatbot_settings::allows_email_replies))
            }
        }
    }
}

impl Chatbots for Service {
    type Caller = Caller;

    async fn list_chatbots(
        &self,
        request: ListChatbots<Caller>,
    ) -> Result<ChatbotList, Failure<ListChatbotsError>> {
        list::list(self, request).await
    }

    async fn create_chatbot(
        &self,
        request: CreateChatbot<Caller>,
    ) -> Result<CreatedChatbot, Failure<CreateChatbotError>> {
        create::create(self, request).await
    }

    async fn get_chatbot(&self, request: GetChatbot<Caller>) -> Result<Chatbot, Failure<GetChatbotError>> {
        let stored = loaded(&request.incoming)?;
        let search = SearchStates::of_chatbot(self, &stored).await?;
        Ok(shown(stored, &search))
    }

    async fn update_chatbot(
        &self,
        request: UpdateChatbot<Caller>,
    ) -> Result<UpdatedChatbot, Failure<UpdateChatbotError>> {
        update::update(self, request).await
    }

    async fn delete_chatbot(
        &self,
        request: DeleteChatbot<Caller>,
    ) -> Result<(), Failure<DeleteChatbotError>> {
        delete::delete(self, request).await
    }
}

/// A stored chatbot as the interface shows it.
fn shown(stored: store::Chatbot, search: &SearchStates) -> Chatbot {
    let status = status(&stored);
    let training_sources = count(stored.training_sources);
    let created_at = timestamp(stored.created_at);
    let progress = search.progress(stored.chatbot_id);
    let mut chatbot = Chatbot::new(ChatbotRequired {
        chatbot_id: stored.chatbot_id.into(),
        name: stored.name,
        status,
        training_sources,
        created_at,
    })
    .last_error(last_error(stored.last_error))
    .search_ready(progress.is_none());
    chatbot.search_progress = progress;
    chatbot
}

/// The status as the contract names it: a chatbot that could answer and has nothing left to answer from is
/// empty.
fn status(stored: &store::Chatbot) -> ChatbotStatus {
    match stored.status {
        store::ChatbotStatus::Ready if stored.training_sources == 0 => ChatbotStatus::Empty,
        store::ChatbotStatus::Training => ChatbotStatus::Training,
        store::ChatbotStatus::Ready => ChatbotStatus::Ready,
        store::ChatbotStatus::Failed => ChatbotStatus::Failed,
    }
}

fn last_error(stored: Option<store::ChatbotError>) -> Patch<TrainingFailure> {
    match stored {
        Some(error) => Patch::Value(TrainingFailure::new(TrainingFailureRequired {
            code: error.code,
            message: error.message,
            at: timestamp(error.at),
        })),
        None => Patch::Absent,
    }
}
