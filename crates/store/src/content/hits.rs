//! Hit counts: how many answers used each training source.

use std::collections::BTreeMap;

use serde_json::json;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;
use crate::sql::scope::{Scope, in_scope, scoped};

/// The statements that count hits of sources of one kind: of all in a JSON object on SQLite, which has the
/// number of hits for each id, of one on PostgreSQL.
macro_rules! update {
    ($table:literal, $id:literal) => {
        (
            $id,
            concat!(
                "UPDATE ",
                $table,
                " SET hit_count = hit_count + (SELECT q.value FROM json_each($1) AS q WHERE q.key = ",
                $id,
                ") WHERE ",
                $id,
                " IN (SELECT key FROM json_each($1))"
            ),
            concat!("UPDATE ", $table, " SET hit_count = hit_count + $2 WHERE ", $id, " = $1"),
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
    /// Counts the hits of some answers of a chatbot, each of which used these chunks. A source counts once
    /// for an answer, however many of its chunks that used. Chunks that are gone are left out.
    ///
    /// On PostgreSQL each source is a statement of its own, so no lock is held while another one is awaited.
    /// On SQLite there is one lock.
    pub async fn count(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        answers: &[Vec<Uuid>],
    ) -> Result<(), StoreError> {
        if answers.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT DISTINCT a.key, c.webpage_id, c.text_snippet_id, c.faq_item_id, c.file_id \
                 FROM json_each($4) AS a CROSS JOIN json_each(a.value) AS q \
                 CROSS JOIN chunks AS c ON c.chunk_id = q.value WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3"
            ),
            concat!(
                // One chunk at a time, because PostgreSQL might otherwise read all chunks of the chatbot.
                "SELECT DISTINCT a.key, c.webpage_id, c.text_snippet_id, c.faq_item_id, c.file_id \
                 FROM json_array_elements(CAST($4 AS json)) WITH ORDINALITY AS a (value, key) \
                 CROSS JOIN json_array_elements_text(a.value) AS q (chunk_id) \
                 CROSS JOIN LATERAL (SELECT * FROM chunks WHERE chunk_id = q.chunk_id OFFSET 0) AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3"
            ),
        );
        let rows = scoped(sql, scope)
            .bind(chatbot_id.to_string())
            .bind(json!(answers).to_string())
            .fetch_all(self.store.reader())
            .await?;
        for (column, update_listed, update_one) in SOURCES {
            // In the order of their ids, so that two processes never wait for each other.
            let mut hits: BTreeMap<String, i64> = BTreeMap::new();
            for row in &rows {
                if let Some(id) = row.text_opt(column)? {
                    *hits.entry(id).or_default() += 1;
                }
            }
            match self.store.dialect() {
                _ if hits.is_empty() => {}
                Dialect::Sqlite => {
                    let update = sqlx::query(update_listed).bind(json!(hits).to_string());
                    update.execute(self.store.writer()).await?;
                }
                Dialect::Postgres => {
                    for (id, count) in hits {
                        let update = sqlx::query(update_one).bind(id).bind(count);
                        update.execute(self.store.writer()).await?;
                    }
                }
            }
        }
        Ok(())
    }
}
