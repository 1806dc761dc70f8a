//! An installation for one test, and an HTTP client that sends exactly the bytes it is given.

use std::{net::SocketAddr, process::Command};

use frontdesk_service::{
    Running,
    config::{Config, SearchModel},
    start,
};
use frontdesk_store::Redacted;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    process::{command, json_output},
    wire::Request,
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

    pub(crate) async fn get(&self, path: &str, key: &str) -> Answer {
        self.send(Request::new("GET", path).key(key)).await
    }

    pub(crate) async fn send(&self, request: Request) -> Answer {
        exchange(TcpStream::connect(self.running.address).await.unwrap(), request).await
    }

    /// A chatbot whose training fails at once, because its address is not public.
    pub(crate) async fn chatbot(&self, key: &str) -> String {
        let body = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;
        let answer = self.send(Request::new("POST", "/api/v1/chatbots").key(key).json(body)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        text(&answer.json()["chatbot_id"])
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

/// An answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Self { status, headers, body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Status and `error` code.
    pub(crate) fn verdict(&self) -> (u16, String) {
        (self.status, self.json()["error"].as_str().unwrap_or_default().to_owned())
    }
}

/// Sends a request over a connection and reads until the other side closes it.
pub(crate) async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: Request) -> Answer {
    stream.write_all(&request.bytes()).await.unwrap();
    read_answer(stream).await
}

pub(crate) async fn read_answer(mut stream: impl AsyncRead + Unpin) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    Answer::parse(&bytes)
}
