//! [`StoredContent`]: the content of one chatbot in the database.

use frontdesk_store::{ContentVersion, CorpusStats, QueryWord, Scope, Store, StoreError};
use uuid::Uuid;

/// The content of one chatbot in the database. Every query is limited to the scope and the chatbot.
#[derive(Clone, Debug)]
pub(crate) struct StoredContent {
    pub(crate) store: Store,
    pub(crate) scope: Scope,
    pub(crate) chatbot_id: Uuid,
}

impl StoredContent {
    /// Returns what the chatbot can be searched for.
    pub(crate) async fn version(&self) -> Result<ContentVersion, StoreError> {
        self.store.search().version(&self.scope, self.chatbot_id).await
    }

    /// Counts the content.
    pub(crate) async fn stats(&self) -> Result<CorpusStats, StoreError> {
        self.store.search().corpus_stats(&self.scope, self.chatbot_id).await
    }

    /// Returns the language of most chunks.
    pub(crate) async fn main_language(&self) -> Result<Option<String>, StoreError> {
        self.store.search().main_language(&self.scope, self.chatbot_id).await
    }

    /// Returns how many chunks have each of the words, in the order of the words.
    pub(crate) async fn document_frequencies(&self, words: &[String]) -> Result<Vec<u64>, StoreError> {
        self.store.search().document_frequencies(&self.scope, self.chatbot_id, words).await
    }

    /// Returns at most `limit` chunks with any of the words and any of the tags, the best first. `chunks` is
    /// how many there are.
    pub(crate) async fn candidates(
        &self,
        words: &[QueryWord],
        chunks: u64,
        tag_ids: &[Uuid],
        limit: u32,
    ) -> Result<Vec<Uuid>, StoreError> {
        self.store.search().candidates(&self.scope, self.chatbot_id, words, chunks, tag_ids, limit).await
    }

    /// Returns those of the chunks that exist and whose source is switched on.
    pub(crate) async fn findable(&self, chunk_ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
        self.store.search().findable(&self.scope, self.chatbot_id, chunk_ids).await
    }
}
