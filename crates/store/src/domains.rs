//! Domains: the sites on whose behalf an account signs visitor identities.

use jiff::Timestamp;

use crate::nul::replace_nul;
use crate::row::micros;
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{Redacted, Scope, StoreError};

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
        /// When it was added.
        pub created_at: Timestamp,
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
    /// Adds a site to the account of the scope.
    pub async fn create(
        self,
        scope: &Scope,
        hostname: &str,
        identity_secret: &Redacted<String>,
        now: Timestamp,
    ) -> Result<Domain, DomainError> {
        let hostname = replace_nul(hostname.trim()).to_lowercase();
        let created = sqlx::query_as(concat!(
            "INSERT INTO domains (account_id, hostname, identity_secret, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account_id, hostname) DO NOTHING RETURNING ",
            domain_columns!()
        ))
        .bind(scope.account_id.to_string())
        .bind(&hostname)
        .bind(identity_secret.expose().clone())
        .bind(micros(now))
        .fetch_optional(self.store.writer())
        .await?;
        match created {
            Some(domain) => Ok(domain),
            None => {
                let domain: Domain = sqlx::query_as(concat!(
                    "SELECT ",
                    domain_columns!(),
                    " FROM domains WHERE account_id = $1 AND hostname = $2"
                ))
                .bind(scope.account_id.to_string())
                .bind(hostname)
                .fetch_one(self.store.writer())
                .await?;
                Err(DomainError::AlreadyExists { domain_id: domain.domain_id })
            }
        }
    }

    /// The sites of the scope, oldest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<Domain>, StoreError> {
        let all = scoped_as(
            concat!("SELECT ", domain_columns!(), " FROM domains WHERE ", in_scope!(), " ORDER BY domain_id"),
            scope,
        );
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Returns the sites of all accounts. Takes no scope: it serves the rotation of the key that their secrets are encrypted
    /// with, which concerns the whole installation.
    pub async fn list_of_all_accounts(self) -> Result<Vec<Domain>, StoreError> {
        let all = sqlx::query_as(concat!("SELECT ", domain_columns!(), " FROM domains ORDER BY domain_id"));
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One site.
    pub async fn find(self, scope: &Scope, domain_id: i64) -> Result<Option<Domain>, StoreError> {
        let one = scoped_as(
            concat!("SELECT ", domain_columns!(), " FROM domains WHERE ", in_scope!(), " AND domain_id = $3"),
            scope,
        )
        .bind(domain_id);
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
