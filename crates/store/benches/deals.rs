//! The board and the lists of an account with 20,000 deals, on both databases.
//!
//! `cargo bench -p frontdesk-store --bench deals` prints the median time of each call and how the database reads the board. PostgreSQL takes part if
//! `FRONTDESK_TEST_POSTGRES_URL` names a database in which schemas may be made.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use frontdesk_store::{
    AccountKind, DealFilter, DealOrder, DealSortKey, NewAccount, PageRequest, Plan, Scope, Store,
};
use jiff::Timestamp;
use sqlx::{AnyPool, Executor};

const DEALS: i64 = 20_000;
const ROUNDS: usize = 21;

/// Deals in six columns, each with an own value, day and moment.
const SEED: &str = "INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, \
    value_units, currency, expected_close_date, source, status_changed_at, active_at, created_at, updated_at) \
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < $2) \
    SELECT '00000000-0000-4000-8000-000' || CAST(100000000 + i AS TEXT), $1, 'Deal ' || CAST(i AS TEXT), 'deal ' || CAST(i AS TEXT), \
    (SELECT s.deal_status_id FROM deal_statuses AS s WHERE s.account_id = $1 AND s.position = 1 + i % 6), \
    (SELECT r.deal_row_id FROM deal_rows AS r WHERE r.account_id = $1), CAST(100000000 + i AS TEXT), 'open', \
    (i * 7919) % 1000000, 'EUR', '2027-01-' || CAST(10 + i % 20 AS TEXT), 'api', i, i, i, i FROM numbers";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let mut out = std::io::stdout();
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("deals.db").display());
    measure(&mut out, "SQLite", &url).await?;
    let Ok(server) = std::env::var("FRONTDESK_TEST_POSTGRES_URL") else {
        writeln!(out, "skipped on PostgreSQL: FRONTDESK_TEST_POSTGRES_URL is not set")?;
        return Ok(());
    };
    sqlx::any::install_default_drivers();
    let schema = format!("frontdesk_bench_{}", uuid::Uuid::now_v7().simple());
    let pool = AnyPool::connect(&server).await?;
    pool.execute(sqlx::AssertSqlSafe(format!("CREATE SCHEMA {schema}"))).await?;
    let separator = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{separator}options=-c%20search_path%3D{schema}");
    let measured = measure(&mut out, "PostgreSQL", &url).await;
    pool.execute(sqlx::AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await?;
    measured
}

async fn measure(out: &mut impl Write, database: &str, url: &str) -> Result<()> {
    let store = Store::open(url).await?;
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "acme".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    let scope = store.accounts().create(&new, Timestamp::now()).await?.scope();
    let pool = AnyPool::connect(url).await?;
    sqlx::query(SEED).bind(scope.account_id.to_string()).bind(DEALS).execute(&pool).await?;
    pool.execute("ANALYZE").await?;
    pool.close().await;

    for per_cell in [10, 50] {
        let time = median(async || {
            store.deals().board(&scope, None, |_| per_cell).await?;
            Ok(())
        });
        writeln!(out, "{database}: board with {per_cell} deals of each cell: {:?}", time.await?)?;
    }
    let status = store.deal_statuses().page(&scope, &PageRequest::first(1)).await?.items.remove(0);
    let row = store.deal_rows().page(&scope, &PageRequest::first(1)).await?.items.remove(0);
    let cell = DealFilter {
        deal_status_id: Some(status.deal_status_id),
        deal_row_id: Some(row.deal_row_id),
        ..DealFilter::default()
    };
    let text = DealFilter { text: Some("deal 19999".into()), ..DealFilter::default() };
    for (name, filter, key, descending) in [
        ("newest", DealFilter::default(), DealSortKey::Created, true),
        ("last changed", DealFilter::default(), DealSortKey::Updated, true),
        ("highest value", DealFilter::default(), DealSortKey::Value, true),
        ("expected first", DealFilter::default(), DealSortKey::ExpectedClose, false),
        ("one cell", cell, DealSortKey::Position, false),
        ("title contains", text, DealSortKey::Created, true),
    ] {
        let order = DealOrder { key, descending };
        let (first, middle) = pages(&store, &scope, &filter, order).await?;
        writeln!(out, "{database}: list, {name}: first page {first:?}, a page in the middle {middle:?}")?;
    }
    writeln!(out, "{}", store.deals().explain_board(&scope, 50).await?)?;
    store.close().await;
    Ok(())
}

/// Returns the times of the first page of a list, and of one that begins far behind it.
async fn pages(
    store: &Store,
    scope: &Scope,
    filter: &DealFilter,
    order: DealOrder,
) -> Result<(Duration, Duration)> {
    let mut page = PageRequest::first(1_000);
    page.after = store.deals().page(scope, filter, order, &page).await?.next;
    page.limit = 100;
    let first = PageRequest::first(100);
    let time = async |page: &PageRequest| {
        median(async || {
            store.deals().page(scope, filter, order, page).await?;
            Ok(())
        })
        .await
    };
    Ok((time(&first).await?, time(&page).await?))
}

async fn median(mut call: impl AsyncFnMut() -> Result<()>) -> Result<Duration> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        call().await?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    Ok(times[ROUNDS / 2])
}
