//! Users: the people of an account, and what they may do.

use jiff::Timestamp;
use sqlx::FromRow;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::row::{Columns, email_key, micros, new_id, portable};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{Scope, Store, StoreError};

named_values! {
    /// What a user may do in the account.
    pub enum Role as "role" {
        /// Everything; in an agency also in its sub-accounts.
        Owner = "owner",
        /// Everything in the account.
        Admin = "admin",
        /// Works with the account, cannot create API keys.
        Collaborator = "collaborator",
    }
}

named_values! {
    /// Whether a user may act at all.
    pub enum UserStatus as "user status" {
        /// May act.
        Active = "active",
        /// May not act, and neither may the user's keys.
        Disabled = "disabled",
    }
}

/// A person of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Identifier.
    pub user_id: Uuid,
    /// The account.
    pub account_id: Uuid,
    /// E-mail address in lower case; unique in the account.
    pub email: String,
    /// Display name.
    pub name: String,
    /// What the user may do.
    pub role: Role,
    /// Whether the user may act at all.
    pub status: UserStatus,
    /// When the user was added.
    pub created_at: Timestamp,
}

impl FromRow<'_, AnyRow> for User {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            user_id: row.parsed("user_id")?,
            account_id: row.parsed("account_id")?,
            email: row.text("email")?,
            name: row.text("name")?,
            role: row.parsed("role")?,
            status: row.parsed("status")?,
            created_at: row.time("created_at")?,
        })
    }
}

/// A user to be added.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// E-mail address, in any case.
    pub email: String,
    /// Display name.
    pub name: String,
    /// What the user may do.
    pub role: Role,
}

impl Store {
    /// Adds an active user to the account of the scope.
    pub async fn create_user(
        &self,
        scope: &Scope,
        new: &NewUser,
        now: Timestamp,
    ) -> Result<User, StoreError> {
        let email = email_key(&new.email);
        if !email.contains('@') {
            return Err(StoreError::invalid("email", "it is not an e-mail address"));
        }
        let created = sqlx::query_as(
            "INSERT INTO users (user_id, account_id, email, name, role, status, created_at) \
             VALUES ($1, $2, $3, $4, $5, 'active', $6) ON CONFLICT (account_id, email) DO NOTHING RETURNING *",
        )
        .bind(new_id().to_string())
        .bind(scope.account_id.to_string())
        .bind(&email)
        .bind(portable(&new.name))
        .bind(new.role.as_str())
        .bind(micros(now))
        .fetch_optional(self.writer())
        .await?;
        match created {
            Some(user) => Ok(user),
            None => Err(StoreError::AlreadyExists {
                entity: "user",
                existing_id: self
                    .users(&Scope::of_account(scope.account_id))
                    .await?
                    .into_iter()
                    .find(|user| user.email == email)
                    .map(|user| user.user_id.to_string()),
            }),
        }
    }

    /// The users of the scope, oldest first.
    pub async fn users(&self, scope: &Scope) -> Result<Vec<User>, StoreError> {
        let all = scoped_as(
            concat!("SELECT * FROM users WHERE ", in_scope!(), " ORDER BY created_at, user_id"),
            scope,
        );
        Ok(all.fetch_all(self.reader()).await?)
    }

    /// One user.
    pub async fn user(&self, scope: &Scope, user_id: Uuid) -> Result<Option<User>, StoreError> {
        let one = scoped_as(concat!("SELECT * FROM users WHERE ", in_scope!(), " AND user_id = $3"), scope)
            .bind(user_id.to_string());
        Ok(one.fetch_optional(self.reader()).await?)
    }

    /// The user with this e-mail address in whatever account. For the operator, who has no account; an address
    /// that several accounts know is [`StoreError::AmbiguousEmail`].
    pub async fn user_by_email(&self, email: &str) -> Result<Option<User>, StoreError> {
        let email = email_key(email);
        let mut found: Vec<User> =
            sqlx::query_as("SELECT * FROM users WHERE email = $1 ORDER BY created_at, user_id")
                .bind(&email)
                .fetch_all(self.reader())
                .await?;
        if found.len() > 1 {
            let accounts = found.iter().map(|user| user.account_id).collect();
            return Err(StoreError::AmbiguousEmail { email, accounts });
        }
        Ok(found.pop())
    }

    /// Changes what a user may do, with effect on the user's keys from the next call on.
    pub async fn set_user_role(
        &self,
        scope: &Scope,
        user_id: Uuid,
        role: Role,
    ) -> Result<Option<User>, StoreError> {
        let changed = scoped_as(
            concat!("UPDATE users SET role = $4 WHERE ", in_scope!(), " AND user_id = $3 RETURNING *"),
            scope,
        )
        .bind(user_id.to_string())
        .bind(role.as_str());
        Ok(changed.fetch_optional(self.writer()).await?)
    }

    /// Lets a user act or not, with effect on the user's keys from the next call on.
    pub async fn set_user_status(
        &self,
        scope: &Scope,
        user_id: Uuid,
        status: UserStatus,
    ) -> Result<Option<User>, StoreError> {
        let changed = scoped_as(
            concat!("UPDATE users SET status = $4 WHERE ", in_scope!(), " AND user_id = $3 RETURNING *"),
            scope,
        )
        .bind(user_id.to_string())
        .bind(status.as_str());
        Ok(changed.fetch_optional(self.writer()).await?)
    }

    /// Removes a user and the user's keys. `false` when there is no such user.
    pub async fn delete_user(&self, scope: &Scope, user_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM users WHERE ", in_scope!(), " AND user_id = $3"), scope)
            .bind(user_id.to_string());
        Ok(deleted.execute(self.writer()).await?.rows_affected() > 0)
    }
}
