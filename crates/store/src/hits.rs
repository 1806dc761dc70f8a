//! Hit counts: how many answers used each training source.

use serde_json::json;
use uuid::Uuid;

use crate::row::Columns;
use crate::scope::{in_scope, scoped};
use crate::{Scope, StoreError};

/// The tables of training sources: the column of `chunks` that names a source, and the statement that counts one more hit.
const SOURCES: [(&str, &str); 4] = [
    ("webpage_id", "UPDATE webpages SET hit_count = hit_count + 1 WHERE webpage_id = $1"),
    ("text_snippet_id", "UPDATE text_snippets SET hit_count = hit_count + 1 WHERE text_snippet_id = $1"),
    ("faq_item_id", "UPDATE faq_items SET hit_count = hit_count + 1 WHERE faq_item_id = $1"),
    ("file_id", "UPDATE files SET hit_count = hit_count + 1 WHERE file_id = $1"),
];

group! {
    /// Hit counts of training sources.
    pub Hits, hits
}

impl Hits<'_> {
    /// Counts a hit for each source of these chunks of a chatbot; a source of several chunks counts once. Chunks that are gone are
    /// left out.
    ///
    /// Each source is a statement of its own, so no lock is held while another one is awaited.
    pub async fn count(self, scope: &Scope, chatbot_id: Uuid, chunk_ids: &[Uuid]) -> Result<(), StoreError> {
        if chunk_ids.is_empty() {
            return Ok(());
        }
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT DISTINCT c.webpage_id, c.text_snippet_id, c.faq_item_id, c.file_id FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND c.chunk_id IN (SELECT value FROM json_each($4))"
            ),
            concat!(
                "SELECT DISTINCT c.webpage_id, c.text_snippet_id, c.faq_item_id, c.file_id FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND c.chunk_id IN (SELECT * FROM json_array_elements_text(CAST($4 AS json)))"
            ),
        );
        let chunk_ids: Vec<String> = chunk_ids.iter().map(Uuid::to_string).collect();
        let rows = scoped(sql, scope)
            .bind(chatbot_id.to_string())
            .bind(json!(chunk_ids).to_string())
            .fetch_all(self.store.reader())
            .await?;
        for row in &rows {
            for (column, update) in SOURCES {
                if let Some(source_id) = row.text_opt(column)? {
                    sqlx::query(update).bind(source_id).execute(self.store.writer()).await?;
                }
            }
        }
        Ok(())
    }
}
