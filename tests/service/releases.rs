//! Databases of every released version, with data, are migrated in one step, and answer afterwards; and a
//! process of the last release works on beside processes of this version.
//!
//! Which migrations a release had is what the commit has that released it (`git log -- spec/v1/released`,
//! `git ls-tree COMMIT crates/store/migrations/sqlite/`). No migration was changed after its release. What
//! the tables held is written in `releases/VERSION.sql`, in the columns of that version; each begins where
//! the one before ends, as an installation does that was upgraded.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use data_encoding::HEXLOWER;
use frontdesk_client::{
    Client,
    model::{NewMessage, WebhookRecoveryRequest},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::{AnyPool, AssertSqlSafe, Executor, Row, migrate::Migrator};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, client},
    on_both_databases,
    process::json_output,
};

on_both_databases!(
    a_database_of_1_0_0_is_migrated,
    a_database_of_1_1_0_is_migrated,
    a_database_of_1_2_0_is_migrated,
    a_backup_of_an_old_version_is_restored_by_this_one,
    statements_of_the_last_release_work_on_this_schema,
    nothing_that_the_last_release_needs_is_gone,
);

/// A release, its last migration, and what its tables held.
struct Release {
    version: &'static str,
    last_step: i64,
    data: &'static str,
}

const RELEASES: [Release; 3] = [
    Release { version: "1.0.0", last_step: 1, data: include_str!("releases/1.0.0.sql") },
    Release { version: "1.1.0", last_step: 6, data: include_str!("releases/1.1.0.sql") },
    Release { version: "1.2.0", last_step: 27, data: include_str!("releases/1.2.0.sql") },
];

const KEY: &str = "sk_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const PEPPER: [u8; 32] = [7; 32];
const CHATBOT: Uuid = Uuid::from_u128(0x1000_0000_0000_4000_8000_0000_0000_0004);
const ENDPOINT: Uuid = Uuid::from_u128(0x1200_0000_0000_4000_8000_0000_0000_0004);

/// The statements of a release, for one of the databases, and the tokens of their rows in the index.
fn statements(data: &str, is_postgres: bool) -> (String, Vec<String>) {
    let mut mac = Hmac::<Sha256>::new_from_slice(&PEPPER).unwrap();
    mac.update(KEY.as_bytes());
    let recently = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() - 3_600_000_000;
    let pepper = HEXLOWER.encode(&PEPPER);
    let data = data
        .replace("{pepper}", &if is_postgres { format!("'\\x{pepper}'") } else { format!("X'{pepper}'") })
        .replace("{key_hash}", &HEXLOWER.encode(&mac.finalize().into_bytes()))
        .replace("{recently}", &recently.to_string())
        .replace("{tokens_column}", if is_postgres { ", tokens" } else { "" });
    let mut pieces = data.split("{tokens:");
    let (mut sql, mut tokens) = (pieces.next().unwrap().to_owned(), Vec::new());
    for piece in pieces {
        let (words, rest) = piece.split_once('}').unwrap();
        if is_postgres {
            sql.push_str(&format!(", CAST('{words}' AS tsvector)"));
        }
        sql.push_str(rest);
        tokens.push(words.to_owned());
    }
    (sql, tokens)
}

/// A database as a release left it, on a server or in a file that is not there yet.
async fn as_of(database: &Database, version: &str) -> String {
    let kind = if database.is_postgres() { "postgres" } else { "sqlite" };
    let url = if database.is_postgres() {
        database.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
        database.url.clone()
    } else {
        format!("sqlite:{}", database.folder().join("old.db").display())
    };
    let created = if database.is_postgres() { url.clone() } else { format!("{url}?mode=rwc") };
    let pool = AnyPool::connect(&created).await.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/store/migrations").join(kind);
    let all = Migrator::new(folder).await.unwrap();
    for release in &RELEASES {
        let mut connection = pool.acquire().await.unwrap();
        all.run_direct(Some(release.last_step), &mut *connection, false).await.unwrap();
        let (sql, tokens) = statements(release.data, database.is_postgres());
        connection.execute(AssertSqlSafe(sql)).await.unwrap();
        if !database.is_postgres() {
            for words in tokens.iter().filter(|_| release.version != "1.2.0") {
                let sql = format!(
                    "INSERT INTO chunk_index (rowid, tokens) SELECT MAX(chunk_no), '{words}' FROM chunks"
                );
                connection.execute(AssertSqlSafe(sql)).await.unwrap();
            }
        }
        if release.version == version {
            break;
        }
    }
    pool.close().await;
    url
}

/// Every table that the releases filled, with its number of rows.
async fn counts(url: &str) -> Vec<(&'static str, i64)> {
    const TABLES: [&str; 18] = [
        "accounts",
        "users",
        "api_keys",
        "chatbots",
        "webpages",
        "chunks",
        "tags",
        "contacts",
        "conversations",
        "messages",
        "credit_usage",
        "text_snippets",
        "faqs",
        "faq_items",
        "events",
        "webhook_deliveries",
        "deals",
        "thread_messages",
    ];
    let pool = AnyPool::connect(url).await.unwrap();
    let mut counts = Vec::new();
    for table in TABLES {
        let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        // Tables of later versions are not there yet.
        if let Ok(row) = sqlx::query(sql).fetch_one(&pool).await {
            counts.push((table, row.get(0)));
        }
    }
    pool.close().await;
    counts
}

async fn answer(client: &Client, question: &str) -> String {
    client.messages().send(CHATBOT.into(), NewMessage::new(question)).await.unwrap().into_inner().response
}

/// Everything that the data of a version says is found through the interface.
async fn answers(client: &Client, version: &str) {
    assert!(answer(client, "How much is a bag of rye flour?").await.contains("3 pounds"));
    let lee = client.contacts().lookup().email("lee@customer.example").await.unwrap();
    assert_eq!(lee.name.as_deref(), Some("Lee"));
    let talks = client.contacts().list_conversations(lee.contact_id).await.unwrap();
    assert_eq!(talks.conversations.len(), 1);
    let websites = client.websites().list(CHATBOT.into()).await.unwrap();
    assert_eq!(websites.websites.len(), 1, "the page belongs to a website");
    // Every account has a board, also one that is older than boards.
    let board = client.deals().get_board().await.unwrap();
    assert_eq!(board.columns.len(), 6);
    if version == "1.0.0" {
        return;
    }
    assert!(answer(client, "How long do tours of the mill take?").await.contains("two hours"));
    if version == "1.1.0" {
        return;
    }
    let deals = client.deals().list().await.unwrap();
    assert_eq!(deals.deals[0].title, "A ton of rye");
    let threads = client.inbox().list_threads().await.unwrap();
    assert!(threads.threads.iter().any(|thread| thread.subject.as_deref() == Some("An order")));
    let since = frontdesk_runtime::Timestamp::from_microseconds(1_700_000_000_000_000).unwrap();
    let request = WebhookRecoveryRequest::new(since);
    let recovered = client.webhook_endpoints().recover(ENDPOINT.into(), request).await.unwrap();
    assert_eq!(recovered.queued, 1);
}

async fn is_migrated(database: Database, version: &str) {
    let url = as_of(&database, version).await;
    let before = counts(&url).await;
    assert!(before.iter().filter(|(_, rows)| *rows > 0).count() >= 11, "{before:?}");
    let service = Installation::start_with(database, |config| {
        config.database = frontdesk_store::Redacted::new(url.clone());
    })
    .await;
    let after = counts(&url).await;
    for (table, rows) in &before {
        assert!(after.contains(&(*table, *rows)), "{table} had {rows} rows: {after:?}");
    }
    let client = client(service.address(), KEY);
    answers(&client, version).await;
    service.stop().await;
}

async fn a_database_of_1_0_0_is_migrated(database: Database) {
    is_migrated(database, "1.0.0").await;
}

async fn a_database_of_1_1_0_is_migrated(database: Database) {
    is_migrated(database, "1.1.0").await;
}

async fn a_database_of_1_2_0_is_migrated(database: Database) {
    is_migrated(database, "1.2.0").await;
}

async fn a_backup_of_an_old_version_is_restored_by_this_one(database: Database) {
    let url = as_of(&database, "1.1.0").await;
    let before = counts(&url).await;
    let folder = database.folder().to_owned();
    let path = folder.join("old.zip");
    let file = path.to_str().unwrap();
    json_output(crate::process::command(&url, &folder, &["backup", file]));
    // A backup changes nothing: it is made before an upgrade.
    assert_eq!(counts(&url).await, before);
    let target = format!("sqlite:{}", folder.join("restored.db").display());
    json_output(crate::process::command(&target, &folder, &["restore", file]));
    let service = Installation::start_with(database, |config| {
        config.database = frontdesk_store::Redacted::new(target.clone());
    })
    .await;
    answers(&client(service.address(), KEY), "1.1.0").await;
    service.stop().await;
}

/// Statements by which processes of 1.2.0 write, with the columns that they know. They go on doing so while
/// the processes of an installation are replaced one after the other.
async fn statements_of_the_last_release_work_on_this_schema(database: Database) {
    let url = as_of(&database, "1.2.0").await;
    frontdesk_store::Store::open(&url).await.unwrap().close().await;
    let pool = AnyPool::connect(&url).await.unwrap();
    let account = "10000000-0000-4000-8000-000000000001";
    for statement in include_str!("releases/statements_of_1.2.0.sql").split(";\n") {
        let lines = statement.lines().filter(|line| !line.starts_with("--"));
        let sql = lines.collect::<Vec<_>>().join("\n");
        if sql.trim().is_empty() || (sql.contains("rate_windows") && !database.is_postgres()) {
            continue;
        }
        let sql = sql.replace("{account}", account);
        let done = pool.execute(AssertSqlSafe(sql.clone())).await;
        assert!(done.is_ok(), "{sql}: {done:?}");
    }
    pool.close().await;
    let service = Installation::start_with(database, |config| {
        config.database = frontdesk_store::Redacted::new(url.clone());
    })
    .await;
    answers(&client(service.address(), KEY), "1.1.0").await;
    service.stop().await;
}

/// Columns as (table, column) with their type, and whether an insertion may leave them out.
async fn columns(url: &str, is_postgres: bool) -> BTreeMap<(String, String), (String, bool)> {
    let sql = if is_postgres {
        "SELECT table_name::text AS t, column_name::text AS c, data_type::text AS d, \
         CASE WHEN is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' THEN 1 ELSE 0 END::bigint AS o \
         FROM information_schema.columns WHERE table_schema = current_schema()"
    } else {
        "SELECT t.name AS t, c.name AS c, c.type AS d, \
         CASE WHEN c.\"notnull\" = 0 OR c.dflt_value IS NOT NULL OR c.type = 'INTEGER' AND c.pk > 0 THEN 1 ELSE 0 END AS o \
         FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.type IN ('table', 'view')"
    };
    let pool = AnyPool::connect(url).await.unwrap();
    let rows = sqlx::query(sql).fetch_all(&pool).await.unwrap();
    pool.close().await;
    rows.iter()
        .map(|row| ((row.get("t"), row.get("c")), (row.get("d"), row.get::<i64, _>("o") == 1)))
        .collect()
}

/// Processes of the last release go on while those of an installation are replaced one after the other: they
/// name the columns that they know, and leave out those that they do not.
async fn nothing_that_the_last_release_needs_is_gone(database: Database) {
    let url = as_of(&database, RELEASES.last().unwrap().version).await;
    let before = columns(&url, database.is_postgres()).await;
    frontdesk_store::Store::open(&url).await.unwrap().close().await;
    let after = columns(&url, database.is_postgres()).await;
    let tables: BTreeSet<&String> = before.keys().map(|(table, _)| table).collect();
    assert!(tables.len() > 50, "{tables:?}");
    for (column, (of_type, _)) in &before {
        let found = after.get(column);
        assert!(found.is_some_and(|(now, _)| now == of_type), "{column:?} was {of_type}, and is {found:?}");
    }
    for ((table, column), (_, is_optional)) in &after {
        let is_new = tables.contains(table) && !before.contains_key(&(table.clone(), column.clone()));
        assert!(
            !is_new || *is_optional,
            "{table}.{column} is new, and an insertion of the last release leaves it out"
        );
    }
    database.store.close().await;
}
