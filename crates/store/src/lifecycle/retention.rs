//! How long an account keeps conversations and contacts.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::ageing::{Ageing, Kind};
use super::erasure::rewrite_index;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::Scope;
use crate::work::idempotency;

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
        set(&mut *self.store.writer().acquire().await?, scope, periods).await
    }

    /// The accounts that do not keep everything, or of which something is left. For housekeeping.
    pub async fn accounts(self) -> Result<Vec<Uuid>, StoreError> {
        let rows = sqlx::query(
            "SELECT account_id FROM retention WHERE conversation_days IS NOT NULL OR contact_days IS NOT NULL \
             OR is_unindexed = 1 ORDER BY account_id",
        )
        .fetch_all(self.store.reader())
        .await?;
        Ok(rows.iter().map(|row| row.parsed("account_id")).collect::<Result<_, _>>()?)
    }

    /// Removes up to `limit` conversations, threads and contacts each of an account whose time is over, and
    /// all events, questions and skipped e-mails of that age; returns how many conversations, threads and
    /// contacts it removed. None of its transactions is long. If a contact cannot be erased, the others are
    /// still erased, and the call then fails.
    pub async fn apply(self, scope: &Scope, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let periods = self.find(scope).await?;
        let before = |days: u32| {
            let age = SignedDuration::from_hours(24 * i64::from(days));
            now.saturating_sub(age).map_or(i64::MIN, micros)
        };
        let (mut removed, mut others, mut erased, mut has_more) = (0, 0, 0, false);
        let mut failure = None;
        if let Some(days) = periods.conversation_days {
            let ageing =
                Ageing { store: self.store, account_id: scope.account_id, before: before(days), now };
            removed += ageing.remove(Kind::Conversation, limit).await?;
            // The threads of conversations go with them.
            removed += ageing.remove(Kind::Thread, limit).await?;
            others = ageing.remove_others().await?;
            has_more = ageing.has_more(Kind::Conversation).await? || ageing.has_more(Kind::Thread).await?;
        }
        if let Some(days) = periods.contact_days {
            // Erasures that are under way are finished by other recurring work, even if they fail.
            let due = sqlx::query(
                "SELECT contact_id FROM contacts WHERE account_id = $1 AND last_seen_at < $2 AND updated_at < $2 \
                 AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.contact_id = contacts.contact_id) \
                 ORDER BY contact_id LIMIT $3",
            )
            .bind(scope.account_id.to_string())
            .bind(before(days))
            .bind(i64::from(limit))
            .fetch_all(self.store.reader())
            .await?;
            let due: Vec<Uuid> = due.iter().map(|row| row.parsed("contact_id")).collect::<Result<_, _>>()?;
            (erased, failure) = self.store.contacts().erase_all(scope, &due, now).await;
            removed += erased;
        }
        // What was removed by this call, or by an earlier one that did not get this far.
        if self.is_unindexed(scope).await? {
            idempotency::forget(self.store, scope.account_id).await?;
            // Once, when all are gone.
            if !has_more {
                // Erasing contacts has written the index anew.
                if erased == 0 {
                    rewrite_index(self.store, None).await?;
                }
                self.note_indexed(scope).await?;
                others += 1;
            }
        }
        if removed + others > 0 {
            self.store.forget_overwritten().await;
        }
        failure.map_or(Ok(removed), Err)
    }

    /// Returns whether entries were deleted from the search index, whose pages still have their words.
    async fn is_unindexed(self, scope: &Scope) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT is_unindexed FROM retention WHERE account_id = $1")
            .bind(scope.account_id.to_string())
            .fetch_optional(self.store.writer())
            .await?;
        Ok(row.map(|row| row.int("is_unindexed")).transpose()? == Some(1))
    }

    /// Notes that the search index was written anew.
    async fn note_indexed(self, scope: &Scope) -> Result<(), StoreError> {
        sqlx::query("UPDATE retention SET is_unindexed = 0 WHERE account_id = $1")
            .bind(scope.account_id.to_string())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }
}

/// Sets the periods of an account, in the transaction that notes it.
pub(super) async fn set(
    connection: &mut AnyConnection,
    scope: &Scope,
    periods: &RetentionPeriods,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO retention (account_id, conversation_days, contact_days) VALUES ($1, $2, $3) \
         ON CONFLICT (account_id) DO UPDATE SET conversation_days = excluded.conversation_days, \
         contact_days = excluded.contact_days",
    )
    .bind(scope.account_id.to_string())
    .bind(periods.conversation_days.map(i64::from))
    .bind(periods.contact_days.map(i64::from))
    .execute(connection)
    .await?;
    Ok(())
}
