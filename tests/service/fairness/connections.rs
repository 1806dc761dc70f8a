//! Four addresses that hold connections, and a fifth client.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use frontdesk_client::Raw;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::{database::Database, installation::Installation, on_both_databases, patience::until, wire};

on_both_databases!(idle_connections_of_four_addresses_leave_room_for_a_fifth);

/// Enough for a busy machine; a client that has to wait for an idle connection waits longer.
const SOON: Duration = Duration::from_secs(20);

async fn idle_connections_of_four_addresses_leave_room_for_a_fifth(database: Database) {
    beside_idle_connections(database, 32).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "opens 2,000 sockets at a time; run it with `--ignored --nocapture`"]
async fn a_thousand_idle_connections_leave_room_for_a_fifth() {
    beside_idle_connections(Database::sqlite().await, 1_024).await;
}

/// Lets four addresses take all connections of a service that they get, in each manner that costs them
/// nothing.
#[expect(clippy::print_stdout, reason = "what is measured is printed")]
async fn beside_idle_connections(database: Database, all: usize) {
    let of_one = all / 4;
    let service = Installation::start_with(database, |config| {
        config.http.max_connections = all;
        config.http.max_connections_per_client = of_one;
        // They would hold their places for the time of this test.
        config.http.header_timeout = Duration::from_mins(10);
    })
    .await;
    let address = service.address();
    for manner in ["silent", "half of a head", "kept alive"] {
        let mut held = Vec::new();
        for client in 1..=4 {
            for _ in 0..of_one {
                let mut stream = connect(&format!("127.0.0.{client}"), address).await;
                // What is beyond the share of an address is closed, which the client may notice or not.
                let begun = match manner {
                    "silent" => Ok(()),
                    "half of a head" => stream.write_all(b"GET /health HTTP/1.1\r\nHost:").await,
                    _ => stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await,
                };
                if begun.is_ok() {
                    held.push(stream);
                }
            }
        }
        let open = settled(address).await;
        // Each is served, and none takes the place of the other newcomers.
        let fifth = async {
            let mut streams = Vec::new();
            for _ in 0..3 {
                let mut stream = connect("127.0.0.5", address).await;
                assert_eq!(ask(&mut stream, "/health").await.status, 200, "{manner}");
                streams.push(stream);
            }
            for stream in &mut streams {
                assert_eq!(ask(stream, "/health").await.status, 200, "{manner}");
            }
        };
        let began = Instant::now();
        timeout(SOON, fifth).await.unwrap_or_else(|_| panic!("the fifth client waits: {manner}"));
        println!(
            "{open} of {all} connections are {manner}: three more and six answers in {:?}",
            began.elapsed()
        );
        drop(held);
        until("the connections are closed", async || {
            (metric(address, "connections").await == 1).then_some(())
        })
        .await;
    }
    // Of 32 connections the addresses get all, of 1,024 they leave some.
    let closed = metric(address, "connections_closed_for_others_total").await;
    assert_eq!(closed > 0, all < 64, "{closed} were closed for others");
    service.stop().await;
}

/// Connects from an address of this machine.
async fn connect(from: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    socket.connect(to).await.unwrap()
}

async fn ask(stream: &mut TcpStream, path: &str) -> Raw {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
    wire::early_answer(stream).await
}

async fn metric(address: SocketAddr, name: &str) -> usize {
    // From an address of its own, which always gets a place.
    let mut stream = connect("127.0.0.9", address).await;
    let metrics = ask(&mut stream, "/metrics").await.text().unwrap();
    let value = metrics.lines().find_map(|line| line.strip_prefix(&format!("frontdesk_{name} ")));
    value.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
}

/// Waits until the service has accepted what was opened, and returns how many connections it has.
async fn settled(address: SocketAddr) -> usize {
    let mut before = 0;
    until("the connections are accepted", async || {
        let now = metric(address, "connections").await;
        (std::mem::replace(&mut before, now) == now && now > 16).then_some(now)
    })
    .await
}
