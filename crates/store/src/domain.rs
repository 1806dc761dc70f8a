//! Domains: the sites on whose behalf an account signs visitor identities.

use jiff::Timestamp;
use sqlx::FromRow;
use sqlx::any::AnyRow;

use crate::row::{Columns, micros, portable};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{Redacted, Scope, Store, StoreError};

/// A site of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
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

impl FromRow<'_, AnyRow> for Domain {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            domain_id: row.int("domain_id")?,
            account_id: row.parsed("account_id")?,
            hostname: row.text("hostname")?,
            identity_secret: Redacted::new(row.text("identity_secret")?),
            created_at: row.time("created_at")?,
        })
    }
}

impl Store {
    /// Adds a site to the account of the scope.
    pub async fn create_domain(
        &self,
        scope: &Scope,
        hostname: &str,
        identity_secret: &Redacted<String>,
        now: Timestamp,
    ) -> Result<Domain, StoreError> {
        let hostname = portable(hostname.trim()).to_lowercase();
        let created = sqlx::query_as(
            "INSERT INTO domains (account_id, hostname, identity_secret, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account_id, hostname) DO NOTHING RETURNING *",
        )
        .bind(scope.account_id.to_string())
        .bind(&hostname)
        .bind(identity_secret.expose().clone())
        .bind(micros(now))
        .fetch_optional(self.writer())
        .await?;
        match created {
            Some(domain) => Ok(domain),
            None => Err(StoreError::AlreadyExists {
                entity: "domain",
                existing_id: self
                    .domains(&Scope::of_account(scope.account_id))
                    .await?
                    .into_iter()
                    .find(|domain| domain.hostname == hostname)
                    .map(|domain| domain.domain_id.to_string()),
            }),
        }
    }

    /// The sites of the scope, oldest first.
    pub async fn domains(&self, scope: &Scope) -> Result<Vec<Domain>, StoreError> {
        let all =
            scoped_as(concat!("SELECT * FROM domains WHERE ", in_scope!(), " ORDER BY domain_id"), scope);
        Ok(all.fetch_all(self.reader()).await?)
    }

    /// One site.
    pub async fn domain(&self, scope: &Scope, domain_id: i64) -> Result<Option<Domain>, StoreError> {
        let one =
            scoped_as(concat!("SELECT * FROM domains WHERE ", in_scope!(), " AND domain_id = $3"), scope)
                .bind(domain_id);
        Ok(one.fetch_optional(self.reader()).await?)
    }

    /// Removes a site. `false` when there is no such site.
    pub async fn delete_domain(&self, scope: &Scope, domain_id: i64) -> Result<bool, StoreError> {
        let deleted =
            scoped(concat!("DELETE FROM domains WHERE ", in_scope!(), " AND domain_id = $3"), scope)
                .bind(domain_id);
        Ok(deleted.execute(self.writer()).await?.rows_affected() > 0)
    }
}
