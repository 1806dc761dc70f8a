//! How long an account keeps conversations and contacts.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::row::{Columns, micros};
use crate::{Scope, StoreError};

/// How long personal data is kept, in days. `None` keeps it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPeriods {
    /// Days after the last message of a conversation or a thread of the inbox.
    pub conversation_days: Option<u32>,
    /// Days after a contact was last met or changed.
    pub contact_days: Option<u32>,
}

group! {
    /// How long personal data is kept.
    pub Retention, retention
}

impl Retention<'_> {
    /// Returns the periods of an account.
    pub async fn find(self, scope: &Scope) -> Result<RetentionPeriods, StoreError> {
        let row = sqlx::query("SELECT conversation_days, contact_days FROM retention WHERE account_id = $1")
            .bind(scope.account_id.to_string())
            .fetch_optional(self.store.reader())
            .await?;
        let Some(row) = row else { return Ok(RetentionPeriods::default()) };
        let days = |column| -> Result<Option<u32>, StoreError> {
            Ok(row.int_opt(column)?.and_then(|days| days.try_into().ok()))
        };
        Ok(RetentionPeriods {
            conversation_days: days("conversation_days")?,
            contact_days: days("contact_days")?,
        })
    }

    /// Sets the periods of an account. For the operator.
    pub async fn set(self, scope: &Scope, periods: &RetentionPeriods) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO retention (account_id, conversation_days, contact_days) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id) DO UPDATE SET conversation_days = excluded.conversation_days, \
             contact_days = excluded.contact_days",
        )
        .bind(scope.account_id.to_string())
        .bind(periods.conversation_days.map(i64::from))
        .bind(periods.contact_days.map(i64::from))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// The accounts that do not keep everything. For housekeeping.
    pub async fn accounts(self) -> Result<Vec<Uuid>, StoreError> {
        let rows = sqlx::query(
            "SELECT account_id FROM retention WHERE conversation_days IS NOT NULL OR contact_days IS NOT NULL \
             ORDER BY account_id",
        )
        .fetch_all(self.store.reader())
        .await?;
        Ok(rows.iter().map(|row| row.parsed("account_id")).collect::<Result<_, _>>()?)
    }

    /// Removes up to `limit` conversations, threads and contacts each of an account whose time is over; returns how many.
    pub async fn apply(self, scope: &Scope, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let periods = self.find(scope).await?;
        let before = |days: u32| {
            let age = SignedDuration::from_hours(24 * i64::from(days));
            now.saturating_sub(age).map_or(i64::MIN, micros)
        };
        let mut removed = 0;
        if let Some(days) = periods.conversation_days {
            let deleted = sqlx::query(
                "DELETE FROM conversations WHERE conversation_id IN (SELECT old.conversation_id \
                 FROM conversations AS old WHERE old.account_id = $1 AND old.last_message_at < $2 \
                 ORDER BY old.last_message_at LIMIT $3)",
            )
            .bind(scope.account_id.to_string())
            .bind(before(days))
            .bind(i64::from(limit));
            removed += deleted.execute(self.store.writer()).await?.rows_affected();
            // The threads of conversations go with them.
            let deleted = sqlx::query(
                "DELETE FROM threads WHERE thread_id IN (SELECT old.thread_id FROM threads AS old \
                 WHERE old.account_id = $1 AND old.last_message_at < $2 AND old.conversation_id IS NULL \
                 ORDER BY old.last_message_at LIMIT $3)",
            )
            .bind(scope.account_id.to_string())
            .bind(before(days))
            .bind(i64::from(limit));
            removed += deleted.execute(self.store.writer()).await?.rows_affected();
        }
        if let Some(days) = periods.contact_days {
            let due = sqlx::query(
                "SELECT contact_id FROM contacts WHERE account_id = $1 AND last_seen_at < $2 AND updated_at < $2 \
                 ORDER BY contact_id LIMIT $3",
            )
            .bind(scope.account_id.to_string())
            .bind(before(days))
            .bind(i64::from(limit))
            .fetch_all(self.store.reader())
            .await?;
            for row in due {
                let erased = self.store.contacts().erase(scope, row.parsed("contact_id")?, now).await?;
                removed += u64::from(erased);
            }
        }
        if removed > 0 {
            self.store.forget_overwritten().await;
        }
        Ok(removed)
    }
}
