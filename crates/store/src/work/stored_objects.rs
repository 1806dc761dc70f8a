//! Objects in the storage of files: what is there, so that nothing stays behind when its file, chatbot or
//! account is deleted.

use jiff::Timestamp;

use crate::sql::error::StoreError;
use crate::sql::row::{micros, texts_of};

group! {
    /// Objects in the storage of files, of all accounts.
    pub StoredObjects, stored_objects
}

impl StoredObjects<'_> {
    /// Notes an object before it is written.
    pub async fn register(self, object_key: &str, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO stored_objects (object_key, created_at) VALUES ($1, $2)")
            .bind(object_key.to_owned())
            .bind(micros(now))
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Forgets an object that was deleted.
    pub async fn forget(self, object_key: &str) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM stored_objects WHERE object_key = $1")
            .bind(object_key.to_owned())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Notes that an object could not be deleted: the others are tried before it.
    pub async fn postpone(self, object_key: &str, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query("UPDATE stored_objects SET failed_at = $2 WHERE object_key = $1")
            .bind(object_key.to_owned())
            .bind(micros(now))
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// The oldest objects that no file, no attachment and no skipped e-mail names, at most `limit`: from
    /// before a moment, or with the data of a person that was erased. Those that could not be deleted are the
    /// last.
    pub async fn orphans(self, before: Timestamp, limit: u32) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT object_key FROM stored_objects AS object WHERE (created_at < $1 OR is_erased = 1) \
             AND NOT EXISTS (SELECT 1 FROM files WHERE files.object_key = object.object_key) \
             AND NOT EXISTS (SELECT 1 FROM attachments WHERE attachments.object_key = object.object_key) \
             AND NOT EXISTS (SELECT 1 FROM skipped_mails WHERE skipped_mails.object_key = object.object_key) \
             ORDER BY failed_at, created_at LIMIT $2",
        )
        .bind(micros(before))
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        Ok(texts_of(&rows, "object_key")?)
    }

    /// Objects that were erased with the data of a person, at most `limit`. Few calls find any, so it reads
    /// nothing else. Those that could not be deleted are the last.
    pub async fn erased(self, limit: u32) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT object_key FROM stored_objects AS object WHERE is_erased = 1 \
             AND NOT EXISTS (SELECT 1 FROM attachments WHERE attachments.object_key = object.object_key) \
             AND NOT EXISTS (SELECT 1 FROM skipped_mails WHERE skipped_mails.object_key = object.object_key) \
             ORDER BY failed_at, object_key LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        Ok(texts_of(&rows, "object_key")?)
    }

    /// The objects of one account.
    pub async fn of_account(self, account_id: uuid::Uuid) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT object_key FROM stored_objects WHERE object_key LIKE $1")
            .bind(format!("{account_id}/%"))
            .fetch_all(self.store.reader())
            .await?;
        Ok(texts_of(&rows, "object_key")?)
    }
}
