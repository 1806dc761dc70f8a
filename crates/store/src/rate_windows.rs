//! Sliding windows in PostgreSQL, by which several processes keep one rate limit.
//!
//! A window is one row with the moments of the events that were admitted, by the clock of the database. Each decision is one
//! statement that locks the row, so decisions about one window follow each other. The table is not logged: a decision does not
//! wait for the disk, and a crash of the server forgets the events of the last minute.
//!
//! There is nothing comparable for SQLite, whose file is served by a single process.

use std::fmt;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor};

use crate::StoreError;
use crate::row::Columns;

/// Connections for decisions. They are separate from those of the store, so that slow queries do not delay decisions.
const CONNECTIONS: u32 = 4;
/// The longest wait for a free connection.
const WAIT: Duration = Duration::from_secs(10);

/// Admits an event and counts it, or leaves the window unchanged; `wait` is 0, or the microseconds until the next event will
/// be admitted. `$1` is the name, `$2` the limit, `$3` the length of the window in microseconds. The clock is read when the row
/// is locked, and never goes back behind the last event.
const TAKE: &str = "\
    INSERT INTO rate_windows AS kept (name, events, wait, expires_at) \
    SELECT $1, ARRAY[moment], 0, moment + $3 \
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS moment OFFSET 0) AS clock \
    ON CONFLICT (name) DO UPDATE SET (events, wait, expires_at) = ( \
        SELECT \
            CASE WHEN cardinality(recent) < $2 THEN recent || moment ELSE recent END, \
            CASE WHEN cardinality(recent) < $2 THEN 0 \
                ELSE recent[(cardinality(recent) - $2 + 1)::int] + $3 - moment END, \
            CASE WHEN cardinality(recent) < $2 THEN moment + $3 ELSE kept.expires_at END \
        FROM ( \
            SELECT moment, ARRAY( \
                SELECT event FROM unnest(kept.events) AS event WHERE event > moment - $3 ORDER BY event \
            ) AS recent \
            FROM (SELECT GREATEST( \
                (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, kept.events[cardinality(kept.events)] \
            ) AS moment OFFSET 0) AS clock OFFSET 0 \
        ) AS state \
    ) \
    RETURNING wait";

/// Like [`TAKE`], but only reads. No row means that nothing was counted yet.
const CHECK: &str = "\
    SELECT CASE WHEN cardinality(recent) < $2 THEN 0 \
        ELSE recent[(cardinality(recent) - $2 + 1)::int] + $3 - moment END AS wait \
    FROM ( \
        SELECT moment, ARRAY( \
            SELECT event FROM unnest(kept.events) AS event WHERE event > moment - $3 ORDER BY event \
        ) AS recent \
        FROM rate_windows AS kept, LATERAL (SELECT GREATEST( \
            (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, kept.events[cardinality(kept.events)] \
        ) AS moment OFFSET 0) AS clock \
        WHERE kept.name = $1 OFFSET 0 \
    ) AS state";

/// Deletes windows whose last event has expired, except those that are in use at the moment.
const PRUNE: &str = "\
    DELETE FROM rate_windows WHERE name IN ( \
        SELECT name FROM rate_windows \
        WHERE expires_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FOR UPDATE SKIP LOCKED \
    )";

/// Sliding windows that all processes on one PostgreSQL database share. Clones share their connections.
#[derive(Clone)]
pub struct RateWindows {
    pool: AnyPool,
}

impl fmt::Debug for RateWindows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateWindows").finish_non_exhaustive()
    }
}

impl RateWindows {
    /// Returns the windows of a database, or `None` for SQLite. The database must have been opened by
    /// [`Store::open`](crate::Store::open) before, which creates the table; connections are made when they are needed.
    pub fn open(url: &str) -> Result<Option<Self>, StoreError> {
        if !matches!(url.split_once(':'), Some(("postgres" | "postgresql", _))) {
            return Ok(None);
        }
        sqlx::any::install_default_drivers();
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(WAIT)
            .after_connect(|connection, _| {
                Box::pin(async {
                    connection
                        .execute("SET jit = off; SET synchronous_commit = off; SET statement_timeout = '5s'")
                        .await
                        .map(drop)
                })
            })
            .connect_lazy(url)
            .map_err(StoreError::Open)?;
        Ok(Some(Self { pool }))
    }

    /// Counts an event unless `limit` events were counted within the last `window`. Returns `None` if it was counted, or
    /// else the time after which the next event will be.
    pub async fn take(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        self.decide(TAKE, name, limit, window).await
    }

    /// Returns what [`take`](Self::take) would, without counting an event.
    pub async fn check(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        self.decide(CHECK, name, limit, window).await
    }

    async fn decide(
        &self,
        statement: &'static str,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        let row = sqlx::query(statement)
            .bind(name.to_owned())
            .bind(i64::from(limit.max(1)))
            .bind(i64::try_from(window.as_micros()).unwrap_or(i64::MAX))
            .fetch_optional(&self.pool)
            .await?;
        let wait = row.map_or(Ok(0), |row| row.int("wait"))?;
        Ok(u64::try_from(wait).ok().filter(|wait| *wait > 0).map(Duration::from_micros))
    }

    /// Deletes expired windows and returns how many there were.
    pub async fn prune(&self) -> Result<u64, StoreError> {
        Ok(sqlx::query(PRUNE).execute(&self.pool).await?.rows_affected())
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
