//! The beginning of the erasure of an account by its owner: from that moment nobody can use the account.

use jiff::Timestamp;
use uuid::Uuid;

use super::account_data::{AccountData, CLOSING};
use crate::accounts::members::{self, Actor};
use crate::accounts::users::Role;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::Scope;

/// Why an account cannot be erased.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErasureError {
    /// The role of the actor does not allow it, as of now.
    #[error("only owners erase an account")]
    NotAllowed,
    /// The account was renamed meanwhile, or another one was meant.
    #[error("the account has another name")]
    OtherName,
    /// The account has sub-accounts, which are erased first.
    #[error("the account has {0} sub-accounts")]
    SubAccounts(u64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ErasureError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl AccountData<'_> {
    /// Closes the account of the scope for good, if it has this name: its sessions and links end, its API
    /// keys are refused, its widgets and channels are off. [`erase`](Self::erase) removes its data; until
    /// then it is one of [`erasing`](Self::erasing), also after a crash.
    pub async fn begin_erasure(
        self,
        scope: &Scope,
        actor: &Actor,
        name: &str,
        now: Timestamp,
    ) -> Result<(), ErasureError> {
        let account_id = scope.account_id.to_string();
        let mut transaction = self.store.begin().await?;
        members::lock(&mut transaction, self.store.dialect(), scope).await?;
        let manager = members::manager(&mut transaction, scope, actor).await?;
        if manager.is_none_or(|user| user.role != Role::Owner) {
            return Err(ErasureError::NotAllowed);
        }
        let row = sqlx::query(
            "SELECT a.name, (SELECT COUNT(*) FROM accounts AS sub WHERE sub.parent_id = a.account_id) AS sub_accounts \
             FROM accounts AS a WHERE a.account_id = $1",
        )
        .bind(account_id.clone())
        .fetch_one(&mut *transaction)
        .await?;
        if row.text("name")? != name {
            return Err(ErasureError::OtherName);
        }
        let sub_accounts = row.number("sub_accounts")?;
        if sub_accounts > 0 {
            return Err(ErasureError::SubAccounts(sub_accounts));
        }
        sqlx::query("UPDATE accounts SET erasing_at = $2 WHERE account_id = $1")
            .bind(account_id.clone())
            .bind(micros(now))
            .execute(&mut *transaction)
            .await?;
        for statement in CLOSING {
            sqlx::query(statement).bind(account_id.clone()).execute(&mut *transaction).await?;
        }
        for statement in [
            "DELETE FROM sessions WHERE account_id = $1",
            "DELETE FROM pending_sign_ins WHERE account_id = $1",
            "DELETE FROM links WHERE account_id = $1",
            "DELETE FROM invitations WHERE account_id = $1",
        ] {
            sqlx::query(statement).bind(account_id.clone()).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Returns accounts whose erasure was begun before a moment and has not ended, the earliest first.
    pub async fn erasing(self, before: Timestamp) -> Result<Vec<Uuid>, StoreError> {
        let rows = sqlx::query(
            "SELECT account_id FROM accounts WHERE erasing_at < $1 ORDER BY erasing_at, account_id",
        )
        .bind(micros(before))
        .fetch_all(self.store.reader())
        .await?;
        Ok(rows.iter().map(|row| row.parsed("account_id")).collect::<Result<_, _>>()?)
    }
}
