//! What all benchmarks share: an empty database of each kind, an account, and the times of a call.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use frontdesk_store::{Account, AccountKind, NewAccount, Plan, Store};
use jiff::Timestamp;
use sqlx::{AnyPool, AssertSqlSafe, Executor};

/// The result of a benchmark.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs a benchmark on SQLite, and on PostgreSQL if `FRONTDESK_TEST_POSTGRES_URL` names a database in which
/// schemas may be made. It gets the name of the database and its URL.
pub(crate) async fn on_each(measure: impl AsyncFn(&'static str, &str) -> Result<()>) -> Result<()> {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir()?;
    measure("SQLite", &format!("sqlite:{}", folder.path().join("bench.db").display())).await?;
    let Ok(server) = std::env::var("FRONTDESK_TEST_POSTGRES_URL") else {
        println!("skipped on PostgreSQL: FRONTDESK_TEST_POSTGRES_URL is not set");
        return Ok(());
    };
    let schema = format!("frontdesk_bench_{}", uuid::Uuid::now_v7().simple());
    let pool = AnyPool::connect(&server).await?;
    pool.execute(AssertSqlSafe(format!("CREATE SCHEMA {schema}"))).await?;
    let separator = if server.contains('?') { '&' } else { '?' };
    let measured =
        measure("PostgreSQL", &format!("{server}{separator}options=-c%20search_path%3D{schema}")).await;
    pool.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await?;
    measured
}

/// Creates an account.
pub(crate) async fn account(store: &Store) -> Result<Account> {
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "acme".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    Ok(store.accounts().create(&new, Timestamp::now()).await?)
}

/// Fills tables past the store.
pub(crate) async fn fill(url: &str, statements: impl IntoIterator<Item = String>) -> Result<()> {
    let pool = AnyPool::connect(url).await?;
    for statement in statements {
        pool.execute(AssertSqlSafe(statement)).await?;
    }
    // What PostgreSQL does by itself after a while; only then are its indexes read without the table. The
    // service does not ask SQLite for it.
    if !url.starts_with("sqlite") {
        pool.execute("VACUUM ANALYZE").await?;
    }
    pool.close().await;
    Ok(())
}

/// The beginning of a statement that makes rows of the numbers from 1.
pub(crate) fn numbers(last: i64) -> String {
    format!("WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {last})")
}

/// The id of a row with a number, in SQL.
pub(crate) const ID: &str = "'00000000-0000-4000-8000-000' || CAST(100000000 + i AS TEXT)";

/// The times of calls of one kind.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Measures some equal calls, after one that is not counted.
    pub(crate) async fn of(rounds: usize, mut call: impl AsyncFnMut() -> Result<()>) -> Result<Self> {
        let mut times = Self::default();
        call().await?;
        for _ in 0..rounds {
            times.add(&mut call).await?;
        }
        Ok(times)
    }

    /// Measures another call.
    pub(crate) async fn add<T>(&mut self, call: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let result = call().await?;
        self.0.push(begin.elapsed());
        Ok(result)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times = self.0.clone();
        times.sort_unstable();
        let Some(last) = times.len().checked_sub(1) else { return f.write_str("no calls") };
        let at = |percent: usize| times[last * percent / 100].as_secs_f64() * 1_000.0;
        let calls = times.len();
        write!(f, "median {:.2} ms, p99 {:.2} ms, slowest {:.2} ms of {calls} calls", at(50), at(99), at(100))
    }
}
