//! [`Restoration`]: an empty database that becomes what a backup says.

use std::fmt;
use std::io;

use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Executor, Transaction};

use super::rows::{self, Words, quoted};
use super::{BackupError, BackupTable, TableSum, catalog, indexes};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;
use crate::sql::{database, migration};

/// An empty database that becomes what a backup says, in one transaction: until [`finish`](Self::finish) has
/// returned it stays empty, or on SQLite is a file without meaning, which the caller removes.
pub struct Restoration {
    transaction: Transaction<'static, Any>,
    pool: AnyPool,
    dialect: Dialect,
    tables: Vec<BackupTable>,
    /// The statements that bring back what would interfere with rows that are complete already: triggers of
    /// SQLite, foreign keys of PostgreSQL.
    postponed: Vec<String>,
}

impl fmt::Debug for Restoration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restoration").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl Restoration {
    /// Refuses migrations that this program does not know, before anything is done.
    pub fn check_steps(steps: &[i64]) -> Result<(), BackupError> {
        match migration::unknown(Dialect::Sqlite, steps) {
            Some((found, supported)) => Err(BackupError::Newer { found, supported }),
            None => Ok(()),
        }
    }

    /// Begins to restore into a database without tables, which gets the schema that the backup names by its
    /// migrations. A SQLite file is created.
    pub async fn begin(url: &str, steps: &[i64]) -> Result<Self, BackupError> {
        Self::check_steps(steps)?;
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of_url(url)?;
        if url.starts_with("sqlite::memory:") {
            return Err(BackupError::InMemory);
        }
        let pool = AnyPoolOptions::new().max_connections(1).test_before_acquire(false);
        let pool = pool.connect(&database::creating(url)).await.map_err(StoreError::Open)?;
        if dialect == Dialect::Sqlite {
            let mut connection = pool.acquire().await?;
            if !catalog::is_empty(&mut connection, dialect).await? {
                return Err(BackupError::NotEmpty);
            }
            // The file has no meaning before it is complete, so it needs no journal.
            let settings = "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF";
            connection.execute(settings).await?;
        }
        let mut transaction = match dialect {
            Dialect::Sqlite => pool.begin_with("BEGIN IMMEDIATE").await?,
            Dialect::Postgres => database::begin(&pool, "BEGIN").await?,
        };
        if !catalog::is_empty(&mut transaction, dialect).await? {
            return Err(BackupError::NotEmpty);
        }
        migration::run_steps(dialect, &mut transaction, Some(steps)).await?;
        let tables = catalog::tables(&mut transaction, dialect).await?;
        let postponed = match dialect {
            Dialect::Sqlite => postpone_triggers(&mut transaction).await?,
            Dialect::Postgres => postpone_foreign_keys(&mut transaction, &tables).await?,
        };
        // Whatever a migration has written is in the backup as well.
        for table in &tables {
            let sql = format!("DELETE FROM {}", quoted(&table.name));
            transaction.execute(AssertSqlSafe(sql)).await?;
        }
        Ok(Self { transaction, pool, dialect, tables, postponed })
    }

    /// The kind of the database: `sqlite` or `postgres`.
    pub const fn database(&self) -> &'static str {
        self.dialect.pick("sqlite", "postgres")
    }

    /// The tables, in the order of their names.
    pub fn tables(&self) -> &[BackupTable] {
        &self.tables
    }

    /// Writes rows of a table, given as the lines that [`Snapshot::copy`](super::Snapshot::copy) has written.
    pub async fn insert(&mut self, table: &BackupTable, lines: &[String]) -> Result<(), BackupError> {
        rows::insert(&mut self.transaction, self.dialect, table, lines).await
    }

    /// Reads the rows of a table again, for a comparison with the backup.
    pub async fn sum(&mut self, table: &BackupTable) -> Result<TableSum, BackupError> {
        rows::copy(&mut self.transaction, self.dialect, table, Words::Stored, &mut io::sink()).await
    }

    /// Lets the numbers that the database gives to rows of a table continue after this one.
    pub async fn continue_after(&mut self, table: &BackupTable, last: i64) -> Result<(), BackupError> {
        let Some(column) = &table.counted else { return Ok(()) };
        match self.dialect {
            Dialect::Sqlite => {
                let forget = sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1");
                forget.bind(table.name.clone()).execute(&mut *self.transaction).await?;
                let note = sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)");
                note.bind(table.name.clone()).bind(last).execute(&mut *self.transaction).await?;
            }
            Dialect::Postgres => {
                let sql = "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3)";
                let set = sqlx::query(sql).bind(quoted(&table.name)).bind(column.clone()).bind(last);
                set.execute(&mut *self.transaction).await?;
            }
        }
        Ok(())
    }

    /// Makes the indexes, has the database check all references between rows, applies the migrations that the
    /// backup lacks, ends the leases of the processes that worked on the original, and commits.
    pub async fn finish(mut self) -> Result<(), BackupError> {
        for table in &self.tables {
            indexes::make(&mut self.transaction, self.dialect, &table.name).await?;
        }
        for statement in &self.postponed {
            self.transaction.execute(AssertSqlSafe(statement.clone())).await?;
        }
        if self.dialect == Dialect::Postgres {
            // Tables cannot be altered while checks are left for the end of the transaction.
            self.transaction.execute("SET CONSTRAINTS ALL IMMEDIATE").await?;
        }
        if self.dialect == Dialect::Sqlite {
            let broken = sqlx::query("SELECT \"table\" AS name FROM pragma_foreign_key_check LIMIT 1");
            if let Some(row) = broken.fetch_optional(&mut *self.transaction).await? {
                let problem = format!("a row of {} names one that does not exist", row.text("name")?);
                return Err(BackupError::Unfitting { problem });
            }
        }
        migration::run_steps(self.dialect, &mut self.transaction, None).await?;
        for statement in [
            "UPDATE jobs SET lease_until = 0 WHERE state = 'running'",
            "UPDATE webhook_endpoints SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL",
        ] {
            self.transaction.execute(statement).await?;
        }
        if self.dialect == Dialect::Sqlite {
            catalog::check_integrity(&mut self.transaction).await?;
        }
        self.transaction.commit().await?;
        self.pool.close().await;
        Ok(())
    }

    /// Gives up, and leaves nothing behind in PostgreSQL.
    pub async fn abandon(self) {
        // What cannot be rolled back ends with the connection.
        let _ = self.transaction.rollback().await;
        self.pool.close().await;
    }
}

/// Drops the triggers, which would count rows a second time, and returns the statements that make them.
async fn postpone_triggers(connection: &mut AnyConnection) -> Result<Vec<String>, BackupError> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name";
    let rows = sqlx::query(sql).fetch_all(&mut *connection).await?;
    let mut statements = Vec::with_capacity(rows.len());
    for row in rows {
        let drop = format!("DROP TRIGGER {}", quoted(&row.text("name")?));
        connection.execute(AssertSqlSafe(drop)).await?;
        statements.push(row.text("sql")?);
    }
    Ok(statements)
}

/// Disables triggers and drops foreign keys, so that tables can be filled in any order, and returns the
/// statements that bring them back.
async fn postpone_foreign_keys(
    connection: &mut AnyConnection,
    tables: &[BackupTable],
) -> Result<Vec<String>, BackupError> {
    let mut statements = Vec::new();
    for table in tables {
        let table = quoted(&table.name);
        connection.execute(AssertSqlSafe(format!("ALTER TABLE {table} DISABLE TRIGGER USER"))).await?;
        statements.push(format!("ALTER TABLE {table} ENABLE TRIGGER USER"));
    }
    let sql = "SELECT conrelid::regclass::text AS name, quote_ident(conname) AS key, pg_get_constraintdef(oid) AS definition \
               FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY oid";
    for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
        let (table, key, definition) = (row.text("name")?, row.text("key")?, row.text("definition")?);
        connection.execute(AssertSqlSafe(format!("ALTER TABLE {table} DROP CONSTRAINT {key}"))).await?;
        statements.push(format!("ALTER TABLE {table} ADD CONSTRAINT {key} {definition}"));
    }
    Ok(statements)
}
