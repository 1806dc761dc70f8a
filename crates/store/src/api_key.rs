//! API keys. The store sees only their hash; what a key may do is read from its creator at each use.

use std::fmt::{self, Write};

use jiff::{SignedDuration, Timestamp};
use sqlx::FromRow;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::row::{Columns, micros, new_id, portable};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{AccountKind, Plan, Role, Scope, Store, StoreError, UserStatus};

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

    fn to_hex(self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string takes any text");
            hex
        })
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash([redacted])")
    }
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Identifier.
    pub key_id: Uuid,
    /// Its creator, whose permissions it carries.
    pub user_id: Uuid,
    /// The account of its creator.
    pub account_id: Uuid,
    /// The name chosen at creation.
    pub name: String,
    /// The first characters of the key, by which people recognise it.
    pub display_prefix: String,
    /// Requests a minute, where they differ from the default.
    pub rate_per_minute: Option<u32>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

impl FromRow<'_, AnyRow> for ApiKey {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            key_id: row.parsed("key_id")?,
            user_id: row.parsed("user_id")?,
            account_id: row.parsed("account_id")?,
            name: row.text("name")?,
            display_prefix: row.text("display_prefix")?,
            rate_per_minute: row.number_opt("rate_per_minute")?,
            created_at: row.time("created_at")?,
            last_used_at: row.time_opt("last_used_at")?,
        })
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
    /// The first characters of the key, shown in lists.
    pub display_prefix: String,
    /// Requests a minute, where they differ from the default.
    pub rate_per_minute: Option<u32>,
}

/// Who is behind a key, as of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHolder {
    /// The key.
    pub key_id: Uuid,
    /// Its creator.
    pub user_id: Uuid,
    /// The creator's present role.
    pub role: Role,
    /// Whether the creator may act at present.
    pub user_status: UserStatus,
    /// The creator's account.
    pub account_id: Uuid,
    /// Whether that account has sub-accounts.
    pub account_kind: AccountKind,
    /// What that account pays for at present.
    pub plan: Plan,
    /// AI credits a calendar month, where they differ from those of the plan.
    pub monthly_credits: Option<u64>,
    /// Requests a minute, where they differ from the default.
    pub rate_per_minute: Option<u32>,
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

impl FromRow<'_, AnyRow> for KeyHolder {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            key_id: row.parsed("key_id")?,
            user_id: row.parsed("user_id")?,
            role: row.parsed("role")?,
            user_status: row.parsed("status")?,
            account_id: row.parsed("account_id")?,
            account_kind: row.parsed("kind")?,
            plan: row.parsed("plan")?,
            monthly_credits: row.number_opt("monthly_credits")?,
            rate_per_minute: row.number_opt("rate_per_minute")?,
        })
    }
}

impl Store {
    /// Makes a key for a user of the scope. `None` when there is no such user;
    /// [`StoreError::KeyCreationRefused`] when the user may not have keys.
    pub async fn create_api_key(
        &self,
        scope: &Scope,
        new: &NewApiKey,
        now: Timestamp,
    ) -> Result<Option<ApiKey>, StoreError> {
        let Some(user) = self.user(scope, new.user_id).await? else { return Ok(None) };
        if user.role == Role::Collaborator || user.status != UserStatus::Active {
            return Err(StoreError::KeyCreationRefused { role: user.role, status: user.status });
        }
        let created = sqlx::query_as(
            "INSERT INTO api_keys \
             (key_id, user_id, account_id, name, key_hash, display_prefix, rate_per_minute, created_at) \
             SELECT $1, user_id, account_id, $3, $4, $5, $6, $7 FROM users \
             WHERE user_id = $2 AND status = 'active' AND role IN ('owner', 'admin') RETURNING *",
        )
        .bind(new_id().to_string())
        .bind(user.user_id.to_string())
        .bind(portable(&new.name))
        .bind(new.hash.to_hex())
        .bind(portable(&new.display_prefix))
        .bind(new.rate_per_minute.map(i64::from))
        .bind(micros(now));
        match created.fetch_optional(self.writer()).await.map_err(StoreError::from) {
            Err(error) if error.is_unique_violation() => {
                Err(StoreError::AlreadyExists { entity: "API key", existing_id: None })
            }
            other => other,
        }
    }

    /// The keys of the scope, oldest first.
    pub async fn api_keys(&self, scope: &Scope) -> Result<Vec<ApiKey>, StoreError> {
        let all = scoped_as(
            concat!("SELECT * FROM api_keys WHERE ", in_scope!(), " ORDER BY created_at, key_id"),
            scope,
        );
        Ok(all.fetch_all(self.reader()).await?)
    }

    /// Revokes a key at once. `false` when there is no such key.
    pub async fn delete_api_key(&self, scope: &Scope, key_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM api_keys WHERE ", in_scope!(), " AND key_id = $3"), scope)
            .bind(key_id.to_string());
        Ok(deleted.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Who holds the key with this hash. Takes no scope because it is where the scope comes from. Role, status
    /// and plan are read anew at each call; whether they suffice is for the caller to decide.
    pub async fn authenticate_key(&self, hash: &KeyHash) -> Result<Option<KeyHolder>, StoreError> {
        let holder = sqlx::query_as(
            "SELECT k.key_id, u.user_id, u.role, u.status, a.account_id, a.kind, a.plan, a.monthly_credits, \
             k.rate_per_minute FROM api_keys AS k \
             JOIN users AS u ON u.user_id = k.user_id JOIN accounts AS a ON a.account_id = u.account_id \
             WHERE k.key_hash = $1",
        )
        .bind(hash.to_hex());
        Ok(holder.fetch_optional(self.reader()).await?)
    }

    /// Notes that a key was used, to the minute. Takes no scope: the id comes from
    /// [`Store::authenticate_key`], never from a request.
    pub async fn touch_api_key(&self, key_id: Uuid, now: Timestamp) -> Result<(), StoreError> {
        let before = now.saturating_sub(LAST_USED_PRECISION).map_or(i64::MIN, micros);
        let due = sqlx::query(
            "SELECT 1 FROM api_keys WHERE key_id = $1 AND (last_used_at IS NULL OR last_used_at <= $2)",
        )
        .bind(key_id.to_string())
        .bind(before)
        .fetch_optional(self.reader())
        .await?;
        if due.is_some() {
            sqlx::query("UPDATE api_keys SET last_used_at = $2 WHERE key_id = $1")
                .bind(key_id.to_string())
                .bind(micros(now))
                .execute(self.writer())
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
