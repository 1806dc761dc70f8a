//! The whole board of an account, as one moment shows it.
//!
//! Each cell is read by a look into its index, so the cost depends on the cells and the cards that are shown,
//! not on the deals of the account. Counts and sums are kept in a table by triggers.

use sqlx::Row;
use uuid::Uuid;

use super::money::PART;
use super::{Deal, Deals, Money};
use crate::board::deal_rows::{DealRow, deal_row_columns};
use crate::board::deal_status::{DealStatus, deal_status_columns};
use crate::sql::database::begin;
use crate::sql::error::StoreError;
use crate::sql::record::unreadable;
use crate::sql::row::Columns;
use crate::sql::scope::Scope;

/// Counts and sums of all cells, which triggers keep. A sum is stored in two parts, see `money`.
macro_rules! totals {
    () => {
        "SELECT t.deal_status_id, t.deal_row_id, t.currency, t.deals, t.large, t.small FROM deal_totals AS t \
         WHERE t.account_id = $1 AND ($2 = '' OR t.deal_row_id = $2)"
    };
}

/// The first cards of all cells. SQLite has no `LATERAL`; PostgreSQL would compare every deal with the
/// subquery of each cell.
macro_rules! cards_of_sqlite {
    () => {
        concat!(
            "SELECT ",
            deal_columns!(),
            " FROM deal_rows AS r CROSS JOIN deal_statuses AS st CROSS JOIN deals AS d WHERE r.account_id = $1 \
             AND ($2 = '' OR r.deal_row_id = $2) AND st.account_id = $1 AND d.deal_id IN (SELECT c.deal_id FROM deals AS c \
             WHERE c.account_id = $1 AND c.deal_status_id = st.deal_status_id AND c.deal_row_id = r.deal_row_id \
             AND c.deleted_at IS NULL ORDER BY c.position LIMIT $3) ORDER BY d.position"
        )
    };
}

macro_rules! cards_of_postgres {
    () => {
        concat!(
            "SELECT ",
            deal_columns!(),
            " FROM deal_rows AS r JOIN deal_statuses AS st ON st.account_id = r.account_id CROSS JOIN LATERAL \
             (SELECT c.* FROM deals AS c WHERE c.account_id = $1 AND c.deal_status_id = st.deal_status_id \
             AND c.deal_row_id = r.deal_row_id AND c.deleted_at IS NULL ORDER BY c.position LIMIT $3) AS d \
             WHERE r.account_id = $1 AND ($2 = '' OR r.deal_row_id = $2) ORDER BY d.position"
        )
    };
}

/// How many deals there are somewhere, and what they are worth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellTotals {
    /// The number of deals.
    pub count: u64,
    /// The sum of their values for each currency, in the order of the codes.
    pub value_sums: Vec<Money>,
}

/// A column of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardColumn {
    /// The column.
    pub status: DealStatus,
    /// Its deals in the rows of the board.
    pub totals: CellTotals,
}

/// A cell of a board with deals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardCell {
    /// The column.
    pub deal_status_id: Uuid,
    /// The row.
    pub deal_row_id: Uuid,
    /// All its deals.
    pub totals: CellTotals,
    /// The first ones, in their order.
    pub deals: Vec<Deal>,
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The largest number of deals that each cell lists.
    pub per_cell: u32,
    /// The columns in their order.
    pub columns: Vec<BoardColumn>,
    /// The rows in their order.
    pub rows: Vec<DealRow>,
    /// The cells with deals, by row, and in a row by column.
    pub cells: Vec<BoardCell>,
}

impl CellTotals {
    fn add(&mut self, count: u64, sum: Option<(i128, &str)>) -> Result<(), StoreError> {
        self.count += count;
        let Some((units, currency)) = sum else { return Ok(()) };
        let at = self.value_sums.binary_search_by(|sum| sum.currency().cmp(currency));
        match at {
            Ok(index) => self.value_sums[index].add(units),
            Err(index) => {
                let sum = Money::of_units(units, currency).map_err(|error| unreadable("currency", error))?;
                self.value_sums.insert(index, sum);
            }
        }
        Ok(())
    }
}

impl Deals<'_> {
    /// Returns the board of the scope's own account, all rows or one of them. `per_cell` is called with the
    /// number of cells, and returns how many deals each of them lists.
    pub async fn board(
        self,
        scope: &Scope,
        deal_row_id: Option<Uuid>,
        per_cell: impl FnOnce(usize) -> u32 + Send,
    ) -> Result<Board, StoreError> {
        let dialect = self.store.dialect();
        let statement = dialect.pick("BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let mut snapshot = begin(self.store.reader(), statement).await?;
        let account_id = scope.account_id.to_string();
        let row_id = deal_row_id.map(|id| id.to_string()).unwrap_or_default();
        let statuses: Vec<DealStatus> = sqlx::query_as(concat!(
            "SELECT ",
            deal_status_columns!(),
            " FROM deal_statuses AS s WHERE s.account_id = $1 ORDER BY s.position, s.deal_status_id"
        ))
        .bind(&account_id)
        .fetch_all(&mut *snapshot)
        .await?;
        let rows: Vec<DealRow> = sqlx::query_as(concat!(
            "SELECT ",
            deal_row_columns!(),
            " FROM deal_rows AS r WHERE r.account_id = $1 AND ($2 = '' OR r.deal_row_id = $2) \
             ORDER BY r.position, r.deal_row_id"
        ))
        .bind(&account_id)
        .bind(&row_id)
        .fetch_all(&mut *snapshot)
        .await?;
        let per_cell = per_cell(statuses.len() * rows.len());
        let totals = sqlx::query(totals!()).bind(&account_id).bind(&row_id).fetch_all(&mut *snapshot).await?;
        let cards: Vec<Deal> = sqlx::query_as(dialect.pick(cards_of_sqlite!(), cards_of_postgres!()))
            .bind(&account_id)
            .bind(&row_id)
            .bind(i64::from(per_cell))
            .fetch_all(&mut *snapshot)
            .await?;
        snapshot.rollback().await?;

        let mut columns: Vec<BoardColumn> = statuses
            .into_iter()
            .map(|status| BoardColumn { status, totals: CellTotals::default() })
            .collect();
        let mut cells: Vec<BoardCell> = Vec::new();
        for row in &rows {
            for column in &columns {
                cells.push(BoardCell {
                    deal_status_id: column.status.deal_status_id,
                    deal_row_id: row.deal_row_id,
                    totals: CellTotals::default(),
                    deals: Vec::new(),
                });
            }
        }
        let at = |deal_status_id: Uuid, deal_row_id: Uuid| {
            let column = columns.iter().position(|column| column.status.deal_status_id == deal_status_id)?;
            let row = rows.iter().position(|row| row.deal_row_id == deal_row_id)?;
            Some((column, row * columns.len() + column))
        };
        let mut of_columns = vec![CellTotals::default(); columns.len()];
        for total in &totals {
            let place = at(total.parsed("deal_status_id")?, total.parsed("deal_row_id")?);
            let Some((column, cell)) = place else { continue };
            let currency = total.text("currency")?;
            let units = i128::from(total.int("large")?) * i128::from(PART) + i128::from(total.int("small")?);
            let sum = (!currency.is_empty()).then_some((units, currency.as_str()));
            let count = total.number("deals")?;
            of_columns[column].add(count, sum)?;
            cells[cell].totals.add(count, sum)?;
        }
        for deal in cards {
            let Some((_, cell)) = at(deal.deal_status_id, deal.deal_row_id) else { continue };
            cells[cell].deals.push(deal);
        }
        for (column, totals) in columns.iter_mut().zip(of_columns) {
            column.totals = totals;
        }
        cells.retain(|cell| cell.totals.count > 0);
        Ok(Board { per_cell, columns, rows, cells })
    }

    /// Returns how the database reads a board: its cards, and its counts and sums. For measurements.
    #[doc(hidden)]
    pub async fn explain_board(self, scope: &Scope, per_cell: u32) -> Result<String, StoreError> {
        let dialect = self.store.dialect();
        let mut plan = String::new();
        for (sqlite, postgres, per_cell) in [
            (
                concat!("EXPLAIN QUERY PLAN ", cards_of_sqlite!()),
                concat!("EXPLAIN (ANALYZE) ", cards_of_postgres!()),
                Some(per_cell),
            ),
            (concat!("EXPLAIN QUERY PLAN ", totals!()), concat!("EXPLAIN (ANALYZE) ", totals!()), None),
        ] {
            let query = sqlx::query(dialect.pick(sqlite, postgres))
                .bind(scope.account_id.to_string())
                .bind(String::new());
            let query = match per_cell {
                Some(per_cell) => query.bind(i64::from(per_cell)),
                None => query,
            };
            let rows = query.fetch_all(self.store.reader()).await?;
            for row in rows {
                let line: String = row.try_get(dialect.pick("detail", "QUERY PLAN"))?;
                plan.push_str(&line);
                plan.push('\n');
            }
            plan.push('\n');
        }
        Ok(plan)
    }
}
