//! Sliding windows in PostgreSQL, by which several processes keep one rate limit.
//!
//! A window is one row with the events that were admitted, by the clock of the database. Each decision is one
//! statement that locks the row, so decisions about one window follow each other. While there is much room, a
//! process takes a portion: several events at once, which it may use for a moment
//! ([`take_portion`](RateWindows::take_portion)). They count from the end of that moment, so that no window
//! ever has more events than the limit. Near the limit, and for low limits, a portion is one event, which
//! counts from now.
//!
//! The table is not logged: a decision does not wait for the disk, and a crash of the server forgets the
//! events of the last minute. There is nothing comparable for SQLite, whose file is served by a single
//! process.

use std::fmt;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor};

use crate::sql::error::StoreError;
use crate::sql::row::{Columns, stored};

/// Connections for decisions. They are separate from those of the store, so that slow queries do not delay
/// decisions.
const CONNECTIONS: u32 = 4;
/// The longest wait for a free connection.
const WAIT: Duration = Duration::from_secs(10);

/// A portion is at most this part of the room that is left. The default limit of API keys is below it, and so
/// is always counted one by one.
macro_rules! portions_of_room {
    () => {
        "64"
    };
}

macro_rules! now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    };
}

/// The moment from which `granted` events count: one from now, a portion from the end of the time in which it
/// is used, rounded up to the next quarter of a second, so that portions of many processes are one entry.
macro_rules! since {
    () => {
        "CASE WHEN granted > 1 THEN ((clock + $5) / 250000 + 1) * 250000 ELSE clock END"
    };
}

/// The state of the window `kept`: `clock`, the events that are within the window as `moments` and `counts`,
/// their number as `used`, and `free_in`, the microseconds until there is room again, if there is none. `$2`
/// is the limit, `$3` the length of the window.
macro_rules! state {
    () => {
        concat!(
            "SELECT clock, moments, counts, used, CASE WHEN used >= $2 THEN ( \
                SELECT leaving.moment + $3 - clock FROM ( \
                    SELECT e.moment, SUM(e.count) OVER (ORDER BY e.moment, e.place) AS freed \
                    FROM unnest(moments, counts) WITH ORDINALITY AS e (moment, count, place) \
                ) AS leaving WHERE leaving.freed > used - $2 ORDER BY leaving.moment LIMIT 1 \
            ) END AS free_in FROM ( \
                SELECT present.clock, COALESCE(array_agg(e.moment ORDER BY e.moment, e.place) FILTER (WHERE e.moment IS NOT NULL), '{}') \
                    AS moments, COALESCE(array_agg(e.count ORDER BY e.moment, e.place) FILTER (WHERE e.moment IS NOT NULL), '{}') \
                    AS counts, COALESCE(SUM(e.count), 0)::bigint AS used \
                FROM (SELECT GREATEST(",
            now!(),
            ", kept.clock) AS clock OFFSET 0) AS present LEFT JOIN LATERAL ( \
                    SELECT * FROM unnest(kept.moments, kept.counts) WITH ORDINALITY AS e (moment, count, place) \
                    WHERE e.moment > present.clock - $3 \
                ) AS e ON TRUE GROUP BY present.clock \
            ) AS recent"
        )
    };
}

/// Admits events and counts them, or leaves the window as it is. `$1` is the name, `$2` the limit, `$3` the
/// length of the window in microseconds, `$4` the most that is wanted, `$5` the microseconds for which a
/// portion of several is used. Returns how many were `granted`, the `moment` from which they count, and if
/// there were none, microseconds to `wait`. The clock is read when the row is locked.
const TAKE: &str = concat!(
    "INSERT INTO rate_portions AS kept (name, moments, counts, clock, granted, wait, expires_at) \
     SELECT $1, ARRAY[since], ARRAY[granted], clock, granted, 0, since + $3 FROM ( \
        SELECT clock, granted, ",
    since!(),
    " AS since FROM ( \
            SELECT ",
    now!(),
    " AS clock, LEAST($4, GREATEST($2 / ",
    portions_of_room!(),
    ", 1)) AS granted OFFSET 0 \
        ) AS fresh OFFSET 0 \
     ) AS first \
     ON CONFLICT (name) DO UPDATE SET (moments, counts, clock, granted, wait, expires_at) = ( \
        SELECT \
            CASE WHEN granted = 0 OR is_joined THEN moments ELSE moments || since END, \
            CASE WHEN granted = 0 THEN counts \
                WHEN is_joined THEN counts[:cardinality(counts) - 1] || (counts[cardinality(counts)] + granted) \
                ELSE counts || granted END, \
            clock, granted, \
            CASE WHEN granted > 0 THEN 0 ELSE free_in END, \
            CASE WHEN granted > 0 THEN GREATEST(since + $3, kept.expires_at) ELSE kept.expires_at END \
        FROM ( \
            SELECT decided.*, granted > 1 AND moments[cardinality(moments)] = since AS is_joined FROM ( \
                SELECT state.*, ",
    since!(),
    " AS since FROM ( \
                    SELECT state.*, CASE WHEN used < $2 \
                        THEN LEAST($4, GREATEST(($2 - used) / ",
    portions_of_room!(),
    ", 1)) ELSE 0 END AS granted FROM (",
    state!(),
    ") AS state OFFSET 0 \
                ) AS state OFFSET 0 \
            ) AS decided OFFSET 0 \
        ) AS decision \
     ) \
     RETURNING granted, wait, moments[cardinality(moments)] AS moment"
);

/// Like [`TAKE`] for one event, but only reads. No row means that nothing was counted yet.
const CHECK: &str = concat!(
    "SELECT CASE WHEN used < $2 THEN 0 ELSE free_in END AS wait \
     FROM rate_portions AS kept, LATERAL (",
    state!(),
    ") AS state WHERE kept.name = $1"
);

/// Takes `$3` events back that count from the moment `$2`.
const GIVE_BACK: &str = "\
    UPDATE rate_portions SET counts[array_position(moments, $2)] = counts[array_position(moments, $2)] - $3 \
    WHERE name = $1 AND array_position(moments, $2) IS NOT NULL";

/// Deletes windows whose last event has expired, except those that are in use at the moment; also those of
/// the version before.
const PRUNE: [&str; 2] = [
    "DELETE FROM rate_portions WHERE name IN ( \
        SELECT name FROM rate_portions \
        WHERE expires_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FOR UPDATE SKIP LOCKED \
    )",
    "DELETE FROM rate_windows WHERE name IN ( \
        SELECT name FROM rate_windows \
        WHERE expires_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FOR UPDATE SKIP LOCKED \
    )",
];

/// Events that a process may use, and that are counted already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatePortion {
    /// Their number, at least 1.
    pub events: u32,
    /// The moment from which they count, by which what was not used is given back.
    pub moment: i64,
}

/// A decision about events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateDecision {
    /// They are admitted, or some of them.
    Granted(RatePortion),
    /// The limit is reached; the next event will be admitted after this time.
    Wait(Duration),
}

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
    /// [`Store::open`](crate::Store::open) before, which creates the table; connections are made when they
    /// are needed.
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

    /// Counts an event unless `limit` events were counted within the last `window`. Returns `None` if it was
    /// counted, or else the time after which the next event will be.
    pub async fn take(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        Ok(match self.take_portion(name, limit, window, 1, Duration::ZERO).await? {
            RateDecision::Granted(_) => None,
            RateDecision::Wait(wait) => Some(wait),
        })
    }

    /// Counts up to `wanted` events, as many as the room that is left allows, unless `limit` events were
    /// counted within the last `window`. The caller may use them for `held` from the moment of this call, and
    /// gives back what it has not used.
    pub async fn take_portion(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
        wanted: u32,
        held: Duration,
    ) -> Result<RateDecision, StoreError> {
        let row = sqlx::query(TAKE)
            .bind(name.to_owned())
            .bind(i64::from(limit.max(1)))
            .bind(stored(window.as_micros()))
            .bind(i64::from(wanted.max(1)))
            .bind(stored(held.as_micros()))
            .fetch_one(&self.pool)
            .await?;
        let events = row.number("granted")?;
        if events == 0 {
            return Ok(RateDecision::Wait(Duration::from_micros(row.int("wait")?.try_into().unwrap_or(1))));
        }
        Ok(RateDecision::Granted(RatePortion { events, moment: row.int("moment")? }))
    }

    /// Takes events of a portion back that were not used, so that they count no longer.
    pub async fn give_back(&self, name: &str, unused: RatePortion) -> Result<(), StoreError> {
        sqlx::query(GIVE_BACK)
            .bind(name.to_owned())
            .bind(unused.moment)
            .bind(i64::from(unused.events))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns what [`take`](Self::take) would, without counting an event.
    pub async fn check(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        let row = sqlx::query(CHECK)
            .bind(name.to_owned())
            .bind(i64::from(limit.max(1)))
            .bind(stored(window.as_micros()))
            .fetch_optional(&self.pool)
            .await?;
        let wait = row.map_or(Ok(0), |row| row.int("wait"))?;
        Ok(u64::try_from(wait).ok().filter(|wait| *wait > 0).map(Duration::from_micros))
    }

    /// Deletes expired windows and returns how many there were.
    pub async fn prune(&self) -> Result<u64, StoreError> {
        let mut pruned = 0;
        for statement in PRUNE {
            pruned += sqlx::query(statement).execute(&self.pool).await?.rows_affected();
        }
        Ok(pruned)
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
