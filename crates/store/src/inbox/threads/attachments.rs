//! Attachments before they have a message, and one by one.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::Threads;
use super::record::Attachment;
use crate::accounts::plan_limits::{self, PlanLimitReached};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, stored};
use crate::sql::scope::{Scope, find_by_id, row_by_id};

/// An attachment whose content is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment {
    /// Its identifier.
    pub attachment_id: Uuid,
    /// The name of the file, for people.
    pub file_name: String,
    /// The media type of its content.
    pub mime_type: String,
    /// The size of its content in bytes.
    pub size_bytes: u64,
    /// Where the content is stored.
    pub object_key: String,
}

/// Why an attachment cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum AttachmentError {
    /// The plan of the account includes fewer bytes.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Threads<'_> {
    /// Stores an attachment for a message that is written later, in the scope's own account.
    pub async fn add_attachment(
        self,
        scope: &Scope,
        new: &NewAttachment,
        now: Timestamp,
    ) -> Result<Attachment, AttachmentError> {
        let mut transaction = self.store.begin().await?;
        let account_id = scope.account_id.to_string();
        plan_limits::storage(&mut transaction, &account_id).await?.take_many(new.size_bytes)?;
        let stored = insert(&mut transaction, scope.account_id, None, new, now).await?;
        transaction.commit().await.map_err(StoreError::from)?;
        Ok(stored)
    }

    /// One attachment.
    pub async fn find_attachment(
        self,
        scope: &Scope,
        attachment_id: Uuid,
    ) -> Result<Option<Attachment>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(attachment_columns of "attachments", "attachment_id"),
            scope,
            attachment_id,
        )
        .await
    }

    /// Deletes up to `limit` attachments from before a moment that no message has, and returns how many.
    /// Their objects are deleted later. For housekeeping, over all accounts.
    pub async fn prune_attachments(self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM attachments WHERE attachment_id IN (SELECT unused.attachment_id FROM attachments AS unused \
             WHERE unused.message_id IS NULL AND unused.created_at < $1 ORDER BY unused.created_at LIMIT $2)",
        )
        .bind(micros(before))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

pub(crate) async fn insert(
    connection: &mut AnyConnection,
    account_id: Uuid,
    message_id: Option<Uuid>,
    new: &NewAttachment,
    now: Timestamp,
) -> Result<Attachment, StoreError> {
    let inserted = sqlx::query_as(concat!(
        "INSERT INTO attachments (attachment_id, account_id, message_id, file_name, mime_type, size_bytes, object_key, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ",
        attachment_columns!()
    ))
    .bind(new.attachment_id.to_string())
    .bind(account_id.to_string())
    .bind(message_id.map(|id| id.to_string()))
    .bind(replace_nul(&new.file_name))
    .bind(replace_nul(&new.mime_type))
    .bind(stored(new.size_bytes))
    .bind(new.object_key.clone())
    .bind(micros(now));
    Ok(inserted.fetch_one(connection).await?)
}

/// Gives an attachment that no message has to a message of an account. What an agency's owner has uploaded to
/// the agency becomes the account's. Returns whether there was such an attachment.
pub(crate) async fn attach(
    connection: &mut AnyConnection,
    scope: &Scope,
    account_id: Uuid,
    attachment_id: Uuid,
    message_id: Uuid,
) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "UPDATE attachments SET message_id = $3, account_id = $2 WHERE attachment_id = $1 AND account_id IN ($2, $4) \
         AND message_id IS NULL RETURNING attachment_id",
    )
    .bind(attachment_id.to_string())
    .bind(account_id.to_string())
    .bind(message_id.to_string())
    .bind(scope.account_id.to_string())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| row.text("attachment_id")).transpose()?.is_some())
}
