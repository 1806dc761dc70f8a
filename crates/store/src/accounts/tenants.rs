//! Accounts: the tenants. An agency may have sub-accounts. Accounts are made by the operator, not through the
//! interface, so these methods take no scope.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id, stored};
use crate::sql::scope::{Scope, in_scope, scoped};

named_values! {
    /// What an account may be.
    pub enum AccountKind as "kind of account" {
        /// Stands alone, or below an agency.
        Standard = "standard",
        /// May have sub-accounts, which its owner reaches.
        Agency = "agency",
    }
}

named_values! {
    /// What an account pays for.
    pub enum Plan as "plan" {
        /// Free, for a while; without API access.
        Trial = "trial",
        /// Without API access.
        Starter = "starter",
        /// With API access.
        Growth = "growth",
        /// With API access.
        Business = "business",
        /// With API access.
        Scale = "scale",
    }
}

impl Plan {
    /// Whether the plan includes the REST interface.
    pub const fn includes_api(self) -> bool {
        matches!(self, Self::Growth | Self::Business | Self::Scale)
    }
}

record! {
    /// A tenant.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Account, columns account_columns {
        /// Identifier.
        pub account_id: Uuid,
        /// The agency this is a sub-account of.
        pub parent_id: Option<Uuid>,
        /// Stands alone or has sub-accounts.
        pub kind: AccountKind,
        /// Display name.
        pub name: String,
        /// What the account pays for, now.
        pub plan: Plan,
        /// AI credits a calendar month, where they differ from those of the plan.
        pub monthly_credits: Option<u64>,
        /// When it was made.
        pub created_at: Timestamp,
    }
}

impl Account {
    /// The scope of this account alone.
    pub const fn scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }
}

/// An account to be made.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// The agency it goes below; must exist and be an agency.
    pub parent_id: Option<Uuid>,
    /// Stands alone or has sub-accounts. A sub-account has none itself.
    pub kind: AccountKind,
    /// Display name.
    pub name: String,
    /// What the account pays for.
    pub plan: Plan,
    /// AI credits a calendar month, where they differ from those of the plan.
    pub monthly_credits: Option<u64>,
}

group! {
    /// Accounts: the tenants.
    pub Accounts, accounts
}

impl Accounts<'_> {
    /// Writes an account in the transaction that also makes its sales board.
    pub(crate) async fn insert(
        connection: &mut AnyConnection,
        new: &NewAccount,
        now: Timestamp,
    ) -> Result<Account, StoreError> {
        Ok(sqlx::query_as(concat!(
            "INSERT INTO accounts (account_id, parent_id, kind, name, plan, monthly_credits, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ",
            account_columns!()
        ))
        .bind(new_id().to_string())
        .bind(new.parent_id.map(|id| id.to_string()))
        .bind(new.kind.as_str())
        .bind(replace_nul(&new.name))
        .bind(new.plan.as_str())
        .bind(new.monthly_credits.map(stored))
        .bind(micros(now))
        .fetch_one(connection)
        .await?)
    }

    /// All accounts, oldest first. For the operator.
    pub async fn list(self) -> Result<Vec<Account>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            account_columns!(),
            " FROM accounts ORDER BY created_at, account_id"
        ));
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One account. For the operator, and for a caller's own account after it has been authenticated.
    pub async fn find(self, account_id: Uuid) -> Result<Option<Account>, StoreError> {
        let one =
            sqlx::query_as(concat!("SELECT ", account_columns!(), " FROM accounts WHERE account_id = $1"))
                .bind(account_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// The ids of the accounts that a caller reaches.
    pub async fn reached(self, scope: &Scope) -> Result<Vec<Uuid>, StoreError> {
        let sql = concat!("SELECT account_id FROM accounts WHERE ", in_scope!());
        let rows = scoped(sql, scope).fetch_all(self.store.reader()).await?;
        Ok(rows.iter().map(|row| row.parsed("account_id")).collect::<sqlx::Result<_>>()?)
    }

    /// Changes what an account pays for; its keys have the new plan from the next call on. For the operator.
    pub async fn set_plan(
        self,
        account_id: Uuid,
        plan: Plan,
        monthly_credits: Option<u64>,
    ) -> Result<Option<Account>, StoreError> {
        let changed = sqlx::query_as(concat!(
            "UPDATE accounts SET plan = $2, monthly_credits = $3 WHERE account_id = $1 RETURNING ",
            account_columns!()
        ))
        .bind(account_id.to_string())
        .bind(plan.as_str())
        .bind(monthly_credits.map(stored));
        Ok(changed.fetch_optional(self.store.writer()).await?)
    }
}
