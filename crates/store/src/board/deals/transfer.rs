//! Writing deals that get into another cell or outcome, with their history and events.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::cell::{Cell, last};
use super::{Deal, DealChangeType, history, rank, reports, stored};
use crate::board::deal_status::DealStatus;
use crate::events::states::DealOutcome;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros};

/// Where a deal goes, and what becomes of it.
pub(super) struct Destination {
    pub(super) cell: Cell,
    pub(super) position: String,
    pub(super) outcome: DealOutcome,
    /// Why it is lost; `None` for other outcomes.
    pub(super) lost_reason: Option<String>,
}

impl Destination {
    /// The place and the outcome that a deal has.
    pub(super) fn of(deal: &Deal) -> Self {
        Self {
            cell: Cell::of(deal),
            position: deal.position.clone(),
            outcome: deal.outcome,
            lost_reason: deal.lost_reason.clone(),
        }
    }
}

/// Writes a deal, notes the change in its history and reports it. To be called last, because it inserts
/// events.
pub(super) async fn transfer(
    transaction: &mut WriteTransaction,
    before: &Deal,
    to: Destination,
    author: Option<Uuid>,
    now: Timestamp,
) -> Result<Deal, StoreError> {
    let has_moved = to.cell.deal_status_id != before.deal_status_id;
    let has_new_outcome = to.outcome != before.outcome;
    let is_progress = has_moved || has_new_outcome || to.lost_reason != before.lost_reason;
    let closed_at = match to.outcome {
        DealOutcome::Open => None,
        _ if has_new_outcome => Some(now),
        _ => before.closed_at,
    };
    sqlx::query(
        "UPDATE deals SET deal_status_id = $2, deal_row_id = $3, position = $4, outcome = $5, lost_reason = $6, \
         closed_at = $7, status_changed_at = $8, active_at = $9, updated_at = $10 WHERE deal_id = $1",
    )
    .bind(before.deal_id.to_string())
    .bind(to.cell.deal_status_id.to_string())
    .bind(to.cell.deal_row_id.to_string())
    .bind(to.position)
    .bind(to.outcome.as_str())
    .bind(to.lost_reason.filter(|_| to.outcome == DealOutcome::Lost))
    .bind(closed_at.map(micros))
    .bind(micros(if has_moved { now } else { before.status_changed_at }))
    .bind(micros(if is_progress { now } else { before.active_at }))
    .bind(before.next_change(now))
    .execute(&mut **transaction)
    .await?;
    let after = stored(transaction, before.deal_id).await?;
    if has_moved || has_new_outcome {
        let change = match after.outcome {
            _ if !has_new_outcome => DealChangeType::Moved,
            DealOutcome::Open => DealChangeType::Reopened,
            DealOutcome::Won => DealChangeType::Won,
            DealOutcome::Lost => DealChangeType::Lost,
        };
        history::insert(transaction, change, Some(before), &after, author, now).await?;
        reports::deal_changed(transaction, before, &after, now).await?;
    }
    Ok(after)
}

/// Moves all deals of a column to the end of the cells of another one, in their order, with an entry in the
/// history of each. They keep their outcome. Deleted ones move too, so that they can be restored.
pub(crate) async fn move_all_to_status(
    connection: &mut AnyConnection,
    from: &DealStatus,
    to: &DealStatus,
    author: Option<Uuid>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT deal_id, deal_row_id FROM deals WHERE account_id = $1 AND deal_status_id = $2 AND deleted_at IS NULL \
         ORDER BY deal_row_id, position",
    )
    .bind(from.account_id.to_string())
    .bind(from.deal_status_id.to_string())
    .fetch_all(&mut *connection)
    .await?;
    let mut deals = Vec::with_capacity(rows.len());
    for row in &rows {
        let cell = Cell {
            account_id: from.account_id,
            deal_status_id: to.deal_status_id,
            deal_row_id: row.parsed("deal_row_id")?,
        };
        deals.push((row.parsed("deal_id")?, cell));
    }
    append(connection, &deals, now).await?;
    for (deal_id, _) in deals {
        let after = stored(connection, deal_id).await?;
        let before =
            Deal { deal_status_id: from.deal_status_id, status_name: from.name.clone(), ..after.clone() };
        history::insert(connection, DealChangeType::Moved, Some(&before), &after, author, now).await?;
    }
    sqlx::query("UPDATE deals SET deal_status_id = $3 WHERE account_id = $1 AND deal_status_id = $2")
        .bind(from.account_id.to_string())
        .bind(from.deal_status_id.to_string())
        .bind(to.deal_status_id.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Moves all deals of a row to the end of the cells of another one, in their order. Deleted ones move too, so
/// that they can be restored.
pub(crate) async fn move_all_to_row(
    connection: &mut AnyConnection,
    account_id: Uuid,
    from: Uuid,
    to: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT deal_id, deal_status_id FROM deals WHERE account_id = $1 AND deal_row_id = $2 AND deleted_at IS NULL \
         ORDER BY deal_status_id, position",
    )
    .bind(account_id.to_string())
    .bind(from.to_string())
    .fetch_all(&mut *connection)
    .await?;
    let mut deals = Vec::with_capacity(rows.len());
    for row in &rows {
        let cell = Cell { account_id, deal_status_id: row.parsed("deal_status_id")?, deal_row_id: to };
        deals.push((row.parsed("deal_id")?, cell));
    }
    append(connection, &deals, now).await?;
    sqlx::query("UPDATE deals SET deal_row_id = $3 WHERE account_id = $1 AND deal_row_id = $2")
        .bind(account_id.to_string())
        .bind(from.to_string())
        .bind(to.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Puts deals at the end of cells. Those for the same cell follow each other.
async fn append(
    connection: &mut AnyConnection,
    deals: &[(Uuid, Cell)],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut end: Option<(Cell, String)> = None;
    for (deal_id, cell) in deals {
        let after = match end.take() {
            Some((same, rank)) if same == *cell => Some(rank),
            _ => last(connection, cell, *deal_id).await?,
        };
        let position = rank::between(after.as_deref(), None);
        sqlx::query(
            "UPDATE deals SET deal_status_id = $2, deal_row_id = $3, position = $4, \
             status_changed_at = CASE WHEN deal_status_id <> $2 THEN $5 ELSE status_changed_at END, \
             active_at = CASE WHEN deal_status_id <> $2 THEN $5 ELSE active_at END, \
             updated_at = CASE WHEN $5 > updated_at THEN $5 ELSE updated_at + 1 END WHERE deal_id = $1",
        )
        .bind(deal_id.to_string())
        .bind(cell.deal_status_id.to_string())
        .bind(cell.deal_row_id.to_string())
        .bind(position.clone())
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
        end = Some((*cell, position));
    }
    Ok(())
}
