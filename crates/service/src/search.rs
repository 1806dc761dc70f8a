//! [`ContentSearch`]: the search in the training content of chatbots.

mod passages;
mod sizes;
mod vocabulary;

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use frontdesk_assistant::{Assistant, Task};
use frontdesk_embedding::Vector;
use frontdesk_knowledge::{
    Candidate, Index, IndexError, IndexStats, IndexTerm, Query, QueryEmbedder, Retrieval, SegmentVector,
    search, search_up_to,
};
use frontdesk_store::{Chatbot, CorpusStats, QueryWord, Scope, Store, StoreError};
use tokio::sync::OnceCell;
use uuid::Uuid;

pub use self::passages::PassageCache;
pub use self::sizes::SizeCache;
pub use self::vocabulary::VocabularyCache;
use crate::meaning::{EmbeddingModel, VectorCache, decode_segments};

/// The search in the training content of chatbots. Clones share everything.
#[derive(Clone, Debug)]
pub struct ContentSearch {
    /// Where the content is.
    pub store: Store,
    /// Turns questions and content into vectors.
    pub embedding: EmbeddingModel,
    /// The vectors of the chatbots that were asked last.
    pub vectors: VectorCache,
    /// The words of the chatbots that were asked last.
    pub vocabularies: VocabularyCache,
    /// The passages of the chatbots that were asked last.
    pub passages: PassageCache,
    /// The sizes of the chatbots that were asked last.
    pub sizes: SizeCache,
}

impl ContentSearch {
    /// Returns the search in the content of a store.
    pub fn new(store: Store, embedding: EmbeddingModel) -> Self {
        Self {
            store,
            embedding,
            vectors: VectorCache::default(),
            vocabularies: VocabularyCache::default(),
            passages: PassageCache::default(),
            sizes: SizeCache::default(),
        }
    }

    /// Finds passages of a chatbot for a question; only those with one of the `tags`, unless there are none. `previous` is what the
    /// visitor asked before, which the question may refer to.
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
        let query = self.query(chatbot, question, previous, tags).await?;
        search(&self.index(chatbot), self.embedder(), &query).await.map_err(SearchError)
    }

    /// Finds the passages of a task as [`find`](Self::find) does. If its question refers to earlier turns, `assistant` may turn it
    /// into one that stands alone, which is then searched for instead.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails.
    pub async fn find_for(
        &self,
        chatbot: &Chatbot,
        assistant: &Assistant,
        task: &mut Task,
        tags: &[Uuid],
    ) -> Result<(), SearchError> {
        let previous = task.previous_question().map(str::to_owned);
        let mut query = self.query(chatbot, &task.question, previous, tags).await?;
        assistant.resolve(task, &mut query).await;
        task.retrieval = search(&self.index(chatbot), self.embedder(), &query).await.map_err(SearchError)?;
        Ok(())
    }

    /// Finds at most `limit` passages of a chatbot for a single question.
    pub(crate) async fn find_up_to(
        &self,
        chatbot: &Chatbot,
        question: &str,
        tags: &[Uuid],
        limit: usize,
    ) -> Result<Retrieval, SearchError> {
        let query = self.query(chatbot, question, None, tags).await?;
        search_up_to(&self.index(chatbot), self.embedder(), &query, limit).await.map_err(SearchError)
    }

    fn index(&self, chatbot: &Chatbot) -> StoredIndex<'_> {
        let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
        StoredIndex { content: self, scope, chatbot_id, stats: OnceCell::new() }
    }

    fn embedder(&self) -> Option<&dyn QueryEmbedder> {
        self.embedding.is_configured().then_some(&self.embedding as &dyn QueryEmbedder)
    }

    async fn query(
        &self,
        chatbot: &Chatbot,
        question: &str,
        previous: Option<String>,
        tags: &[Uuid],
    ) -> Result<Query, SearchError> {
        let language = match &chatbot.language {
            Some(language) => Some(language.clone()),
            // Without a setting, the language of a chatbot is that of its content.
            None => {
                let found = self.store.search().main_language(&chatbot.scope(), chatbot.chatbot_id).await;
                found.map_err(|error| SearchError(error.into()))?
            }
        };
        Ok(Query {
            question: question.to_owned(),
            previous,
            language,
            tags: tags.iter().map(Uuid::to_string).collect(),
        })
    }
}

/// The index of one chatbot. Every query of the database is limited to the scope and the chatbot.
struct StoredIndex<'a> {
    content: &'a ContentSearch,
    scope: Scope,
    chatbot_id: Uuid,
    /// They are needed several times for a question.
    stats: OnceCell<CorpusStats>,
}

impl StoredIndex<'_> {
    async fn corpus_stats(&self) -> Result<&CorpusStats, StoreError> {
        let ContentSearch { store, sizes, .. } = self.content;
        self.stats.get_or_try_init(|| sizes.of(store, &self.scope, self.chatbot_id)).await
    }

    /// The passages of these ids, in their order.
    async fn passages(&self, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let ContentSearch { store, passages, .. } = self.content;
        Ok(passages.by_ids(store, &self.scope, self.chatbot_id, ids).await?)
    }
}

/// Reads the ids of tags. Ignoring an invalid one could widen the search to everything, so it is an error.
fn tag_ids(tags: &[String]) -> Result<Vec<Uuid>, IndexError> {
    Ok(tags.iter().map(|tag| tag.parse()).collect::<Result<_, _>>()?)
}

/// The search in the training content failed.
#[derive(Debug, thiserror::Error)]
#[error("the training content could not be searched")]
pub struct SearchError(#[source] IndexError);

#[async_trait]
impl Index for StoredIndex<'_> {
    async fn candidates(
        &self,
        terms: &[IndexTerm],
        tags: &[String],
        limit: usize,
    ) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let tag_ids = tag_ids(tags)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let words: Vec<QueryWord> = terms.iter().map(query_word).collect();
        let chunks = self.corpus_stats().await?.chunks;
        let search = self.content.store.search();
        let found = search.candidates(&self.scope, self.chatbot_id, &words, chunks, &tag_ids, limit).await?;
        self.passages(&found).await
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        Ok(self.content.store.search().document_frequencies(&self.scope, self.chatbot_id, terms).await?)
    }

    async fn known(&self, terms: Vec<String>) -> Result<Vec<String>, IndexError> {
        let ContentSearch { store, vocabularies, .. } = self.content;
        let stats = self.corpus_stats().await?;
        Ok(vocabularies.known(store, &self.scope, self.chatbot_id, stats, terms).await?)
    }

    async fn stats(&self) -> Result<IndexStats, IndexError> {
        let stats = self.corpus_stats().await?;
        Ok(IndexStats {
            chunks: stats.chunks,
            average_title: stats.average_title,
            average_headings: stats.average_headings,
            average_body: stats.average_body,
        })
    }

    async fn similarities(&self, vector: &Vector, tags: &[String]) -> Result<Vec<(Uuid, f32)>, IndexError> {
        let Some(model) = self.content.embedding.known() else { return Ok(Vec::new()) };
        let ContentSearch { store, vectors, .. } = self.content;
        let mut all = vectors.similarities(store, &self.scope, self.chatbot_id, &model.id, vector).await?;
        if !tags.is_empty() {
            let tagged = store.vectors().tagged(&self.scope, self.chatbot_id, &tag_ids(tags)?).await?;
            let tagged: HashSet<Uuid> = tagged.into_iter().collect();
            all.retain(|(id, _)| tagged.contains(id));
        }
        Ok(all)
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, IndexError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.content.store.search().findable(&self.scope, self.chatbot_id, ids).await?;
        self.passages(&found).await
    }

    async fn segments(&self, ids: &[Uuid]) -> Result<Vec<(Uuid, Vec<SegmentVector>)>, IndexError> {
        let Some(model) = self.content.embedding.known() else { return Ok(Vec::new()) };
        let store = &self.content.store;
        let stored = store.vectors().segments(&self.scope, self.chatbot_id, &model.id, ids).await?;
        let decode = |(id, bytes): (Uuid, Vec<u8>)| Ok((id, decode_segments(&bytes, model.dimensions)?));
        stored.into_iter().map(decode).collect()
    }
}

fn query_word(term: &IndexTerm) -> QueryWord {
    QueryWord { text: term.text.clone(), chunks: term.document_frequency }
}
