//! The lock of a board.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;

/// The board of an account inside a transaction that has locked it.
pub(crate) struct LockedBoard {
    /// The row that new deals go into.
    pub(crate) default_row_id: Uuid,
}

/// Locks the board of an account until the transaction ends: every transaction that changes deals, columns or
/// rows does this first. Returns `None` if there is no such account. SQLite runs one write transaction at a
/// time.
pub(crate) async fn lock_board(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
) -> Result<Option<LockedBoard>, StoreError> {
    // The default row is never deleted before its account.
    let row = sqlx::query(dialect.pick(
        "SELECT deal_row_id FROM deal_rows WHERE account_id = $1 AND is_default = 1",
        "SELECT deal_row_id FROM deal_rows WHERE account_id = $1 AND is_default = 1 FOR NO KEY UPDATE",
    ))
    .bind(account_id.to_string())
    .fetch_optional(connection)
    .await?;
    row.map(|row| Ok(LockedBoard { default_row_id: row.parsed("deal_row_id")? })).transpose()
}
