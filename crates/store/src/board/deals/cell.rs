//! Cells of a board, which its transactions have locked: columns, rows, and places between deals.

use sqlx::AnyConnection;
use uuid::Uuid;

use super::{Deal, DealError, rank};
use crate::board::deal_status::{DealStatus, DealStatusKind, deal_status_columns};
use crate::sql::error::StoreError;
use crate::sql::row::Columns;

/// A cell of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the columns of the table that the ids are in")]
pub(super) struct Cell {
    pub(super) account_id: Uuid,
    pub(super) deal_status_id: Uuid,
    pub(super) deal_row_id: Uuid,
}

impl Cell {
    /// The cell that a deal is in.
    pub(super) const fn of(deal: &Deal) -> Self {
        Self {
            account_id: deal.account_id,
            deal_status_id: deal.deal_status_id,
            deal_row_id: deal.deal_row_id,
        }
    }
}

/// A place in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DealPlace {
    /// Behind all other deals.
    #[default]
    End,
    /// In front of another deal.
    Before(Uuid),
    /// Behind another deal.
    After(Uuid),
}

impl DealPlace {
    pub(super) const fn neighbor(self) -> Option<Uuid> {
        match self {
            Self::End => None,
            Self::Before(id) | Self::After(id) => Some(id),
        }
    }
}

/// Returns a deal of the account that is not deleted.
pub(super) async fn live(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_id: Uuid,
) -> Result<Option<Deal>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        deal_columns!(),
        " FROM deals AS d WHERE d.account_id = $1 AND d.deal_id = $2 AND d.deleted_at IS NULL"
    ));
    Ok(one.bind(account_id.to_string()).bind(deal_id.to_string()).fetch_optional(connection).await?)
}

/// Returns a column of the account.
pub(super) async fn status(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_status_id: Uuid,
) -> Result<Option<DealStatus>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        deal_status_columns!(),
        " FROM deal_statuses AS s WHERE s.account_id = $1 AND s.deal_status_id = $2"
    ));
    Ok(one.bind(account_id.to_string()).bind(deal_status_id.to_string()).fetch_optional(connection).await?)
}

/// Returns the first column of a kind.
pub(super) async fn first_of_kind(
    connection: &mut AnyConnection,
    account_id: Uuid,
    kind: DealStatusKind,
) -> Result<Option<DealStatus>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        deal_status_columns!(),
        " FROM deal_statuses AS s WHERE s.account_id = $1 AND s.kind = $2 \
         ORDER BY s.position, s.deal_status_id LIMIT 1"
    ));
    Ok(one.bind(account_id.to_string()).bind(kind.as_str()).fetch_optional(connection).await?)
}

/// Returns whether the account has a row.
pub(super) async fn has_row(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_row_id: Uuid,
) -> Result<bool, StoreError> {
    let found = sqlx::query("SELECT 1 AS found FROM deal_rows WHERE account_id = $1 AND deal_row_id = $2")
        .bind(account_id.to_string())
        .bind(deal_row_id.to_string());
    Ok(found.fetch_optional(connection).await?.is_some())
}

/// Returns a free rank for a deal at a place of a cell. A neighbor must be in the cell. If no rank is left
/// at the place, the other deals of the cell get new ones first.
pub(super) async fn place(
    connection: &mut AnyConnection,
    cell: &Cell,
    deal_id: Uuid,
    place: DealPlace,
) -> Result<String, DealError> {
    let rank = between(connection, cell, deal_id, place).await?;
    if rank.len() <= rank::LONGEST {
        return Ok(rank);
    }
    rebalance(connection, cell, deal_id).await?;
    between(connection, cell, deal_id, place).await
}

async fn between(
    connection: &mut AnyConnection,
    cell: &Cell,
    deal_id: Uuid,
    place: DealPlace,
) -> Result<String, DealError> {
    let (after, before) = match place {
        DealPlace::End => (last(connection, cell, deal_id).await?, None),
        DealPlace::Before(id) => {
            let before = rank_of(connection, cell, id).await?;
            let after = beside(
                connection,
                "SELECT MAX(position) AS position FROM deals WHERE account_id = $1 AND deal_status_id = $2 \
                 AND deal_row_id = $3 AND deal_id <> $4 AND deleted_at IS NULL AND position < $5",
                cell,
                deal_id,
                &before,
            );
            (after.await?, Some(before))
        }
        DealPlace::After(id) => {
            let after = rank_of(connection, cell, id).await?;
            let before = beside(
                connection,
                "SELECT MIN(position) AS position FROM deals WHERE account_id = $1 AND deal_status_id = $2 \
                 AND deal_row_id = $3 AND deal_id <> $4 AND deleted_at IS NULL AND position > $5",
                cell,
                deal_id,
                &after,
            );
            let before = before.await?;
            (Some(after), before)
        }
    };
    Ok(rank::between(after.as_deref(), before.as_deref()))
}

/// Returns the largest rank of the other deals in a cell.
pub(super) async fn last(
    connection: &mut AnyConnection,
    cell: &Cell,
    other_than: Uuid,
) -> Result<Option<String>, StoreError> {
    beside(
        connection,
        "SELECT MAX(position) AS position FROM deals WHERE account_id = $1 AND deal_status_id = $2 \
         AND deal_row_id = $3 AND deal_id <> $4 AND deleted_at IS NULL AND position > $5",
        cell,
        other_than,
        "",
    )
    .await
}

async fn beside(
    connection: &mut AnyConnection,
    sql: &'static str,
    cell: &Cell,
    other_than: Uuid,
    rank: &str,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query(sql)
        .bind(cell.account_id.to_string())
        .bind(cell.deal_status_id.to_string())
        .bind(cell.deal_row_id.to_string())
        .bind(other_than.to_string())
        .bind(rank.to_owned())
        .fetch_one(connection)
        .await?;
    Ok(row.text_opt("position")?)
}

async fn rank_of(connection: &mut AnyConnection, cell: &Cell, neighbor: Uuid) -> Result<String, DealError> {
    let deal = live(connection, cell.account_id, neighbor).await?.ok_or(DealError::NoNeighbor)?;
    if Cell::of(&deal) == *cell { Ok(deal.position) } else { Err(DealError::NeighborElsewhere) }
}

/// Gives the other deals of a cell new ranks in their order.
async fn rebalance(connection: &mut AnyConnection, cell: &Cell, other_than: Uuid) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT deal_id, position FROM deals WHERE account_id = $1 AND deal_status_id = $2 AND deal_row_id = $3 \
         AND deleted_at IS NULL ORDER BY position",
    )
    .bind(cell.account_id.to_string())
    .bind(cell.deal_status_id.to_string())
    .bind(cell.deal_row_id.to_string())
    .fetch_all(&mut *connection)
    .await?;
    let Some(last) = rows.last() else { return Ok(()) };
    let ranks = rank::spread(&last.text("position")?, rows.len())
        .ok_or_else(|| StoreError::invalid("position", "the cell has no ranks left"))?;
    for (row, rank) in rows.iter().zip(ranks) {
        if row.parsed::<Uuid>("deal_id")? == other_than {
            continue;
        }
        sqlx::query("UPDATE deals SET position = $2 WHERE deal_id = $1")
            .bind(row.text("deal_id")?)
            .bind(rank)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
