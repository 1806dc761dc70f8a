//! Use of allowances: AI credits of an account by month, and keyless replies of a chatbot by day.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::row::{Columns, stored};
use crate::scope::{in_scope, scoped};
use crate::{Scope, StoreError};

/// A calendar month in UTC, the period of an account's credits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Month(String);

impl Month {
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

group! {
    /// Counters of what is used of an allowance.
    pub Credits, credits
}

impl Credits<'_> {
    /// Reserves `amount` credits of the account in the scope, all or none, or returns `None` if fewer are left. The
    /// limit is never exceeded, however many requests come at once.
    pub async fn reserve(
        self,
        scope: &Scope,
        month: &Month,
        amount: u64,
        limit: u64,
    ) -> Result<Option<Usage>, StoreError> {
        if amount > limit {
            return Ok(None);
        }
        // The difference is compared, because the sum could overflow.
        let highest = stored(limit) - stored(amount);
        let row = sqlx::query(
            "INSERT INTO credit_usage (account_id, period, used) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id, period) DO UPDATE SET used = credit_usage.used + excluded.used \
             WHERE credit_usage.used <= $4 RETURNING used",
        )
        .bind(scope.account_id.to_string())
        .bind(month.to_string())
        .bind(stored(amount))
        .bind(highest)
        .fetch_optional(self.store.writer())
        .await?;
        Ok(row.map(|row| row.number("used")).transpose()?.map(|used| Usage { used, limit }))
    }

    /// Refunds credits that were reserved for an answer that failed or was free.
    pub async fn refund(self, scope: &Scope, month: &Month, amount: u64) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE credit_usage SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END \
             WHERE account_id = $1 AND period = $2",
        )
        .bind(scope.account_id.to_string())
        .bind(month.to_string())
        .bind(stored(amount))
        .execute(self.store.writer())
        .await?;
        Ok(())
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

    /// Counts one keyless reply of a chatbot, or returns `None` if `limit` replies were counted that day or there is no
    /// such chatbot. The limit is never exceeded, however many requests come at once.
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
    fn a_lowered_limit_leaves_nothing() {
        assert_eq!(Usage { used: 12, limit: 10 }.remaining(), 0);
    }
}
