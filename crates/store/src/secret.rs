//! Secrets of the installation itself, made once and shared by all its processes.

use sqlx::Row;

use crate::row::Columns;
use crate::{Redacted, Store, StoreError};

impl Store {
    /// The secret with this name; `candidate` becomes it if there is none yet. When several processes ask at
    /// once with different candidates, all get the same one back. Belongs to no tenant.
    pub async fn get_or_create_secret(
        &self,
        name: &str,
        candidate: &[u8],
    ) -> Result<Redacted<Vec<u8>>, StoreError> {
        // The update changes nothing; it makes the existing row one that is returned.
        let row = sqlx::query(
            "INSERT INTO secrets (name, value) VALUES ($1, $2) \
             ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING value",
        )
        .bind(name.to_owned())
        .bind(candidate.to_vec())
        .fetch_one(self.writer())
        .await?;
        Ok(Redacted::new(row.try_get("value")?))
    }

    /// The names of the secrets that exist, for diagnostics.
    pub async fn secret_names(&self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT name FROM secrets ORDER BY name").fetch_all(self.reader()).await?;
        Ok(rows.iter().map(|row| row.text("name")).collect::<sqlx::Result<_>>()?)
    }
}
