//! Brings the schema of an opened database to the version of this program.
//!
//! The two dialect folders hold the same numbered steps with the same meaning. Each step is applied exactly
//! once, under a lock, so that several processes may start together.

use sqlx::AnyPool;
use sqlx::migrate::{MigrateError, Migrator};

use crate::StoreError;
use crate::dialect::Dialect;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// Applies the steps that are missing, or refuses a database that has steps this program does not know.
///
/// `run_direct`, because the future of `run` is not `Send` for every lifetime, which spawning needs.
pub(crate) async fn run(dialect: Dialect, pool: &AnyPool) -> Result<(), StoreError> {
    match dialect {
        Dialect::Sqlite => {
            // The write lock of this transaction is the lock: SQLite has no other.
            let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await.map_err(StoreError::Open)?;
            SQLITE
                .run_direct(None, &mut *transaction, false)
                .await
                .map_err(|error| explain(error, &SQLITE))?;
            transaction.commit().await.map_err(StoreError::Open)
        }
        Dialect::Postgres => {
            // The migrator holds an advisory lock of the database while it runs, one transaction per step.
            let mut connection = pool.acquire().await.map_err(StoreError::Open)?;
            POSTGRES
                .run_direct(None, &mut *connection, false)
                .await
                .map_err(|error| explain(error, &POSTGRES))
        }
    }
}

fn explain(error: MigrateError, migrator: &Migrator) -> StoreError {
    let supported = migrator.iter().map(|step| step.version).max().unwrap_or_default();
    match error {
        MigrateError::VersionMissing(found) if found > supported => {
            StoreError::NewerDatabase { found, supported }
        }
        other => StoreError::Migration(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_have_the_same_steps() {
        let steps = |migrator: &Migrator| {
            migrator.iter().map(|step| (step.version, step.description.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(steps(&SQLITE), steps(&POSTGRES));
        assert!(!steps(&SQLITE).is_empty());
    }
}
