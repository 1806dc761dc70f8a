//! [`ContentSearch`]: the search in the training content of chatbots.

mod frequencies;
mod passages;
mod sizes;
mod vocabulary;
mod word_index;

use std::collections::HashSet;
use std::sync::Arc;

use frontdesk_assistant::{Assistant, Task};
use frontdesk_embedding::Vector;
use frontdesk_knowledge::{
    Candidate, Index, IndexError, IndexStats, IndexTerm, Query, QueryEmbedder, Retrieval, SegmentVector,
    search, search_up_to,
};
use frontdesk_store::{Chatbot, CorpusStats, QueryWord, Scope, Store, StoreError};
use tokio::sync::OnceCell;
use uuid::Uuid;

pub use self::frequencies::FrequencyCache;
pub use self::passages::PassageCache;
pub use self::sizes::SizeCache;
pub use self::vocabulary::VocabularyCache;
pub use self::word_index::WordIndexCache;
use self::word_index::{Content, CurrentIndex};
use crate::meaning::{ChatbotVectors, EmbeddingModel, VectorCache, decode_segments};

/// The search in the training content of chatbots. Clones share everything.
#[derive(Clone, Debug)]
pub struct ContentSearch {
    /// Where the content is.
    pub store: Store,
    /// Turns questions and content into vectors.
    pub embedding: EmbeddingModel,
    /// The vectors of the chatbots that were asked last.
    pub vectors: VectorCache,
    /// The words of the chunks of the chatbots that were asked last.
    pub words: WordIndexCache,
    /// The words of the large chatbots that were asked last.
    pub vocabularies: VocabularyCache,
    /// The passages of the chatbots that were asked last.
    pub passages: PassageCache,
    /// The sizes of the chatbots that were asked last.
    pub sizes: SizeCache,
    /// The counts of frequent words in the large chatbots that were asked last.
    pub frequencies: FrequencyCache,
}

impl ContentSearch {
    /// Returns the search in the content of a store.
    pub fn new(store: Store, embedding: EmbeddingModel) -> Self {
        Self {
            store,
            embedding,
            vectors: VectorCache::default(),
            words: WordIndexCache::default(),
            vocabularies: VocabularyCache::default(),
            passages: PassageCache::default(),
            sizes: SizeCache::default(),
            frequencies: FrequencyCache::default(),
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
        let index = self.index(chatbot);
        let query = index.query(chatbot, question, previous, tags).await?;
        search(&index, self.embedder(), &query).await.map_err(SearchError)
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
        let index = self.index(chatbot);
        let mut query = index.query(chatbot, &task.question, previous, tags).await?;
        assistant.resolve(task, &mut query).await;
        task.retrieval = search(&index, self.embedder(), &query).await.map_err(SearchError)?;
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
        let index = self.index(chatbot);
        let query = index.query(chatbot, question, None, tags).await?;
        search_up_to(&index, self.embedder(), &query, limit).await.map_err(SearchError)
    }

    fn index(&self, chatbot: &Chatbot) -> StoredIndex<'_> {
        let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
        StoredIndex {
            content: self,
            scope,
            chatbot_id,
            current: OnceCell::new(),
            read: OnceCell::new(),
            stats: OnceCell::new(),
            vectors: OnceCell::new(),
        }
    }

    fn embedder(&self) -> Option<&dyn QueryEmbedder> {
        self.embedding.is_configured().then_some(&self.embedding as &dyn QueryEmbedder)
    }
}

/// The index of one chatbot. Every query of the database is limited to the scope and the chatbot.
struct StoredIndex<'a> {
    content: &'a ContentSearch,
    scope: Scope,
    chatbot_id: Uuid,
    /// What the chatbot has, for which the database is asked once for a question.
    current: OnceCell<Content>,
    /// The index in memory that was read for this question, after the database was asked for the beginning of it.
    read: OnceCell<CurrentIndex>,
    /// They are needed several times for a question.
    stats: OnceCell<CorpusStats>,
    /// Those of the model, once they were read for this question.
    vectors: OnceCell<ChatbotVectors>,
}

impl StoredIndex<'_> {
    async fn current(&self) -> Result<&Content, StoreError> {
        let ContentSearch { store, words, sizes, .. } = self.content;
        let current = self.current.get_or_try_init(|| async {
            if sizes.exceed(self.chatbot_id, word_index::MAX_CHUNKS) {
                return Ok(Content::Large);
            }
            words.current(store, &self.scope, self.chatbot_id).await
        });
        current.await
    }

    /// The index in memory, if there is one. Without it, the database answers.
    async fn in_memory(&self) -> Result<Option<&CurrentIndex>, StoreError> {
        match self.current().await? {
            Content::Indexed(index) => Ok(Some(index)),
            Content::Stored(_) => Ok(self.read.get()),
            Content::Large => Ok(None),
        }
    }

    async fn corpus_stats(&self) -> Result<&CorpusStats, StoreError> {
        if let Some(index) = self.in_memory().await? {
            return Ok(index.stats());
        }
        let ContentSearch { store, sizes, .. } = self.content;
        self.stats.get_or_try_init(|| sizes.of(store, &self.scope, self.chatbot_id)).await
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
            None => self.main_language().await.map_err(|error| SearchError(error.into()))?,
        };
        Ok(Query {
            question: question.to_owned(),
            previous,
            language,
            tags: tags.iter().map(Uuid::to_string).collect(),
        })
    }

    async fn main_language(&self) -> Result<Option<String>, StoreError> {
        match self.in_memory().await? {
            Some(index) => Ok(index.main_language().map(str::to_owned)),
            None => self.content.store.search().main_language(&self.scope, self.chatbot_id).await,
        }
    }

    /// The vectors of the chatbot; `None` while the model is not known.
    async fn vectors(&self) -> Result<Option<&ChatbotVectors>, StoreError> {
        let Some(model) = self.content.embedding.known() else { return Ok(None) };
        let ContentSearch { store, vectors, .. } = self.content;
        let read = || vectors.of(store, &self.scope, self.chatbot_id, model);
        self.vectors.get_or_try_init(read).await.map(Some)
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
        let found = match self.in_memory().await? {
            Some(index) if tag_ids.is_empty() => index.candidates(&words, limit),
            _ => {
                let (search, chunks) = (self.content.store.search(), self.corpus_stats().await?.chunks);
                search.candidates(&self.scope, self.chatbot_id, &words, chunks, &tag_ids, limit).await?
            }
        };
        self.passages(&found).await
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        if let Some(index) = self.in_memory().await? {
            return Ok(terms.iter().map(|term| index.frequency(term)).collect());
        }
        let ContentSearch { store, frequencies, .. } = self.content;
        Ok(match self.current().await? {
            Content::Large => {
                let chunks = self.corpus_stats().await?.chunks;
                frequencies.of(store, &self.scope, self.chatbot_id, chunks, terms).await?
            }
            Content::Indexed(_) | Content::Stored(_) => {
                store.search().document_frequencies(&self.scope, self.chatbot_id, terms).await?
            }
        })
    }

    async fn known(&self, terms: Vec<String>) -> Result<Vec<String>, IndexError> {
        let ContentSearch { store, words, vocabularies, .. } = self.content;
        let version = match self.current().await? {
            Content::Indexed(index) => {
                return Ok(terms.into_iter().filter(|term| index.frequency(term) > 0).collect());
            }
            Content::Stored(version) => version,
            Content::Large => {
                let stats = self.corpus_stats().await?;
                return Ok(vocabularies.known(store, &self.scope, self.chatbot_id, stats, terms).await?);
            }
        };
        let index = words.recent(store, &self.scope, self.chatbot_id).await?;
        if let Some(current) = CurrentIndex::of(&index, version) {
            // Whether another part of the search has set it in the meantime does not matter: it would be the same.
            self.read.set(current).ok();
        }
        Ok(terms.into_iter().filter(|term| index.has(term)).collect())
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

    async fn prepare_similarities(&self) -> Result<(), IndexError> {
        self.vectors().await?;
        Ok(())
    }

    async fn similarities(&self, vector: &Vector, tags: &[String]) -> Result<Vec<(Uuid, f32)>, IndexError> {
        let Some(vectors) = self.vectors().await? else { return Ok(Vec::new()) };
        let mut all = vectors.similarities(vector);
        if !tags.is_empty() {
            let store = &self.content.store;
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
        let found = match self.in_memory().await? {
            Some(index) => index.findable(ids),
            None => self.content.store.search().findable(&self.scope, self.chatbot_id, ids).await?,
        };
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
