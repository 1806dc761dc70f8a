//! Connections for other protocols than HTTP.

use std::time::Duration;

use frontdesk_outbound::{ExchangeLimits, Outbound, OutboundError, Policy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::server::{Server, Step, reply};
use crate::{Names, loopback, policy, tls};

const LIMIT: Duration = Duration::from_secs(10);

/// Generous limits, which only a failing test exceeds.
const LIMITS: ExchangeLimits = ExchangeLimits {
    total: Duration::from_secs(30),
    connect: LIMIT,
    idle: LIMIT,
    read_bytes: 1 << 20,
    written_bytes: 1 << 20,
};

/// A client for mail servers, which may reach public addresses only.
fn strict(names: Names) -> Outbound {
    Outbound::builder(Policy { ports: vec![25, 993], ..policy(&[]) }).lookup(names).build().unwrap()
}

#[tokio::test]
async fn private_hosts_and_other_ports_are_refused() {
    let names = || {
        Names::default()
            .with("mixed.acme.example", &[&["192.0.43.8", "10.0.0.5"]])
            .with("mail.acme.example", &[&["192.0.43.8"]])
    };
    for (host, code) in [
        ("127.0.0.1", "blocked_address"),
        ("localhost", "blocked_address"),
        ("mail.localhost", "blocked_address"),
        ("10.0.0.5", "blocked_address"),
        ("169.254.169.254", "blocked_address"),
        ("::1", "blocked_address"),
        ("[::ffff:127.0.0.1]", "blocked_address"),
        ("mixed.acme.example", "blocked_address"),
        ("2130706433", "bad_url"),
        ("0x7f.1", "bad_url"),
        ("not a host", "bad_url"),
        ("nobody.acme.example", "dns"),
    ] {
        let outbound = strict(names());
        assert_eq!(outbound.addresses(host, 25, LIMIT).await.unwrap_err().code(), code, "{host}");
        assert_eq!(outbound.connect(host, 25, LIMITS).await.unwrap_err().code(), code, "{host}");
    }
    let outbound = strict(names());
    assert_eq!(outbound.addresses("mail.acme.example", 22, LIMIT).await.unwrap_err().code(), "blocked_port");
    let found = outbound.addresses("mail.acme.example", 993, LIMIT).await.unwrap();
    assert_eq!(found, ["192.0.43.8:993".parse().unwrap()]);
}

#[tokio::test]
async fn allowed_networks_are_reached_at_any_port() {
    let server = Server::start(|_| reply("200 OK", "", b"reached")).await;
    let names = Names::default().with("mail.acme.example", &[&["127.0.0.1"]]);
    let outbound = Outbound::builder(policy(&["127.0.0.1/32"])).lookup(names).build().unwrap();
    for host in ["127.0.0.1", "mail.acme.example"] {
        let mut stream = outbound.connect(host, server.address.port(), LIMITS).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut response = [0; 12];
        stream.read_exact(&mut response).await.unwrap();
        assert_eq!(&response, b"HTTP/1.1 200", "{host}");
    }
    let error = outbound.connect("127.0.0.1", 1, LIMITS).await.unwrap_err();
    assert!(matches!(error, OutboundError::Connect { .. }), "{error}");
}

#[tokio::test]
async fn certificates_belong_to_the_host() {
    let (port, pem) = tls::start().await;
    let trusting = Outbound::builder(policy(&["127.0.0.1/32"])).roots_pem(pem.as_bytes()).build().unwrap();
    let stream = async || trusting.connect("127.0.0.1", port, LIMITS).await.unwrap();
    assert!(trusting.encrypt(stream().await, "shop.acme.example").await.is_ok());
    for host in ["other.acme.example", "127.0.0.1", "not a host"] {
        let error = trusting.encrypt(stream().await, host).await.unwrap_err();
        assert_eq!(error.code(), "tls", "{host}");
    }
    let strict = Outbound::new(policy(&["127.0.0.1/32"])).unwrap();
    let error = strict.encrypt(stream().await, "shop.acme.example").await.unwrap_err();
    assert_eq!(error.code(), "tls");
}

/// Speaks with a server that does this, and returns the failure that ends it, and how many bytes were read.
async fn failure_of(steps: Vec<Step>, limits: ExchangeLimits) -> (OutboundError, usize) {
    let server = Server::start(move |_| steps.clone()).await;
    let mut stream = loopback().connect("127.0.0.1", server.address.port(), limits).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut read = 0;
    let mut buffer = vec![0; 4096];
    loop {
        match stream.read(&mut buffer).await {
            Ok(count) => read += count,
            Err(error) => {
                let failure = OutboundError::within(&error).unwrap().clone();
                // It has ended, whatever is tried.
                let again = stream.write_all(b"QUIT\r\n").await.unwrap_err();
                assert_eq!(OutboundError::within(&again), Some(&failure));
                return (failure, read);
            }
        }
    }
}

#[tokio::test]
async fn the_time_of_an_exchange_ends_whatever_the_server_does() {
    let total = Duration::from_millis(300);
    let limits = ExchangeLimits { total, ..LIMITS };
    for (what, steps) in [
        ("silence", vec![Step::Hang]),
        ("a byte now and then", vec![Step::Repeat(b"x".to_vec(), Duration::from_millis(20))]),
        // The bytes are always there, so no read has to wait.
        ("endless bytes", vec![Step::Repeat(vec![b'x'; 4096], Duration::ZERO)]),
    ] {
        let (failure, _) = failure_of(steps, ExchangeLimits { read_bytes: u64::MAX, ..limits }).await;
        assert!(
            matches!(failure, OutboundError::Timeout { limit, .. } if limit == total),
            "{what}: {failure}"
        );
    }
}

#[tokio::test]
async fn silence_ends_an_exchange_sooner_and_only_while_it_is_waited_for() {
    let idle = Duration::from_millis(200);
    let limits = ExchangeLimits { idle, ..LIMITS };
    let (failure, _) = failure_of(vec![Step::Hang], limits).await;
    assert!(matches!(failure, OutboundError::Timeout { limit, .. } if limit == idle), "{failure}");
    let server = Server::start(|_| reply("200 OK", "", b"reached")).await;
    let mut stream = loopback().connect("127.0.0.1", server.address.port(), limits).await.unwrap();
    tokio::time::sleep(2 * idle).await;
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    tokio::time::sleep(2 * idle).await;
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.ends_with("reached"), "{response}");
}

#[tokio::test]
async fn the_bytes_of_an_exchange_are_counted_in_both_directions() {
    let limits = ExchangeLimits { read_bytes: 10_000, written_bytes: 100, ..LIMITS };
    let (failure, read) = failure_of(vec![Step::Repeat(vec![b'x'; 4096], Duration::ZERO)], limits).await;
    assert_eq!(failure, OutboundError::TooLarge { host: "127.0.0.1".to_owned(), limit: 10_000 });
    assert!(read <= 10_000, "{read}");
    let server = Server::start(|_| vec![Step::Hang]).await;
    let mut stream = loopback().connect("127.0.0.1", server.address.port(), limits).await.unwrap();
    stream.write_all(&[b'x'; 100]).await.unwrap();
    let error = stream.write_all(b"x").await.unwrap_err();
    assert!(error.to_string().contains("more than 100 bytes"), "{error}");
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_given_up() {
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    for limits in [
        ExchangeLimits { connect: Duration::from_millis(200), ..LIMITS },
        ExchangeLimits { total: Duration::from_millis(200), ..LIMITS },
        ExchangeLimits { idle: Duration::from_millis(200), ..LIMITS },
    ] {
        let stream = loopback().connect("127.0.0.1", port, limits).await.unwrap();
        let error = loopback().encrypt(stream, "shop.acme.example").await.unwrap_err();
        assert_eq!(error.code(), "timeout", "{error}");
    }
}
