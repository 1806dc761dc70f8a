//! Hostile responses: too large, too slow, compressed too well, or not HTTP.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk_outbound::{Limits, OutboundError, Stage};
use tokio::net::TcpListener;

use crate::server::{Server, Step, reply};
use crate::{code_of, limits, loopback, url};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn head(headers: &str) -> Step {
    Step::Send(format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes())
}

#[tokio::test]
async fn compressed_bodies_are_unpacked_up_to_the_limit() {
    let server = Server::start(|target| {
        let size: usize = target.trim_start_matches('/').parse().unwrap();
        reply("200 OK", "Content-Encoding: gzip\r\n", &gzip(&vec![b'a'; size]))
    })
    .await;
    let outbound = loopback();
    let limit = limits().max_bytes;
    let fetched = outbound.get(&url(&server.url(&format!("/{limit}"))), &[], &limits()).await.unwrap();
    assert_eq!(fetched.body.len() as u64, limit);
    assert!(server.requests()[0].contains("accept-encoding: gzip"));
    let over = outbound.get(&url(&server.url(&format!("/{}", limit + 1))), &[], &limits()).await;
    assert_eq!(over.unwrap_err(), OutboundError::TooLarge { host: "127.0.0.1".into(), limit });
}

#[tokio::test]
async fn a_gzip_bomb_is_not_unpacked() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!((bomb.len() as u64) < limits().max_bytes / 4);
    let server = Server::start(move |_| reply("200 OK", "Content-Encoding: gzip\r\n", &bomb)).await;
    assert_eq!(code_of(&loopback(), &server.url("/")).await, "too_large");
}

#[tokio::test]
async fn large_bodies_are_refused_announced_or_not() {
    let server = Server::start(|target| match target {
        // Announced but never sent: the limit must not wait for the bytes.
        "/announced" => vec![head("Content-Length: 99999999999\r\n"), Step::Hang],
        "/chunked" => vec![
            head("Transfer-Encoding: chunked\r\n"),
            Step::Repeat([b"1000\r\n".as_slice(), &[b'x'; 4096], b"\r\n"].concat(), Duration::ZERO),
        ],
        _ => vec![head("Connection: close\r\n"), Step::Repeat(vec![b'x'; 4096], Duration::ZERO)],
    })
    .await;
    for path in ["/announced", "/chunked", "/until-close"] {
        assert_eq!(code_of(&loopback(), &server.url(path)).await, "too_large", "{path}");
    }
}

#[tokio::test]
async fn the_total_limit_covers_silence_slow_headers_and_slow_bodies() {
    let drip = Duration::from_millis(10);
    let server = Server::start(move |target| match target {
        "/silent" => vec![Step::Hang],
        "/headers" => {
            vec![Step::Send(b"HTTP/1.1 200 OK\r\nX-Slow: ".to_vec()), Step::Repeat(b"z".to_vec(), drip)]
        }
        "/body" => vec![head("Content-Length: 1000000\r\n"), Step::Repeat(b"z".to_vec(), drip)],
        _ => {
            vec![Step::Send(b"HTTP/1.1 302 Found\r\nLocation: /silent\r\nContent-Length: 0\r\n\r\n".to_vec())]
        }
    })
    .await;
    let total = Duration::from_millis(200);
    let limits = Limits { total, ..limits() };
    for path in ["/silent", "/headers", "/body", "/redirect"] {
        let error = loopback().get(&url(&server.url(path)), &[], &limits).await.unwrap_err();
        let expected =
            OutboundError::Timeout { host: "127.0.0.1".into(), stage: Stage::Respond, limit: total };
        assert_eq!(error, expected, "{path}");
    }
    let (body_url, outbound) = (url(&server.url("/body")), loopback());
    let posted = outbound.post_json(&body_url, &[], &serde_json::Value::Null, &limits).await;
    assert_eq!(posted.unwrap_err().code(), "timeout");
}

#[tokio::test]
async fn heads_without_an_end_are_given_up() {
    let endless = Server::start(|target| {
        let line: &[u8] = match target {
            "/headers" => b"X-A: b\r\n",
            "/header" => b"x",
            _ => b"HTTP/1.1 103 Early Hints\r\n\r\n",
        };
        let beginning = if target == "/hints" { "" } else { "HTTP/1.1 200 OK\r\nX: " };
        vec![Step::Send(beginning.into()), Step::Repeat(line.repeat(10_000), Duration::ZERO)]
    })
    .await;
    let impatient = Limits { total: Duration::from_secs(2), ..limits() };
    for (path, code) in [("/headers", "protocol"), ("/header", "protocol"), ("/hints", "timeout")] {
        let failed = loopback().get(&url(&endless.url(path)), &[], &impatient).await.unwrap_err();
        assert_eq!(failed.code(), code, "{path}: {failed}");
    }
}

#[tokio::test]
async fn responses_that_are_not_http_are_protocol_errors() {
    let server = Server::start(|target| match target {
        "/garbage" => vec![Step::Send(b"220 mail.acme.example ESMTP\r\n".to_vec())],
        "/nothing" => vec![],
        "/short" => vec![head("Content-Length: 100\r\n"), Step::Send(b"only this".to_vec())],
        "/bad-gzip" => reply("200 OK", "Content-Encoding: gzip\r\n", b"this is not gzip"),
        "/cut-gzip" => {
            let whole = gzip(&vec![b'a'; 100_000]);
            reply("200 OK", "Content-Encoding: gzip\r\n", &whole[..whole.len() / 2])
        }
        "/many-headers" => reply("200 OK", &"X-Many: x\r\n".repeat(2000), b""),
        "/large-header" => reply("200 OK", &format!("X-Large: {}\r\n", "x".repeat(70_000)), b""),
        _ => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\nX-Endless: ".to_vec()),
            Step::Repeat(vec![b'x'; 4096], Duration::ZERO),
        ],
    })
    .await;
    for path in [
        "/garbage",
        "/nothing",
        "/short",
        "/bad-gzip",
        "/cut-gzip",
        "/many-headers",
        "/large-header",
        "/endless",
    ] {
        assert_eq!(code_of(&loopback(), &server.url(path)).await, "protocol", "{path}");
    }
}

#[tokio::test]
async fn a_closed_port_is_a_connect_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = loopback().get(&url(&format!("http://{address}/")), &[], &limits()).await.unwrap_err();
    assert_eq!(error.code(), "connect");
    assert!(error.to_string().starts_with("could not connect to 127.0.0.1: "), "{error}");
}

#[tokio::test]
async fn debug_output_shows_no_contents() {
    let server = Server::start(|_| reply("200 OK", "Set-Cookie: id=s3cret\r\n", b"s3cret")).await;
    let fetched = loopback().get(&url(&server.url("/?q=s3cret")), &[], &limits()).await.unwrap();
    let debug = format!("{fetched:?}");
    assert!(!debug.contains("s3cret") && debug.contains("200"), "{debug}");
}
