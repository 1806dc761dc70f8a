//! The binary as a process: it starts, responds, and stops on a signal.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Stdio},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::harness::{Database, exchange};
use crate::wire::Request;

/// A process that ends with the test.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.0.kill();
    }
}

/// Starts `frontdesk serve` and waits for its log line about where it listens.
fn serve(database: &Database) -> (Process, SocketAddr, impl Iterator<Item = String> + use<>) {
    serve_with(database, &[])
}

/// As [`serve`], with settings in the environment.
fn serve_with(
    database: &Database,
    settings: &[(&str, &str)],
) -> (Process, SocketAddr, impl Iterator<Item = String> + use<>) {
    let mut child = database
        .command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
        .envs(settings.iter().copied())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let process = Process(child);
    for line in lines.by_ref() {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        if event["message"] == "listening" {
            let address =
                event["address"].as_str().unwrap().strip_prefix("http://").unwrap().parse().unwrap();
            return (process, address, lines);
        }
    }
    panic!("it ended before it listened");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_well() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    for signal in ["-TERM", "-INT"] {
        let (mut process, address, lines) = serve(&database);
        let list = Request::new("GET", "/api/v1/chatbots?api_key=hunter2").key(&account.key);
        let answer = exchange(TcpStream::connect(address).await.unwrap(), list).await;
        assert_eq!(answer.status, 200);
        let id = process.0.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert!(process.0.wait().unwrap().success(), "{signal}");

        let log: Vec<String> = lines.collect();
        let request = log.iter().find(|line| line.contains("\"operation\":\"listChatbots\"")).unwrap();
        assert!(request.contains("\"status\":200"), "{request}");
        assert!(log.last().unwrap().contains("stopped"), "{log:?}");
        for secret in [account.key.as_str(), "hunter2"] {
            assert!(!log.iter().any(|line| line.contains(secret)), "the log contains {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_leaves_no_lock_behind() {
    let database = Database::new();
    let (mut process, ..) = serve(&database);
    process.0.kill().unwrap();
    process.0.wait().unwrap();
    let (_process, address, _lines) = serve(&database);
    let answer = exchange(TcpStream::connect(address).await.unwrap(), Request::new("GET", "/health")).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_file_model_is_not_logged() {
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", provider.local_addr().unwrap());
    let database = Database::new();
    let account = database.account("acme", "growth");
    let (process, address, mut lines) = serve_with(
        &database,
        &[
            ("FRONTDESK_FILES_VISION_BASE_URL", &base_url),
            ("FRONTDESK_FILES_VISION_MODEL", "small"),
            ("FRONTDESK_FILES_VISION_API_KEY", "hunter2"),
            ("FRONTDESK_FILES_VISION_ALLOW_NETWORKS", "127.0.0.1"),
            ("FRONTDESK_LOG_FILTER", "trace"),
        ],
    );
    // A full pipe would stop the process.
    let log = std::thread::spawn(move || {
        let mut log: Vec<String> = Vec::new();
        while !log.last().is_some_and(|line| line.contains("responded with status 500")) {
            log.push(lines.next().expect("the failure is logged"));
        }
        log
    });
    let send = async |request: Request| {
        exchange(TcpStream::connect(address).await.unwrap(), request.key(&account.key)).await
    };
    let chatbot = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;
    let created = send(Request::new("POST", "/api/v1/chatbots").json(chatbot)).await.json();
    let path = format!("/api/v1/chatbots/{}/files", created["chatbot_id"].as_str().unwrap());
    let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\nGIF89a private\r\n--x--\r\n";
    let uploaded = send(Request::new("POST", &path).body_of("multipart/form-data; boundary=x", form)).await;
    assert_eq!(uploaded.status, 201, "{uploaded:?}");

    let (mut socket, _) = provider.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"]}") && !request.ends_with(b"}") {
        assert!(socket.read_buf(&mut request).await.unwrap() > 0);
    }
    let request = String::from_utf8(request).unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer hunter2"), "{request}");
    let failure = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
    socket.write_all(failure.as_bytes()).await.unwrap();
    let log = tokio::task::spawn_blocking(|| log.join().unwrap()).await.unwrap();
    drop(process);
    for secret in ["hunter2", "R0lGODlhIHByaXZhdGU"] {
        assert!(!log.iter().any(|line| line.contains(secret)), "the log contains {secret}");
    }
}
