//! [`Snapshot`]: what a chatbot can be searched for at the moment of a question.

use std::{collections::HashSet, sync::Arc};

use frontdesk_embedding::Vector;
use frontdesk_knowledge::{
    Candidate, Index, IndexError, IndexStats, IndexTerm, Query, QueryEmbedder, Retrieval, SegmentVector,
    search, search_up_to,
};
use frontdesk_store::{Chatbot, QueryWord, Store, StoreError};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::{
    content::Content,
    embeddings::{EmbeddingModel, Known, decode_segments},
    error::SearchError,
    memory::{Kept, Memory},
    passages,
    stored::StoredContent,
    vectors::Vectors,
};

/// What a chatbot can be searched for, as it was when the snapshot was taken: the words, passages and vectors
/// of its content. It is meant for one question.
#[derive(Debug)]
pub struct Snapshot<'a> {
    embedding: &'a EmbeddingModel,
    /// The language that the chatbot is set to.
    language: Option<String>,
    stored: StoredContent,
    kept: Kept,
    content: Content,
    /// Those of the model. They are read later if the model is only known once it has embedded the question.
    vectors: OnceCell<Vectors>,
}

impl<'a> Snapshot<'a> {
    /// Asks the database what a chatbot has, and reads of it what is not kept.
    pub(crate) async fn take(
        store: &Store,
        memory: &Memory,
        embedding: &'a EmbeddingModel,
        chatbot: &Chatbot,
    ) -> Result<Self, StoreError> {
        let (store, scope, chatbot_id) = (store.clone(), chatbot.scope(), chatbot.chatbot_id);
        let stored = StoredContent { store, scope, chatbot_id };
        let kept = memory.of(chatbot_id);
        let vectors = async {
            match embedding.known() {
                Some(model) => vectors(&stored, &kept, model).await.map(Some),
                None => Ok(None),
            }
        };
        // Neither needs the other, and both wait for the database.
        let (content, vectors) = tokio::try_join!(Content::check(&stored, &kept), vectors)?;
        let (language, vectors) = (chatbot.language.clone(), OnceCell::new_with(vectors));
        Ok(Self { embedding, language, stored, kept, content, vectors })
    }
}

impl Snapshot<'_> {
    /// Returns the query for a question; only for content with one of the `tags`, unless there are none.
    /// `previous` is what the visitor asked before, which the question may refer to.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails.
    pub async fn query(
        &self,
        question: &str,
        previous: Option<String>,
        tags: &[Uuid],
    ) -> Result<Query, SearchError> {
        let language = match &self.language {
            Some(language) => Some(language.clone()),
            // Without a setting, the language of a chatbot is that of its content.
            None => self.main_language().await?,
        };
        Ok(Query {
            question: question.to_owned(),
            previous,
            language,
            tags: tags.iter().map(Uuid::to_string).collect(),
        })
    }

    /// Finds the passages for a query, as many as an answer is written from.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails. If the embedding model fails, the search compares words only.
    pub async fn find(&self, query: &Query) -> Result<Retrieval, SearchError> {
        search(self, self.embedder(), query).await.map_err(SearchError)
    }

    /// Finds at most `limit` passages for a query.
    ///
    /// # Errors
    ///
    /// [`SearchError`] if the database fails. If the embedding model fails, the search compares words only.
    pub async fn find_up_to(&self, query: &Query, limit: usize) -> Result<Retrieval, SearchError> {
        search_up_to(self, self.embedder(), query, limit).await.map_err(SearchError)
    }

    async fn main_language(&self) -> Result<Option<String>, StoreError> {
        match self.content.in_memory() {
            Some(index) => Ok(index.main_language().map(str::to_owned)),
            None => self.stored.main_language().await,
        }
    }

    /// Returns the passages of these ids, in their order. Those that do not exist are left out.
    async fn passages(&self, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let mut found = self.kept.read(|parts| parts.passages.of(ids));
        let missing: Vec<Uuid> = ids.iter().filter(|id| !found.contains_key(id)).copied().collect();
        if !missing.is_empty() {
            let read = passages::read(&self.stored, &missing).await?;
            self.kept.update(|parts| parts.passages.keep(&read));
            found.extend(read.into_iter().map(|passage| (passage.chunk_id, passage)));
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// Returns whether the words are in memory.
    #[cfg(test)]
    pub(crate) fn is_in_memory(&self) -> bool {
        self.content.in_memory().is_some()
    }

    fn embedder(&self) -> Option<&dyn QueryEmbedder> {
        self.embedding.is_configured().then_some(self.embedding as &dyn QueryEmbedder)
    }
}

async fn vectors(stored: &StoredContent, kept: &Kept, model: &Known) -> Result<Vectors, StoreError> {
    let current = Vectors::check(stored, kept.read(|parts| parts.vectors.clone()), model).await?;
    kept.update(|parts| parts.vectors = Some(current.clone()));
    Ok(current)
}

/// Reads the ids of tags. Ignoring an invalid one could widen the search to everything, so it is an error.
fn tag_ids(tags: &[String]) -> Result<Vec<Uuid>, IndexError> {
    Ok(tags.iter().map(|tag| tag.parse()).collect::<Result<_, _>>()?)
}

impl Index for Snapshot<'_> {
    async fn candidates(
        &self,
        terms: &[IndexTerm],
        tags: &[String],
        limit: usize,
    ) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let tag_ids = tag_ids(tags)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let words: Vec<QueryWord> = terms.iter().map(query_word).collect();
        let found = match self.content.in_memory() {
            Some(index) if tag_ids.is_empty() => index.candidates(&words, limit),
            _ => {
                let chunks = self.content.stats(&self.stored).await?.chunks;
                self.stored.candidates(&words, chunks, &tag_ids, limit).await?
            }
        };
        self.passages(&found).await
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        Ok(self.content.frequencies(&self.stored, &self.kept, terms).await?)
    }

    async fn known(&self, terms: Vec<String>) -> Result<Vec<String>, IndexError> {
        Ok(self.content.known(&self.stored, &self.kept, terms).await?)
    }

    async fn stats(&self) -> Result<IndexStats, IndexError> {
        let stats = self.content.stats(&self.stored).await?;
        Ok(IndexStats {
            chunks: stats.chunks,
            average_title: stats.average_title,
            average_headings: stats.average_headings,
            average_body: stats.average_body,
        })
    }

    async fn similarities(&self, vector: &Vector, tags: &[String]) -> Result<Vec<(Uuid, f32)>, IndexError> {
        let Some(model) = self.embedding.known() else { return Ok(Vec::new()) };
        let read = || vectors(&self.stored, &self.kept, model);
        let mut all = self.vectors.get_or_try_init(read).await?.similarities(vector);
        if !tags.is_empty() {
            let StoredContent { store, scope, chatbot_id } = &self.stored;
            let tagged = store.vectors().tagged(scope, *chatbot_id, &tag_ids(tags)?).await?;
            let tagged: HashSet<Uuid> = tagged.into_iter().collect();
            all.retain(|(id, _)| tagged.contains(id));
        }
        Ok(all)
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, IndexError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = match self.content.in_memory() {
            Some(index) => index.findable(ids),
            None => self.stored.findable(ids).await?,
        };
        self.passages(&found).await
    }

    async fn segments(&self, ids: &[Uuid]) -> Result<Vec<(Uuid, Vec<SegmentVector>)>, IndexError> {
        let Some(model) = self.embedding.known() else { return Ok(Vec::new()) };
        let StoredContent { store, scope, chatbot_id } = &self.stored;
        let stored = store.vectors().segments(scope, *chatbot_id, &model.id, ids).await?;
        let decode = |(id, bytes): (Uuid, Vec<u8>)| Ok((id, decode_segments(&bytes, model.dimensions)?));
        stored.into_iter().map(decode).collect()
    }
}

fn query_word(term: &IndexTerm) -> QueryWord {
    QueryWord { text: term.text.clone(), chunks: term.document_frequency }
}
