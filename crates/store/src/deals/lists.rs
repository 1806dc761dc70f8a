//! Pages of deals, with filters and orders.

use jiff::{Timestamp, civil::Date};
use uuid::Uuid;

use super::{Deal, DealOutcome, Deals, Money};
use crate::dialect::Dialect;
use crate::faq_items::containing;
use crate::row::micros;
use crate::scope::{in_scope, scoped_as};
use crate::{Page, PageRequest, Position, Scope, SortKey, StoreError};

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

/// The statement of a page. The ids of the page are found first, so that computed columns cost nothing for other deals.
///
/// For a single account the index gives the order; several accounts have to be sorted. `$also` has the conditions that an index may be chosen for.
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
             AND ($10 = '' OR d.expected_close_date < $10) AND d.updated_at >= $11 AND d.updated_at < $12 \
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

impl Deals<'_> {
    /// One page of the deals of the scope.
    pub async fn page(
        self,
        scope: &Scope,
        filter: &DealFilter,
        order: DealOrder,
        page: &PageRequest,
    ) -> Result<Page<Deal>, StoreError> {
        let is_cell = filter.deal_status_id.is_some() && filter.deal_row_id.is_some();
        let sql = match order.key {
            DealSortKey::Created => page!("d.created_at", "", filter, order, of scope),
            DealSortKey::Updated => page!("d.updated_at", "", filter, order, of scope),
            DealSortKey::Value => page!("COALESCE(d.value_units, -1)", "", filter, order, of scope),
            DealSortKey::ExpectedClose => {
                page!("COALESCE(d.expected_close_date, '9999-99-99')", "", filter, order, of scope)
            }
            DealSortKey::Position if is_cell => page!(
                "d.position",
                " AND d.deal_status_id = $5 AND d.deal_row_id = $6",
                filter,
                order,
                of scope
            ),
            DealSortKey::Position => page!("d.position", "", filter, order, of scope),
        };
        // PostgreSQL plans it for each call: a plan for any filters expects few deals of every filter, and would sort them all.
        let query = scoped_as(sql, scope).persistent(self.store.dialect() == Dialect::Sqlite);
        let is_text = matches!(order.key, DealSortKey::ExpectedClose | DealSortKey::Position);
        let query = match (is_text, order.descending) {
            (false, descending) => {
                let (key, id) = if descending { page.before_number() } else { page.after_number() };
                query.bind(key).bind(id)
            }
            (true, descending) => {
                let (key, id) = page.after_text();
                // Behind every rank and every day.
                let key = if descending && page.after.is_none() { "~".to_owned() } else { key };
                query.bind(key).bind(id)
            }
        };
        let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let outcomes: Vec<&str> = filter.outcomes.iter().map(|outcome| outcome.as_str()).collect();
        let rows = query
            .bind(id(filter.deal_status_id))
            .bind(id(filter.deal_row_id))
            .bind(id(filter.contact_id))
            .bind(id(filter.owner_id))
            .bind(outcomes.join(" "))
            .bind(filter.expected_close_before.map(|date| date.to_string()).unwrap_or_default())
            .bind(filter.updated_since.map_or(i64::MIN, micros))
            .bind(filter.updated_until.map_or(i64::MAX, micros))
            .bind(filter.text.as_deref().map(containing).unwrap_or_default())
            .bind(page.rows())
            .bind(id(filter.thread_id))
            .fetch_all(self.store.reader())
            .await?;
        Ok(Page::of(rows, page, |last: &Deal| Position { key: key_of(last, order.key), id: last.deal_id }))
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
