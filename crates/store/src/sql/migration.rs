//! Brings the schema of an opened database to the version of this program.
//!
//! The two dialect folders hold the same numbered steps with the same meaning. Each step is applied exactly
//! once, under a lock, so that several processes may start together.

use std::sync::LazyLock;
use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AnyPool, Row, SqlStr};

use crate::sql::database::limit_statements;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::lock_wait::LockWait;

include!(concat!(env!("OUT_DIR"), "/steps.rs"));

static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(SQLITE_STEPS));
static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(POSTGRES_STEPS));

/// The migrator of steps that are given by version, description and SQL.
fn migrator(steps: &[(i64, &'static str, &'static str)]) -> Migrator {
    let step = |&(version, description, sql): &(i64, &'static str, &'static str)| {
        Migration::new(version, description.into(), MigrationType::Simple, SqlStr::from_static(sql), false)
    };
    Migrator::with_migrations(steps.iter().map(step).collect())
}

/// What is done with the schema of a database that is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    /// It is created, or brought up to date.
    BroughtUpToDate,
    /// It is created in an empty database, and otherwise has to be up to date.
    PresentOrNew,
    /// It has to be there and up to date.
    Present,
}

/// Returns whether the schema must stay as it is, or refuses a database that is older than this program, or
/// empty, where it may not be changed.
pub(crate) async fn leaves_alone(
    dialect: Dialect,
    pool: &AnyPool,
    schema: Schema,
) -> Result<bool, StoreError> {
    if schema == Schema::BroughtUpToDate {
        return Ok(false);
    }
    let table = dialect.pick(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'",
        "SELECT 1 WHERE to_regclass('_sqlx_migrations') IS NOT NULL",
    );
    let has_steps = sqlx::query(table).fetch_optional(pool).await?.is_some();
    let found: Option<i64> = if has_steps {
        let newest = sqlx::query("SELECT MAX(version) AS newest FROM _sqlx_migrations WHERE success");
        newest.fetch_one(pool).await?.try_get("newest")?
    } else {
        None
    };
    let supported = newest(all(dialect));
    match found {
        None if schema == Schema::PresentOrNew => Ok(false),
        None => Err(StoreError::NoInstallation),
        Some(found) if found < supported => Err(StoreError::OlderDatabase { found, supported }),
        // What is newer or altered is refused where it is compared step by step, before any change.
        Some(_) => Ok(is_current(pool, all(dialect)).await),
    }
}

fn newest(migrator: &Migrator) -> i64 {
    migrator.iter().map(|step| step.version).max().unwrap_or_default()
}

/// Applies the steps that are missing, or refuses a database that has steps this program does not know.
///
/// `run_direct`, because the future of `run` is not `Send` for every lifetime, which spawning needs.
pub(crate) async fn run(dialect: Dialect, pool: &AnyPool) -> Result<(), StoreError> {
    match dialect {
        Dialect::Sqlite => {
            // A busy writer of another process could keep this one from the lock, which is not needed mostly.
            if is_current(pool, &SQLITE).await {
                return Ok(());
            }
            // The write lock of this transaction is the lock: SQLite has no other.
            let mut wait = LockWait::new();
            let mut transaction = loop {
                match pool.begin_with("BEGIN IMMEDIATE").await {
                    Err(error) if wait.allows(&error).await => {}
                    begun => break begun.map_err(StoreError::Open)?,
                }
            };
            SQLITE
                .run_direct(None, &mut *transaction, false)
                .await
                .map_err(|error| explain(error, &SQLITE))?;
            transaction.commit().await.map_err(StoreError::Open)
        }
        Dialect::Postgres => {
            // The migrator holds an advisory lock of the database while it runs, one transaction per step.
            // It is a connection that does not return to the pool: a step, or the wait for another process
            // that applies one, may take longer than any statement later on.
            let mut connection = pool.acquire().await.map_err(StoreError::Open)?;
            connection.close_on_drop();
            limit_statements(&mut connection, Duration::ZERO).await.map_err(StoreError::Open)?;
            POSTGRES
                .run_direct(None, &mut *connection, false)
                .await
                .map_err(|error| explain(error, &POSTGRES))
        }
    }
}

/// Applies the steps with these numbers, or all, that are missing, to a database that nobody else uses.
pub(crate) async fn run_steps(
    dialect: Dialect,
    connection: &mut AnyConnection,
    versions: Option<&[i64]>,
) -> Result<(), StoreError> {
    let migrator = all(dialect);
    let wanted = migrator.iter().filter(|step| versions.is_none_or(|known| known.contains(&step.version)));
    let wanted = Migrator::with_migrations(wanted.cloned().collect());
    wanted.run_direct(None, connection, false).await.map_err(|error| explain(error, migrator))
}

/// Returns the first of these numbers that is of no step of this program, and the newest that is.
pub(crate) fn unknown(dialect: Dialect, versions: &[i64]) -> Option<(i64, i64)> {
    let known = || all(dialect).iter().map(|step| step.version);
    let unknown = versions.iter().find(|version| known().all(|step| step != **version))?;
    Some((*unknown, known().max().unwrap_or_default()))
}

fn all(dialect: Dialect) -> &'static Migrator {
    match dialect {
        Dialect::Sqlite => &SQLITE,
        Dialect::Postgres => &POSTGRES,
    }
}

/// Returns whether exactly the steps that this program knows have been applied.
async fn is_current(pool: &AnyPool, migrator: &Migrator) -> bool {
    // A new database has no such table.
    let applied =
        sqlx::query("SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version");
    let Ok(applied) = applied.fetch_all(pool).await else { return false };
    let is_applied = |(row, step): (&AnyRow, &Migration)| {
        row.try_get::<i64, _>("version").is_ok_and(|version| version == step.version)
            && row.try_get::<Vec<u8>, _>("checksum").is_ok_and(|checksum| *checksum == *step.checksum)
    };
    applied.len() == migrator.iter().count() && applied.iter().zip(migrator.iter()).all(is_applied)
}

fn explain(error: MigrateError, migrator: &Migrator) -> StoreError {
    let supported = newest(migrator);
    match error {
        MigrateError::VersionMissing(found) if found > supported => {
            StoreError::NewerDatabase { found, supported }
        }
        other => StoreError::Migration(other),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A database that was made before refuses a step whose version or text is not the one that it has.
    #[tokio::test]
    async fn steps_are_what_the_migrator_reads_from_the_folders() {
        for (folder, embedded) in [("sqlite", &*SQLITE), ("postgres", &*POSTGRES)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
            let read = Migrator::new(folder).await.unwrap();
            let facts = |migrator: &Migrator| {
                migrator
                    .iter()
                    .map(|step| {
                        (step.version, step.description.to_string(), step.checksum.to_vec(), step.no_tx)
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(facts(embedded), facts(&read));
        }
    }

    #[test]
    fn both_dialects_have_the_same_steps() {
        let steps = |migrator: &Migrator| {
            migrator.iter().map(|step| (step.version, step.description.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(steps(&SQLITE), steps(&POSTGRES));
        assert!(!steps(&SQLITE).is_empty());
    }
}
