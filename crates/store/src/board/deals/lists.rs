//! Pages of deals, with filters and orders.

use jiff::{Timestamp, civil::Date};
use sqlx::any::AnyArguments;
use sqlx::{Arguments, AssertSqlSafe};
use uuid::Uuid;

use super::{Deal, Deals, Money};
use crate::events::states::DealOutcome;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::like::containing;
use crate::sql::pages::{Page, PageRequest, Position, SortKey};
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, in_scope};

/// The deals that a list is about. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DealFilter {
    /// In this column.
    pub deal_status_id: Option<Uuid>,
    /// In this row.
    pub deal_row_id: Option<Uuid>,
    /// Of this contact.
    pub contact_id: Option<Uuid>,
    /// Only those about this thread.
    pub thread_id: Option<Uuid>,
    /// Of this user.
    pub owner_id: Option<Uuid>,
    /// With one of these outcomes; all if empty.
    pub outcomes: Vec<DealOutcome>,
    /// Expected to close before this day.
    pub expected_close_before: Option<Date>,
    /// Created or changed at this moment or later.
    pub updated_since: Option<Timestamp>,
    /// Last changed before this moment.
    pub updated_until: Option<Timestamp>,
    /// With this text in the title.
    pub text: Option<String>,
    /// Whether the deleted deals are listed instead of the others.
    pub deleted: bool,
}

/// What deals are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DealSortKey {
    /// When they were created.
    #[default]
    Created,
    /// When they were last changed.
    Updated,
    /// Their value as a number; those without one count as the lowest.
    Value,
    /// The day on which they are expected to close; those without one come last.
    ExpectedClose,
    /// Their rank, which is an order within one cell only.
    Position,
}

/// The order of a list of deals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DealOrder {
    /// What they are ordered by.
    pub key: DealSortKey,
    /// Whether the largest key comes first.
    pub descending: bool,
}

impl Default for DealOrder {
    /// The newest first.
    fn default() -> Self {
        Self { key: DealSortKey::Created, descending: true }
    }
}

/// Deals that come before all those without an expected day.
const NO_DAY: &str = "9999-99-99";

/// The statement of a page. The ids of the page are found first, so that computed columns cost nothing for
/// other deals.
///
/// For a single account the index gives the order; several accounts have to be sorted. `$also` has the
/// conditions that an index may be chosen for. `NOT (…)` and `+` keep SQLite from using an index for what
/// they are about, because it has no statistics to choose by; PostgreSQL reads `NOT (…)` as the opposite
/// comparison.
macro_rules! page {
    ($scope:expr, $deleted:literal, $key:literal, $also:literal, $compared:literal, $direction:literal) => {
        concat!(
            "SELECT ",
            deal_columns!(),
            " FROM deals AS d WHERE d.deal_id IN (SELECT d.deal_id FROM deals AS d WHERE ",
            $scope,
            " AND d.deleted_at ",
            $deleted,
            " AND (",
            $key,
            ", d.deal_id) ",
            $compared,
            " ($3, $4)",
            $also,
            " AND ($5 = '' OR d.deal_status_id = $5) AND ($6 = '' OR d.deal_row_id = $6) \
             AND ($7 = '' OR EXISTS (SELECT 1 FROM deal_contacts AS link WHERE link.deal_id = d.deal_id AND link.contact_id = $7)) \
             AND ($8 = '' OR d.owner_id = $8) AND ($9 = '' OR $9 LIKE '%' || d.outcome || '%') \
             AND ($10 = '' OR d.expected_close_date < $10) AND NOT (d.updated_at < $11 OR d.updated_at >= $12) \
             AND ($13 = '' OR d.search_text LIKE $13 ESCAPE '!') \
             AND ($15 = '' OR EXISTS (SELECT 1 FROM deal_threads AS link WHERE link.deal_id = d.deal_id AND link.thread_id = $15)) \
             ORDER BY ",
            $key,
            $direction,
            ", d.deal_id",
            $direction,
            " LIMIT $14) ORDER BY ",
            $key,
            $direction,
            ", d.deal_id",
            $direction,
        )
    };
    ($deleted:literal, $key:literal, $also:literal, $compared:literal, $direction:literal, of $scope:expr) => {
        if $scope.includes_sub_accounts {
            page!(in_scope!("d."), $deleted, $key, $also, $compared, $direction)
        } else {
            page!("d.account_id = $1 AND $2 = 0", $deleted, $key, $also, $compared, $direction)
        }
    };
    ($deleted:literal, $key:literal, $also:literal, $order:expr, of $scope:expr) => {
        if $order.descending {
            page!($deleted, $key, $also, "<", " DESC", of $scope)
        } else {
            page!($deleted, $key, $also, ">", "", of $scope)
        }
    };
    ($key:literal, $also:literal, $filter:expr, $order:expr, of $scope:expr) => {
        if $filter.deleted {
            page!("IS NOT NULL", $key, $also, $order, of $scope)
        } else {
            page!("IS NULL", $key, $also, $order, of $scope)
        }
    };
}

impl DealFilter {
    /// Returns the statement that reads a page by the index of the order, or by that of changes if it is
    /// about those.
    const fn statement(&self, scope: &Scope, order: DealOrder) -> &'static str {
        let is_cell = self.deal_status_id.is_some() && self.deal_row_id.is_some();
        let is_of_changes = self.updated_since.is_some() || self.updated_until.is_some();
        match order.key {
            DealSortKey::Created if is_of_changes => page!(
                "+d.created_at",
                " AND d.updated_at >= $11 AND d.updated_at < $12",
                self,
                order,
                of scope
            ),
            DealSortKey::Created => page!("d.created_at", "", self, order, of scope),
            DealSortKey::Updated => page!("d.updated_at", "", self, order, of scope),
            DealSortKey::Value => page!("COALESCE(d.value_units, -1)", "", self, order, of scope),
            DealSortKey::ExpectedClose => {
                page!("COALESCE(d.expected_close_date, '9999-99-99')", "", self, order, of scope)
            }
            DealSortKey::Position if is_cell => page!(
                "d.position",
                " AND d.deal_status_id = $5 AND d.deal_row_id = $6",
                self,
                order,
                of scope
            ),
            DealSortKey::Position => page!("d.position", "", self, order, of scope),
        }
    }

    fn arguments(
        &self,
        scope: &Scope,
        order: DealOrder,
        page: &PageRequest,
    ) -> Result<AnyArguments, StoreError> {
        let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let outcomes: Vec<&str> = self.outcomes.iter().map(|outcome| outcome.as_str()).collect();
        let mut arguments = AnyArguments::default();
        let mut add = || {
            arguments.add(scope.account_id.to_string())?;
            arguments.add(i64::from(scope.includes_sub_accounts))?;
            if matches!(order.key, DealSortKey::ExpectedClose | DealSortKey::Position) {
                let (key, id) = page.after_text();
                // Behind every rank and every day.
                arguments.add(if order.descending && page.after.is_none() { "~".to_owned() } else { key })?;
                arguments.add(id)?;
            } else {
                let (key, id) = if order.descending { page.before_number() } else { page.after_number() };
                arguments.add(key)?;
                arguments.add(id)?;
            }
            arguments.add(id(self.deal_status_id))?;
            arguments.add(id(self.deal_row_id))?;
            arguments.add(id(self.contact_id))?;
            arguments.add(id(self.owner_id))?;
            arguments.add(outcomes.join(" "))?;
            arguments.add(self.expected_close_before.map(|date| date.to_string()).unwrap_or_default())?;
            arguments.add(self.updated_since.map_or(i64::MIN, micros))?;
            arguments.add(self.updated_until.map_or(i64::MAX, micros))?;
            arguments.add(self.text.as_deref().map(containing).unwrap_or_default())?;
            arguments.add(page.rows())?;
            arguments.add(id(self.thread_id))
        };
        add().map_err(sqlx::Error::Encode)?;
        Ok(arguments)
    }
}

impl Deals<'_> {
    /// One page of the deals of the scope.
    pub async fn page(
        self,
        scope: &Scope,
        filter: &DealFilter,
        order: DealOrder,
        page: &PageRequest,
    ) -> Result<Page<Deal>, StoreError> {
        let arguments = filter.arguments(scope, order, page)?;
        // PostgreSQL plans it for each call: a plan for any filters expects few deals of every filter, and
        // would sort them all.
        let query = sqlx::query_as_with(filter.statement(scope, order), arguments)
            .persistent(self.store.dialect() == Dialect::Sqlite);
        let rows = query.fetch_all(self.store.reader()).await?;
        Ok(Page::of(rows, page, |last: &Deal| Position { key: key_of(last, order.key), id: last.deal_id }))
    }

    /// Returns how the database reads a [`page`](Self::page), for tests and benchmarks.
    pub async fn explain_page(
        self,
        scope: &Scope,
        filter: &DealFilter,
        order: DealOrder,
        page: &PageRequest,
    ) -> Result<String, StoreError> {
        let (explain, column) = match self.store.dialect() {
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
            Dialect::Postgres => ("EXPLAIN", "QUERY PLAN"),
        };
        // Both parts are constants.
        let statement = AssertSqlSafe(format!("{explain} {}", filter.statement(scope, order)));
        let arguments = filter.arguments(scope, order, page)?;
        let steps = sqlx::query_with(statement, arguments).fetch_all(self.store.reader()).await?;
        let steps: Result<Vec<String>, _> = steps.iter().map(|step| step.text(column)).collect();
        Ok(steps?.join("\n"))
    }
}

fn key_of(deal: &Deal, key: DealSortKey) -> SortKey {
    match key {
        DealSortKey::Created => SortKey::Number(micros(deal.created_at)),
        DealSortKey::Updated => SortKey::Number(micros(deal.updated_at)),
        DealSortKey::Value => SortKey::Number(deal.value.as_ref().map_or(-1, Money::stored)),
        DealSortKey::ExpectedClose => {
            SortKey::Text(deal.expected_close_date.map_or(NO_DAY.to_owned(), |date| date.to_string()))
        }
        DealSortKey::Position => SortKey::Text(deal.position.clone()),
    }
}
