//! [`Snapshot`]: a database at one moment, while it goes on being written.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;

use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyPool, AssertSqlSafe, Executor, Transaction};

use super::rows::{self, Words, quoted};
use super::{BackupError, BackupTable, TableSum, catalog};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, texts_of};
use crate::sql::{database, migration};

/// The column by which rows name what is in the storage of files.
const OBJECT_KEY: &str = "object_key";
/// The table that notes objects before they are written, and until they are deleted.
const STORED_OBJECTS: &str = "stored_objects";
/// The table that names hidden messages.
const HIDDEN: &str = "erasing_texts";

/// A database at one moment. It is read in one transaction, and others go on writing; on SQLite, the
/// write-ahead log cannot begin anew until the snapshot is closed.
pub struct Snapshot {
    transaction: Transaction<'static, Any>,
    pool: AnyPool,
    dialect: Dialect,
    steps: Vec<i64>,
    tables: Vec<BackupTable>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Opens a database as it is: nothing is created, and nothing is migrated. `url` is that of
    /// [`Store::open`](crate::Store::open).
    pub async fn open(url: &str) -> Result<Self, BackupError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of_url(url)?;
        if url.starts_with("sqlite::memory:") {
            return Err(BackupError::InMemory);
        }
        let pool = AnyPoolOptions::new().max_connections(1).test_before_acquire(false);
        let pool = match dialect {
            Dialect::Sqlite => pool.after_connect(|connection, _| {
                Box::pin(async { connection.execute("PRAGMA busy_timeout = 60000").await.map(drop) })
            }),
            Dialect::Postgres => pool,
        };
        let pool = pool.connect(&database::existing(url)).await.map_err(StoreError::Open)?;
        let mut transaction = match dialect {
            Dialect::Sqlite => pool.begin_with("BEGIN").await?,
            Dialect::Postgres => {
                database::begin(&pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?
            }
        };
        // The first statement that reads takes the snapshot.
        let steps = catalog::steps(&mut transaction, dialect).await?.ok_or(BackupError::NothingThere)?;
        if let Some((found, supported)) = migration::unknown(dialect, &steps) {
            return Err(StoreError::NewerDatabase { found, supported }.into());
        }
        let tables = catalog::tables(&mut transaction, dialect).await?;
        Ok(Self { transaction, pool, dialect, steps, tables })
    }

    /// The kind of the database: `sqlite` or `postgres`.
    pub const fn database(&self) -> &'static str {
        self.dialect.pick("sqlite", "postgres")
    }

    /// The numbers of the migrations that the database has had.
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// The tables, in the order of their names.
    pub fn tables(&self) -> &[BackupTable] {
        &self.tables
    }

    /// Has SQLite check all pages and indexes of the file. PostgreSQL checks pages while they are read.
    pub async fn check(&mut self) -> Result<(), BackupError> {
        match self.dialect {
            Dialect::Sqlite => catalog::check_integrity(&mut self.transaction).await,
            Dialect::Postgres => Ok(()),
        }
    }

    /// Writes all rows of a table as lines, each of which is a JSON list of the values of the columns. Words
    /// that an erasure has hidden are left out, whether it has emptied their messages or not.
    pub async fn copy(
        &mut self,
        table: &BackupTable,
        to: &mut (dyn Write + Send),
    ) -> Result<TableSum, BackupError> {
        // Databases of earlier versions hide nothing.
        let can_hide = self.tables.iter().any(|table| table.name == HIDDEN);
        let words = if can_hide { Words::Shown } else { Words::Stored };
        rows::copy(&mut self.transaction, self.dialect, table, words, to).await
    }

    /// Returns the last number that the database has given to a row of a table, or `None` if it counts none.
    pub async fn last_number(&mut self, table: &BackupTable) -> Result<Option<i64>, BackupError> {
        let Some(column) = &table.counted else { return Ok(None) };
        let row = match self.dialect {
            Dialect::Sqlite => {
                let sql = "SELECT seq AS last FROM sqlite_sequence WHERE name = $1";
                sqlx::query(sql).bind(table.name.clone()).fetch_optional(&mut *self.transaction).await?
            }
            Dialect::Postgres => {
                let sql = "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass) AS last";
                let one = sqlx::query(sql).bind(quoted(&table.name)).bind(column.clone());
                one.fetch_optional(&mut *self.transaction).await?
            }
        };
        Ok(row.map(|row| row.int_opt("last")).transpose()?.flatten())
    }

    /// Returns the keys of all objects in the storage of files that rows name, in order.
    pub async fn object_keys(&mut self) -> Result<BTreeSet<String>, BackupError> {
        let mut keys = BTreeSet::new();
        for table in &self.tables {
            if table.name == STORED_OBJECTS || table.kind(OBJECT_KEY).is_none() {
                continue;
            }
            let table = quoted(&table.name);
            let sql = format!("SELECT {OBJECT_KEY} FROM {table} WHERE {OBJECT_KEY} IS NOT NULL");
            for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *self.transaction).await? {
                keys.insert(row.text(OBJECT_KEY)?);
            }
        }
        Ok(keys)
    }

    /// Returns a secret of the installation, or `None` if there is none with this name.
    pub async fn secret(&mut self, name: &str) -> Result<Option<Redacted<Vec<u8>>>, BackupError> {
        let row = sqlx::query("SELECT value FROM secrets WHERE name = $1")
            .bind(name.to_owned())
            .fetch_optional(&mut *self.transaction)
            .await?;
        let value = row.map(|row| sqlx::Row::try_get::<Vec<u8>, _>(&row, "value")).transpose()?;
        Ok(value.map(Redacted::new))
    }

    /// Returns the ids of the peppers that API keys were hashed with, as far as they are known.
    pub async fn peppers_of_keys(&mut self) -> Result<Vec<String>, BackupError> {
        let keys = self.tables.iter().find(|table| table.name == "api_keys");
        if keys.is_none_or(|keys| keys.kind("pepper_id").is_none()) {
            return Ok(Vec::new());
        }
        let sql = "SELECT DISTINCT pepper_id FROM api_keys WHERE pepper_id IS NOT NULL ORDER BY pepper_id";
        let rows = sqlx::query(sql).fetch_all(&mut *self.transaction).await?;
        Ok(texts_of(&rows, "pepper_id")?)
    }

    /// Ends the transaction.
    pub async fn close(self) -> Result<(), BackupError> {
        self.transaction.rollback().await?;
        self.pool.close().await;
        Ok(())
    }
}
