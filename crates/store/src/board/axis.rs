//! Code shared by the two axes of a board: columns (`deal_statuses`) and rows (`deal_rows`) are both entries
//! of an account with a unique name and a place in an order.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, FromRow};
use uuid::Uuid;

use crate::board::lock::lock_board;
use crate::sql::database::Store;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::stored;
use crate::sql::scope::{Scope, scoped_as};

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

/// The result of a new order: the whole order, or the indexes of unknown or repeated entries in the list.
pub type BoardOrder = Result<Vec<Uuid>, Vec<usize>>;

/// A column or a row of a board.
pub(crate) trait Entry: for<'row> FromRow<'row, AnyRow> + Send + Unpin {
    /// The statements on its table.
    const STATEMENTS: Statements;

    fn id(&self) -> Uuid;
    fn name(&self) -> &str;
    fn position(&self) -> u64;
}

/// The statements on the entries of an axis.
pub(crate) struct Statements {
    /// One page of the entries of a scope, in their order.
    pub(crate) page: &'static str,
    /// All entries of an account, in their order.
    pub(crate) all: &'static str,
    /// The entry with an id.
    pub(crate) one: &'static str,
    /// Gives the entry with an id another place.
    pub(crate) place: &'static str,
    /// Deletes the entry with an id.
    pub(crate) delete: &'static str,
}

/// The [`Statements`] on a table: the macro of its columns, its name and alias, and the column of its id.
macro_rules! statements {
    ($columns:ident of $table:literal as $alias:literal, $id:literal) => {
        $crate::board::axis::Statements {
            page: concat!(
                $crate::board::axis::statements!(select $columns $table $alias),
                $alias,
                ".",
                $crate::sql::scope::in_scope!(),
                " AND (",
                $alias,
                ".position, ",
                $alias,
                ".",
                $id,
                ") > ($3, $4)",
                $crate::board::axis::statements!(order $alias $id),
                " LIMIT $5"
            ),
            all: concat!(
                $crate::board::axis::statements!(select $columns $table $alias),
                $alias,
                ".account_id = $1",
                $crate::board::axis::statements!(order $alias $id)
            ),
            one: concat!(
                $crate::board::axis::statements!(select $columns $table $alias),
                $alias,
                ".",
                $id,
                " = $1"
            ),
            place: concat!("UPDATE ", $table, " SET position = $2 WHERE ", $id, " = $1 AND position <> $2"),
            delete: concat!("DELETE FROM ", $table, " WHERE ", $id, " = $1"),
        }
    };
    (select $columns:ident $table:literal $alias:literal) => {
        concat!("SELECT ", $columns!(), " FROM ", $table, " AS ", $alias, " WHERE ")
    };
    (order $alias:literal $id:literal) => {
        concat!(" ORDER BY ", $alias, ".position, ", $alias, ".", $id)
    };
}
pub(crate) use statements;

/// One page of the entries of a scope, in their order.
pub(crate) async fn page<E: Entry>(
    store: &Store,
    scope: &Scope,
    page: &PageRequest,
) -> Result<Page<E>, StoreError> {
    let (key, id) = page.after_number();
    let rows = scoped_as(E::STATEMENTS.page, scope).bind(key).bind(id).bind(page.rows());
    let rows = rows.fetch_all(store.reader()).await?;
    Ok(Page::of(rows, page, |last: &E| Position::number(stored(last.position()), last.id())))
}

/// All entries of an account, in their order.
pub(crate) async fn all<E: Entry>(
    connection: &mut AnyConnection,
    account_id: Uuid,
) -> Result<Vec<E>, StoreError> {
    let all = sqlx::query_as(E::STATEMENTS.all).bind(account_id.to_string());
    Ok(all.fetch_all(connection).await?)
}

/// The entry with an id, which must exist.
pub(crate) async fn one<E: Entry>(connection: &mut AnyConnection, id: Uuid) -> Result<E, StoreError> {
    let one = sqlx::query_as(E::STATEMENTS.one).bind(id.to_string());
    Ok(one.fetch_one(connection).await?)
}

/// Deletes an entry.
pub(crate) async fn delete<E: Entry>(connection: &mut AnyConnection, id: Uuid) -> Result<(), StoreError> {
    sqlx::query(E::STATEMENTS.delete).bind(id.to_string()).execute(connection).await?;
    Ok(())
}

/// Returns the place of a new entry after all others.
pub(crate) fn last_place<E: Entry>(all: &[E]) -> i64 {
    stored(all.last().map_or(1, |last| last.position() + 1))
}

/// Refuses a name that another entry has, regardless of case. `own` is the entry that gets the name.
pub(crate) fn check_name<E: Entry>(all: &[E], name: &str, own: Option<Uuid>) -> Result<(), BoardError> {
    let key = name.to_lowercase();
    let mut others = all.iter().filter(|entry| Some(entry.id()) != own);
    match others.find(|entry| entry.name().to_lowercase() == key) {
        Some(other) => Err(BoardError::AlreadyExists(other.id())),
        None => Ok(()),
    }
}

/// Puts entries of the scope's own account first, in this order; the others follow as they are. Returns the
/// whole order.
pub(crate) async fn order<E: Entry>(
    store: &Store,
    scope: &Scope,
    ids: &[Uuid],
) -> Result<BoardOrder, StoreError> {
    let mut transaction = store.begin().await?;
    lock_board(&mut transaction, store.dialect(), scope.account_id).await?;
    let present = all::<E>(&mut transaction, scope.account_id).await?;
    let order = merged(ids, present.iter().map(Entry::id));
    if let Ok(order) = &order {
        for (position, id) in (1_i64..).zip(order) {
            let place = sqlx::query(E::STATEMENTS.place).bind(id.to_string()).bind(position);
            place.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
    }
    Ok(order)
}

/// Returns an order that begins with the `named` entries and ends with the others, or the indexes of those
/// that are unknown or repeated.
fn merged(named: &[Uuid], present: impl Iterator<Item = Uuid>) -> BoardOrder {
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
