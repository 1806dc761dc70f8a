//! Reminders of activities: notices to those who have to do them.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::DealActivities;
use super::record::ActivityStatus;
use crate::events::notices::{self, NoticeContent};
use crate::sql::error::StoreError;
use crate::sql::record::Column;
use crate::sql::row::{Columns, micros};

/// A reminder that is later than this is of no use, such as after an outage.
const USEFUL: SignedDuration = SignedDuration::from_hours(24);

impl DealActivities<'_> {
    /// Returns whether a reminder is due. Cheaper than [`remind`](Self::remind), which writes. Over all
    /// accounts.
    pub async fn is_reminder_due(self, now: Timestamp) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT 1 FROM deal_activities WHERE remind_at <= $1 LIMIT 1")
            .bind(micros(now))
            .fetch_optional(self.store.reader())
            .await?;
        Ok(row.is_some())
    }

    /// Writes the notice of the next reminder that is due, in one transaction with the note that it was
    /// written, so each reminder is written once. There is no notice if the activity is not open or its deal
    /// is closed. Returns `false` if none is due. Over all accounts.
    pub async fn remind(self, now: Timestamp) -> Result<bool, StoreError> {
        macro_rules! take {
            ($lock:literal) => {
                concat!(
                    "UPDATE deal_activities SET remind_at = NULL WHERE deal_activity_id = (\
                     SELECT a.deal_activity_id FROM deal_activities AS a WHERE a.remind_at <= $1 \
                     ORDER BY a.remind_at, a.deal_activity_id LIMIT 1",
                    $lock,
                    ") AND remind_at IS NOT NULL RETURNING deal_activity_id, account_id, deal_id, owner_id, status, due_at, \
                     (SELECT COUNT(*) FROM deals AS d WHERE d.deal_id = deal_activities.deal_id AND d.outcome = 'open' \
                     AND d.deleted_at IS NULL) AS open_deals"
                )
            };
        }
        let mut transaction = self.store.begin().await?;
        let sql = self.store.dialect().pick(take!(""), take!(" FOR NO KEY UPDATE OF a SKIP LOCKED"));
        let taken = sqlx::query(sql).bind(micros(now)).fetch_optional(&mut *transaction).await?;
        let Some(row) = taken else { return Ok(false) };
        let is_open =
            ActivityStatus::read(&row, "status")? == ActivityStatus::Open && row.int("open_deals")? > 0;
        let is_late = row.time_opt("due_at")?.is_none_or(|due_at| due_at.duration_until(now) > USEFUL);
        if is_open && !is_late {
            let account_id = Uuid::read(&row, "account_id")?;
            let content = NoticeContent::ActivityReminder {
                deal_id: Uuid::read(&row, "deal_id")?,
                deal_activity_id: Uuid::read(&row, "deal_activity_id")?,
            };
            match Option::<Uuid>::read(&row, "owner_id")? {
                Some(owner_id) => {
                    notices::insert_for_user(&mut transaction, account_id, owner_id, &content, now).await?;
                }
                None => notices::insert_for_owners(&mut transaction, account_id, &content, now).await?,
            }
        }
        transaction.commit().await?;
        Ok(true)
    }
}
