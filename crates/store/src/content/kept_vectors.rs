//! Vectors that outlive their chunks: a source that is read again gets new chunks, and those with the same
//! content as before keep their vectors.
//!
//! At the end of a crawl, text that the site repeats is removed from nearly every page, while the other
//! chunks of the page stay the same.

use std::collections::BTreeMap;

use sqlx::{AnyConnection, Row};

use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::vectors::{self, ChunkVectors};
use crate::sql::chatbot_lock::ChatbotKey;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::Columns;

/// The input of a model: title, headings, text and language.
type Content = (String, String, String, Option<String>);

/// The vectors of the chunks of a source, with their models, by the content that they were made from.
#[derive(Debug, Default)]
pub(crate) struct KeptVectors(BTreeMap<Content, (String, ChunkVectors)>);

impl KeptVectors {
    /// Reads the vectors of a source in one chatbot, before its chunks are deleted.
    pub(crate) async fn of(
        connection: &mut AnyConnection,
        key: &ChatbotKey,
        owner: ChunkOwner,
    ) -> Result<Self, StoreError> {
        macro_rules! vectors_of {
            ($column:literal) => {
                concat!(
                    "SELECT c.title, c.headings, c.body, c.language, v.model, v.vector, v.segments \
                     FROM chunks AS c JOIN chunk_vectors AS v ON v.chunk_id = c.chunk_id WHERE c.",
                    $column,
                    " = $1 AND c.chatbot_id = $2"
                )
            };
        }
        let rows = sqlx::query(match owner {
            ChunkOwner::Webpage(_) => vectors_of!("webpage_id"),
            ChunkOwner::TextSnippet(_) => vectors_of!("text_snippet_id"),
            ChunkOwner::FaqItem(_) => vectors_of!("faq_item_id"),
            ChunkOwner::File(_) => vectors_of!("file_id"),
        })
        .bind(owner.id())
        .bind(&key.chatbot_id)
        .fetch_all(connection)
        .await?;
        let mut kept = BTreeMap::new();
        for row in &rows {
            let content =
                (row.text("title")?, row.text("headings")?, row.text("body")?, row.try_get("language")?);
            let vectors = ChunkVectors { vector: row.try_get("vector")?, segments: row.try_get("segments")? };
            kept.insert(content, (row.text("model")?, vectors));
        }
        Ok(Self(kept))
    }

    /// Gives new chunks, by their ids, the vectors of the earlier ones with the same content.
    pub(crate) async fn give(
        self,
        connection: &mut AnyConnection,
        chunks: &[NewChunk],
        ids: &[String],
    ) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        for (chunk, id) in chunks.iter().zip(ids) {
            let content = (
                replace_nul(&chunk.title),
                replace_nul(&chunk.headings),
                replace_nul(&chunk.text),
                chunk.language.as_deref().map(replace_nul),
            );
            let Some((model, vectors)) = self.0.get(&content) else { continue };
            sqlx::query("UPDATE chunks SET vector_model = $2 WHERE chunk_id = $1")
                .bind(id)
                .bind(model.clone())
                .execute(&mut *connection)
                .await?;
            vectors::insert(connection, id, model, vectors).await?;
        }
        Ok(())
    }
}
