//! Shares of an account's monthly credits that keyless replies may use, by day and by month.
//!
//! Anyone who knows the id of a chatbot may ask for replies. The shares keep them from using the credits that
//! the account needs for its own requests.

use sqlx::AnyConnection;

use crate::accounts::credits::{Day, Month, Spending};
use crate::sql::error::StoreError;
use crate::sql::row::stored;
use crate::sql::scope::Scope;

/// The day and month that the credits of a reply count for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyPeriod {
    /// The day.
    pub day: Day,
    /// The month.
    pub month: Month,
}

/// The most credits that an account may use, in credits of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyLimits {
    /// All credits of the account in the month, used for whatever purpose.
    pub account: u64,
    /// Credits for keyless replies in the month.
    pub month: u64,
    /// Credits for keyless replies on the day.
    pub day: u64,
}

/// The limit that does not allow another reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyCreditsError {
    /// The account has used all credits of the month.
    #[error("the monthly credits of the account are used up")]
    AccountMonth,
    /// Keyless replies have used their share of the month.
    #[error("the monthly share of keyless replies is used up")]
    ReplyMonth,
    /// Keyless replies have used their share of the day.
    #[error("the daily share of keyless replies is used up")]
    ReplyDay,
}

group! {
    /// Credits that keyless replies use.
    pub ReplyCredits, reply_credits
}

impl ReplyCredits<'_> {
    /// Reserves credits of the account in the scope for a keyless reply: from the account's month, and from
    /// the shares of replies in the month and on the day. Reserves all of it or nothing, and never exceeds a
    /// limit, however many requests come at once.
    pub async fn reserve(
        self,
        scope: &Scope,
        period: &ReplyPeriod,
        spending: &Spending,
        amount: u64,
        limits: &ReplyLimits,
    ) -> Result<Result<(), ReplyCreditsError>, StoreError> {
        let (day, month) = (period.day.to_string(), period.month.to_string());
        let mut transaction = self.store.begin().await?;
        let exists = spending.lock_chatbot(&mut transaction, self.store.dialect(), scope).await?;
        // Always in this order, so that concurrent reservations and refunds cannot deadlock. Dropping the
        // transaction undoes the counters that were already increased.
        for (counter, period, limit, error) in [
            (Counter::Account, &month, limits.account, ReplyCreditsError::AccountMonth),
            (Counter::Replies, &month, limits.month, ReplyCreditsError::ReplyMonth),
            (Counter::Replies, &day, limits.day, ReplyCreditsError::ReplyDay),
        ] {
            if !counter.increase(&mut transaction, scope, period, amount, limit).await? {
                return Ok(Err(error));
            }
        }
        if exists {
            spending.add(&mut transaction, scope.account_id, amount).await?;
        }
        transaction.commit().await?;
        Ok(Ok(()))
    }

    /// Refunds credits that were reserved with [`ReplyCredits::reserve`] for the same period.
    pub async fn refund(
        self,
        scope: &Scope,
        period: &ReplyPeriod,
        spending: &Spending,
        amount: u64,
    ) -> Result<(), StoreError> {
        let (day, month) = (period.day.to_string(), period.month.to_string());
        let mut transaction = self.store.begin().await?;
        for (counter, period) in
            [(Counter::Account, &month), (Counter::Replies, &month), (Counter::Replies, &day)]
        {
            counter.decrease(&mut transaction, scope, period, amount).await?;
        }
        spending.subtract(&mut transaction, scope.account_id, amount).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Deletes the daily counts before a day. For housekeeping; counts of months are kept.
    pub async fn prune(self, before: &Day) -> Result<u64, StoreError> {
        // A month is a prefix of its days and sorts before them, so the length tells them apart.
        let pruned = sqlx::query("DELETE FROM reply_credits WHERE period < $1 AND length(period) = 10")
            .bind(before.to_string());
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

/// A table that counts the credits of an account by period.
#[derive(Debug, Clone, Copy)]
enum Counter {
    /// All credits, by month.
    Account,
    /// Credits for keyless replies, by month and by day.
    Replies,
}

impl Counter {
    /// Adds `amount` unless the sum would exceed `limit`; returns whether it did.
    async fn increase(
        self,
        connection: &mut AnyConnection,
        scope: &Scope,
        period: &str,
        amount: u64,
        limit: u64,
    ) -> Result<bool, StoreError> {
        macro_rules! increase {
            ($table:literal) => {
                concat!(
                    "INSERT INTO ",
                    $table,
                    " (account_id, period, used) VALUES ($1, $2, $3) \
                     ON CONFLICT (account_id, period) DO UPDATE SET used = ",
                    $table,
                    ".used + excluded.used WHERE ",
                    $table,
                    ".used <= $4 RETURNING used"
                )
            };
        }
        if amount > limit {
            return Ok(false);
        }
        let row = sqlx::query(match self {
            Self::Account => increase!("credit_usage"),
            Self::Replies => increase!("reply_credits"),
        })
        .bind(scope.account_id.to_string())
        .bind(period.to_owned())
        .bind(stored(amount))
        // The difference is compared, because the sum could overflow.
        .bind(stored(limit) - stored(amount))
        .fetch_optional(connection)
        .await?;
        Ok(row.is_some())
    }

    async fn decrease(
        self,
        connection: &mut AnyConnection,
        scope: &Scope,
        period: &str,
        amount: u64,
    ) -> Result<(), StoreError> {
        macro_rules! decrease {
            ($table:literal) => {
                concat!(
                    "UPDATE ",
                    $table,
                    " SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END \
                     WHERE account_id = $1 AND period = $2"
                )
            };
        }
        sqlx::query(match self {
            Self::Account => decrease!("credit_usage"),
            Self::Replies => decrease!("reply_credits"),
        })
        .bind(scope.account_id.to_string())
        .bind(period.to_owned())
        .bind(stored(amount))
        .execute(connection)
        .await?;
        Ok(())
    }
}
