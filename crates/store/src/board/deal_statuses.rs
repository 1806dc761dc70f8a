//! Deal statuses: the columns of the sales board of an account.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::board::axis::{self, BoardError, BoardOrder};
use crate::board::deal_status::{DealStatus, DealStatusKind, deal_status_columns};
use crate::board::deals;
use crate::board::lock::lock_board;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest};
use crate::sql::row::{micros, new_id, stored};
use crate::sql::scope::{Scope, find_by_id, row_by_id};

/// The largest number of columns of an account.
pub const MAX_DEAL_STATUSES: u64 = 50;

/// A column to be created.
#[derive(Debug, Clone)]
pub struct NewDealStatus {
    /// Name.
    pub name: String,
    /// Color, as `#rrggbb`.
    pub color: Option<String>,
    /// What it means for a deal to be in it.
    pub kind: DealStatusKind,
    /// How likely deals in it are won, in percent.
    pub probability: Option<u32>,
    /// After how many idle days an open deal in it is rotten.
    pub rot_after_days: Option<u32>,
}

/// A change of a column. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct DealStatusUpdate {
    /// Name.
    pub name: Option<String>,
    /// Color, as `#rrggbb`.
    pub color: Option<Option<String>>,
    /// What it means for a deal to be in it.
    pub kind: Option<DealStatusKind>,
    /// How likely deals in it are won, in percent.
    pub probability: Option<Option<u32>>,
    /// After how many idle days an open deal in it is rotten.
    pub rot_after_days: Option<Option<u32>>,
}

/// The columns of a new account.
const FIRST: [(&str, DealStatusKind, i64); 6] = [
    ("New", DealStatusKind::Open, 10),
    ("Contacted", DealStatusKind::Open, 25),
    ("Proposal", DealStatusKind::Open, 50),
    ("Negotiation", DealStatusKind::Open, 75),
    ("Won", DealStatusKind::Won, 100),
    ("Lost", DealStatusKind::Lost, 0),
];

/// Gives a new account its columns.
pub(crate) async fn insert_first(
    connection: &mut AnyConnection,
    account_id: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    for (position, (name, kind, probability)) in (1_i64..).zip(FIRST) {
        sqlx::query(
            "INSERT INTO deal_statuses (deal_status_id, account_id, name, name_key, kind, probability, position, \
             created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        )
        .bind(new_id().to_string())
        .bind(account_id.to_owned())
        .bind(name)
        .bind(name.to_lowercase())
        .bind(kind.as_str())
        .bind(probability)
        .bind(position)
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

group! {
    /// Deal statuses: the columns of boards.
    pub DealStatuses, deal_statuses
}

impl DealStatuses<'_> {
    /// One page of the columns of the scope, in their order.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<DealStatus>, StoreError> {
        axis::page(self.store, scope, page).await
    }

    /// Returns a column.
    pub async fn find(self, scope: &Scope, deal_status_id: Uuid) -> Result<Option<DealStatus>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(deal_status_columns of "deal_statuses" as "s", "deal_status_id"),
            scope,
            deal_status_id,
        )
        .await
    }

    /// Adds a column at the end of the board of the scope's own account.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewDealStatus,
        now: Timestamp,
    ) -> Result<DealStatus, BoardError> {
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), scope.account_id).await?;
        let all = axis::all::<DealStatus>(&mut transaction, scope.account_id).await?;
        let name = replace_nul(&new.name);
        axis::check_name(&all, &name, None)?;
        if stored(all.len()) >= stored(MAX_DEAL_STATUSES) {
            return Err(BoardError::LimitReached(MAX_DEAL_STATUSES));
        }
        let deal_status_id = new_id();
        sqlx::query(
            "INSERT INTO deal_statuses (deal_status_id, account_id, name, name_key, color, kind, probability, \
             rot_after_days, position, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
        )
        .bind(deal_status_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(new.color.clone())
        .bind(new.kind.as_str())
        .bind(new.probability.map(i64::from))
        .bind(new.rot_after_days.map(i64::from))
        .bind(axis::last_place(&all))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let status = axis::one(&mut transaction, deal_status_id).await?;
        transaction.commit().await?;
        Ok(status)
    }

    /// Changes a column. Returns `None` if there is none.
    pub async fn update(
        self,
        scope: &Scope,
        deal_status_id: Uuid,
        update: &DealStatusUpdate,
        now: Timestamp,
    ) -> Result<Option<DealStatus>, BoardError> {
        let Some(known) = self.find(scope, deal_status_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let all = axis::all::<DealStatus>(&mut transaction, known.account_id).await?;
        let Some(before) = all.iter().find(|status| status.deal_status_id == deal_status_id) else {
            return Ok(None);
        };
        let name = update.name.as_deref().map_or(before.name.clone(), replace_nul);
        axis::check_name(&all, &name, Some(deal_status_id))?;
        let kind = update.kind.unwrap_or(before.kind);
        if kind != before.kind {
            if before.deal_count > 0 {
                return Err(BoardError::InUse);
            }
            check_needed(&all, before)?;
        }
        sqlx::query(
            "UPDATE deal_statuses SET name = $2, name_key = $3, color = $4, kind = $5, probability = $6, \
             rot_after_days = $7, updated_at = CASE WHEN $8 > updated_at THEN $8 ELSE updated_at + 1 END \
             WHERE deal_status_id = $1",
        )
        .bind(deal_status_id.to_string())
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(update.color.clone().unwrap_or(before.color.clone()))
        .bind(kind.as_str())
        .bind(update.probability.unwrap_or(before.probability).map(i64::from))
        .bind(update.rot_after_days.unwrap_or(before.rot_after_days).map(i64::from))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let status = axis::one(&mut transaction, deal_status_id).await?;
        transaction.commit().await?;
        Ok(Some(status))
    }

    /// Deletes a column, whose deals go to `move_to`: another column of the account, of the same kind or
    /// open. Returns `false` if there is no such column. `author` is the user who does it.
    pub async fn delete(
        self,
        scope: &Scope,
        deal_status_id: Uuid,
        move_to: Option<Uuid>,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<bool, BoardError> {
        let Some(known) = self.find(scope, deal_status_id).await? else { return Ok(false) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let all = axis::all::<DealStatus>(&mut transaction, known.account_id).await?;
        let Some(status) = all.iter().find(|status| status.deal_status_id == deal_status_id) else {
            return Ok(false);
        };
        let mut others = all.iter().filter(|other| other.deal_status_id != deal_status_id);
        let fits = |other: &&DealStatus| other.kind == status.kind || other.kind == DealStatusKind::Open;
        let target = match move_to {
            Some(id) => {
                let named = others.find(|other| other.deal_status_id == id);
                Some(named.filter(fits).ok_or(BoardError::NoTarget)?)
            }
            None if status.deal_count > 0 => return Err(BoardError::InUse),
            None => others.find(|other| other.kind == DealStatusKind::Open),
        };
        check_needed(&all, status)?;
        let target = target.ok_or(BoardError::Needed)?;
        deals::move_all_to_status(&mut transaction, status, target, author, now).await?;
        axis::delete::<DealStatus>(&mut transaction, deal_status_id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Puts columns of the scope's own account first, in this order; the others follow as they are. Returns
    /// the whole order.
    pub async fn order(self, scope: &Scope, deal_status_ids: &[Uuid]) -> Result<BoardOrder, StoreError> {
        axis::order::<DealStatus>(self.store, scope, deal_status_ids).await
    }
}

/// Refuses to take the last open column from a board.
fn check_needed(all: &[DealStatus], status: &DealStatus) -> Result<(), BoardError> {
    let mut others = all.iter().filter(|other| other.deal_status_id != status.deal_status_id);
    if status.kind == DealStatusKind::Open && !others.any(|other| other.kind == DealStatusKind::Open) {
        return Err(BoardError::Needed);
    }
    Ok(())
}
