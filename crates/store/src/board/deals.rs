//! Deals: the cards of the sales board of an account.
//!
//! Every change of a board, its columns and rows included, first locks the board of its account, so changes
//! of one board follow each other, and two moves neither give a deal two places nor two deals one. A deal has
//! its place by a rank (`rank`) in its cell, so a move writes one row.
//!
//! - This file has the record, and what creates and changes deals.
//! - `cell` finds places in a cell, and has the lock; `transfer` writes a deal that gets into another place
//!   or outcome.
//! - `moves` has what callers do with the place and the outcome of a deal; `deletion` deletes, restores and
//!   purges.
//! - `lists` and `board` read; `history` has the changes of a deal; `money` and `rank` are values.
//! - `contacts` keeps the links to contacts right when these are merged or erased; `reports` is what the
//!   journal of events says of deals.

use std::collections::BTreeSet;

use jiff::{Timestamp, civil::Date};
use sqlx::AnyConnection;
use uuid::Uuid;

pub use self::board::{Board, BoardCell, BoardColumn, CellTotals};
pub use self::cell::DealPlace;
pub use self::deletion::DEALS_RESTORABLE;
pub use self::history::{DealChange, DealChangeType};
pub use self::lists::{DealFilter, DealOrder, DealSortKey};
pub use self::money::{Money, MoneyError};
pub use self::moves::DealMove;
use crate::board::deal_status::DealStatusKind;
use crate::board::lock::lock_board;
use crate::contacts::current::current;
use crate::events::states::DealOutcome;
use crate::inbox::threads::deal_links;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::record::{Column, unreadable};
use crate::sql::row::{micros, new_id};
use crate::sql::scope::{Scope, find_by_id, row_by_id};

record! {
    /// A possible sale.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Deal, columns deal_columns of "d." {
        /// Identifier.
        pub deal_id: Uuid,
        /// The account whose deal it is.
        pub account_id: Uuid,
        /// What it is about.
        pub title: String,
        /// The column of the board.
        pub deal_status_id: Uuid,
        /// The name of the column.
        pub status_name: String = "(SELECT s.name FROM deal_statuses AS s WHERE s.deal_status_id = d.deal_status_id)",
        /// After how many idle days the column counts an open deal as rotten.
        pub rot_after_days: Option<u32> =
            "(SELECT s.rot_after_days FROM deal_statuses AS s WHERE s.deal_status_id = d.deal_status_id)",
        /// The row of the board.
        pub deal_row_id: Uuid,
        /// The rank in the cell.
        pub position: String,
        /// The contacts that it is about.
        pub contact_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(link.contact_id, ' ' ORDER BY link.contact_id) \
             FROM deal_contacts AS link WHERE link.deal_id = d.deal_id), '')",
        /// The threads of the inbox that it is about.
        pub thread_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(link.thread_id, ' ' ORDER BY link.thread_id) \
             FROM deal_threads AS link WHERE link.deal_id = d.deal_id), '')",
        /// What it is worth.
        pub value: Option<Money> = ["d.value_units, d.currency"],
        /// What became of it.
        pub outcome: DealOutcome,
        /// Why it was lost.
        pub lost_reason: Option<String>,
        /// How likely it is to be won, in percent, if that differs from its column.
        pub probability: Option<u32>,
        /// The day on which it is expected to close.
        pub expected_close_date: Option<Date>,
        /// The user who works on it.
        pub owner_id: Option<Uuid>,
        /// How it came about.
        pub source: String,
        /// When it came into its column.
        pub status_changed_at: Timestamp,
        /// When it was last changed otherwise than by a move within its column.
        pub active_at: Timestamp,
        /// When it was won or lost.
        pub closed_at: Option<Timestamp>,
        /// When it was deleted.
        pub deleted_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

// After the record, whose columns they select.
mod board;
mod cell;
mod contacts;
mod deletion;
mod history;
mod lists;
mod money;
mod moves;
mod rank;
mod reports;
mod transfer;

pub(crate) use contacts::move_to_contact;
pub(crate) use transfer::{move_all_to_row, move_all_to_status};

impl Column for Option<Money> {
    fn read(row: &sqlx::any::AnyRow, name: &str) -> sqlx::Result<Self> {
        let units = <Option<i64> as Column>::read(row, "value_units")?;
        let currency = <Option<String> as Column>::read(row, "currency")?;
        let (Some(units), Some(currency)) = (units, currency) else { return Ok(None) };
        Money::of_units(units.into(), &currency).map(Some).map_err(|error| unreadable(name, error))
    }
}

impl Column for Option<Date> {
    fn read(row: &sqlx::any::AnyRow, name: &str) -> sqlx::Result<Self> {
        let Some(text) = <Option<String> as Column>::read(row, name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error: jiff::Error| unreadable(name, error))
    }
}

impl Deal {
    /// Whether it is open and has been idle for as long as its column allows.
    pub fn is_rotten(&self, now: Timestamp) -> bool {
        let idle = now.duration_since(self.active_at);
        let limit = self.rot_after_days.map(|days| 24 * i64::from(days));
        self.outcome == DealOutcome::Open && limit.is_some_and(|hours| idle.as_hours() >= hours)
    }

    /// Returns the later of now and the next moment after the last change.
    fn next_change(&self, now: Timestamp) -> i64 {
        micros(now).max(micros(self.updated_at) + 1)
    }
}

/// A deal to be created.
#[derive(Debug, Clone, Default)]
pub struct NewDeal {
    /// What it is about.
    pub title: String,
    /// The column; the first open one if `None`.
    pub deal_status_id: Option<Uuid>,
    /// The row; the default row if `None`.
    pub deal_row_id: Option<Uuid>,
    /// The contacts that it is about; others than those of its account are ignored.
    pub contact_ids: Vec<Uuid>,
    /// The threads that it is about; others than those of its account are ignored.
    pub thread_ids: Vec<Uuid>,
    /// What it is worth.
    pub value: Option<Money>,
    /// How likely it is to be won, in percent.
    pub probability: Option<u32>,
    /// The day on which it is expected to close.
    pub expected_close_date: Option<Date>,
    /// The user who works on it; nobody if it is not one of the account.
    pub owner_id: Option<Uuid>,
}

/// A change of a deal. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct DealUpdate {
    /// What it is about.
    pub title: Option<String>,
    /// The contacts that it is about; others than those of its account are ignored.
    pub contact_ids: Option<Vec<Uuid>>,
    /// The threads that it is about; others than those of its account are ignored.
    pub thread_ids: Option<Vec<Uuid>>,
    /// What it is worth.
    pub value: Option<Option<Money>>,
    /// How likely it is to be won, in percent.
    pub probability: Option<Option<u32>>,
    /// The day on which it is expected to close.
    pub expected_close_date: Option<Option<Date>>,
    /// The user who works on it; one of another account changes nothing.
    pub owner_id: Option<Option<Uuid>>,
}

/// Why a deal cannot get into a place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DealError {
    /// The account has no such column.
    #[error("the account has no such column")]
    NoStatus,
    /// The account has no such row.
    #[error("the account has no such row")]
    NoRow,
    /// The account has no such neighbor.
    #[error("the account has no such deal to place this one next to")]
    NoNeighbor,
    /// The neighbor is the deal itself.
    #[error("a deal cannot be placed beside itself")]
    OwnNeighbor,
    /// The neighbor is not in the given cell any more.
    #[error("the neighbor is in another cell")]
    NeighborElsewhere,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for DealError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Deals of accounts.
    pub Deals, deals
}

impl Deals<'_> {
    /// Creates a deal at the end of its cell, in the account of the scope. `author` is the user who does it.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewDeal,
        author: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Deal, DealError> {
        let account_id = scope.account_id;
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let board = lock_board(&mut transaction, dialect, account_id).await?.ok_or(DealError::NoRow)?;
        let status = match new.deal_status_id {
            Some(id) => cell::status(&mut transaction, account_id, id).await?,
            None => cell::first_of_kind(&mut transaction, account_id, DealStatusKind::Open).await?,
        };
        let status = status.ok_or(DealError::NoStatus)?;
        let deal_row_id = new.deal_row_id.unwrap_or(board.default_row_id);
        if !cell::has_row(&mut transaction, account_id, deal_row_id).await? {
            return Err(DealError::NoRow);
        }
        let deal_id = new_id();
        let cell = cell::Cell { account_id, deal_status_id: status.deal_status_id, deal_row_id };
        let position = cell::place(&mut transaction, &cell, deal_id, DealPlace::End).await?;
        let outcome = status.kind.outcome();
        let title = replace_nul(&new.title);
        sqlx::query(
            "INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, \
             value_units, currency, probability, expected_close_date, owner_id, source, status_changed_at, active_at, \
             closed_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \
             (SELECT u.user_id FROM users AS u WHERE u.user_id = $13 AND u.account_id = $2), 'api', $14, $14, $15, $14, $14)",
        )
        .bind(deal_id.to_string())
        .bind(account_id.to_string())
        .bind(&title)
        .bind(title.to_lowercase())
        .bind(cell.deal_status_id.to_string())
        .bind(deal_row_id.to_string())
        .bind(position)
        .bind(outcome.as_str())
        .bind(new.value.as_ref().map(Money::stored))
        .bind(new.value.as_ref().map(Money::currency))
        .bind(new.probability.map(i64::from))
        .bind(new.expected_close_date.map(|date| date.to_string()))
        .bind(new.owner_id.map(|id| id.to_string()))
        .bind(micros(now))
        .bind((outcome != DealOutcome::Open).then_some(micros(now)))
        .execute(&mut *transaction)
        .await?;
        link(&mut transaction, self.store.dialect(), account_id, deal_id, &new.contact_ids).await?;
        deal_links::link(&mut transaction, account_id, deal_id, &new.thread_ids).await?;
        let deal = stored(&mut transaction, deal_id).await?;
        history::insert(&mut transaction, DealChangeType::Created, None, &deal, author, now).await?;
        reports::deal_created(&mut transaction, &deal, now).await?;
        transaction.commit().await?;
        Ok(deal)
    }

    /// Returns a deal that is not deleted.
    pub async fn find(self, scope: &Scope, deal_id: Uuid) -> Result<Option<Deal>, StoreError> {
        let deal = self.find_any(scope, deal_id).await?;
        Ok(deal.filter(|deal| deal.deleted_at.is_none()))
    }

    /// Returns a deal, also one that is deleted and can be restored.
    pub async fn find_any(self, scope: &Scope, deal_id: Uuid) -> Result<Option<Deal>, StoreError> {
        find_by_id(self.store, row_by_id!(deal_columns of "deals" as "d", "deal_id"), scope, deal_id).await
    }

    /// Changes a deal. Returns `None` if there is none.
    pub async fn update(
        self,
        scope: &Scope,
        deal_id: Uuid,
        update: &DealUpdate,
        now: Timestamp,
    ) -> Result<Option<Deal>, StoreError> {
        let Some(known) = self.find(scope, deal_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let Some(before) = cell::live(&mut transaction, known.account_id, deal_id).await? else {
            return Ok(None);
        };
        let DealUpdate { title, contact_ids, thread_ids, value, probability, expected_close_date, owner_id } =
            update.clone();
        let title = title.map_or(before.title.clone(), |title| replace_nul(&title));
        let value = value.unwrap_or(before.value.clone());
        sqlx::query(
            "UPDATE deals SET title = $2, search_text = $3, value_units = $4, currency = $5, probability = $6, \
             expected_close_date = $7, owner_id = (SELECT u.user_id FROM users AS u WHERE u.user_id = $8 \
             AND u.account_id = deals.account_id), active_at = $9, updated_at = $10 WHERE deal_id = $1",
        )
        .bind(deal_id.to_string())
        .bind(&title)
        .bind(title.to_lowercase())
        .bind(value.as_ref().map(Money::stored))
        .bind(value.as_ref().map(Money::currency))
        .bind(probability.unwrap_or(before.probability).map(i64::from))
        .bind(expected_close_date.unwrap_or(before.expected_close_date).map(|date| date.to_string()))
        .bind(owner_id.unwrap_or(before.owner_id).map(|id| id.to_string()))
        .bind(micros(now))
        .bind(before.next_change(now))
        .execute(&mut *transaction)
        .await?;
        if let Some(contact_ids) = &contact_ids {
            sqlx::query("DELETE FROM deal_contacts WHERE deal_id = $1")
                .bind(deal_id.to_string())
                .execute(&mut *transaction)
                .await?;
            link(&mut transaction, self.store.dialect(), before.account_id, deal_id, contact_ids).await?;
        }
        if let Some(thread_ids) = &thread_ids {
            deal_links::replace_of_deal(&mut transaction, before.account_id, deal_id, thread_ids).await?;
        }
        let deal = stored(&mut transaction, deal_id).await?;
        transaction.commit().await?;
        Ok(Some(deal))
    }
}

/// Links contacts of the account to a deal; in place of one that was merged, the other.
async fn link(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
    deal_id: Uuid,
    contact_ids: &[Uuid],
) -> Result<(), StoreError> {
    // In this order, because each new row takes a lock on its contact.
    for contact_id in contact_ids.iter().collect::<BTreeSet<_>>() {
        let Some(contact_id) = current(connection, dialect, account_id, *contact_id).await? else { continue };
        sqlx::query(
            "INSERT INTO deal_contacts (deal_id, contact_id, account_id) VALUES ($1, $2, $3) \
             ON CONFLICT (deal_id, contact_id) DO NOTHING",
        )
        .bind(deal_id.to_string())
        .bind(contact_id.to_string())
        .bind(account_id.to_string())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Returns a deal as the transaction has written it.
async fn stored(connection: &mut AnyConnection, deal_id: Uuid) -> Result<Deal, StoreError> {
    let deal = sqlx::query_as(concat!("SELECT ", deal_columns!(), " FROM deals AS d WHERE d.deal_id = $1"));
    Ok(deal.bind(deal_id.to_string()).fetch_one(connection).await?)
}
