//! Deleting deals, restoring them, and removing them for good.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::cell::{self, Cell, DealPlace};
use super::{Deal, DealChangeType, DealError, Deals, history, stored};
use crate::board::lock::lock_board;
use crate::sql::error::StoreError;
use crate::sql::row::micros;
use crate::sql::scope::Scope;

/// How long deleted deals can be restored.
pub const DEALS_RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Deals<'_> {
    /// Deletes a deal, so that it can be restored. Returns `false` if there is none.
    pub async fn delete(
        self,
        scope: &Scope,
        deal_id: Uuid,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(known) = self.find(scope, deal_id).await? else { return Ok(false) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let Some(before) = cell::live(&mut transaction, known.account_id, deal_id).await? else {
            return Ok(false);
        };
        sqlx::query("UPDATE deals SET deleted_at = $2, updated_at = $3 WHERE deal_id = $1")
            .bind(deal_id.to_string())
            .bind(micros(now))
            .bind(before.next_change(now))
            .execute(&mut *transaction)
            .await?;
        history::insert(&mut transaction, DealChangeType::Deleted, Some(&before), &before, author, now)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Undoes the deletion of a deal: it returns to the end of its cell. Returns `None` if there is no such
    /// deal.
    pub async fn restore(
        self,
        scope: &Scope,
        deal_id: Uuid,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        let Some(known) = self.find_any(scope, deal_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let before: Option<Deal> =
            sqlx::query_as(concat!("SELECT ", deal_columns!(), " FROM deals AS d WHERE d.deal_id = $1"))
                .bind(deal_id.to_string())
                .fetch_optional(&mut *transaction)
                .await?;
        let Some(before) = before else { return Ok(None) };
        let is_deleted = before.deleted_at.is_some();
        let position = if is_deleted {
            cell::place(&mut transaction, &Cell::of(&before), deal_id, DealPlace::End).await?
        } else {
            before.position.clone()
        };
        sqlx::query(
            "UPDATE deals SET deleted_at = NULL, position = $2, active_at = $3, updated_at = $4 WHERE deal_id = $1",
        )
        .bind(deal_id.to_string())
        .bind(position)
        .bind(micros(if is_deleted { now } else { before.active_at }))
        .bind(before.next_change(now))
        .execute(&mut *transaction)
        .await?;
        let after = stored(&mut transaction, deal_id).await?;
        if is_deleted {
            let change = DealChangeType::Restored;
            history::insert(&mut transaction, change, Some(&before), &after, author, now).await?;
        }
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Removes up to `limit` deals that were deleted before a moment, and returns how many. For housekeeping,
    /// over all accounts; the limit keeps the write short.
    pub async fn purge(self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let purged = sqlx::query(
            "DELETE FROM deals WHERE deal_id IN (SELECT old.deal_id FROM deals AS old WHERE old.deleted_at < $1 \
             ORDER BY old.deleted_at LIMIT $2) AND deleted_at < $1",
        )
        .bind(micros(before))
        .bind(i64::from(limit));
        Ok(purged.execute(self.store.writer()).await?.rows_affected())
    }
}
