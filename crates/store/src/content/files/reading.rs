//! What the job that reads a file writes.

use jiff::Timestamp;
use uuid::Uuid;

use super::{File, FileStatus, FileWarnings, Files, search_text};
use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::chunks;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped};

/// The result of reading a file.
#[derive(Debug, Clone)]
pub struct FileOutcome {
    /// `Ready`, `Failed` or `Skipped`.
    pub status: FileStatus,
    /// Code and text of the reason why it could not be read.
    pub error: Option<(String, String)>,
    /// The title of the content; it does not replace one that a person gave.
    pub title: Option<String>,
    /// Language code of the text.
    pub language: Option<String>,
    /// The number of pages, slides or sheets.
    pub page_count: Option<u32>,
    /// The number of characters in the text.
    pub char_count: u64,
    /// What is missing from the text.
    pub warnings: FileWarnings,
    /// The passages of the text. They are stored only while the file is enabled.
    pub chunks: Vec<NewChunk>,
}

impl Files<'_> {
    /// Notes that a worker reads this revision of a file. `false` when there is no such revision any more, or
    /// it was read already.
    pub async fn begin_reading(self, scope: &Scope, file: &File) -> Result<bool, StoreError> {
        let begun = scoped(
            concat!(
                "UPDATE files SET status = 'processing' WHERE ",
                in_scope!(),
                " AND file_id = $3 AND revision = $4 AND status IN ('pending', 'processing')"
            ),
            scope,
        )
        .bind(file.file_id.to_string())
        .bind(stored(file.revision));
        Ok(begun.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Stores the result of reading this revision of a file, and indexes its text. A chatbot that had nothing
    /// to answer from becomes ready. `false` when the file has changed or was deleted meanwhile, so that the
    /// result is of no use.
    pub async fn finish_reading(
        self,
        scope: &Scope,
        file: &File,
        outcome: &FileOutcome,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) = self.lock(&mut transaction, scope, file.chatbot_id).await? else { return Ok(false) };
        let title = if file.has_own_title { None } else { outcome.title.as_deref() };
        let title = title.unwrap_or(&file.title);
        let (code, message) = outcome.error.clone().unzip();
        let error_at = outcome.error.as_ref().map(|_| micros(now));
        let finished = sqlx::query(
            "UPDATE files SET status = $4, error_code = $5, error_message = $6, error_at = $7, title = $8, \
             search_text = $9, language = $10, page_count = $11, char_count = $12, updated_at = $13, warnings = $14 \
             WHERE file_id = $1 AND chatbot_id = $2 AND revision = $3 AND status IN ('pending', 'processing')",
        )
        .bind(file.file_id.to_string())
        .bind(&key.chatbot_id)
        .bind(stored(file.revision))
        .bind(outcome.status.as_str())
        .bind(code)
        .bind(message)
        .bind(error_at)
        .bind(replace_nul(title))
        .bind(search_text(title, &file.file_name))
        .bind(outcome.language.as_deref().map(replace_nul))
        .bind(outcome.page_count.map(i64::from))
        .bind(stored(outcome.char_count))
        .bind(micros(now))
        .bind(outcome.warnings.stored())
        .execute(&mut *transaction)
        .await?;
        if finished.rows_affected() == 0 {
            return Ok(false);
        }
        // Switching a file on raises its revision, switching it off does not.
        let is_enabled = self.is_enabled(&mut transaction, file.file_id).await?;
        let chunks = if is_enabled { outcome.chunks.as_slice() } else { &[] };
        let owner = ChunkOwner::File(file.file_id);
        chunks::replace(&mut transaction, self.store.dialect(), &key, owner, chunks).await?;
        if !chunks.is_empty() {
            sqlx::query(
                "UPDATE chatbots SET status = 'ready', error_code = NULL, error_message = NULL, \
                 error_at = NULL, updated_at = $2 WHERE chatbot_id = $1 AND status <> 'ready'",
            )
            .bind(&key.chatbot_id)
            .bind(micros(now))
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn is_enabled(
        self,
        connection: &mut sqlx::AnyConnection,
        file_id: Uuid,
    ) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT file_id FROM files WHERE file_id = $1 AND enabled = 1")
            .bind(file_id.to_string())
            .fetch_optional(connection)
            .await?;
        Ok(row.is_some())
    }
}
