//! Connections for other protocols than HTTP.

use std::time::Duration;

use frontdesk_outbound::{Outbound, OutboundError, Policy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::server::{Server, reply};
use crate::{Names, policy, tls};

const LIMIT: Duration = Duration::from_secs(10);

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
        assert_eq!(outbound.connect(host, 25, LIMIT).await.unwrap_err().code(), code, "{host}");
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
        let mut stream = outbound.connect(host, server.address.port(), LIMIT).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut response = [0; 12];
        stream.read_exact(&mut response).await.unwrap();
        assert_eq!(&response, b"HTTP/1.1 200", "{host}");
    }
    let error = outbound.connect("127.0.0.1", 1, LIMIT).await.unwrap_err();
    assert!(matches!(error, OutboundError::Connect { .. }), "{error}");
}

#[tokio::test]
async fn certificates_belong_to_the_host() {
    let (port, pem) = tls::start().await;
    let trusting = Outbound::builder(policy(&["127.0.0.1/32"])).roots_pem(pem.as_bytes()).build().unwrap();
    let stream = async || trusting.connect("127.0.0.1", port, LIMIT).await.unwrap();
    assert!(trusting.encrypt(stream().await, "shop.acme.example", LIMIT).await.is_ok());
    for host in ["other.acme.example", "127.0.0.1", "not a host"] {
        let error = trusting.encrypt(stream().await, host, LIMIT).await.unwrap_err();
        assert_eq!(error.code(), "tls", "{host}");
    }
    let strict = Outbound::new(policy(&["127.0.0.1/32"])).unwrap();
    let error = strict.encrypt(stream().await, "shop.acme.example", LIMIT).await.unwrap_err();
    assert_eq!(error.code(), "tls");
}
