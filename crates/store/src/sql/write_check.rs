//! Check that the database accepts writes, for readiness probes.

use jiff::Timestamp;

use crate::sql::database::Store;
use crate::sql::error::StoreError;
use crate::sql::row::micros;

impl Store {
    /// Writes and commits one row, which belongs to no tenant. Fails if the database cannot be reached, is
    /// read-only, or has no space left.
    pub async fn check_write(&self, now: Timestamp) -> Result<(), StoreError> {
        // As requests write: what keeps transactions from beginning must not be overlooked.
        let mut transaction = self.begin().await?;
        sqlx::query(
            "INSERT INTO write_checks (name, checked_at) VALUES ('ready', $1) \
             ON CONFLICT (name) DO UPDATE SET checked_at = excluded.checked_at",
        )
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }
}
