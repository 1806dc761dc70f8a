//! Secrets of the installation itself, which all its processes share.

use sqlx::Row;

use crate::row::Columns;
use crate::{Redacted, StoreError};

/// A secret of a domain that was encrypted again, with what it replaces.
#[derive(Debug, Clone)]
pub struct ReencryptedSecret {
    /// The domain.
    pub domain_id: i64,
    /// The stored secret, as it was read.
    pub before: Redacted<String>,
    /// The same secret, encrypted again.
    pub after: Redacted<String>,
}

group! {
    /// Secrets of the installation itself.
    pub Secrets, secrets
}

impl Secrets<'_> {
    /// Returns the secret with this name; if there is none yet, `candidate` becomes it. If several processes call this at
    /// the same time with different candidates, all of them get the same one. Belongs to no tenant.
    pub async fn get_or_create(self, name: &str, candidate: &[u8]) -> Result<Redacted<Vec<u8>>, StoreError> {
        // The update changes nothing; it makes the existing row one that is returned.
        let row = sqlx::query(
            "INSERT INTO secrets (name, value) VALUES ($1, $2) \
             ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING value",
        )
        .bind(name.to_owned())
        .bind(candidate.to_vec())
        .fetch_one(self.store.writer())
        .await?;
        Ok(Redacted::new(row.try_get("value")?))
    }

    /// Returns the secret with this name, or `None` if there is none. Belongs to no tenant.
    pub async fn find(self, name: &str) -> Result<Option<Redacted<Vec<u8>>>, StoreError> {
        let row = sqlx::query("SELECT value FROM secrets WHERE name = $1")
            .bind(name.to_owned())
            .fetch_optional(self.store.reader())
            .await?;
        Ok(row.map(|row| row.try_get("value").map(Redacted::new)).transpose()?)
    }

    /// Sets the secret with this name, whether or not there is one. Belongs to no tenant.
    pub async fn set(self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        self.rotate(name, value, &[]).await
    }

    /// Deletes the secret with this name, if there is one. Belongs to no tenant.
    pub async fn delete(self, name: &str) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM secrets WHERE name = $1")
            .bind(name.to_owned())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Sets the secret with this name and replaces secrets of domains of any account, in one transaction. A domain whose
    /// secret has changed since it was read keeps it.
    pub async fn rotate(
        self,
        name: &str,
        value: &[u8],
        reencrypted: &[ReencryptedSecret],
    ) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        for secret in reencrypted {
            sqlx::query(
                "UPDATE domains SET identity_secret = $3 WHERE domain_id = $1 AND identity_secret = $2",
            )
            .bind(secret.domain_id)
            .bind(secret.before.expose().clone())
            .bind(secret.after.expose().clone())
            .execute(&mut *transaction)
            .await?;
        }
        sqlx::query(
            "INSERT INTO secrets (name, value) VALUES ($1, $2) \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name.to_owned())
        .bind(value.to_vec())
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }

    /// Returns the names of the existing secrets, for diagnostics.
    pub async fn names(self) -> Result<Vec<String>, StoreError> {
        let rows =
            sqlx::query("SELECT name FROM secrets ORDER BY name").fetch_all(self.store.reader()).await?;
        Ok(rows.iter().map(|row| row.text("name")).collect::<sqlx::Result<_>>()?)
    }
}
