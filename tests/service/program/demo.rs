//! `frontdesk serve --demo`: trains a chatbot on the bundled website and prints commands to paste.

mod week;

use std::{
    io::{self, BufRead, BufReader, Read},
    net::SocketAddr,
    process::Stdio,
    thread::JoinHandle,
};

use frontdesk_knowledge::analyze;
use frontdesk_store::Store;
use serde_json::{Value, json};

use super::harness::Database;
use crate::{
    console::SAME_ORIGIN,
    process::Guard,
    wire::{self, Request, header},
};

const COMMANDS: usize = 5;

/// A demonstration that runs.
struct Running {
    process: Guard,
    progress: JoinHandle<io::Result<String>>,
    lines: Box<dyn Iterator<Item = String> + Send>,
    commands: Vec<String>,
    address: SocketAddr,
}

impl Running {
    /// Starts it in the folder of a database that it must not use, and reads what it prints.
    fn start(database: &Database, arguments: &[&str]) -> Self {
        let all = ["serve", "--demo", "--listen", "127.0.0.1:0", "--search-model", "none"];
        let process = database
            .command(&[&all, arguments].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut process = Guard(process);
        let mut progress = process.0.stderr.take().unwrap();
        // A full pipe would stop the process.
        let progress = std::thread::spawn(move || {
            let mut text = String::new();
            progress.read_to_string(&mut text).map(|_| text)
        });
        let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut commands: Vec<String> = Vec::new();
        let is_command = |line: &&String| line.starts_with("curl -s 'http://127.0.0.1:");
        while commands.iter().filter(is_command).count() < COMMANDS {
            let Some(line) = lines.next() else { panic!("{}", progress.join().unwrap().unwrap()) };
            commands.push(line);
        }
        let address = between(&commands.join("\n"), "curl -s 'http://", "/api").parse().unwrap();
        Self { process, progress, lines: Box::new(lines), commands, address }
    }

    /// Reads from the interface with the key that it printed.
    async fn get(&self, path: &str) -> Value {
        let request = Request::new("GET", &format!("/api/v1{path}")).key(&key(&self.commands.join("\n")));
        let response = request.send(self.address).await;
        assert_eq!(response.status, 200, "{path}: {}", String::from_utf8_lossy(&response.body));
        wire::json(&response)
    }

    /// Ends it.
    fn stop(mut self) -> Demonstration {
        self.process.signal("-TERM");
        self.commands.extend(self.lines);
        assert!(self.process.0.wait().unwrap().success());
        let progress = self.progress.join().unwrap().unwrap();
        Demonstration { progress, commands: self.commands.join("\n"), chatbots: Value::Null }
    }
}

/// What a demonstration printed, and the chatbots that it had when everything was ready.
struct Demonstration {
    progress: String,
    commands: String,
    chatbots: Value,
}

impl Demonstration {
    /// Runs it from start to end.
    async fn run(database: &Database) -> Self {
        let running = Running::start(database, &[]);
        let chatbots = running.get("/chatbots").await;
        Self { chatbots, ..running.stop() }
    }
}

/// Returns the text between the first occurrence of `before` and the next one of `after`.
fn between(text: &str, before: &str, after: &str) -> String {
    let begun = text.split(before).nth(1).unwrap_or_else(|| panic!("`{before}` is missing in {text}"));
    begun.split(after).next().unwrap().to_owned()
}

fn key(commands: &str) -> String {
    between(commands, "Bearer ", "'")
}

#[tokio::test(flavor = "multi_thread")]
async fn its_link_opens_the_console() {
    let database = Database::new();
    let running = Running::start(&database, &[]);
    let address = running.address;
    let send = async |request: Request| request.header(SAME_ORIGIN.0, SAME_ORIGIN.1).send(address).await;
    let token = between(&running.commands.join("\n"), "/console#link=", "\n");
    let link = Request::new("POST", "/console/v1/session/link").json(json!({ "token": token }).to_string());
    let signed_in = send(link).await;
    assert_eq!(signed_in.status, 201, "{}", String::from_utf8_lossy(&signed_in.body));
    let cookie = header(&signed_in, "set-cookie").split(';').next().unwrap();
    for path in
        ["/console/v1/session", "/console/v1/account", "/console/api/v1/chatbots", "/console/api/v1/deals"]
    {
        let response = send(Request::new("GET", path).header("Cookie", cookie)).await;
        assert_eq!(response.status, 200, "{path}: {}", String::from_utf8_lossy(&response.body));
    }
    // What needs a recent sign-in is open for as long as the demonstration runs.
    let kept =
        Request::new("PUT", "/console/v1/account").json(json!({ "contact_retention_days": 730 }).to_string());
    assert_eq!(send(kept.header("Cookie", cookie)).await.status, 200);
    running.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_trains_a_chatbot_and_prints_what_to_paste() {
    let database = Database::new();
    let first = Demonstration::run(&database).await;
    assert_eq!(first.chatbots["chatbots"].as_array().unwrap().len(), 1, "{}", first.chatbots);
    // Its pages and two FAQs.
    assert_eq!(first.chatbots["chatbots"][0]["training_sources"], 12, "{}", first.chatbots);
    assert!(first.commands.contains("is ready: it has read 10 pages of http://"), "{}", first.commands);
    assert!(first.progress.contains("Reading http://127.0.0.1:"), "{}", first.progress);
    assert!(first.progress.contains("operation=\"listChatbots\" status=200"), "{}", first.progress);
    assert!(!first.progress.contains("job_id"), "the log is for requests and warnings: {}", first.progress);
    assert_eq!(
        first.commands.matches("\ncurl -s 'http://127.0.0.1:").count(),
        COMMANDS,
        "{}",
        first.commands
    );
    assert!(key(&first.commands).starts_with("sk_live_"));
    let mut lines = first.commands.lines();
    for expected in [
        "The console, signed in as the owner of the shop: http://127.0.0.1:",
        "The shop with its chat, to try in a browser: http://127.0.0.1:",
    ] {
        let line = lines.next().unwrap();
        assert!(line.starts_with(expected), "{line}");
    }
    let own = database.folder().join("demo.db");
    assert!(own.exists() && !database.folder().join("test.db").exists());

    let again = Demonstration::run(&database).await;
    assert_eq!(again.chatbots["chatbots"][0]["training_sources"], 12);
    assert!(again.commands.contains("is ready: it has read 10 pages of http://"), "{}", again.commands);
    // The website has moved to another port, but the chatbot has not changed.
    assert_eq!(again.chatbots["chatbots"][0]["chatbot_id"], first.chatbots["chatbots"][0]["chatbot_id"]);
    assert_ne!(key(&again.commands), key(&first.commands));

    let store = Store::open(&format!("sqlite:{}", own.display())).await.unwrap();
    let account = store.accounts().list().await.unwrap().remove(0);
    let scope = account.scope();
    assert_eq!(store.api_keys().list(&scope).await.unwrap().len(), 1, "keys of earlier starts are useless");
    let chatbot = store.chatbots().list(&scope).await.unwrap().remove(0);
    let hidden = analyze("4471", None);
    let known = store.search().document_frequencies(&scope, chatbot.chatbot_id, &hidden).await.unwrap();
    assert_eq!(known, [0], "the crawler read what robots.txt disallows");
}
