//! Moves of deals on the board, and their outcomes.

use jiff::Timestamp;
use uuid::Uuid;

use super::cell::{self, Cell, DealPlace};
use super::transfer::{Destination, transfer};
use super::{Deal, DealError, Deals};
use crate::board::deal_status::{DealStatus, DealStatusKind};
use crate::board::lock::lock_board;
use crate::events::states::DealOutcome;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::scope::Scope;

/// Where a deal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DealMove {
    /// The column; `None` is that of the neighbor, or the present one.
    pub deal_status_id: Option<Uuid>,
    /// The row; `None` is that of the neighbor, or the present one.
    pub deal_row_id: Option<Uuid>,
    /// The place in the cell.
    pub place: DealPlace,
}

impl Deals<'_> {
    /// Moves a deal. A column that is won or lost gives it that outcome, and a move from there into an open
    /// one opens it again. Returns `None` if there is no such deal.
    pub async fn move_to(
        self,
        scope: &Scope,
        deal_id: Uuid,
        to: &DealMove,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        let Some((mut transaction, before)) = self.locked(scope, deal_id).await? else { return Ok(None) };
        let account_id = before.account_id;
        let neighbor = match to.place.neighbor() {
            Some(id) if id == deal_id => return Err(DealError::OwnNeighbor),
            Some(id) => {
                let found = cell::live(&mut transaction, account_id, id).await?;
                Some(found.ok_or(DealError::NoNeighbor)?)
            }
            None => None,
        };
        let beside = neighbor.as_ref().unwrap_or(&before);
        let status_id = to.deal_status_id.unwrap_or(beside.deal_status_id);
        let status = cell::status(&mut transaction, account_id, status_id).await?;
        let status = status.ok_or(DealError::NoStatus)?;
        let deal_row_id = to.deal_row_id.unwrap_or(beside.deal_row_id);
        if !cell::has_row(&mut transaction, account_id, deal_row_id).await? {
            return Err(DealError::NoRow);
        }
        let cell = Cell { account_id, deal_status_id: status_id, deal_row_id };
        let position = cell::place(&mut transaction, &cell, deal_id, to.place).await?;
        let mut outcome = before.outcome;
        if status_id != before.deal_status_id {
            outcome = match status.kind {
                DealStatusKind::Open if kind(&mut transaction, &before).await? == DealStatusKind::Open => {
                    outcome
                }
                kind => kind.outcome(),
            };
        }
        let to = Destination { cell, position, outcome, lost_reason: before.lost_reason.clone() };
        let after = transfer(&mut transaction, &before, to, author, now).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Wins a deal: it moves to the first column for won deals, if there is one. Returns `None` if there is
    /// no such deal.
    pub async fn win(
        self,
        scope: &Scope,
        deal_id: Uuid,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        self.set_outcome(scope, deal_id, DealOutcome::Won, None, author, now).await
    }

    /// Loses a deal: it moves to the first column for lost deals, if there is one. Returns `None` if there is
    /// no such deal.
    pub async fn lose(
        self,
        scope: &Scope,
        deal_id: Uuid,
        reason: Option<&str>,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        self.set_outcome(scope, deal_id, DealOutcome::Lost, reason, author, now).await
    }

    /// Opens a deal again: from a column for won or lost deals it returns to the open one that it was in
    /// before. Returns `None` if there is no such deal.
    pub async fn reopen(
        self,
        scope: &Scope,
        deal_id: Uuid,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        self.set_outcome(scope, deal_id, DealOutcome::Open, None, author, now).await
    }

    async fn set_outcome(
        self,
        scope: &Scope,
        deal_id: Uuid,
        outcome: DealOutcome,
        reason: Option<&str>,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Deal>, DealError> {
        let Some((mut transaction, before)) = self.locked(scope, deal_id).await? else { return Ok(None) };
        let mut to = Destination::of(&before);
        to.outcome = outcome;
        to.lost_reason = match outcome {
            DealOutcome::Lost => reason.map(replace_nul).or(to.lost_reason),
            _ => None,
        };
        if outcome != before.outcome
            && let Some(status) = column_for(&mut transaction, &before, outcome).await?
        {
            to.cell.deal_status_id = status.deal_status_id;
            to.position = cell::place(&mut transaction, &to.cell, deal_id, DealPlace::End).await?;
        }
        let after = transfer(&mut transaction, &before, to, author, now).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Begins a transaction that has locked the board of a deal, and reads the deal.
    async fn locked(
        self,
        scope: &Scope,
        deal_id: Uuid,
    ) -> Result<Option<(WriteTransaction, Deal)>, StoreError> {
        let Some(known) = self.find(scope, deal_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let deal = cell::live(&mut transaction, known.account_id, deal_id).await?;
        Ok(deal.map(|deal| (transaction, deal)))
    }
}

/// Returns the kind of the column that a deal is in.
async fn kind(transaction: &mut WriteTransaction, deal: &Deal) -> Result<DealStatusKind, StoreError> {
    let status = cell::status(transaction, deal.account_id, deal.deal_status_id).await?;
    Ok(status.map_or(DealStatusKind::Open, |status| status.kind))
}

/// Returns the column that a deal moves to with an outcome, or `None` if it stays in its own.
async fn column_for(
    transaction: &mut WriteTransaction,
    deal: &Deal,
    outcome: DealOutcome,
) -> Result<Option<DealStatus>, StoreError> {
    let present = kind(transaction, deal).await?;
    if present.outcome() == outcome {
        return Ok(None);
    }
    if outcome != DealOutcome::Open {
        let wanted = if outcome == DealOutcome::Won { DealStatusKind::Won } else { DealStatusKind::Lost };
        let column = cell::first_of_kind(transaction, deal.account_id, wanted).await?;
        // A won deal must not stay in a column for lost ones.
        if column.is_some() || present == DealStatusKind::Open {
            return Ok(column);
        }
    }
    let previous = sqlx::query_as(concat!(
        "SELECT ",
        crate::board::deal_status::deal_status_columns!(),
        " FROM deal_changes AS c JOIN deal_statuses AS s ON s.deal_status_id = c.from_deal_status_id \
         AND s.account_id = c.account_id WHERE c.deal_id = $1 AND s.kind = 'open' \
         ORDER BY c.created_at DESC, c.deal_change_id DESC LIMIT 1"
    ))
    .bind(deal.deal_id.to_string())
    .fetch_optional(&mut **transaction)
    .await?;
    match previous {
        Some(status) => Ok(Some(status)),
        None => cell::first_of_kind(transaction, deal.account_id, DealStatusKind::Open).await,
    }
}
