//! The search in the training content of one chatbot.

use async_trait::async_trait;
use frontdesk_knowledge::{
    Candidate, FieldTerms, Index, IndexError, IndexStats, Query, Retrieval, SourceType, search, search_up_to,
};
use frontdesk_store::{Chatbot, ChunkRecord, Scope, Store};
use uuid::Uuid;

/// The index of one chatbot. Every query of the database is limited to the scope and the chatbot.
struct StoredIndex<'a> {
    store: &'a Store,
    scope: Scope,
    chatbot_id: Uuid,
}

/// Finds passages of a chatbot for a question; only those with one of the `tags`, unless there are none.
pub(super) async fn find(
    store: &Store,
    chatbot: &Chatbot,
    question: &str,
    previous: Option<String>,
    tags: &[Uuid],
) -> Result<Retrieval, SearchError> {
    search(&index(store, chatbot), &query(chatbot, question, previous, tags)).await.map_err(SearchError)
}

/// Finds at most `limit` passages of a chatbot for a single question.
pub(super) async fn find_up_to(
    store: &Store,
    chatbot: &Chatbot,
    question: &str,
    tags: &[Uuid],
    limit: usize,
) -> Result<Retrieval, SearchError> {
    let query = query(chatbot, question, None, tags);
    search_up_to(&index(store, chatbot), &query, limit).await.map_err(SearchError)
}

fn index<'a>(store: &'a Store, chatbot: &Chatbot) -> StoredIndex<'a> {
    StoredIndex { store, scope: chatbot.scope(), chatbot_id: chatbot.chatbot_id }
}

fn query(chatbot: &Chatbot, question: &str, previous: Option<String>, tags: &[Uuid]) -> Query {
    Query {
        question: question.to_owned(),
        previous,
        language: chatbot.language.clone(),
        tags: tags.iter().map(Uuid::to_string).collect(),
    }
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
        // Ignoring an invalid id could widen the search to everything, so it is an error.
        let tag_ids = tags.iter().map(|tag| tag.parse()).collect::<Result<Vec<Uuid>, _>>()?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let found =
            self.store.search().candidates(&self.scope, self.chatbot_id, terms, &tag_ids, limit).await?;
        Ok(found.into_iter().map(candidate).collect())
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        Ok(self.store.search().document_frequencies(&self.scope, self.chatbot_id, terms).await?)
    }

    async fn stats(&self) -> Result<IndexStats, IndexError> {
        let stats = self.store.search().corpus_stats(&self.scope, self.chatbot_id).await?;
        Ok(IndexStats {
            chunks: stats.chunks,
            average_title: stats.average_title,
            average_headings: stats.average_headings,
            average_body: stats.average_body,
        })
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
