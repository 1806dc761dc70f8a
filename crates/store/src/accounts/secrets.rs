//! Secrets of the installation itself, which all its processes share.

use sqlx::Row;
use uuid::Uuid;

use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::texts_of;

/// Where an encrypted secret is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretOwner {
    /// The identity secret of a domain.
    Domain(i64),
    /// The previous identity secret of a domain.
    PreviousOfDomain(i64),
    /// The secret of a webhook endpoint.
    WebhookEndpoint(Uuid),
    /// The previous secret of a webhook endpoint.
    PreviousOfWebhookEndpoint(Uuid),
    /// The secrets of a channel of the inbox.
    InboxChannel(Uuid),
    /// The secret of the authenticator app of a person.
    Authenticator(Uuid),
}

/// A secret that was encrypted again, with what it replaces.
#[derive(Debug, Clone)]
pub struct ReencryptedSecret {
    /// Whose secret it is.
    pub owner: SecretOwner,
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
    /// Returns the secret with this name; if there is none yet, `candidate` becomes it. If several processes
    /// call this at the same time with different candidates, all of them get the same one. Belongs to no
    /// tenant.
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

    /// Sets the secret with this name and replaces encrypted secrets of any account, in one transaction. A
    /// secret that has changed since it was read stays.
    pub async fn rotate(
        self,
        name: &str,
        value: &[u8],
        reencrypted: &[ReencryptedSecret],
    ) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        for secret in reencrypted {
            let replace = match secret.owner {
                SecretOwner::Domain(domain_id) => sqlx::query(
                    "UPDATE domains SET identity_secret = $3 WHERE domain_id = $1 AND identity_secret = $2",
                )
                .bind(domain_id),
                SecretOwner::PreviousOfDomain(domain_id) => sqlx::query(
                    "UPDATE domains SET previous_secret = $3 WHERE domain_id = $1 AND previous_secret = $2",
                )
                .bind(domain_id),
                SecretOwner::WebhookEndpoint(id) => sqlx::query(
                    "UPDATE webhook_endpoints SET secret = $3 WHERE webhook_endpoint_id = $1 AND secret = $2",
                )
                .bind(id.to_string()),
                SecretOwner::PreviousOfWebhookEndpoint(id) => sqlx::query(
                    "UPDATE webhook_endpoints SET previous_secret = $3 WHERE webhook_endpoint_id = $1 \
                     AND previous_secret = $2",
                )
                .bind(id.to_string()),
                SecretOwner::InboxChannel(id) => sqlx::query(
                    "UPDATE inbox_channels SET secrets = $3 WHERE channel_id = $1 AND secrets = $2",
                )
                .bind(id.to_string()),
                SecretOwner::Authenticator(person_id) => {
                    sqlx::query("UPDATE authenticators SET secret = $3 WHERE person_id = $1 AND secret = $2")
                        .bind(person_id.to_string())
                }
            };
            replace
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
        Ok(texts_of(&rows, "name")?)
    }
}
