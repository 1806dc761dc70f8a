//! The board and the lists of an account with 20,000 deals, on both databases.
//!
//! `cargo bench -p frontdesk-store --bench deals` prints the times of each call and how the database reads
//! the board. PostgreSQL takes part if `FRONTDESK_TEST_POSTGRES_URL` names a database in which schemas may be
//! made.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod databases;

use databases::{ID, Result, Times, account, fill, numbers, on_each};
use frontdesk_store::{DealFilter, DealOrder, DealSortKey, PageRequest, Scope, Store};
use jiff::Timestamp;
use uuid::Uuid;

const DEALS: i64 = 20_000;
const ROUNDS: usize = 101;

#[tokio::main]
async fn main() -> Result<()> {
    on_each(measure).await
}

/// Deals in six columns, each with an own value, day and moment.
fn seed(account_id: Uuid) -> String {
    let numbers = numbers(DEALS);
    format!(
        "INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, \
         value_units, currency, expected_close_date, source, status_changed_at, active_at, created_at, updated_at) {numbers} \
         SELECT {ID}, '{account_id}', 'Deal ' || CAST(i AS TEXT), 'deal ' || CAST(i AS TEXT), \
         (SELECT s.deal_status_id FROM deal_statuses AS s WHERE s.account_id = '{account_id}' AND s.position = 1 + i % 6), \
         (SELECT r.deal_row_id FROM deal_rows AS r WHERE r.account_id = '{account_id}'), CAST(100000000 + i AS TEXT), 'open', \
         (i * 7919) % 1000000, 'EUR', '2027-01-' || CAST(10 + i % 20 AS TEXT), 'api', i, i, i, i FROM numbers"
    )
}

async fn measure(database: &'static str, url: &str) -> Result<()> {
    let store = Store::open(url).await?;
    let scope = account(&store).await?.scope();
    fill(url, [seed(scope.account_id)]).await?;

    for per_cell in [10, 50] {
        let times = Times::of(ROUNDS, async || {
            store.deals().board(&scope, None, |_| per_cell).await?;
            Ok(())
        });
        println!("{database}: board with {per_cell} deals of each cell: {}", times.await?);
    }
    let times = Times::of(ROUNDS, async || {
        store.deal_statuses().page(&scope, &PageRequest::first(100)).await?;
        store.deal_rows().page(&scope, &PageRequest::first(100)).await?;
        Ok(())
    });
    println!("{database}: columns and rows with their numbers of deals: {}", times.await?);
    let status = store.deal_statuses().page(&scope, &PageRequest::first(1)).await?.items.remove(0);
    let row = store.deal_rows().page(&scope, &PageRequest::first(1)).await?.items.remove(0);
    let cell = DealFilter {
        deal_status_id: Some(status.deal_status_id),
        deal_row_id: Some(row.deal_row_id),
        ..DealFilter::default()
    };
    let changed =
        DealFilter { updated_since: Timestamp::from_microsecond(DEALS - 10).ok(), ..DealFilter::default() };
    let text = DealFilter { text: Some("deal 19999".into()), ..DealFilter::default() };
    for (name, filter, key, descending) in [
        ("newest", DealFilter::default(), DealSortKey::Created, true),
        ("newest, last changed since a moment", changed, DealSortKey::Created, true),
        ("last changed", DealFilter::default(), DealSortKey::Updated, true),
        ("highest value", DealFilter::default(), DealSortKey::Value, true),
        ("expected first", DealFilter::default(), DealSortKey::ExpectedClose, false),
        ("one cell", cell, DealSortKey::Position, false),
        ("title contains", text, DealSortKey::Created, true),
    ] {
        let order = DealOrder { key, descending };
        let (first, middle) = pages(&store, &scope, &filter, order).await?;
        println!("{database}: list, {name}: first page {first}; a page in the middle {middle}");
    }
    println!("{}", store.deals().explain_board(&scope, 50).await?);
    store.close().await;
    Ok(())
}

/// Returns the times of the first page of a list, and of one that begins far behind it.
async fn pages(
    store: &Store,
    scope: &Scope,
    filter: &DealFilter,
    order: DealOrder,
) -> Result<(Times, Times)> {
    let mut page = PageRequest::first(1_000);
    page.after = store.deals().page(scope, filter, order, &page).await?.next;
    page.limit = 100;
    let first = PageRequest::first(100);
    let times = async |page: &PageRequest| {
        Times::of(ROUNDS, async || {
            store.deals().page(scope, filter, order, page).await?;
            Ok(())
        })
        .await
    };
    Ok((times(&first).await?, times(&page).await?))
}
