//! Owns the operations on chatbots, one file each.

mod create;
mod delete;
mod get;
mod list;
mod update;

use frontdesk_model::{
    Chatbot, ChatbotList, ChatbotStatus, CreateChatbotError, CreatedChatbot, DeleteChatbotError,
    GetChatbotError, ListChatbotsError, TrainingFailure, UpdateChatbotError, UpdatedChatbot,
};
use frontdesk_runtime::{Failure, Patch};
use frontdesk_server::{Chatbots, CreateChatbot, DeleteChatbot, GetChatbot, ListChatbots, UpdateChatbot};
use frontdesk_store as store;

use crate::answers::timestamp;
use crate::service::{Caller, Service};

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
        get::get(self, request).await
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
fn shown(stored: store::Chatbot) -> Chatbot {
    let status = status(stored.status);
    let training_sources = count(stored.training_sources);
    let created_at = timestamp(stored.created_at);
    Chatbot::new(stored.chatbot_id, stored.name, status, training_sources, created_at)
        .last_error(last_error(stored.last_error))
}

fn status(stored: store::ChatbotStatus) -> ChatbotStatus {
    match stored {
        store::ChatbotStatus::Training => ChatbotStatus::Training,
        store::ChatbotStatus::Ready => ChatbotStatus::Ready,
        store::ChatbotStatus::Failed => ChatbotStatus::Failed,
    }
}

fn last_error(stored: Option<store::ChatbotError>) -> Patch<TrainingFailure> {
    match stored {
        Some(error) => Patch::Value(TrainingFailure::new(error.code, error.message, timestamp(error.at))),
        None => Patch::Absent,
    }
}

fn count(stored: u64) -> i64 {
    i64::try_from(stored).unwrap_or(i64::MAX)
}
