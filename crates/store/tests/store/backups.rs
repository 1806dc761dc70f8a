//! Backups of one database, restored into either.

use frontdesk_store::{
    BackupError, BackupTable, PageRequest, Restoration, Snapshot, Store, TableSum, ThreadFilter,
};
use sqlx::Executor;
use tempfile::TempDir;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, at, candidates, file, turn};

on_both_databases!(
    a_backup_becomes_either_database,
    a_snapshot_does_not_see_what_is_written_later,
    only_an_empty_database_is_restored_into,
    a_failed_restoration_leaves_nothing,
);

/// A backup in memory.
struct Dump {
    steps: Vec<i64>,
    tables: Vec<(BackupTable, Vec<String>, TableSum, Option<i64>)>,
}

async fn dump(url: &str) -> Dump {
    let mut snapshot = Snapshot::open(url).await.unwrap();
    snapshot.check().await.unwrap();
    let mut tables = Vec::new();
    for table in snapshot.tables().to_vec() {
        let mut bytes = Vec::new();
        let sum = snapshot.copy(&table, &mut bytes).await.unwrap();
        let lines: Vec<String> = String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(lines.len() as u64, sum.rows);
        let last = snapshot.last_number(&table).await.unwrap();
        tables.push((table, lines, sum, last));
    }
    let steps = snapshot.steps().to_vec();
    snapshot.close().await.unwrap();
    Dump { steps, tables }
}

async fn restore(dump: &Dump, url: &str) {
    let mut restoration = Restoration::begin(url, &dump.steps).await.unwrap();
    let names = |tables: Vec<&BackupTable>| {
        tables.iter().map(|table| (table.name.clone(), table.columns.clone())).collect::<Vec<_>>()
    };
    assert_eq!(
        names(restoration.tables().iter().collect()),
        names(dump.tables.iter().map(|(table, ..)| table).collect())
    );
    for table in restoration.tables().to_vec() {
        let (_, lines, sum, last) = dump.tables.iter().find(|(one, ..)| one.name == table.name).unwrap();
        for lines in lines.chunks(3) {
            restoration.insert(&table, lines).await.unwrap();
        }
        assert_eq!(restoration.sum(&table).await.unwrap(), *sum, "{}", table.name);
        if let Some(last) = last {
            restoration.continue_after(&table, *last).await.unwrap();
        }
    }
    restoration.finish().await.unwrap();
}

fn new_file() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("restored.db").display());
    (folder, url)
}

/// Compares a restored installation with the original, and goes on working with it.
async fn is_as_before(store: &Store, ours: &World) {
    let scope = ours.scope();
    let original = ours.everything(store).await;
    assert!(!original.is_empty());
    let bot = ours.chatbot.chatbot_id;
    let found = candidates(store, &scope, bot, &["courier".into()], &[], 10).await.unwrap();
    assert!(!found.is_empty(), "the words of the content are found");
    let filter = ThreadFilter { text: Some("order".into()), ..ThreadFilter::default() };
    let _ = store.threads().page(&scope, &filter, &PageRequest::first(9)).await.unwrap();
    // Numbers of the database go on, triggers work, and references are checked.
    store.conversations().begin_turn(&scope, &turn(&ours.chatbot, None, "Hello?"), at(90)).await.unwrap();
    store.files().create(&scope, bot, &file("another text", &[]), at(90)).await.unwrap();
    assert!(store.webhooks().delete(&scope, ours.endpoint.webhook_endpoint_id).await.unwrap());
    assert!(store.chatbots().delete(&scope, bot).await.unwrap());
}

async fn a_backup_becomes_either_database(database: &Database) {
    let (ours, _theirs) =
        (World::new(&database.store, "ours", 1).await, World::new(&database.store, "theirs", 2).await);
    // Leases of processes that work on the original.
    database.store.webhooks().claim("someone", None, crate::world::LEASE, 10, at(5)).await.unwrap();
    let before = ours.everything(&database.store).await;
    let dump = dump(&database.url).await;
    assert!(dump.tables.iter().filter(|(_, lines, ..)| !lines.is_empty()).count() > 30);

    let (_folder, url) = new_file();
    restore(&dump, &url).await;
    let restored = Store::open(&url).await.unwrap();
    assert_eq!(ours.everything(&restored).await, before);
    // Nobody holds anything.
    assert_eq!(
        restored.webhooks().claim("other", None, crate::world::LEASE, 10, at(5)).await.unwrap().len(),
        2
    );
    is_as_before(&restored, &ours).await;
    restored.close().await;

    let Some(other) = Database::postgres("a_backup_becomes_either_database").await else { return };
    let url = other.empty().await;
    restore(&dump, &url).await;
    let restored = Store::open(&url).await.unwrap();
    assert_eq!(ours.everything(&restored).await, before);
    is_as_before(&restored, &ours).await;
    restored.close().await;
    other.close().await;
}

async fn a_snapshot_does_not_see_what_is_written_later(database: &Database) {
    let ours = World::new(&database.store, "ours", 1).await;
    let mut snapshot = Snapshot::open(&database.url).await.unwrap();
    let conversations = database.count("conversations").await;
    // Writing does not wait for the snapshot.
    let new = turn(&ours.chatbot, None, "Hello?");
    database.store.conversations().begin_turn(&ours.scope(), &new, at(90)).await.unwrap();
    assert_eq!(database.count("conversations").await, conversations + 1);
    let table = snapshot.tables().iter().find(|table| table.name == "conversations").unwrap().clone();
    let sum = snapshot.copy(&table, &mut std::io::sink()).await.unwrap();
    assert_eq!(i64::try_from(sum.rows).unwrap(), conversations);
    let keys = snapshot.object_keys().await.unwrap();
    assert!(keys.contains(&ours.file.object_key), "{keys:?}");
    snapshot.close().await.unwrap();
}

async fn only_an_empty_database_is_restored_into(database: &Database) {
    let error = Restoration::begin(&database.url, &[1]).await.unwrap_err();
    assert!(matches!(error, BackupError::NotEmpty), "{error:?}");
    let empty = database.empty().await;
    let error = Restoration::begin(&empty, &[1, 9999]).await.unwrap_err();
    assert!(matches!(error, BackupError::Newer { found: 9999, supported } if supported > 1), "{error:?}");
    if database.is_postgres() {
        let error = Snapshot::open(&empty).await.unwrap_err();
        assert!(matches!(error, BackupError::NothingThere), "{error:?}");
    }
    // The schema of an older version becomes that of this one.
    let restoration = Restoration::begin(&empty, &[1]).await.unwrap();
    assert!(restoration.tables().iter().all(|table| table.name != "faqs"));
    let url = if database.is_postgres() { empty.clone() } else { database.url.clone() };
    restoration.abandon().await;
    if !database.is_postgres() {
        assert!(Store::open(&url).await.is_ok());
        return;
    }
    Restoration::begin(&empty, &[1]).await.unwrap().finish().await.unwrap();
    let pool = sqlx::AnyPool::connect(&empty).await.unwrap();
    assert!(pool.execute("SELECT 1 FROM faqs").await.is_ok());
    pool.close().await;
}

async fn a_failed_restoration_leaves_nothing(database: &Database) {
    World::new(&database.store, "ours", 1).await;
    let dump = dump(&database.url).await;
    let Some(other) = Database::postgres("a_failed_restoration_leaves_nothing").await else { return };
    let url = other.empty().await;
    let mut restoration = Restoration::begin(&url, &dump.steps).await.unwrap();
    let users = restoration.tables().iter().find(|table| table.name == "users").unwrap().clone();
    let (_, lines, ..) = dump.tables.iter().find(|(table, ..)| table.name == "users").unwrap();
    restoration.insert(&users, lines).await.unwrap();
    // Their accounts are not there.
    restoration.finish().await.unwrap_err();
    Restoration::begin(&url, &dump.steps).await.unwrap().abandon().await;
    other.close().await;
}

/// A backup of one database is restored into the other, so both must have the same columns.
#[tokio::test]
async fn both_databases_have_the_same_tables_and_columns() {
    let test = "both_databases_have_the_same_tables_and_columns";
    let Some(postgres) = Database::postgres(test).await else { return };
    let sqlite = Database::sqlite().await;
    let mut shapes = Vec::new();
    for url in [&sqlite.url, &postgres.url] {
        let snapshot = Snapshot::open(url).await.unwrap();
        let tables = snapshot.tables().iter();
        shapes.push(tables.map(|table| (table.name.clone(), table.columns.clone())).collect::<Vec<_>>());
        snapshot.close().await.unwrap();
    }
    let [sqlite, postgres_tables] = <[_; 2]>::try_from(shapes).unwrap();
    for (one, other) in sqlite.iter().zip(&postgres_tables) {
        assert_eq!(one, other);
    }
    assert_eq!(sqlite.len(), postgres_tables.len());
    postgres.close().await;
}
