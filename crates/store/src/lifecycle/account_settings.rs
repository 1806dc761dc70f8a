//! The settings of an account that its owners and admins change: its name, how long it keeps data, and
//! whether it requires a second factor.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::retention::{self, RetentionPeriods};
use super::second_factors::lock as lock_person;
use crate::accounts::audit::AuditAction;
use crate::accounts::members::{self, Actor};
use crate::accounts::{Accounts, Plan, second_factors};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::scope::Scope;

record! {
    /// An account with its settings.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AccountSettings, columns account_settings_columns {
        /// The account.
        pub account_id: Uuid = "a.account_id",
        /// Display name.
        pub name: String = "a.name",
        /// What the account pays for.
        pub plan: Plan = "a.plan",
        /// When it was made.
        pub created_at: Timestamp = "a.created_at",
        /// Days after the last message of a conversation or a thread at which it is deleted; `None` keeps it.
        pub conversation_days: Option<u32> = "r.conversation_days",
        /// Days after a contact was last met or changed at which it is erased; `None` keeps it.
        pub contact_days: Option<u32> = "r.contact_days",
        /// Whether everybody needs a second factor to use the account.
        pub requires_second_factor: bool = "a.requires_second_factor",
    }
}

/// A change of the settings. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsChange {
    /// Display name.
    pub name: Option<String>,
    /// For how many days conversations are kept; `Some(None)` keeps them without limit.
    pub conversation_days: Option<Option<u32>>,
    /// For how many days contacts are kept; `Some(None)` keeps them without limit.
    pub contact_days: Option<Option<u32>>,
    /// Whether everybody needs a second factor.
    pub requires_second_factor: Option<bool>,
}

/// Why the settings cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The role of the actor does not allow it, as of now.
    #[error("only owners and admins change the settings of an account")]
    NotAllowed,
    /// Whoever requires a second factor has none.
    #[error("only somebody who has a second factor can require it")]
    NoSecondFactor,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for SettingsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Accounts<'_> {
    /// Returns the settings of the account of the scope.
    pub async fn settings(self, scope: &Scope) -> Result<Option<AccountSettings>, StoreError> {
        read(&mut *self.store.reader().acquire().await?, scope).await
    }

    /// Changes the settings of the account of the scope, and notes each change.
    pub async fn change_settings(
        self,
        scope: &Scope,
        actor: &Actor,
        change: &SettingsChange,
        now: Timestamp,
    ) -> Result<AccountSettings, SettingsError> {
        let mut transaction = self.store.begin().await?;
        members::lock(&mut transaction, self.store.dialect(), scope).await?;
        members::manager(&mut transaction, scope, actor).await?.ok_or(SettingsError::NotAllowed)?;
        let before = read(&mut transaction, scope).await?.ok_or(SettingsError::NotAllowed)?;
        let account_id = scope.account_id;
        if let Some(name) = change.name.as_ref().filter(|name| **name != before.name) {
            sqlx::query("UPDATE accounts SET name = $2 WHERE account_id = $1")
                .bind(account_id.to_string())
                .bind(replace_nul(name))
                .execute(&mut *transaction)
                .await?;
            let subject = (account_id, name.clone());
            actor.note(&mut transaction, scope, AuditAction::AccountRenamed, subject, now).await?;
        }
        let kept = RetentionPeriods {
            conversation_days: before.conversation_days,
            contact_days: before.contact_days,
        };
        let periods = RetentionPeriods {
            conversation_days: change.conversation_days.unwrap_or(kept.conversation_days),
            contact_days: change.contact_days.unwrap_or(kept.contact_days),
        };
        if periods != kept {
            retention::set(&mut transaction, scope, &periods).await?;
            let subject = (account_id, described(&periods));
            actor.note(&mut transaction, scope, AuditAction::RetentionChanged, subject, now).await?;
        }
        if let Some(required) = change.requires_second_factor
            && required != before.requires_second_factor
        {
            require_factor(&mut transaction, scope, actor, required, now).await?;
        }
        let after = read(&mut transaction, scope).await?.ok_or(SettingsError::NotAllowed)?;
        transaction.commit().await?;
        Ok(after)
    }
}

/// Switches on or off that everybody needs a second factor.
async fn require_factor(
    connection: &mut AnyConnection,
    scope: &Scope,
    actor: &Actor,
    required: bool,
    now: Timestamp,
) -> Result<(), SettingsError> {
    // The row of the person is locked, so that their second factor is not removed at the same time.
    lock_person(connection, actor.person_id).await?;
    if required && !second_factors::is_needed(connection, actor.person_id).await? {
        return Err(SettingsError::NoSecondFactor);
    }
    sqlx::query("UPDATE accounts SET requires_second_factor = $2 WHERE account_id = $1")
        .bind(scope.account_id.to_string())
        .bind(i64::from(required))
        .execute(&mut *connection)
        .await?;
    let action = if required { AuditAction::FactorRequired } else { AuditAction::FactorOptional };
    actor.note(connection, scope, action, (scope.account_id, String::new()), now).await?;
    Ok(())
}

async fn read(connection: &mut AnyConnection, scope: &Scope) -> Result<Option<AccountSettings>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        account_settings_columns!(),
        " FROM accounts AS a LEFT JOIN retention AS r ON r.account_id = a.account_id WHERE a.account_id = $1"
    ))
    .bind(scope.account_id.to_string());
    Ok(one.fetch_optional(connection).await?)
}

/// Describes periods for the audit log.
fn described(periods: &RetentionPeriods) -> String {
    let one = |days: Option<u32>| match days {
        None => "without limit".to_owned(),
        Some(1) => "1 day".to_owned(),
        Some(days) => format!("{days} days"),
    };
    format!("conversations {}, contacts {}", one(periods.conversation_days), one(periods.contact_days))
}
