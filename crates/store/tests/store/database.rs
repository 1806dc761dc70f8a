//! A fresh database for a test, and opening it: schema, versions, health.

use std::io::Write;

use frontdesk_store::{Store, StoreError};
use frontdesk_testkit::postgres::{CONNECTIONS, TestDatabase};
use frontdesk_testkit::sqlite_file;
use sqlx::{AnyPool, Connection, Executor, Row};
use tempfile::TempDir;

use crate::on_both_databases;

const POSTGRES_URL: &str = "FRONTDESK_TEST_POSTGRES_URL";

pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) store: Store,
    postgres: Option<TestDatabase>,
    _folder: TempDir,
}

impl Database {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("front desk?.db");
        sqlite_file::create(&path, env!("CARGO_TARGET_TMPDIR")).await;
        let url = format!("sqlite:{}", path.display()).replace('?', "%3f");
        let store = Store::open(&url).await.unwrap();
        Self { url, store, postgres: None, _folder: folder }
    }

    pub(crate) async fn postgres(test: &str) -> Option<Self> {
        let Ok(server) = std::env::var(POSTGRES_URL) else {
            // Straight to the stream, which the test harness does not capture.
            let mut terminal = std::io::stderr();
            writeln!(terminal, "skipped on PostgreSQL: {test} ({POSTGRES_URL} is not set)").unwrap();
            return None;
        };
        let postgres = TestDatabase::claim(&server).await;
        let url = postgres.url();
        let store = Store::open_with_connections(&url, CONNECTIONS).await.unwrap();
        Some(Self { url, store, postgres: Some(postgres), _folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) async fn close(self) {
        self.store.close().await;
        if let Some(postgres) = &self.postgres {
            postgres.release().await;
        }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    /// The database without the store, to look behind it.
    pub(crate) async fn raw(&self) -> AnyPool {
        AnyPool::connect(&self.url).await.unwrap()
    }

    /// The address of a database without tables. On PostgreSQL it takes the place of this one.
    pub(crate) async fn empty(&self) -> String {
        if !self.is_postgres() {
            return self.url.replace(".db", "-second.db");
        }
        self.raw().await.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
        self.url.clone()
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        let pool = self.raw().await;
        let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let count = sqlx::query(sql).fetch_one(&pool).await.unwrap().get(0);
        pool.close().await;
        count
    }
}

async fn opening_again_changes_nothing(database: &Database) {
    let before = database.count("_sqlx_migrations").await;
    assert!(before > 0);
    Store::open(&database.url).await.unwrap().health().await.unwrap();
    assert_eq!(database.count("_sqlx_migrations").await, before);
}

async fn many_may_open_a_new_database_at_once(database: &Database) {
    let url = database.empty().await;
    let openers: Vec<_> = (0..6)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Store::open(&url).await })
        })
        .collect();
    for opener in openers {
        opener.await.unwrap().unwrap().accounts().list().await.unwrap();
    }
}

async fn a_newer_database_is_refused(database: &Database) {
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, $1, 0)",
    )
    .bind(vec![0_u8; 4])
    .execute(&database.raw().await)
    .await
    .unwrap();
    let error = Store::open(&database.url).await.unwrap_err();
    assert!(
        matches!(error, StoreError::NewerDatabase { found: 9999, supported } if supported >= 1),
        "{error:?}"
    );
}

async fn an_altered_migration_is_refused(database: &Database) {
    sqlx::query("UPDATE _sqlx_migrations SET checksum = $1 WHERE version = 1")
        .bind(vec![1_u8; 4])
        .execute(&database.raw().await)
        .await
        .unwrap();
    let error = Store::open(&database.url).await.unwrap_err();
    assert!(matches!(error, StoreError::Migration(_)), "{error:?}");
}

async fn writes_are_checked(database: &Database) {
    let now = crate::world::at(0);
    database.store.check_write(now).await.unwrap();
    database.store.check_write(now).await.unwrap();
    assert_eq!(database.count("write_checks").await, 1);
    let pool = database.raw().await;
    pool.execute("DROP TABLE write_checks").await.unwrap();
    pool.close().await;
    assert!(database.store.check_write(now).await.is_err());
}

async fn a_closed_store_is_unavailable_not_broken(database: &Database) {
    database.store.health().await.unwrap();
    let other = Store::open(&database.url).await.unwrap();
    other.close().await;
    let error = other.health().await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    database.store.health().await.unwrap();
}

on_both_databases!(
    opening_again_changes_nothing,
    many_may_open_a_new_database_at_once,
    a_newer_database_is_refused,
    an_altered_migration_is_refused,
    writes_are_checked,
    a_closed_store_is_unavailable_not_broken,
);

/// SQLite does not wait for the lock when it changes the mode of the journal, whatever `busy_timeout` says.
#[tokio::test]
async fn a_new_file_is_opened_although_another_process_writes_into_it() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let mut other = sqlx::AnyConnection::connect(&format!("{url}?mode=rwc")).await.unwrap();
    other
        .execute("CREATE TABLE other (id INTEGER); BEGIN IMMEDIATE; INSERT INTO other VALUES (1)")
        .await
        .unwrap();
    let opening = tokio::spawn({
        let url = url.clone();
        async move { Store::open(&url).await }
    });
    // Long enough for several attempts.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(!opening.is_finished(), "it waits");
    other.execute("COMMIT").await.unwrap();
    opening.await.unwrap().unwrap().health().await.unwrap();
}

#[tokio::test]
async fn useless_urls_are_explained_without_repeating_them() {
    for url in ["", "sqlite:", "sqlite://", "mysql://root:hunter2@localhost/db", "/var/data.db", "postgres"] {
        let error = Store::open(url).await.unwrap_err();
        assert!(matches!(error, StoreError::InvalidUrl { .. }), "{url}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
    let error = Store::open("sqlite:/no/such/folder/data.db").await.unwrap_err();
    assert!(matches!(error, StoreError::Open(_)), "{error:?}");
}

#[tokio::test]
async fn a_database_in_memory_belongs_to_its_clones_alone() {
    let [one, other] =
        [Store::open("sqlite::memory:").await.unwrap(), Store::open("sqlite::memory:").await.unwrap()];
    one.secrets().get_or_create("pepper", b"one").await.unwrap();
    assert_eq!(one.clone().secrets().names().await.unwrap(), ["pepper"]);
    assert!(other.secrets().names().await.unwrap().is_empty());
}
