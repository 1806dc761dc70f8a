//! Deal statuses: the columns of the sales board of an account.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::board::deal_status::{DealStatus, DealStatusKind, deal_status_columns};
use crate::board::deals::{self, lock_board};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id, stored};
use crate::sql::scope::{Scope, in_scope, scoped_as};

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

/// Why a column or a row of a board cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// Another one has the name.
    #[error("{0} has this name already")]
    AlreadyExists(Uuid),
    /// There are as many as there may be.
    #[error("there are {0} already, which is the largest number")]
    LimitReached(u64),
    /// It has deals.
    #[error("it has deals")]
    InUse,
    /// The board would lose its last open column, or its default row.
    #[error("the board needs it")]
    Needed,
    /// The account has no such column or row for the deals, or one that does not fit.
    #[error("the deals cannot go there")]
    NoTarget,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for BoardError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// What became of a new order: the whole order, or the places of its list with unknown or repeated entries.
pub type BoardOrder = Result<Vec<Uuid>, Vec<usize>>;

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
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                deal_status_columns!(),
                " FROM deal_statuses AS s WHERE ",
                in_scope!("s."),
                " AND (s.position, s.deal_status_id) > ($3, $4) ORDER BY s.position, s.deal_status_id LIMIT $5"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &DealStatus| {
            Position::number(stored(last.position), last.deal_status_id)
        }))
    }

    /// Returns a column.
    pub async fn find(self, scope: &Scope, deal_status_id: Uuid) -> Result<Option<DealStatus>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                deal_status_columns!(),
                " FROM deal_statuses AS s WHERE ",
                in_scope!("s."),
                " AND s.deal_status_id = $3"
            ),
            scope,
        )
        .bind(deal_status_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
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
        let all = all(&mut transaction, scope.account_id).await?;
        let name = replace_nul(&new.name);
        check_name(&all, &name, None)?;
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
        .bind(stored(all.last().map_or(1, |last| last.position + 1)))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let status = one(&mut transaction, deal_status_id).await?;
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
        let all = all(&mut transaction, known.account_id).await?;
        let Some(before) = all.iter().find(|status| status.deal_status_id == deal_status_id) else {
            return Ok(None);
        };
        let name = update.name.as_deref().map_or(before.name.clone(), replace_nul);
        check_name(&all, &name, Some(deal_status_id))?;
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
        let status = one(&mut transaction, deal_status_id).await?;
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
        let all = all(&mut transaction, known.account_id).await?;
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
        sqlx::query("DELETE FROM deal_statuses WHERE deal_status_id = $1")
            .bind(deal_status_id.to_string())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Puts columns of the scope's own account first, in this order; the others follow as they are. Returns
    /// the whole order.
    pub async fn order(self, scope: &Scope, deal_status_ids: &[Uuid]) -> Result<BoardOrder, StoreError> {
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), scope.account_id).await?;
        let present = all(&mut transaction, scope.account_id).await?;
        let order = merged(deal_status_ids, present.iter().map(|status| status.deal_status_id));
        if let Ok(order) = &order {
            write_order(&mut transaction, order.iter().copied()).await?;
            transaction.commit().await?;
        }
        Ok(order)
    }
}

/// Returns an order that begins with the named ones and ends with the others, or the places of names that are
/// unknown or repeated.
pub(crate) fn merged(named: &[Uuid], present: impl Iterator<Item = Uuid>) -> BoardOrder {
    let mut others: Vec<Uuid> = present.collect();
    let mut order = Vec::with_capacity(others.len());
    let mut wrong = Vec::new();
    for (index, id) in named.iter().enumerate() {
        match others.iter().position(|other| other == id) {
            Some(at) => order.push(others.remove(at)),
            None => wrong.push(index),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    order.extend(others);
    Ok(order)
}

fn check_name(all: &[DealStatus], name: &str, own: Option<Uuid>) -> Result<(), BoardError> {
    let key = name.to_lowercase();
    let mut others = all.iter().filter(|status| Some(status.deal_status_id) != own);
    match others.find(|status| status.name.to_lowercase() == key) {
        Some(other) => Err(BoardError::AlreadyExists(other.deal_status_id)),
        None => Ok(()),
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

async fn all(connection: &mut AnyConnection, account_id: Uuid) -> Result<Vec<DealStatus>, StoreError> {
    let all = sqlx::query_as(concat!(
        "SELECT ",
        deal_status_columns!(),
        " FROM deal_statuses AS s WHERE s.account_id = $1 ORDER BY s.position, s.deal_status_id"
    ));
    Ok(all.bind(account_id.to_string()).fetch_all(connection).await?)
}

async fn one(connection: &mut AnyConnection, deal_status_id: Uuid) -> Result<DealStatus, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        deal_status_columns!(),
        " FROM deal_statuses AS s WHERE s.deal_status_id = $1"
    ));
    Ok(one.bind(deal_status_id.to_string()).fetch_one(connection).await?)
}

async fn write_order(
    connection: &mut AnyConnection,
    order: impl Iterator<Item = Uuid> + Send,
) -> Result<(), StoreError> {
    for (position, deal_status_id) in (1_i64..).zip(order) {
        sqlx::query("UPDATE deal_statuses SET position = $2 WHERE deal_status_id = $1 AND position <> $2")
            .bind(deal_status_id.to_string())
            .bind(position)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_begins_with_the_named_ones() {
        let ids: Vec<Uuid> = (1..=4).map(Uuid::from_u128).collect();
        let present = || ids.iter().copied();
        assert_eq!(merged(&[ids[2], ids[0]], present()), Ok(vec![ids[2], ids[0], ids[1], ids[3]]));
        assert_eq!(merged(&[], present()), Ok(ids.clone()));
        assert_eq!(merged(&[ids[1], ids[1], Uuid::max()], present()), Err(vec![1, 2]));
    }
}
