//! Domains: the sites on whose behalf an account signs visitor identities.

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::any::AnyRow;

use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::record::{Column, unreadable};
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, in_scope, row_by_id, scoped, scoped_as};

named_values! {
    /// How the identities of a domain's visitors are treated.
    pub enum IdentityEnforcement as "level of identity enforcement" {
        /// Assertions of identity are refused.
        Off = "off",
        /// An assertion is verified if there is one.
        Optional = "optional",
        /// Messages without an assertion are refused.
        Required = "required",
    }
}

named_values! {
    /// The algorithm of assertions that a public key verifies (RFC 7518 and RFC 8037).
    pub enum IdentityKeyAlgorithm as "algorithm of an identity key" {
        /// RSA with SHA-256.
        Rs256 = "RS256",
        /// Ed25519.
        EdDsa = "EdDSA",
    }
}

/// A public key that verifies assertions of identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityKey {
    /// What it verifies.
    pub algorithm: IdentityKeyAlgorithm,
    /// The key in PEM.
    pub public_key: String,
}

impl Column for Vec<IdentityKey> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let stored: Vec<Value> =
            serde_json::from_str(&row.text(name)?).map_err(|error| unreadable(name, error))?;
        let text = |key: &Value, member: &str| key[member].as_str().unwrap_or_default().to_owned();
        let keys = stored.iter().map(|key| {
            let algorithm = text(key, "algorithm")
                .parse()
                .map_err(|error: crate::sql::named::UnknownName| unreadable(name, error))?;
            Ok(IdentityKey { algorithm, public_key: text(key, "public_key") })
        });
        keys.collect()
    }
}

/// Returns keys as they are stored.
fn stored_keys(keys: &[IdentityKey]) -> String {
    let keys: Vec<Value> = keys
        .iter()
        .map(|key| json!({ "algorithm": key.algorithm.as_str(), "public_key": replace_nul(&key.public_key) }))
        .collect();
    Value::from(keys).to_string()
}

/// A domain to create.
#[derive(Debug, Clone)]
pub struct NewDomain {
    /// Host name.
    pub hostname: String,
    /// How identities are treated.
    pub identity_enforcement: IdentityEnforcement,
    /// What verifies assertions beside the secret.
    pub public_keys: Vec<IdentityKey>,
    /// What assertions are signed with, encrypted by the service.
    pub identity_secret: Redacted<String>,
}

/// The changes of a domain; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct DomainUpdate {
    /// How identities are treated.
    pub identity_enforcement: Option<IdentityEnforcement>,
    /// What verifies assertions beside the secret.
    pub public_keys: Option<Vec<IdentityKey>>,
}

record! {
    /// A site of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Domain, columns domain_columns {
        /// Identifier; a number, as the interface has it.
        pub domain_id: i64,
        /// The account.
        pub account_id: uuid::Uuid,
        /// Host name in lower case; unique in the account.
        pub hostname: String,
        /// What identities are signed with, in whatever form the service stores it (it encrypts).
        pub identity_secret: Redacted<String>,
        /// How identities are treated.
        pub identity_enforcement: IdentityEnforcement,
        /// The secret before the last rotation, in the same form.
        pub previous_secret: Option<Redacted<String>>,
        /// When the previous secret ends.
        pub previous_secret_until: Option<Timestamp>,
        /// What verifies assertions beside the secret.
        pub public_keys: Vec<IdentityKey>,
        /// When it was added.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

/// Why a domain cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// The account has this domain already.
    #[error("the account already has this domain ({domain_id})")]
    AlreadyExists {
        /// The domain.
        domain_id: i64,
    },
    /// The account has this many domains, which is the most that it may have.
    #[error("the account has {0} domains already")]
    LimitReached(u64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for DomainError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Domains: the sites on whose behalf an account signs visitor identities.
    pub Domains, domains
}

impl Domains<'_> {
    /// Adds a site to the account of the scope, unless it has `limit` of them.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewDomain,
        limit: u64,
        now: Timestamp,
    ) -> Result<Domain, DomainError> {
        let hostname = replace_nul(new.hostname.trim()).to_lowercase();
        let hostname = frontdesk_address::host(&hostname).unwrap_or(hostname);
        let account_id = scope.account_id.to_string();
        let mut transaction = self.store.begin().await?;
        // Serialized per account: two calls must not both create the last domain.
        sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(account_id.clone())
        .fetch_optional(&mut *transaction)
        .await?;
        let known: Option<Domain> = sqlx::query_as(concat!(
            "SELECT ",
            domain_columns!(),
            " FROM domains WHERE account_id = $1 AND hostname = $2"
        ))
        .bind(account_id.clone())
        .bind(hostname.clone())
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(known) = known {
            return Err(DomainError::AlreadyExists { domain_id: known.domain_id });
        }
        let existing: u64 = sqlx::query("SELECT COUNT(*) AS domains FROM domains WHERE account_id = $1")
            .bind(account_id.clone())
            .fetch_one(&mut *transaction)
            .await?
            .number("domains")?;
        if existing >= limit {
            return Err(DomainError::LimitReached(limit));
        }
        let created = sqlx::query_as(concat!(
            "INSERT INTO domains (account_id, hostname, identity_secret, created_at, updated_at, \
             identity_enforcement, public_keys) VALUES ($1, $2, $3, $4, $4, $5, $6) RETURNING ",
            domain_columns!()
        ))
        .bind(account_id)
        .bind(hostname)
        .bind(new.identity_secret.expose().clone())
        .bind(micros(now))
        .bind(new.identity_enforcement.as_str())
        .bind(stored_keys(&new.public_keys))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(created)
    }

    /// Changes a site. `None` when there is no such site.
    pub async fn update(
        self,
        scope: &Scope,
        domain_id: i64,
        update: &DomainUpdate,
        now: Timestamp,
    ) -> Result<Option<Domain>, StoreError> {
        let updated = scoped_as(
            concat!(
                "UPDATE domains SET identity_enforcement = COALESCE($4, identity_enforcement), \
                 public_keys = COALESCE($5, public_keys), updated_at = $6 WHERE ",
                in_scope!(),
                " AND domain_id = $3 RETURNING ",
                domain_columns!()
            ),
            scope,
        )
        .bind(domain_id)
        .bind(update.identity_enforcement.map(IdentityEnforcement::as_str))
        .bind(update.public_keys.as_deref().map(stored_keys))
        .bind(micros(now));
        Ok(updated.fetch_optional(self.store.writer()).await?)
    }

    /// Gives a site another secret. The present one stays valid until `previous_until`. `None` when there is
    /// no such site.
    pub async fn rotate_secret(
        self,
        scope: &Scope,
        domain_id: i64,
        secret: &Redacted<String>,
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Domain>, StoreError> {
        let rotated = scoped_as(
            concat!(
                "UPDATE domains SET previous_secret = identity_secret, previous_secret_until = $5, \
                 identity_secret = $4, updated_at = $6 WHERE ",
                in_scope!(),
                " AND domain_id = $3 RETURNING ",
                domain_columns!()
            ),
            scope,
        )
        .bind(domain_id)
        .bind(secret.expose().clone())
        .bind(micros(previous_until))
        .bind(micros(now));
        Ok(rotated.fetch_optional(self.store.writer()).await?)
    }

    /// The sites of the scope, oldest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<Domain>, StoreError> {
        let all = scoped_as(
            concat!("SELECT ", domain_columns!(), " FROM domains WHERE ", in_scope!(), " ORDER BY domain_id"),
            scope,
        );
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Returns the sites of all accounts. Takes no scope: it serves the rotation of the key that their
    /// secrets are encrypted with, which concerns the whole installation.
    pub async fn list_of_all_accounts(self) -> Result<Vec<Domain>, StoreError> {
        let all = sqlx::query_as(concat!("SELECT ", domain_columns!(), " FROM domains ORDER BY domain_id"));
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One site.
    pub async fn find(self, scope: &Scope, domain_id: i64) -> Result<Option<Domain>, StoreError> {
        // The id is a number.
        let one = scoped_as(row_by_id!(domain_columns of "domains", "domain_id"), scope).bind(domain_id);
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Removes a site. `false` when there is no such site.
    pub async fn delete(self, scope: &Scope, domain_id: i64) -> Result<bool, StoreError> {
        let deleted =
            scoped(concat!("DELETE FROM domains WHERE ", in_scope!(), " AND domain_id = $3"), scope)
                .bind(domain_id);
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}
