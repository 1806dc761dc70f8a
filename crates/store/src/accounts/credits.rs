//! Use of allowances: AI credits of an account by month, in detail by day, chatbot and purpose, and keyless
//! replies of a chatbot by day.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::chatbot_lock::{self, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, stored};
use crate::sql::scope::{Scope, in_scope, scoped};

/// A calendar month in UTC, the period of an account's credits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Month(String);

impl Month {
    /// Returns the month that is written like `2026-11`, or `None` if the text is not a month.
    pub fn parse(text: &str) -> Option<Self> {
        let first: jiff::civil::Date = format!("{text}-01").parse().ok()?;
        (text.len() == 7).then(|| Self(format!("{:04}-{:02}", first.year(), first.month())))
    }

    /// Returns the first moment after the month.
    pub fn end(&self) -> Timestamp {
        let first: Option<jiff::civil::Date> = format!("{}-01", self.0).parse().ok();
        let next = first.and_then(|first| first.last_of_month().tomorrow().ok());
        let midnight = next.and_then(|next| next.to_zoned(TimeZone::UTC).ok());
        midnight.map_or(Timestamp::MAX, |midnight| midnight.timestamp())
    }

    /// Returns the month of a timestamp.
    pub fn of(moment: Timestamp) -> Self {
        let date = moment.to_zoned(TimeZone::UTC).date();
        Self(format!("{:04}-{:02}", date.year(), date.month()))
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A calendar day in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Day(String);

impl Day {
    /// Returns the day of a timestamp.
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.to_zoned(TimeZone::UTC).date().to_string())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

named_values! {
    /// What credits are used for.
    pub enum CreditPurpose as "purpose of credits" {
        /// Answering a visitor's message.
        Message = "message",
        /// Drafting a reply to an email.
        Reply = "reply",
    }
}

/// Where credits are counted in detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// The chatbot that works.
    pub chatbot_id: Uuid,
    /// The day.
    pub day: Day,
    /// What for.
    pub purpose: CreditPurpose,
}

/// Credits of an account that an answer costs at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The month whose allowance is used.
    pub month: Month,
    /// Where they are counted in detail.
    pub spending: Spending,
    /// The number of credits.
    pub amount: u64,
    /// The allowance of the month.
    pub limit: u64,
}

impl Charge {
    /// Reserves the credits of the account, all or none, or returns `None` if fewer are left. The chatbot, if
    /// it still exists, is locked.
    ///
    /// The counters come in this order, here and wherever they are changed, so that transactions cannot
    /// deadlock.
    pub(crate) async fn reserve(
        &self,
        connection: &mut AnyConnection,
        account_id: Uuid,
        chatbot_exists: bool,
    ) -> Result<Option<Usage>, StoreError> {
        let Self { month, spending, amount, limit } = self;
        if amount > limit {
            return Ok(None);
        }
        // The difference is compared, because the sum could overflow.
        let highest = stored(*limit) - stored(*amount);
        let row = sqlx::query(
            "INSERT INTO credit_usage (account_id, period, used) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id, period) DO UPDATE SET used = credit_usage.used + excluded.used \
             WHERE credit_usage.used <= $4 RETURNING used",
        )
        .bind(account_id.to_string())
        .bind(month.to_string())
        .bind(stored(*amount))
        .bind(highest)
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        if chatbot_exists {
            spending.add(connection, account_id, *amount).await?;
        }
        Ok(Some(Usage { used: row.number("used")?, limit: *limit }))
    }

    /// Refunds `amount` of the reserved credits of the account, and returns what is then used.
    pub(crate) async fn refund(
        &self,
        connection: &mut AnyConnection,
        account_id: Uuid,
        amount: u64,
    ) -> Result<Usage, StoreError> {
        let row = sqlx::query(
            "UPDATE credit_usage SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END \
             WHERE account_id = $1 AND period = $2 RETURNING used",
        )
        .bind(account_id.to_string())
        .bind(self.month.to_string())
        .bind(stored(amount))
        .fetch_optional(&mut *connection)
        .await?;
        self.spending.subtract(connection, account_id, amount).await?;
        let used = row.map(|row| row.number("used")).transpose()?.unwrap_or(0);
        Ok(Usage { used, limit: self.limit })
    }
}

record! {
    /// The credits that one chatbot used on one day for one purpose.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CreditEntry, columns credit_entry_columns {
        /// The day, as `2026-11-20`.
        pub day: String,
        /// The chatbot; `None` for all that were deleted.
        pub chatbot_id: Option<Uuid>,
        /// What for.
        pub purpose: CreditPurpose,
        /// The credits.
        pub used: u64 = "CAST(SUM(used) AS BIGINT)",
    }
}

/// The used part of an allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Used so far, reservations included.
    pub used: u64,
    /// The allowance.
    pub limit: u64,
}

impl Usage {
    /// Returns the rest of the allowance; 0 if the allowance was lowered below what is used.
    pub const fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

impl Spending {
    /// Locks the chatbot and returns whether it still exists. Comes first in a transaction that calls
    /// [`Spending::add`].
    pub(crate) async fn lock_chatbot(
        &self,
        connection: &mut AnyConnection,
        dialect: Dialect,
        scope: &Scope,
    ) -> Result<bool, StoreError> {
        let lock = RowLock::KeepsExisting;
        Ok(chatbot_lock::lock(connection, dialect, lock, scope, self.chatbot_id).await?.is_some())
    }

    /// Adds credits to the entry of a chatbot that is locked.
    pub(crate) async fn add(
        &self,
        connection: &mut AnyConnection,
        account_id: Uuid,
        amount: u64,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO credit_entries (account_id, day, chatbot_id, purpose, used) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (account_id, day, chatbot_id, purpose) DO UPDATE SET used = credit_entries.used + excluded.used",
        )
        .bind(account_id.to_string())
        .bind(self.day.to_string())
        .bind(self.chatbot_id.to_string())
        .bind(self.purpose.as_str())
        .bind(stored(amount))
        .execute(connection)
        .await?;
        Ok(())
    }

    /// Takes credits back from the entry.
    pub(crate) async fn subtract(
        &self,
        connection: &mut AnyConnection,
        account_id: Uuid,
        amount: u64,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE credit_entries SET used = CASE WHEN used > $5 THEN used - $5 ELSE 0 END \
             WHERE account_id = $1 AND day = $2 AND chatbot_id = $3 AND purpose = $4",
        )
        .bind(account_id.to_string())
        .bind(self.day.to_string())
        .bind(self.chatbot_id.to_string())
        .bind(self.purpose.as_str())
        .bind(stored(amount))
        .execute(connection)
        .await?;
        Ok(())
    }
}

group! {
    /// Counters of what is used of an allowance.
    pub Credits, credits
}

impl Credits<'_> {
    /// Reserves credits of the account in the scope, all or none, or returns `None` if fewer are left. The
    /// limit is never exceeded, however many requests come at once.
    pub async fn reserve(self, scope: &Scope, charge: &Charge) -> Result<Option<Usage>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let exists = charge.spending.lock_chatbot(&mut transaction, self.store.dialect(), scope).await?;
        let Some(usage) = charge.reserve(&mut transaction, scope.account_id, exists).await? else {
            return Ok(None);
        };
        transaction.commit().await?;
        Ok(Some(usage))
    }

    /// Refunds `amount` of the credits that were reserved for an answer that failed or was free, and returns
    /// what is then used.
    pub async fn refund(self, scope: &Scope, charge: &Charge, amount: u64) -> Result<Usage, StoreError> {
        let mut transaction = self.store.begin().await?;
        let usage = charge.refund(&mut transaction, scope.account_id, amount).await?;
        transaction.commit().await?;
        Ok(usage)
    }

    /// Returns the use of the credits of the scope's own account in a month, by day, chatbot and purpose, the
    /// earliest day first.
    pub async fn entries(self, scope: &Scope, month: &Month) -> Result<Vec<CreditEntry>, StoreError> {
        let entries = sqlx::query_as(concat!(
            "SELECT ",
            credit_entry_columns!(),
            " FROM credit_entries WHERE account_id = $1 AND day LIKE $2 AND used > 0 \
             GROUP BY day, chatbot_id, purpose ORDER BY day, chatbot_id, purpose"
        ))
        .bind(scope.account_id.to_string())
        .bind(format!("{month}-%"));
        Ok(entries.fetch_all(self.store.reader()).await?)
    }

    /// Returns the use of an account's credits in a month.
    pub async fn usage(self, scope: &Scope, month: &Month, limit: u64) -> Result<Usage, StoreError> {
        let row = sqlx::query("SELECT used FROM credit_usage WHERE account_id = $1 AND period = $2")
            .bind(scope.account_id.to_string())
            .bind(month.to_string())
            .fetch_optional(self.store.reader())
            .await?;
        let used = row.map(|row| row.number("used")).transpose()?.unwrap_or(0);
        Ok(Usage { used, limit })
    }

    /// Counts one keyless reply of a chatbot, or returns `None` if `limit` replies were counted that day or
    /// there is no such chatbot. The limit is never exceeded, however many requests come at once.
    pub async fn reserve_daily_reply(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        day: &Day,
        limit: u64,
    ) -> Result<Option<Usage>, StoreError> {
        if limit == 0 {
            return Ok(None);
        }
        let row = scoped(
            concat!(
                "INSERT INTO daily_replies (chatbot_id, day, used) SELECT chatbot_id, $4, 1 FROM chatbots WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 \
                 ON CONFLICT (chatbot_id, day) DO UPDATE SET used = daily_replies.used + 1 \
                 WHERE daily_replies.used < $5 RETURNING used"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(day.to_string())
        .bind(stored(limit))
        .fetch_optional(self.store.writer())
        .await?;
        Ok(row.map(|row| row.number("used")).transpose()?.map(|used| Usage { used, limit }))
    }

    /// Deletes the daily counts before a day. For housekeeping; counts are not tenant data.
    pub async fn prune_daily_replies(self, before: &Day) -> Result<u64, StoreError> {
        let pruned = sqlx::query("DELETE FROM daily_replies WHERE day < $1").bind(before.to_string());
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_those_of_utc() {
        let moment: Timestamp = "2026-11-30T23:59:59.999999-01:00".parse().unwrap();
        assert_eq!(Month::of(moment).to_string(), "2026-12");
        assert_eq!(Day::of(moment).to_string(), "2026-12-01");
    }

    #[test]
    fn months_end_when_the_next_one_begins() {
        for (month, end) in [
            ("2026-11", "2026-12-01T00:00:00Z"),
            ("2024-12", "2025-01-01T00:00:00Z"),
            ("2024-02", "2024-03-01T00:00:00Z"),
        ] {
            assert_eq!(Month::parse(month).unwrap().end().to_string(), end);
        }
        for text in ["", "2026", "2026-13", "2026-11-1", "x026-11", "2026-1"] {
            assert_eq!(Month::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_lowered_limit_leaves_nothing() {
        assert_eq!(Usage { used: 12, limit: 10 }.remaining(), 0);
    }
}
