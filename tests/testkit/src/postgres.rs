//! A PostgreSQL server on which every test gets a database of its own.
//!
//! Databases are used again, because creating and dropping one takes several times as long as most tests:
//! `frontdesk_test_…_N` belongs to the test that holds the advisory lock of `N`, and is emptied for it. One
//! whose tables a test changed is made anew, as a copy of a template, because applying all migrations takes
//! many times as long. The template is made by the first test that finds none for the migrations as they are.
//! Template and databases stay on the server.

use std::sync::{Arc, Mutex};

use frontdesk_store::Store;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};

use crate::migrations;

/// Connections of a test's store, so that tests beside each other stay within the 100 that a server has by
/// default.
pub const CONNECTIONS: u32 = 8;
/// The lock of those who make a template.
const LOCK: i64 = 7_216_409_331;

/// A text that differs when a table, a column, a trigger, a constraint, or the list of migrations does.
const STRUCTURE: &str = "
    SELECT md5(concat(
        (SELECT string_agg(concat(c.oid, c.relname, a.attname, a.atttypid, a.attnotnull), ',' ORDER BY c.oid, a.attnum)
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace),
        (SELECT string_agg(concat(oid, tgname, tgenabled), ',' ORDER BY oid) FROM pg_trigger),
        (SELECT string_agg(concat(oid, conname), ',' ORDER BY oid) FROM pg_constraint),
        (SELECT string_agg(m::text, ',' ORDER BY version) FROM _sqlx_migrations m)))";

/// Deletes all rows, without triggers and foreign keys, and lets numbers begin at one.
const EMPTY: &str = "
    DO $$
    DECLARE name regclass;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT oid FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> '_sqlx_migrations'
        LOOP
            EXECUTE format('DELETE FROM %s', name);
        END LOOP;
        PERFORM setval(oid::regclass, 1, false) FROM pg_class
            WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
    END $$";

/// The database of one test.
#[derive(Clone, Debug)]
pub struct TestDatabase {
    url: String,
    /// Holds the lock of the database, which ends with the connection also where the test panics.
    claim: Arc<Mutex<Option<AnyConnection>>>,
}

impl TestDatabase {
    /// Claims a database with the empty tables of the store on a server, which is named by the URL of another
    /// database.
    pub async fn claim(server: &str) -> Self {
        sqlx::any::install_default_drivers();
        let mut connection = AnyConnection::connect(server).await.unwrap();
        let migrations = migrations::version("postgres");
        let template = format!("frontdesk_template_{migrations:016x}");
        if !exists(&mut connection, &template).await {
            make_template(&mut connection, server, &template).await;
        }
        let mut number = 1;
        while !lock(&mut connection, migrations.wrapping_add(number).cast_signed()).await {
            number += 1;
        }
        let name = format!("frontdesk_test_{migrations:016x}_{number}");
        let url = with_database(server, &name);
        if !emptied(&mut connection, &url, &name).await {
            run(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            run(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
            let mut database = AnyConnection::connect(&url).await.unwrap();
            let structure = structure(&mut database).await.unwrap();
            database.close().await.unwrap();
            run(&mut connection, format!("COMMENT ON DATABASE {name} IS '{structure}'")).await;
        }
        Self { url, claim: Arc::new(Mutex::new(Some(connection))) }
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Leaves the database to the next test.
    pub async fn release(&self) {
        let connection = self.claim.lock().unwrap().take();
        if let Some(connection) = connection {
            connection.close().await.unwrap();
        }
    }
}

async fn lock(connection: &mut AnyConnection, key: i64) -> bool {
    sqlx::query("SELECT pg_try_advisory_lock($1)").bind(key).fetch_one(connection).await.unwrap().get(0)
}

/// Empties a database that an earlier test used. Returns false if it has to be made anew.
async fn emptied(connection: &mut AnyConnection, url: &str, name: &str) -> bool {
    let sql = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1";
    let known = sqlx::query(sql).bind(name.to_owned()).fetch_optional(&mut *connection).await.unwrap();
    let Some(known) = known.and_then(|row| row.get::<Option<String>, _>(0)) else {
        return false;
    };
    // Processes that were killed may still seem to be connected.
    let sql = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1";
    sqlx::query(sql).bind(name.to_owned()).execute(connection).await.unwrap();
    let mut database = AnyConnection::connect(url).await.unwrap();
    // Without the migrations there is no structure, and only a superuser may switch triggers off.
    let is_emptied = structure(&mut database).await.is_ok_and(|structure| structure == known)
        && database.execute(EMPTY).await.is_ok();
    database.close().await.unwrap();
    is_emptied
}

async fn structure(database: &mut AnyConnection) -> sqlx::Result<String> {
    sqlx::query(STRUCTURE).fetch_one(database).await.map(|row| row.get(0))
}

/// Makes a template, unless another process does so first.
async fn make_template(connection: &mut AnyConnection, server: &str, template: &str) {
    run(connection, format!("SELECT pg_advisory_lock({LOCK})")).await;
    if !exists(connection, template).await {
        // Half a template, of a process that was killed, is never found by its name.
        let unfinished = format!("{template}_unfinished");
        run(connection, format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        run(connection, format!("CREATE DATABASE {unfinished}")).await;
        Store::open(&with_database(server, &unfinished)).await.unwrap().close().await;
        run(connection, format!("ALTER DATABASE {unfinished} RENAME TO {template}")).await;
    }
    run(connection, format!("SELECT pg_advisory_unlock({LOCK})")).await;
}

async fn exists(connection: &mut AnyConnection, name: &str) -> bool {
    let sql = "SELECT 1 FROM pg_database WHERE datname = $1";
    sqlx::query(sql).bind(name.to_owned()).fetch_optional(connection).await.unwrap().is_some()
}

async fn run(connection: &mut AnyConnection, statement: String) {
    connection.execute(AssertSqlSafe(statement)).await.unwrap();
}

/// The URL of another database of the same server.
fn with_database(server: &str, name: &str) -> String {
    let (address, options) = server
        .split_once('?')
        .map_or((server, String::new()), |(address, options)| (address, format!("?{options}")));
    let host = address.find("://").map_or(0, |end| end + 3);
    let end = address[host..].find('/').map_or(address.len(), |end| host + end);
    format!("{}/{name}{options}", &address[..end])
}
