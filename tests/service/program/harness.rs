//! An installation for one test.

use std::{net::SocketAddr, process::Command};

use frontdesk_client::Raw;
use frontdesk_service::{
    Running,
    config::{Config, SearchModel},
    start,
};
use frontdesk_store::Redacted;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    process::{command, json_output},
    wire::{Request, json},
};

/// A service on a free port, with a database of its own.
pub(crate) struct Installation {
    pub(crate) running: Running,
    pub(crate) database: Database,
}

/// A database of its own, and the commands that administer it.
pub(crate) struct Database {
    folder: TempDir,
}

/// An account, made through the binary.
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) owner: String,
    pub(crate) key: String,
    pub(crate) key_id: String,
}

impl Database {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn url(&self) -> String {
        format!("sqlite:{}/test.db", self.folder.path().display())
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// The program, working on this database and in its folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(&self.url(), self.folder(), arguments)
    }

    /// Returns the JSON output of a command.
    pub(crate) fn run(&self, arguments: &[&str]) -> Value {
        json_output(self.command(arguments))
    }

    /// What a command that must fail says.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?} succeeded");
        String::from_utf8(output.stderr).unwrap()
    }

    /// An account with an owner and a key of the owner's.
    pub(crate) fn account(&self, name: &str, plan: &str) -> Account {
        self.account_with(name, plan, &[])
    }

    pub(crate) fn account_with(&self, name: &str, plan: &str, more: &[&str]) -> Account {
        let owner = format!("owner@{name}.example");
        let arguments = ["account", "create", "--name", name, "--plan", plan, "--owner-email", &owner];
        let account = self.run(&[&arguments, more].concat());
        let key = self.run(&["key", "create", "--user", &owner, "--name", "test"]);
        Account {
            id: text(&account["account_id"]),
            owner,
            key: text(&key["key"]),
            key_id: text(&key["key_id"]),
        }
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

impl Installation {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub(crate) async fn start_with(configure: impl FnOnce(&mut Config)) -> Self {
        let database = Database::new();
        let running = start(config(&database, configure)).await.unwrap();
        Self { running, database }
    }

    pub(crate) async fn get(&self, path: &str, key: &str) -> Raw {
        self.send(Request::new("GET", path).key(key)).await
    }

    pub(crate) async fn send(&self, request: Request) -> Raw {
        request.send(self.running.address).await
    }

    /// A chatbot whose training fails at once, because its address is not public.
    pub(crate) async fn chatbot(&self, key: &str) -> String {
        let body = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;
        let answer = self.send(Request::new("POST", "/api/v1/chatbots").key(key).json(body)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        text(&json(&answer)["chatbot_id"])
    }
}

/// A configuration for a test: a free port, and no patience where patience would only cost time.
pub(crate) fn config(database: &Database, configure: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config { database: Redacted::new(database.url()), ..Config::default() };
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    // Whether vectors exist already would depend on the speed of the machine.
    config.search.model = SearchModel::None;
    configure(&mut config);
    config
}

/// Returns the status and the `error` code of a response.
pub(crate) fn verdict(raw: &Raw) -> (u16, String) {
    (raw.status.as_u16(), json(raw)["error"].as_str().unwrap_or_default().to_owned())
}
