//! Connections and transactions, and the places where the two databases differ.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyConnection, AnyPool, Connection, Executor, Row, SqlSafeStr, Transaction};

use tokio::time::timeout;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::limits::PlanLimits;
use crate::sql::lock_wait::LockWait;
use crate::sql::migration::{self, Schema};
use crate::sql::signals::{AccountChange, ChangeTopic, Changed, ChangedAccounts, Signals};

/// How long a call waits for a free connection.
const WAIT: Duration = Duration::from_secs(10);
/// The number of connections to PostgreSQL that [`Store::open`] allows itself; a server has 100 by default,
/// for all its clients.
pub const POSTGRES_CONNECTIONS: u32 = 16;
/// A connection to PostgreSQL that was used within this time is used again without a test of whether it still
/// works. A test before each use would double the number of exchanges with the server.
const TRUSTED: Duration = Duration::from_secs(1);
/// The longest that PostgreSQL may work on one statement. Batches are made to end within a second, so a
/// statement that takes so long waits for something that does not come.
const STATEMENT_TIMEOUT: Duration = Duration::from_mins(2);
/// How long [`Store::close`] waits for the calls under way. A server that is silent never ends them.
const CLOSING: Duration = Duration::from_secs(5);
/// Begins a transaction on SQLite whose commit does not wait for the disk.
const UNSYNCED: &str = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";
/// Readers of a SQLite file. They never wait for the writer.
const SQLITE_READERS: u32 = 4;

tokio::task_local! {
    /// Set while [`Store::begin_repeatable`] takes the connection that writes to SQLite, because it sets
    /// `synchronous` itself.
    static SETS_SYNCHRONOUS: ();
}

/// A write transaction. Dropped without `commit` it leaves no trace.
pub(crate) struct WriteTransaction {
    inner: Transaction<'static, Any>,
    store: Store,
    /// What is signaled once it is committed.
    changed: Changed,
}

impl WriteTransaction {
    /// The dialect of the database.
    pub(crate) const fn dialect(&self) -> Dialect {
        self.store.dialect
    }

    /// The limits of all plans.
    pub(crate) fn plan_limits(&self) -> PlanLimits {
        self.store.plan_limits()
    }

    /// Wakes the dispatchers once this transaction is committed, because it has queued events for these
    /// webhook endpoints.
    pub(crate) fn wake_dispatchers(&mut self, endpoints: impl IntoIterator<Item = Uuid>) {
        self.changed.endpoints.extend(endpoints);
    }

    /// Wakes those who wait for a reply in a conversation once this transaction is committed.
    pub(crate) fn announce_conversation(&mut self, conversation_id: Uuid) {
        self.changed.conversations.push(conversation_id);
    }

    /// Signals to those who have a page of the account open, once this transaction is committed, that
    /// something of these topics has changed.
    pub(crate) fn announce_changes(
        &mut self,
        account_id: Uuid,
        topics: impl IntoIterator<Item = ChangeTopic>,
    ) {
        let change = |topic| AccountChange { account_id, includes_sub_accounts: false, topic };
        self.changed.accounts.extend(topics.into_iter().map(change));
    }

    /// Commits everything.
    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        self.inner.commit().await?;
        self.store.signals.send(self.changed, self.store.dialect, &self.store.writer).await;
        Ok(())
    }
}

impl Deref for WriteTransaction {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.inner
    }
}

impl DerefMut for WriteTransaction {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.inner
    }
}

/// The database. Clones share their connections.
#[derive(Clone)]
pub struct Store {
    reader: AnyPool,
    writer: AnyPool,
    /// Whether the connection that writes into a SQLite file does not wait for the disk since the last
    /// transaction of [`Store::begin_repeatable`].
    is_unsynced: Arc<AtomicBool>,
    dialect: Dialect,
    signals: Signals,
    plan_limits: Arc<PlanLimits>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens a database and brings its schema up to date.
    ///
    /// `url` is `sqlite:PATH` (the file is created when it is missing, its folder is not), `sqlite::memory:`
    /// (gone with the last clone) or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_with_connections(url, POSTGRES_CONNECTIONS).await
    }

    /// Like [`open`](Self::open), with at most this number of connections to PostgreSQL, and at least one. A
    /// call waits ten seconds for a free connection, and then fails. The number does not apply to SQLite.
    pub async fn open_with_connections(url: &str, connections: u32) -> Result<Self, StoreError> {
        Self::open_with_schema(url, connections, Schema::BroughtUpToDate).await
    }

    /// Like [`open`](Self::open), but neither creates a database nor changes the schema of one: fails with
    /// [`StoreError::NoInstallation`] if it is empty, and with [`StoreError::OlderDatabase`] if it is older
    /// than this program.
    pub async fn open_existing(url: &str) -> Result<Self, StoreError> {
        Self::open_with_schema(&existing(url), POSTGRES_CONNECTIONS, Schema::Present).await
    }

    /// Like [`open_existing`](Self::open_existing), but an empty database gets its schema.
    pub async fn open_existing_or_new(url: &str) -> Result<Self, StoreError> {
        Self::open_with_schema(url, POSTGRES_CONNECTIONS, Schema::PresentOrNew).await
    }

    async fn open_with_schema(url: &str, connections: u32, schema: Schema) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let store = match Dialect::of_url(url)? {
            Dialect::Sqlite if url == "sqlite::memory:" => Self::open_memory().await?,
            Dialect::Sqlite => Self::open_file(url).await?,
            Dialect::Postgres => Self::open_server(url, connections).await?,
        };
        if !migration::leaves_alone(store.dialect, &store.writer, schema).await? {
            migration::run(store.dialect, &store.writer).await?;
        }
        Ok(store)
    }

    /// Returns the store with limits of plans, which hold for this handle and its clones. Without them, plans
    /// limit nothing.
    #[must_use]
    pub fn with_plan_limits(self, limits: PlanLimits) -> Self {
        Self { plan_limits: Arc::new(limits), ..self }
    }

    fn of(reader: AnyPool, writer: AnyPool, is_unsynced: Arc<AtomicBool>, dialect: Dialect) -> Self {
        Self {
            reader,
            writer,
            is_unsynced,
            dialect,
            signals: Signals::default(),
            plan_limits: Arc::default(),
        }
    }

    /// One connection, used for everything: each further one would see a database of its own.
    async fn open_memory() -> Result<Self, StoreError> {
        let is_unsynced = Arc::default();
        let pool = sqlite_writer(&is_unsynced).connect("sqlite::memory:").await.map_err(StoreError::Open)?;
        Ok(Self::of(pool.clone(), pool, is_unsynced, Dialect::Sqlite))
    }

    /// One connection for all writes, so that writers of this process queue in order instead of competing for
    /// the lock of the file, and some for reading.
    async fn open_file(url: &str) -> Result<Self, StoreError> {
        let url = creating(url);
        let is_unsynced = Arc::default();
        let mut wait = LockWait::new();
        let writer = loop {
            match sqlite_writer(&is_unsynced).connect(&url).await {
                Err(error) if wait.allows(&error).await => {}
                connected => break connected.map_err(open_error)?,
            }
        };
        // Readers keep seeing the last commit while a write is under way. The mode is a property of the file.
        let mode = loop {
            let changed = sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&writer).await;
            match changed.and_then(|row| row.try_get::<String, _>(0)) {
                Err(error) if wait.allows(&error).await => {}
                mode => break mode.map_err(StoreError::Open)?,
            }
        };
        if mode != "wal" {
            tracing::warn!(mode, "the file system does not support SQLite's write-ahead log");
        }
        // Connected on first use, after the migrations: a connection that has read the schema before it
        // changed prepares its first statement for the old columns, and the driver does not expect their
        // number to change.
        let reader = sqlite_pool(SQLITE_READERS).connect_lazy(&url).map_err(open_error)?;
        Ok(Self::of(reader, writer, is_unsynced, Dialect::Sqlite))
    }

    async fn open_server(url: &str, connections: u32) -> Result<Self, StoreError> {
        // The pool would try again for as long as it waits, and then tell only that it has waited.
        match timeout(WAIT, AnyConnection::connect(url)).await {
            Ok(Err(error @ sqlx::Error::Io(_))) => return Err(StoreError::Open(error)),
            Ok(Ok(connection)) => connection.close().await.map_err(StoreError::Open)?,
            Ok(Err(_)) | Err(_) => {}
        }
        let pool = AnyPoolOptions::new()
            .max_connections(connections.max(1))
            .acquire_timeout(WAIT)
            .test_before_acquire(false)
            .before_acquire(|connection, known| {
                let is_trusted = known.idle_for < TRUSTED;
                Box::pin(async move {
                    if !is_trusted {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            // Compiling a statement takes longer than running any of ours.
            .after_connect(|connection, _| {
                Box::pin(async {
                    connection.execute("SET jit = off").await?;
                    limit_statements(connection, STATEMENT_TIMEOUT).await
                })
            })
            .connect(url)
            .await
            .map_err(open_error)?;
        Ok(Self::of(pool.clone(), pool, Arc::default(), Dialect::Postgres))
    }

    /// Whether the database answers. For health checks; touches no tenant's data.
    pub async fn health(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.reader).await?;
        Ok(())
    }

    /// Removes overwritten and deleted content from the write-ahead log of a SQLite file. If readers are in
    /// the way, it disappears with a later call, or when the log begins anew.
    pub(crate) async fn forget_overwritten(&self) {
        if self.dialect == Dialect::Sqlite
            && let Err(error) = self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").await
        {
            tracing::warn!(%error, "erased data stays in the write-ahead log for now");
        }
    }

    /// Closes all connections after the calls under way have ended; later calls fail. Affects every clone.
    ///
    /// Calls that do not end within some seconds are not waited for any longer, because their server may be
    /// silent.
    pub async fn close(&self) {
        let closing = async {
            self.reader.close().await;
            self.writer.close().await;
        };
        if timeout(CLOSING, closing).await.is_err() {
            tracing::warn!("calls of the database were still running when it was closed");
        }
    }

    /// Where statements go that only read.
    pub(crate) const fn reader(&self) -> &AnyPool {
        &self.reader
    }

    /// Where single statements go that write; they are atomic by themselves.
    pub(crate) const fn writer(&self) -> &AnyPool {
        &self.writer
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The limits of all plans.
    pub(crate) fn plan_limits(&self) -> PlanLimits {
        *self.plan_limits
    }

    /// What wakes the tasks that wait for changes.
    pub(crate) const fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Signals in a moment, to those who have a page of an account open, what may have changed.
    pub fn announce_changes(&self, changes: impl IntoIterator<Item = AccountChange>) {
        self.signals.gather(changes, self.dialect, &self.writer);
    }

    /// Returns the signals of what may have changed in accounts from now on, of all accounts.
    pub fn changed_accounts(&self) -> ChangedAccounts {
        self.signals.changed_accounts()
    }

    /// Receives the signals of other processes, on a connection of its own to the database with this address,
    /// which is made again when it is lost. Does not return on PostgreSQL; returns at once on SQLite.
    pub async fn listen(&self, url: &str) {
        if self.dialect == Dialect::Postgres {
            self.signals.listen(url).await;
        }
    }

    /// Returns whether signals of all processes arrive. It is `false` on PostgreSQL while there is no
    /// connection that listens; whoever waits must then look into the database from time to time.
    pub fn hears_all_processes(&self) -> bool {
        self.dialect == Dialect::Sqlite || self.signals.is_listening()
    }

    /// Begins a transaction that will write. On SQLite it takes the write lock at once: a transaction that
    /// reads first and asks for the lock later could be refused it.
    pub(crate) async fn begin(&self) -> Result<WriteTransaction, StoreError> {
        let inner = match self.dialect {
            // The driver ends a transaction whose caller went before it had begun.
            Dialect::Sqlite => self.writer.begin_with("BEGIN IMMEDIATE").await?,
            Dialect::Postgres => begin(&self.writer, "BEGIN").await?,
        };
        Ok(WriteTransaction { inner, store: self.clone(), changed: Changed::default() })
    }

    /// As [`begin`](Self::begin), for a write that is done again if it is lost, and that nobody is told of
    /// before another write is committed: its commit does not wait for the disk.
    ///
    /// If the machine loses power, the last of these writes may be gone, and nothing else: both databases
    /// write their logs in order, so any later commit that waits for the disk makes the earlier ones last.
    pub(crate) async fn begin_repeatable(&self) -> Result<WriteTransaction, StoreError> {
        let inner = match self.dialect {
            Dialect::Sqlite => {
                let connection = SETS_SYNCHRONOUS.scope((), self.writer.acquire()).await?;
                // Noted before it is done, and undone by whoever gets the connection next: this call may end
                // at any moment.
                self.is_unsynced.store(true, Ordering::Relaxed);
                Transaction::begin(connection, Some(UNSYNCED.into_sql_str())).await?
            }
            Dialect::Postgres => begin(&self.writer, "BEGIN; SET LOCAL synchronous_commit = off").await?,
        };
        Ok(WriteTransaction { inner, store: self.clone(), changed: Changed::default() })
    }
}

/// Returns a URL by which a SQLite file that is missing is created. URLs of PostgreSQL stay as they are.
pub(crate) fn creating(url: &str) -> String {
    with_mode(url, "rwc")
}

/// Returns a URL by which a SQLite file that is missing is an error. URLs of PostgreSQL stay as they are.
pub(crate) fn existing(url: &str) -> String {
    with_mode(url, "rw")
}

fn with_mode(url: &str, mode: &str) -> String {
    match url.split_once('?') {
        _ if !url.starts_with("sqlite:") => url.to_owned(),
        None => format!("{url}?mode={mode}"),
        Some((_, parameters)) if parameters.contains("mode=") => url.to_owned(),
        Some(_) => format!("{url}&mode={mode}"),
    }
}

/// Begins a transaction, in a task of its own.
///
/// `sqlx` does not know of a transaction whose `BEGIN` was on its way to PostgreSQL when its caller went: the
/// connection would go back to the pool with it, and the next call would write, and tell its success, into a
/// transaction that nobody ends. The task goes on without the caller; what it then has is rolled back as any
/// transaction that is dropped.
pub(crate) async fn begin(
    pool: &AnyPool,
    statement: &'static str,
) -> Result<Transaction<'static, Any>, StoreError> {
    let pool = pool.clone();
    match tokio::spawn(async move { pool.begin_with(statement).await }).await {
        Ok(begun) => Ok(begun?),
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        // The runtime ends, and all calls with it.
        Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
    }
}

/// Limits how long PostgreSQL works on one statement of this connection; zero is without a limit.
pub(crate) async fn limit_statements(connection: &mut AnyConnection, limit: Duration) -> sqlx::Result<()> {
    let limit = limit.as_millis().to_string();
    let set = sqlx::query("SELECT set_config('statement_timeout', $1, FALSE)").bind(limit);
    set.execute(connection).await.map(drop)
}

/// The one connection that writes. Whoever takes it after [`Store::begin_repeatable`] has it wait for the
/// disk again, unless it is taken for another such transaction: two changes of the setting would cost one
/// more exchange with the connection's thread.
///
/// A connection is replaced when its driver still counts a transaction: SQLite ends one by itself when the
/// disk is full, the driver's own `ROLLBACK` then fails, and every later transaction would be refused.
fn sqlite_writer(is_unsynced: &Arc<AtomicBool>) -> AnyPoolOptions {
    let is_unsynced = Arc::clone(is_unsynced);
    sqlite_pool(1).before_acquire(move |connection, _| {
        let is_unsynced = Arc::clone(&is_unsynced);
        Box::pin(async move {
            if connection.is_in_transaction() {
                tracing::warn!("the connection that writes is replaced: its last transaction did not end");
                return Ok(false);
            }
            if is_unsynced.load(Ordering::Relaxed) && SETS_SYNCHRONOUS.try_with(|()| ()).is_err() {
                connection.execute("PRAGMA synchronous = FULL").await?;
                is_unsynced.store(false, Ordering::Relaxed);
            }
            Ok(true)
        })
    })
}

fn sqlite_pool(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(WAIT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(|connection, _| Box::pin(configure_sqlite(connection)))
}

/// A connection waits up to a minute for the write lock of another process. SQLite asks for it ten times a
/// second and has no queue, so a command beside a service that writes without a pause may need many attempts.
///
/// `synchronous = FULL` waits for the disk at each commit: an acknowledged write survives the loss of power,
/// not only of the process. `secure_delete` overwrites what is deleted, so that erased data is not in the
/// file any more.
async fn configure_sqlite(connection: &mut AnyConnection) -> sqlx::Result<()> {
    connection
        .execute("PRAGMA busy_timeout = 60000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;")
        .await
        .map(drop)
}

fn open_error(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::Configuration(source) => StoreError::InvalidUrl { problem: source.to_string() },
        other => StoreError::Open(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waits_for_disk(connection: &mut AnyConnection) -> bool {
        let row = connection.fetch_one("PRAGMA synchronous").await.unwrap();
        row.try_get::<i64, _>(0).unwrap() == 2
    }

    #[tokio::test]
    async fn writes_are_accepted_again_after_the_disk_was_full() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            Store::open(&format!("sqlite:{}", folder.path().join("full.db").display())).await.unwrap();
        store.writer.execute("CREATE TABLE filler (content BLOB)").await.unwrap();
        let row = store.writer.fetch_one("PRAGMA page_count").await.unwrap();
        let pages = row.try_get::<i64, _>(0).unwrap();
        let limit = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
        store.writer.fetch_one(limit).await.unwrap();
        let mut transaction = store.begin().await.unwrap();
        let error = transaction.execute("INSERT INTO filler VALUES (zeroblob(1000000))").await.unwrap_err();
        assert!(StoreError::from(error).is_transient());
        drop(transaction);
        store.check_write(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        store.begin_repeatable().await.unwrap().commit().await.unwrap();
    }

    #[tokio::test]
    async fn closing_does_not_wait_for_a_call_that_never_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            Store::open(&format!("sqlite:{}", folder.path().join("busy.db").display())).await.unwrap();
        let transaction = store.begin().await.unwrap();
        tokio::time::pause();
        timeout(CLOSING * 2, store.close()).await.unwrap();
        drop(transaction);
    }

    #[tokio::test]
    async fn a_refused_connection_is_told_at_once() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("postgres://nobody@{}/none", listener.local_addr().unwrap());
        drop(listener);
        let opened = timeout(WAIT / 4, Store::open(&url)).await.unwrap();
        assert!(matches!(opened, Err(StoreError::Open(sqlx::Error::Io(_)))), "{opened:?}");
    }

    #[tokio::test]
    async fn only_the_service_creates_or_changes_a_schema() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("place.db");
        let url = format!("sqlite:{}", file.display());
        assert!(Store::open_existing(&url).await.is_err());
        assert!(!file.exists(), "looking creates nothing");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(Store::open_existing(&url).await, Err(StoreError::NoInstallation)));
        let store = Store::open_existing_or_new(&url).await.unwrap();
        Store::open_existing(&url).await.unwrap();
        let newest = "SELECT MAX(version) FROM _sqlx_migrations";
        let newest = store.writer.fetch_one(newest).await.unwrap().try_get::<i64, _>(0).unwrap();
        let forget =
            "DELETE FROM _sqlx_migrations WHERE version = (SELECT MAX(version) FROM _sqlx_migrations)";
        store.writer.execute(forget).await.unwrap();
        for opened in [Store::open_existing(&url).await, Store::open_existing_or_new(&url).await] {
            let is_older = matches!(
                opened,
                Err(StoreError::OlderDatabase { found, supported }) if found < supported && supported == newest
            );
            assert!(is_older, "{opened:?}");
        }
    }

    #[tokio::test]
    async fn only_repeatable_writes_do_not_wait_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frontdesk.db");
        for url in [format!("sqlite:{}", path.display()), "sqlite::memory:".to_owned()] {
            let store = Store::open(&url).await.unwrap();
            assert!(waits_for_disk(&mut store.writer.acquire().await.unwrap()).await);
            for is_committed in [true, false, true] {
                let mut repeatable = store.begin_repeatable().await.unwrap();
                assert!(!waits_for_disk(&mut repeatable).await);
                if is_committed {
                    repeatable.commit().await.unwrap();
                } else {
                    drop(repeatable);
                }
                assert!(waits_for_disk(&mut store.begin().await.unwrap()).await);
                assert!(waits_for_disk(&mut store.writer.acquire().await.unwrap()).await);
            }
            // Nobody else had the connection in between.
            for _ in 0..2 {
                let mut repeatable = store.begin_repeatable().await.unwrap();
                assert!(!waits_for_disk(&mut repeatable).await);
                repeatable.commit().await.unwrap();
            }
            assert!(waits_for_disk(&mut store.writer.acquire().await.unwrap()).await);
            // A call that ends while it begins.
            let begin = store.begin_repeatable();
            drop(tokio::time::timeout(Duration::ZERO, begin).await);
            assert!(waits_for_disk(&mut store.writer.acquire().await.unwrap()).await);
        }
    }
}
