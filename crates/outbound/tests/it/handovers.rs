//! The moment from which a request may have arrived.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use frontdesk_outbound::{Fetched, Handover, Limits, PostError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::server::{Server, Step, reply};
use crate::{limits, loopback, url};

/// A handover that counts, and fails if it is told to.
fn counted(fails: bool) -> (Handover, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let handover = Handover::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        std::future::ready(if fails { Err("the database is away".into()) } else { Ok(()) })
    });
    (handover, count)
}

async fn post(
    target: &str,
    body: Vec<u8>,
    limits: Limits,
    handover: &Handover,
) -> Result<Fetched, PostError> {
    loopback().post_handing_over(&url(target), &[], body.into(), &limits, handover).await
}

#[tokio::test]
async fn a_request_arrives_whole_with_its_length() {
    let server = Server::start(|_| reply("200 OK", "", b"taken")).await;
    let (handover, count) = counted(false);
    let fetched = post(&server.url("/"), b"{\"a\":1}".to_vec(), limits(), &handover).await.unwrap();
    assert_eq!((&fetched.body[..], count.load(Ordering::SeqCst)), (&b"taken"[..], 1));
    let request = server.requests().remove(0).to_lowercase();
    assert!(request.contains("content-length: 7\r\n") && request.ends_with("{\"a\":1}"), "{request}");
    assert!(!request.contains("transfer-encoding"), "{request}");
}

#[tokio::test]
async fn before_the_last_byte_nothing_has_arrived() {
    // Nobody listens.
    let (handover, count) = counted(false);
    let failed = post("http://127.0.0.1:1/", b"{}".to_vec(), limits(), &handover).await.unwrap_err();
    assert!(!failed.was_handed_over && count.load(Ordering::SeqCst) == 0, "{failed:?}");
    // Nobody reads: the body is larger than what the system takes.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", listener.local_addr().unwrap());
    let impatient = Limits { total: Duration::from_millis(500), ..limits() };
    let failed = post(&target, vec![b'x'; 64 << 20], impatient, &handover).await.unwrap_err();
    assert!(!failed.was_handed_over && count.load(Ordering::SeqCst) == 0, "{failed:?}");
    assert_eq!(failed.error.code(), "timeout");
}

#[tokio::test]
async fn after_the_last_byte_nobody_knows() {
    for (what, steps) in [
        ("silence", vec![Step::Hang]),
        ("a head without an end", vec![Step::Repeat(b"x".to_vec(), Duration::from_millis(20))]),
        ("a closed connection", vec![]),
    ] {
        let server = Server::start(move |_| steps.clone()).await;
        let (handover, count) = counted(false);
        let impatient = Limits { total: Duration::from_millis(500), ..limits() };
        let failed = post(&server.url("/"), b"{}".to_vec(), impatient, &handover).await.unwrap_err();
        assert!(failed.was_handed_over && count.load(Ordering::SeqCst) == 1, "{what}: {failed:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_noted_is_not_handed_over() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", listener.local_addr().unwrap());
    let received = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut received = Vec::new();
        // The connection may be reset, because the request is not complete.
        let _ = stream.read_to_end(&mut received).await;
        String::from_utf8(received).unwrap()
    });
    let (handover, count) = counted(true);
    let failed = post(&target, b"{\"a\":1}".to_vec(), limits(), &handover).await.unwrap_err();
    assert!(!failed.was_handed_over && count.load(Ordering::SeqCst) == 1, "{failed:?}");
    assert!(failed.to_string().contains("the database is away"), "{failed}");
    let received = received.await.unwrap();
    assert!(!received.contains('}'), "{received}");
}

#[tokio::test]
async fn after_an_early_response_or_a_caller_who_left_nothing_is_handed_over() {
    for response in [&b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"[..], b""] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = format!("http://{}/", listener.local_addr().unwrap());
        let (has_ended, ended) = oneshot::channel();
        let received = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 64];
            stream.read_exact(&mut head).await.unwrap();
            stream.write_all(response).await.unwrap();
            ended.await.unwrap();
            // Whatever is still on its way is read only now.
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            rest.ends_with(b"!")
        });
        let (handover, count) = counted(false);
        // The body is larger than what the system takes.
        let mut body = vec![b'x'; 64 << 20];
        body.push(b'!');
        let posting = post(&target, body, limits(), &handover);
        if response.is_empty() {
            assert!(tokio::time::timeout(Duration::from_millis(500), posting).await.is_err());
        } else {
            assert_eq!(posting.await.unwrap().status, 413);
        }
        has_ended.send(()).unwrap();
        assert!(!received.await.unwrap(), "the last byte has arrived");
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
}
