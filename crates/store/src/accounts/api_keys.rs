//! API keys. The store sees only their hash; what a key may do is read from its creator at each use.

use std::fmt;

use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};
use sqlx::Row;
use uuid::Uuid;

use crate::accounts::users::{Role, UserStatus};
use crate::accounts::{AccountKind, Plan};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// `last_used_at` is written at most once in this time, so that using a key does not mean writing to disk.
const LAST_USED_PRECISION: SignedDuration = SignedDuration::from_secs(60);

/// The keyed hash of an API key. Not the key, but `Debug` hides it all the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Wraps a hash made by the service.
    pub const fn new(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    pub(crate) fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash([redacted])")
    }
}

record! {
    /// A key as it is listed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ApiKey, columns api_key_columns {
        /// Identifier.
        pub key_id: Uuid,
        /// Its creator, whose permissions it carries.
        pub user_id: Uuid,
        /// The account of its creator.
        pub account_id: Uuid,
        /// The name chosen at creation.
        pub name: String,
        /// The first characters of the key, by which people recognize it.
        pub display_prefix: String,
        /// Requests a minute, where they differ from the default.
        pub rate_per_minute: Option<u32>,
        /// When it was made.
        pub created_at: Timestamp,
        /// When it was last used, to the minute.
        pub last_used_at: Option<Timestamp>,
    }
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    /// Its creator; an active owner or admin.
    pub user_id: Uuid,
    /// The name chosen for it.
    pub name: String,
    /// The hash under which it will be found.
    pub hash: KeyHash,
    /// The id of the pepper that the hash was made with, if it is known.
    pub pepper_id: Option<String>,
    /// The first characters of the key, shown in lists.
    pub display_prefix: String,
    /// Requests a minute, where they differ from the default.
    pub rate_per_minute: Option<u32>,
}

record! {
    /// Who is behind a key, as of now.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KeyHolder, columns key_holder_columns {
        /// The key.
        pub key_id: Uuid = "k.key_id",
        /// Its creator.
        pub user_id: Uuid = "u.user_id",
        /// The creator's present role.
        pub role: Role = "u.role",
        /// Whether the creator may act at present.
        pub user_status: UserStatus = "u.status",
        /// The creator's account.
        pub account_id: Uuid = "a.account_id",
        /// Whether that account has sub-accounts.
        pub account_kind: AccountKind = "a.kind",
        /// What that account pays for at present.
        pub plan: Plan = "a.plan",
        /// AI credits a calendar month, where they differ from those of the plan.
        pub monthly_credits: Option<u64> = "a.monthly_credits",
        /// Requests a minute, where they differ from the default.
        pub rate_per_minute: Option<u32> = "k.rate_per_minute",
        /// The id of the pepper that the key is hashed with, if it is known.
        pub pepper_id: Option<String> = "k.pepper_id",
    }
}

impl KeyHolder {
    /// What the key reaches: the account, and for the owner of an agency its sub-accounts too.
    pub fn scope(&self) -> Scope {
        Scope {
            account_id: self.account_id,
            includes_sub_accounts: self.account_kind == AccountKind::Agency && self.role == Role::Owner,
        }
    }
}

/// Why an API key cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    /// Only active owners and admins create API keys.
    #[error(
        "a user with role `{role}` and status `{status}` cannot create API keys; an active owner or admin can"
    )]
    NotAllowed {
        /// Role of the user.
        role: Role,
        /// Status of the user.
        status: UserStatus,
    },
    /// A key with this hash exists already.
    #[error("this API key already exists")]
    AlreadyExists,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

group! {
    /// API keys.
    pub ApiKeys, api_keys
}

impl ApiKeys<'_> {
    /// Makes a key for a user of the scope. `None` when there is no such user;
    /// [`ApiKeyError::NotAllowed`] when the user may not have keys.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewApiKey,
        now: Timestamp,
    ) -> Result<Option<ApiKey>, ApiKeyError> {
        let Some(user) = self.store.users().find(scope, new.user_id).await? else { return Ok(None) };
        if user.role == Role::Collaborator || user.status != UserStatus::Active {
            return Err(ApiKeyError::NotAllowed { role: user.role, status: user.status });
        }
        let created = sqlx::query_as(concat!(
            "INSERT INTO api_keys \
             (key_id, user_id, account_id, name, key_hash, display_prefix, rate_per_minute, created_at, pepper_id) \
             SELECT $1, user_id, account_id, $3, $4, $5, $6, $7, $8 FROM users \
             WHERE user_id = $2 AND status = 'active' AND role IN ('owner', 'admin') RETURNING ",
            api_key_columns!()
        ))
        .bind(new_id().to_string())
        .bind(user.user_id.to_string())
        .bind(replace_nul(&new.name))
        .bind(new.hash.to_hex())
        .bind(replace_nul(&new.display_prefix))
        .bind(new.rate_per_minute.map(i64::from))
        .bind(micros(now))
        .bind(new.pepper_id.clone());
        match created.fetch_optional(self.store.writer()).await.map_err(StoreError::from) {
            Err(error) if error.is_unique_violation() => Err(ApiKeyError::AlreadyExists),
            other => Ok(other?),
        }
    }

    /// The keys of the scope, oldest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<ApiKey>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                api_key_columns!(),
                " FROM api_keys WHERE ",
                in_scope!(),
                " ORDER BY created_at, key_id"
            ),
            scope,
        );
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Revokes a key at once. `false` when there is no such key.
    pub async fn delete(self, scope: &Scope, key_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM api_keys WHERE ", in_scope!(), " AND key_id = $3"), scope)
            .bind(key_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Who holds the key with this hash. Takes no scope because it is where the scope comes from. Role,
    /// status and plan are read anew at each call; whether they suffice is for the caller to decide.
    pub async fn authenticate(self, hash: &KeyHash) -> Result<Option<KeyHolder>, StoreError> {
        let holder = sqlx::query_as(concat!(
            "SELECT ",
            key_holder_columns!(),
            " FROM api_keys AS k \
             JOIN users AS u ON u.user_id = k.user_id JOIN accounts AS a ON a.account_id = u.account_id \
             WHERE k.key_hash = $1"
        ))
        .bind(hash.to_hex());
        Ok(holder.fetch_optional(self.store.reader()).await?)
    }

    /// Replaces the hash of a key by one that was made with another pepper, unless it has changed since it
    /// was read. Takes no scope, like [`ApiKeys::authenticate`].
    pub async fn rehash(
        self,
        key_id: Uuid,
        before: &KeyHash,
        after: &KeyHash,
        pepper_id: &str,
    ) -> Result<bool, StoreError> {
        let changed = sqlx::query(
            "UPDATE api_keys SET key_hash = $3, pepper_id = $4 WHERE key_id = $1 AND key_hash = $2",
        )
        .bind(key_id.to_string())
        .bind(before.to_hex())
        .bind(after.to_hex())
        .bind(pepper_id.to_owned());
        Ok(changed.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Returns how many keys of all accounts are hashed with which pepper; `None` stands for an unknown one.
    /// Takes no scope: peppers concern the whole installation.
    pub async fn count_by_pepper(self) -> Result<Vec<(Option<String>, u64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT pepper_id, COUNT(*) AS keys FROM api_keys GROUP BY pepper_id ORDER BY pepper_id",
        )
        .fetch_all(self.store.reader())
        .await?;
        let counts = rows.iter().map(|row| Ok((row.try_get("pepper_id")?, row.number("keys")?)));
        Ok(counts.collect::<sqlx::Result<_>>()?)
    }

    /// Revokes all keys, of any account, that are not hashed with this pepper. Returns how many.
    pub async fn delete_of_other_peppers(self, pepper_id: &str) -> Result<u64, StoreError> {
        let deleted = sqlx::query("DELETE FROM api_keys WHERE pepper_id IS NULL OR pepper_id <> $1")
            .bind(pepper_id.to_owned());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected())
    }

    /// Notes that a key was used, to the minute. Takes no scope: the id comes from
    /// [`ApiKeys::authenticate`], never from a request.
    pub async fn touch(self, key_id: Uuid, now: Timestamp) -> Result<(), StoreError> {
        let before = now.saturating_sub(LAST_USED_PRECISION).map_or(i64::MIN, micros);
        let due = sqlx::query(
            "SELECT 1 FROM api_keys WHERE key_id = $1 AND (last_used_at IS NULL OR last_used_at <= $2)",
        )
        .bind(key_id.to_string())
        .bind(before)
        .fetch_optional(self.store.reader())
        .await?;
        if due.is_some() {
            sqlx::query("UPDATE api_keys SET last_used_at = $2 WHERE key_id = $1")
                .bind(key_id.to_string())
                .bind(micros(now))
                .execute(self.store.writer())
                .await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_stored_as_hex_and_never_printed() {
        let hash = KeyHash::new([0x0f; 32]);
        assert_eq!(hash.to_hex(), "0f".repeat(32));
        assert_eq!(format!("{hash:?}"), "KeyHash([redacted])");
    }
}
