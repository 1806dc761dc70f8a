//! The binary as a process: it starts, responds, and stops on a signal.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Stdio},
};

use tokio::net::TcpStream;

use crate::harness::{Database, Request, exchange};

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.0.kill();
    }
}

/// Starts `frontdesk serve` and waits for its log line about where it listens.
fn serve(database: &Database) -> (Process, SocketAddr, impl Iterator<Item = String>) {
    let mut child = database
        .command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
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
