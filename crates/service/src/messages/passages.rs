//! The search in the training content of one chatbot.

use std::collections::HashSet;

use async_trait::async_trait;
use frontdesk_embedding::Vector;
use frontdesk_knowledge::{
    Candidate, FieldTerms, Index, IndexError, IndexStats, Query, QueryEmbedder, Retrieval, SegmentVector,
    SourceType, search, search_up_to,
};
use frontdesk_store::{Chatbot, ChunkRecord, Scope};
use uuid::Uuid;

use crate::{meaning::decode_segments, service::Service};

/// The index of one chatbot. Every query of the database is limited to the scope and the chatbot.
struct StoredIndex<'a> {
    service: &'a Service,
    scope: Scope,
    chatbot_id: Uuid,
}

/// Finds passages of a chatbot for a question; only those with one of the `tags`, unless there are none.
pub(super) async fn find(
    service: &Service,
    chatbot: &Chatbot,
    question: &str,
    previous: Option<String>,
    tags: &[Uuid],
) -> Result<Retrieval, SearchError> {
    let query = query(service, chatbot, question, previous, tags).await?;
    search(&index(service, chatbot), embedder(service), &query).await.map_err(SearchError)
}

/// Finds at most `limit` passages of a chatbot for a single question.
pub(super) async fn find_up_to(
    service: &Service,
    chatbot: &Chatbot,
    question: &str,
    tags: &[Uuid],
    limit: usize,
) -> Result<Retrieval, SearchError> {
    let query = query(service, chatbot, question, None, tags).await?;
    search_up_to(&index(service, chatbot), embedder(service), &query, limit).await.map_err(SearchError)
}

fn index<'a>(service: &'a Service, chatbot: &Chatbot) -> StoredIndex<'a> {
    StoredIndex { service, scope: chatbot.scope(), chatbot_id: chatbot.chatbot_id }
}

fn embedder(service: &Service) -> Option<&dyn QueryEmbedder> {
    service.embedding.is_configured().then_some(&service.embedding as &dyn QueryEmbedder)
}

async fn query(
    service: &Service,
    chatbot: &Chatbot,
    question: &str,
    previous: Option<String>,
    tags: &[Uuid],
) -> Result<Query, SearchError> {
    let language = match &chatbot.language {
        Some(language) => Some(language.clone()),
        // Without a setting, the language of a chatbot is that of its content.
        None => {
            let search = service.store.search();
            let found = search.main_language(&chatbot.scope(), chatbot.chatbot_id).await;
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

/// Reads the ids of tags. Ignoring an invalid one could widen the search to everything, so it is an error.
fn tag_ids(tags: &[String]) -> Result<Vec<Uuid>, IndexError> {
    Ok(tags.iter().map(|tag| tag.parse()).collect::<Result<_, _>>()?)
}

/// The search in the training content failed.
#[derive(Debug, thiserror::Error)]
#[error("the training content could not be searched")]
pub(super) struct SearchError(#[source] IndexError);

#[async_trait]
impl Index for StoredIndex<'_> {
    async fn candidates(
        &self,
        terms: &[String],
        tags: &[String],
        limit: usize,
    ) -> Result<Vec<Candidate>, IndexError> {
        let tag_ids = tag_ids(tags)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let search = self.service.store.search();
        let found = search.candidates(&self.scope, self.chatbot_id, terms, &tag_ids, limit).await?;
        Ok(found.into_iter().map(candidate).collect())
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        Ok(self.service.store.search().document_frequencies(&self.scope, self.chatbot_id, terms).await?)
    }

    async fn stats(&self) -> Result<IndexStats, IndexError> {
        let stats = self.service.store.search().corpus_stats(&self.scope, self.chatbot_id).await?;
        Ok(IndexStats {
            chunks: stats.chunks,
            average_title: stats.average_title,
            average_headings: stats.average_headings,
            average_body: stats.average_body,
        })
    }

    async fn similarities(&self, vector: &Vector, tags: &[String]) -> Result<Vec<(Uuid, f32)>, IndexError> {
        let Some(model) = self.service.embedding.loaded() else { return Ok(Vec::new()) };
        let Service { store, vectors, .. } = self.service;
        let mut all = vectors.similarities(store, &self.scope, self.chatbot_id, model.id(), vector).await?;
        if !tags.is_empty() {
            let tagged = store.vectors().tagged(&self.scope, self.chatbot_id, &tag_ids(tags)?).await?;
            let tagged: HashSet<Uuid> = tagged.into_iter().collect();
            all.retain(|(id, _)| tagged.contains(id));
        }
        Ok(all)
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Candidate>, IndexError> {
        let found = self.service.store.vectors().chunks(&self.scope, self.chatbot_id, ids).await?;
        Ok(found.into_iter().map(candidate).collect())
    }

    async fn segments(&self, ids: &[Uuid]) -> Result<Vec<(Uuid, Vec<SegmentVector>)>, IndexError> {
        let Some(model) = self.service.embedding.loaded() else { return Ok(Vec::new()) };
        let store = &self.service.store;
        let stored = store.vectors().segments(&self.scope, self.chatbot_id, model.id(), ids).await?;
        let decode = |(id, bytes): (Uuid, Vec<u8>)| Ok((id, decode_segments(&bytes, model.dimensions())?));
        stored.into_iter().map(decode).collect()
    }
}

/// Converts the store's source type into the search's.
fn source_type(stored: frontdesk_store::SourceType) -> SourceType {
    match stored {
        frontdesk_store::SourceType::Webpage => SourceType::Webpage,
        frontdesk_store::SourceType::File => SourceType::File,
        frontdesk_store::SourceType::TextSnippet => SourceType::TextSnippet,
        frontdesk_store::SourceType::Faq => SourceType::Faq,
    }
}

fn candidate(chunk: ChunkRecord) -> Candidate {
    Candidate {
        chunk_id: chunk.chunk_id,
        title: chunk.title,
        headings: chunk.headings,
        text: chunk.text,
        url: chunk.url,
        source_type: source_type(chunk.source_type),
        language: chunk.language,
        terms: FieldTerms {
            title: chunk.terms_title,
            headings: chunk.terms_headings,
            body: chunk.terms_body,
        },
    }
}
