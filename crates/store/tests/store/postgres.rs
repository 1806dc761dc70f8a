//! A PostgreSQL server on which every test gets a database of its own.
//!
//! It is a copy of a template: applying all migrations takes many times as long. The template is made by the first test that finds none for
//! the migrations as they are, and stays on the server, as `frontdesk_template_…`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use frontdesk_store::Store;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor};
use uuid::Uuid;

/// The folder of the migrations, as seen from a crate of this workspace.
const MIGRATIONS: [&str; 2] = ["migrations/postgres", "../crates/store/migrations/postgres"];
/// The lock of those who make a template.
const LOCK: i64 = 7_216_409_331;

/// The database of one test.
#[derive(Clone)]
pub(crate) struct TestDatabase {
    server: String,
    name: String,
}

impl TestDatabase {
    /// Creates a database with the tables of the store on a server, which is named by the URL of another database.
    pub(crate) async fn create(server: &str) -> Self {
        sqlx::any::install_default_drivers();
        let mut connection = AnyConnection::connect(server).await.unwrap();
        let template = format!("frontdesk_template_{:016x}", migrations());
        if !exists(&mut connection, &template).await {
            make_template(&mut connection, server, &template).await;
        }
        let name = format!("frontdesk_test_{}", Uuid::now_v7().simple());
        run(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        connection.close().await.unwrap();
        Self { server: server.to_owned(), name }
    }

    pub(crate) fn url(&self) -> String {
        with_database(&self.server, &self.name)
    }

    /// Removes the database, also if processes that were killed still seem to be connected.
    pub(crate) async fn remove(&self) {
        let mut connection = AnyConnection::connect(&self.server).await.unwrap();
        run(&mut connection, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
        connection.close().await.unwrap();
    }
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

/// A number that differs when the migrations do.
fn migrations() -> u64 {
    let folder = MIGRATIONS.map(Path::new).into_iter().find(|folder| folder.is_dir()).unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        path.file_name().hash(&mut hasher);
        std::fs::read(path).unwrap().hash(&mut hasher);
    }
    hasher.finish()
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
