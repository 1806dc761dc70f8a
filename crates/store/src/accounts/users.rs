//! Users: the people of an account, and what they may do.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{email_key, email_spellings, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

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

record! {
    /// A person of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct User, columns user_columns {
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
}

#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use user_columns;

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

/// Why a user cannot be added or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// The address is not an e-mail address.
    #[error("`{0}` is not an e-mail address")]
    InvalidEmail(String),
    /// The account has a user with this address already.
    #[error("the account already has a user with this e-mail address ({user_id})")]
    AlreadyExists {
        /// The user.
        user_id: Uuid,
    },
    /// Users of several accounts have this address, and the call needs exactly one.
    #[error("`{email}` is a user of {} accounts ({}); name the account", accounts.len(), joined(accounts))]
    AmbiguousEmail {
        /// The address.
        email: String,
        /// The accounts in which it is a user.
        accounts: Vec<Uuid>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for UserError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

fn joined(ids: &[Uuid]) -> String {
    ids.iter().map(Uuid::to_string).collect::<Vec<_>>().join(", ")
}

group! {
    /// Users: the people of an account.
    pub Users, users
}

impl Users<'_> {
    /// Adds an active user to the account of the scope.
    pub async fn create(self, scope: &Scope, new: &NewUser, now: Timestamp) -> Result<User, UserError> {
        let email = email_key(&new.email);
        if frontdesk_address::email(&email).is_none() {
            return Err(UserError::InvalidEmail(new.email.clone()));
        }
        let created = sqlx::query_as(concat!(
            "INSERT INTO users (user_id, account_id, email, name, role, status, created_at) \
             VALUES ($1, $2, $3, $4, $5, 'active', $6) ON CONFLICT (account_id, email) DO NOTHING RETURNING ",
            user_columns!()
        ))
        .bind(new_id().to_string())
        .bind(scope.account_id.to_string())
        .bind(&email)
        .bind(replace_nul(&new.name))
        .bind(new.role.as_str())
        .bind(micros(now))
        .fetch_optional(self.store.writer())
        .await?;
        match created {
            Some(user) => Ok(user),
            None => {
                let user: User = sqlx::query_as(concat!(
                    "SELECT ",
                    user_columns!(),
                    " FROM users WHERE account_id = $1 AND email = $2"
                ))
                .bind(scope.account_id.to_string())
                .bind(email)
                .fetch_one(self.store.writer())
                .await?;
                Err(UserError::AlreadyExists { user_id: user.user_id })
            }
        }
    }

    /// The users of the scope, oldest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<User>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                user_columns!(),
                " FROM users WHERE ",
                in_scope!(),
                " ORDER BY created_at, user_id"
            ),
            scope,
        );
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One page of the users of the scope, oldest first; with `role` or `status` only those that have it.
    pub async fn page(
        self,
        scope: &Scope,
        role: Option<Role>,
        status: Option<UserStatus>,
        page: &PageRequest,
    ) -> Result<Page<User>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                user_columns!(),
                " FROM users WHERE ",
                in_scope!(),
                " AND (created_at, user_id) > ($3, $4) AND ($5 = '' OR role = $5) AND ($6 = '' OR status = $6) \
                 ORDER BY created_at, user_id LIMIT $7"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(role.map_or("", Role::as_str))
        .bind(status.map_or("", UserStatus::as_str))
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &User| Position::number(micros(last.created_at), last.user_id)))
    }

    /// One user.
    pub async fn find(self, scope: &Scope, user_id: Uuid) -> Result<Option<User>, StoreError> {
        find_by_id(self.store, row_by_id!(user_columns of "users", "user_id"), scope, user_id).await
    }

    /// The user with this e-mail address in whatever account. For the operator, who has no account; an
    /// address that several accounts know is [`UserError::AmbiguousEmail`].
    pub async fn find_by_email(self, email: &str) -> Result<Option<User>, UserError> {
        let [email, older] = email_spellings(email);
        let mut found: Vec<User> = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE email IN ($1, $2) ORDER BY created_at, user_id"
        ))
        .bind(&email)
        .bind(older)
        .fetch_all(self.store.reader())
        .await?;
        if found.len() > 1 {
            let accounts = found.iter().map(|user| user.account_id).collect();
            return Err(UserError::AmbiguousEmail { email, accounts });
        }
        Ok(found.pop())
    }

    /// Changes what a user may do, with effect on the user's keys from the next call on.
    pub async fn set_role(
        self,
        scope: &Scope,
        user_id: Uuid,
        role: Role,
    ) -> Result<Option<User>, StoreError> {
        let changed = scoped_as(
            concat!(
                "UPDATE users SET role = $4 WHERE ",
                in_scope!(),
                " AND user_id = $3 RETURNING ",
                user_columns!()
            ),
            scope,
        )
        .bind(user_id.to_string())
        .bind(role.as_str());
        Ok(changed.fetch_optional(self.store.writer()).await?)
    }

    /// Lets a user act or not, with effect on the user's keys from the next call on.
    pub async fn set_status(
        self,
        scope: &Scope,
        user_id: Uuid,
        status: UserStatus,
    ) -> Result<Option<User>, StoreError> {
        let changed = scoped_as(
            concat!(
                "UPDATE users SET status = $4 WHERE ",
                in_scope!(),
                " AND user_id = $3 RETURNING ",
                user_columns!()
            ),
            scope,
        )
        .bind(user_id.to_string())
        .bind(status.as_str());
        let mut transaction = self.store.begin().await?;
        let changed = changed.fetch_optional(&mut *transaction).await?;
        if status == UserStatus::Disabled && changed.is_some() {
            end_access(&mut transaction, user_id).await?;
        }
        transaction.commit().await?;
        Ok(changed)
    }

    /// Removes a user and the user's keys. `false` when there is no such user.
    pub async fn delete(self, scope: &Scope, user_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM users WHERE ", in_scope!(), " AND user_id = $3"), scope)
            .bind(user_id.to_string());
        let deleted = deleted.execute(self.store.writer()).await?.rows_affected() > 0;
        self.store.people().delete_without_users().await?;
        Ok(deleted)
    }
}

/// Ends the sessions and links of a user. They would be refused anyway; a user who is enabled again signs in
/// again.
pub(crate) async fn end_access(connection: &mut AnyConnection, user_id: Uuid) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM sessions WHERE user_id = $1",
        "DELETE FROM pending_sign_ins WHERE user_id = $1",
        "DELETE FROM links WHERE user_id = $1",
    ] {
        sqlx::query(statement).bind(user_id.to_string()).execute(&mut *connection).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_address_lists_the_accounts() {
        let error = UserError::AmbiguousEmail {
            email: "ann@acme.example".into(),
            accounts: vec![Uuid::nil(), Uuid::max()],
        };
        assert_eq!(
            error.to_string(),
            "`ann@acme.example` is a user of 2 accounts (00000000-0000-0000-0000-000000000000, \
             ffffffff-ffff-ffff-ffff-ffffffffffff); name the account"
        );
    }
}
