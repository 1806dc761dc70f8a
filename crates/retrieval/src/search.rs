//! [`ContentSearch`]: the search in the training content of chatbots.

use frontdesk_knowledge::Retrieval;
use frontdesk_store::{Chatbot, Store};
use uuid::Uuid;

use crate::{embeddings::EmbeddingModel, error::SearchError, memory::Memory, snapshot::Snapshot};

/// The search in the training content of chatbots. Clones share everything.
#[derive(Clone, Debug)]
pub struct ContentSearch {
    store: Store,
    memory: Memory,
    embedding: EmbeddingModel,
}

impl ContentSearch {
    /// Returns the search in the content of a store, with a model that turns questions and content into
    /// vectors.
    pub fn new(store: Store, embedding: EmbeddingModel) -> Self {
        Self { store, memory: Memory::new(), embedding }
    }

    /// Returns the model that turns questions and content into vectors.
    pub fn embedding(&self) -> &EmbeddingModel {
        &self.embedding
    }

    /// Returns what a chatbot can be searched for at the moment. This is the only time at which a question
    /// asks the database whether what is in memory is up to date.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails.
    pub async fn snapshot(&self, chatbot: &Chatbot) -> Result<Snapshot<'_>, SearchError> {
        Ok(Snapshot::take(&self.store, &self.memory, &self.embedding, chatbot).await?)
    }

    /// Finds passages of a chatbot for a question; only those with one of the `tags`, unless there are none.
    /// `previous` is what the visitor asked before, which the question may refer to.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails. If the embedding model fails, the search compares words only.
    pub async fn find(
        &self,
        chatbot: &Chatbot,
        question: &str,
        previous: Option<String>,
        tags: &[Uuid],
    ) -> Result<Retrieval, SearchError> {
        let snapshot = self.snapshot(chatbot).await?;
        let query = snapshot.query(question, previous, tags).await?;
        snapshot.find(&query).await
    }
}

#[cfg(test)]
mod tests;
