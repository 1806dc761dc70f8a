//! Deal rows: the rows of the sales board of an account, one of which is the default.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::board::axis::{self, BoardError, BoardOrder, Entry, Statements, statements};
use crate::board::deals;
use crate::board::lock::lock_board;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest};
use crate::sql::row::{micros, new_id, stored};
use crate::sql::scope::{Scope, find_by_id, row_by_id};

/// The largest number of rows of an account.
pub const MAX_DEAL_ROWS: u64 = 50;

record! {
    /// A row of a board.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DealRow, columns deal_row_columns of "r." {
        /// Identifier.
        pub deal_row_id: Uuid,
        /// The account whose board it is on.
        pub account_id: Uuid,
        /// Name; unique in the account regardless of case.
        pub name: String,
        /// Color, as `#rrggbb`.
        pub color: Option<String>,
        /// Whether it is shown without its deals.
        pub is_collapsed: bool,
        /// Whether new deals go into it.
        pub is_default: bool,
        /// The place in the order of the rows: ascending, with gaps where rows were deleted.
        pub position: u64,
        /// The number of deals in it, without deleted ones.
        pub deal_count: u64 = "(SELECT CAST(COALESCE(SUM(total.deals), 0) AS BIGINT) FROM deal_totals AS total \
             WHERE total.account_id = r.account_id AND total.deal_row_id = r.deal_row_id)",
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use deal_row_columns;

/// A change of a row, or a new one. What is `None` stays, or has its default.
#[derive(Debug, Clone, Default)]
pub struct DealRowUpdate {
    /// Name.
    pub name: Option<String>,
    /// Color, as `#rrggbb`.
    pub color: Option<Option<String>>,
    /// Whether it is shown without its deals.
    pub is_collapsed: Option<bool>,
}

/// A row to be created.
#[derive(Debug, Clone, Default)]
pub struct NewDealRow {
    /// Name.
    pub name: String,
    /// Color, as `#rrggbb`.
    pub color: Option<String>,
    /// Whether it is shown without its deals.
    pub is_collapsed: bool,
}

/// Gives a new account its default row.
pub(crate) async fn insert_default(
    connection: &mut AnyConnection,
    account_id: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deal_rows (deal_row_id, account_id, name, name_key, is_collapsed, is_default, position, created_at, \
         updated_at) VALUES ($1, $2, 'Deals', 'deals', 0, 1, 1, $3, $3)",
    )
    .bind(new_id().to_string())
    .bind(account_id.to_owned())
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}

impl Entry for DealRow {
    const STATEMENTS: Statements = statements!(deal_row_columns of "deal_rows" as "r", "deal_row_id");

    fn id(&self) -> Uuid {
        self.deal_row_id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn position(&self) -> u64 {
        self.position
    }
}

group! {
    /// Deal rows: the rows of boards.
    pub DealRows, deal_rows
}

impl DealRows<'_> {
    /// One page of the rows of the scope, in their order.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<DealRow>, StoreError> {
        axis::page(self.store, scope, page).await
    }

    /// Returns a row.
    pub async fn find(self, scope: &Scope, deal_row_id: Uuid) -> Result<Option<DealRow>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(deal_row_columns of "deal_rows" as "r", "deal_row_id"),
            scope,
            deal_row_id,
        )
        .await
    }

    /// Adds a row at the end of the board of the scope's own account.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewDealRow,
        now: Timestamp,
    ) -> Result<DealRow, BoardError> {
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), scope.account_id).await?;
        let all = axis::all::<DealRow>(&mut transaction, scope.account_id).await?;
        let name = replace_nul(&new.name);
        axis::check_name(&all, &name, None)?;
        if stored(all.len()) >= stored(MAX_DEAL_ROWS) {
            return Err(BoardError::LimitReached(MAX_DEAL_ROWS));
        }
        let deal_row_id = new_id();
        sqlx::query(
            "INSERT INTO deal_rows (deal_row_id, account_id, name, name_key, color, is_collapsed, is_default, position, \
             created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8)",
        )
        .bind(deal_row_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(new.color.clone())
        .bind(i64::from(new.is_collapsed))
        .bind(axis::last_place(&all))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let row = axis::one(&mut transaction, deal_row_id).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Changes a row. Returns `None` if there is none.
    pub async fn update(
        self,
        scope: &Scope,
        deal_row_id: Uuid,
        update: &DealRowUpdate,
        now: Timestamp,
    ) -> Result<Option<DealRow>, BoardError> {
        let Some(known) = self.find(scope, deal_row_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let all = axis::all::<DealRow>(&mut transaction, known.account_id).await?;
        let Some(before) = all.iter().find(|row| row.deal_row_id == deal_row_id) else { return Ok(None) };
        let name = update.name.as_deref().map_or(before.name.clone(), replace_nul);
        axis::check_name(&all, &name, Some(deal_row_id))?;
        sqlx::query(
            "UPDATE deal_rows SET name = $2, name_key = $3, color = $4, is_collapsed = $5, \
             updated_at = CASE WHEN $6 > updated_at THEN $6 ELSE updated_at + 1 END WHERE deal_row_id = $1",
        )
        .bind(deal_row_id.to_string())
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(update.color.clone().unwrap_or(before.color.clone()))
        .bind(i64::from(update.is_collapsed.unwrap_or(before.is_collapsed)))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let row = axis::one(&mut transaction, deal_row_id).await?;
        transaction.commit().await?;
        Ok(Some(row))
    }

    /// Deletes a row, whose deals go to `move_to`, or to the default row. Returns `false` if there is no such
    /// row.
    pub async fn delete(
        self,
        scope: &Scope,
        deal_row_id: Uuid,
        move_to: Option<Uuid>,
        now: Timestamp,
    ) -> Result<bool, BoardError> {
        let Some(known) = self.find(scope, deal_row_id).await? else { return Ok(false) };
        let mut transaction = self.store.begin().await?;
        let board = lock_board(&mut transaction, self.store.dialect(), known.account_id).await?;
        let all = axis::all::<DealRow>(&mut transaction, known.account_id).await?;
        let Some(row) = all.iter().find(|row| row.deal_row_id == deal_row_id) else { return Ok(false) };
        let target = move_to.or(board.map(|board| board.default_row_id));
        let mut others = all.iter().filter(|other| other.deal_row_id != deal_row_id);
        let target = others.find(|other| Some(other.deal_row_id) == target);
        if move_to.is_some() && target.is_none() {
            return Err(BoardError::NoTarget);
        }
        let target = target.filter(|_| !row.is_default).ok_or(BoardError::Needed)?;
        deals::move_all_to_row(&mut transaction, row.account_id, deal_row_id, target.deal_row_id, now)
            .await?;
        axis::delete::<DealRow>(&mut transaction, deal_row_id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Puts rows of the scope's own account first, in this order; the others follow as they are. Returns the
    /// whole order.
    pub async fn order(self, scope: &Scope, deal_row_ids: &[Uuid]) -> Result<BoardOrder, StoreError> {
        axis::order::<DealRow>(self.store, scope, deal_row_ids).await
    }
}
