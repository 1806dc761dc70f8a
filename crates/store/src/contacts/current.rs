//! The contact that an id means now: its own, or the one into which it was merged.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;

/// Merges in a row that are followed.
const MOST_MERGES: usize = 8;

/// Returns the contact of an account that an id means now, which is not deleted before the transaction ends.
/// A request may name a contact that is merged into another one at the same moment.
pub(crate) async fn current(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
    contact_id: Uuid,
) -> Result<Option<Uuid>, StoreError> {
    let mut meant = contact_id;
    for _ in 0..MOST_MERGES {
        // On PostgreSQL, this waits for a merge that is deleting the contact.
        let found = sqlx::query(dialect.pick(
            "SELECT 1 FROM contacts WHERE account_id = $1 AND contact_id = $2",
            "SELECT 1 FROM contacts WHERE account_id = $1 AND contact_id = $2 FOR KEY SHARE",
        ));
        let found = found.bind(account_id.to_string()).bind(meant.to_string());
        if found.fetch_optional(&mut *connection).await?.is_some() {
            return Ok(Some(meant));
        }
        let merged = sqlx::query(
            "SELECT contact_id FROM contact_traces WHERE account_id = $1 AND kind = 'contact_id' AND value = $2",
        );
        let merged = merged.bind(account_id.to_string()).bind(meant.to_string());
        match merged.fetch_optional(&mut *connection).await? {
            Some(row) => meant = row.parsed("contact_id")?,
            None => return Ok(None),
        }
    }
    Ok(None)
}
