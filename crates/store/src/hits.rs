//! Hit counts: how many answers used each training source.

use serde_json::json;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::row::Columns;
use crate::scope::{in_scope, scoped};
use crate::{Scope, StoreError};

/// The statements that count one more hit of sources of one kind: of all in a JSON list on SQLite, of one on PostgreSQL.
macro_rules! update {
    ($table:literal, $id:literal) => {
        (
            $id,
            concat!(
                "UPDATE ",
                $table,
                " SET hit_count = hit_count + 1 WHERE ",
                $id,
                " IN (SELECT value FROM json_each($1))"
            ),
            concat!("UPDATE ", $table, " SET hit_count = hit_count + 1 WHERE ", $id, " = $1"),
        )
    };
}

/// The columns of `chunks` that name a source, with their statements.
const SOURCES: [(&str, &str, &str); 4] = [
    update!("webpages", "webpage_id"),
    update!("text_snippets", "text_snippet_id"),
    update!("faq_items", "faq_item_id"),
    update!("files", "file_id"),
];

group! {
    /// Hit counts of training sources.
    pub Hits, hits
}

impl Hits<'_> {
    /// Counts a hit for each source of these chunks of a chatbot; a source of several chunks counts once. Chunks that are gone are
    /// left out.
    ///
    /// On PostgreSQL each source is a statement of its own, so no lock is held while another one is awaited. On SQLite there is one lock.
    pub async fn count(self, scope: &Scope, chatbot_id: Uuid, chunk_ids: &[Uuid]) -> Result<(), StoreError> {
        if chunk_ids.is_empty() {
            return Ok(());
        }
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT DISTINCT c.webpage_id, c.text_snippet_id, c.faq_item_id, c.file_id \
                 FROM json_each($4) AS q CROSS JOIN chunks AS c ON c.chunk_id = q.value WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3"
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
        for (column, update_listed, update_one) in SOURCES {
            let named = rows.iter().map(|row| row.text_opt(column)).collect::<sqlx::Result<Vec<_>>>()?;
            let ids: Vec<String> = named.into_iter().flatten().collect();
            let (update, arguments) = match self.store.dialect() {
                _ if ids.is_empty() => continue,
                Dialect::Sqlite => (update_listed, vec![json!(ids).to_string()]),
                Dialect::Postgres => (update_one, ids),
            };
            for argument in arguments {
                sqlx::query(update).bind(argument).execute(self.store.writer()).await?;
            }
        }
        Ok(())
    }
}
