//! A database for one test, and the accounts in it.

use std::{io::Write, path::Path};

use frontdesk_service::{WantedKey, config::Keys, issue_key};
use frontdesk_store::{
    Account, AccountKind, ChunkRecord, Month, NewAccount, NewUser, Plan, Role, Scope, Store, User, Webpage,
};
use frontdesk_testkit::{
    postgres::{CONNECTIONS, TestDatabase},
    sqlite_file,
};
use jiff::Timestamp;
use sqlx::{AnyPool, Executor, Row};
use tempfile::TempDir;
use uuid::Uuid;

const POSTGRES_URL: &str = "FRONTDESK_TEST_POSTGRES_URL";

/// The database of one test, with direct access to the store.
pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) store: Store,
    remains: Remains,
    folder: TempDir,
}

/// What a test holds outside its folder: its database of PostgreSQL, if it runs there.
#[derive(Clone)]
pub(crate) struct Remains(Option<TestDatabase>);

impl Remains {
    pub(crate) async fn release(self) {
        if let Some(database) = self.0 {
            database.release().await;
        }
    }
}

/// An account with an owner who has a key.
pub(crate) struct Customer {
    pub(crate) account: Account,
    pub(crate) owner: User,
    pub(crate) key: Key,
}

impl Customer {
    pub(crate) fn scope(&self) -> Scope {
        self.account.scope()
    }
}

/// An API key.
pub(crate) struct Key {
    pub(crate) key_id: Uuid,
    pub(crate) text: String,
}

impl Database {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        sqlite_file::create(&path, env!("CARGO_TARGET_TMPDIR")).await;
        let url = format!("sqlite:{}", path.display());
        Self::open(url, Remains(None), folder).await
    }

    pub(crate) async fn postgres(test: &str) -> Option<Self> {
        let Ok(server) = std::env::var(POSTGRES_URL) else {
            // Written directly to the stream because the test harness captures `eprintln!`.
            let mut terminal = std::io::stderr();
            writeln!(terminal, "skipped on PostgreSQL: {test} ({POSTGRES_URL} is not set)").unwrap();
            return None;
        };
        let database = TestDatabase::claim(&server).await;
        let url = database.url();
        Some(Self::open(url, Remains(Some(database)), tempfile::tempdir().unwrap()).await)
    }

    /// A database that is there already, and its folder.
    pub(crate) async fn at(url: &str, folder: TempDir) -> Self {
        Self::open(url.to_owned(), Remains(None), folder).await
    }

    async fn open(url: String, remains: Remains, folder: TempDir) -> Self {
        let store = Store::open_with_connections(&url, CONNECTIONS).await.unwrap();
        Self { url, store, remains, folder }
    }

    pub(crate) fn remains(&self) -> Remains {
        self.remains.clone()
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.remains.0.is_some()
    }

    /// Returns the working directory of the test's processes.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs an SQL statement.
    pub(crate) async fn run(&self, statement: &str) {
        run(&self.url, statement).await;
    }

    /// Returns when a recurring job runs next.
    pub(crate) async fn next_run(&self, kind: &str) -> Timestamp {
        let pool = AnyPool::connect(&self.url).await.unwrap();
        let select = "SELECT run_at FROM jobs WHERE kind = $1 AND state = 'queued'";
        let row = sqlx::query(select).bind(kind.to_owned()).fetch_optional(&pool).await.unwrap();
        pool.close().await;
        // While it runs, it is not queued.
        let micros = row.map_or(0, |row| row.get::<i64, _>("run_at"));
        Timestamp::from_microsecond(micros).unwrap()
    }

    /// Makes the queued jobs of these kinds due. Workers look for them every second.
    pub(crate) async fn make_due(&self, kinds: &[&str]) {
        let kinds = kinds.join("', '");
        self.run(&format!("UPDATE jobs SET run_at = 0 WHERE kind IN ('{kinds}') AND state = 'queued'")).await;
    }

    pub(crate) async fn customer(&self, name: &str, plan: Plan) -> Customer {
        self.customer_of(account(name, plan)).await
    }

    pub(crate) async fn customer_of(&self, new: NewAccount) -> Customer {
        let account = self.store.accounts().create(&new, Timestamp::now()).await.unwrap();
        let owner = self.user(&account, "owner", Role::Owner).await;
        let key = self.key(&owner, None).await;
        Customer { account, owner, key }
    }

    pub(crate) async fn user(&self, account: &Account, name: &str, role: Role) -> User {
        let new = NewUser { email: format!("{name}@{}.example", account.name), name: name.into(), role };
        self.store.users().create(&account.scope(), &new, Timestamp::now()).await.unwrap()
    }

    pub(crate) async fn set_role(&self, scope: &Scope, user_id: Uuid, role: Role) {
        self.store.users().set_role(scope, user_id, role).await.unwrap().unwrap();
    }

    /// Creates a key, with a number of requests a minute if it differs from the default.
    pub(crate) async fn key(&self, user: &User, rate_per_minute: Option<u32>) -> Key {
        let wanted = WantedKey { user_id: user.user_id, name: "test".into(), rate_per_minute };
        let scope = Scope::of_account(user.account_id);
        let issued = issue_key(&self.store, &Keys::default(), &scope, wanted, Timestamp::now()).await;
        let issued = issued.unwrap().expect("the account has the user");
        Key { key_id: issued.record.key_id, text: issued.key.expose().to_owned() }
    }

    /// Returns the credits that an account has used this month.
    pub(crate) async fn credits_used(&self, scope: &Scope) -> u64 {
        let month = Month::of(Timestamp::now());
        self.store.credits().usage(scope, &month, u64::MAX / 2).await.unwrap().used
    }

    /// Returns every page of a chatbot with its chunks.
    pub(crate) async fn pages(&self, scope: &Scope, chatbot_id: Uuid) -> Vec<(Webpage, Vec<ChunkRecord>)> {
        const BATCH: u32 = 100;
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let pages = self.store.webpages().list(scope, chatbot_id, None, after, BATCH).await.unwrap();
            let Some(last) = pages.last() else { return all };
            after = Some(last.webpage_id);
            for page in pages {
                let chunks = self.store.chunks().of_page(scope, page.webpage_id).await.unwrap();
                all.push((page, chunks));
            }
        }
    }
}

/// Returns the description of a standard account.
pub(crate) fn account(name: &str, plan: Plan) -> NewAccount {
    NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: name.to_owned(),
        plan,
        monthly_credits: None,
    }
}

async fn run(url: &str, statement: &str) {
    sqlx::any::install_default_drivers();
    let pool = AnyPool::connect(url).await.unwrap();
    pool.execute(sqlx::AssertSqlSafe(statement.to_owned())).await.unwrap();
    pool.close().await;
}
