//! Responses that are read in parts.

use std::time::Duration;

use frontdesk_outbound::{Limits, OutboundError, Stage};

use crate::server::{Server, Step};
use crate::{limits, loopback, url};

fn head() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n".to_vec(),
    )
}

fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

#[tokio::test]
async fn parts_arrive_before_the_response_is_complete() {
    let server = Server::start(|_| vec![head(), chunk("one"), Step::Hang]).await;
    let target = url(&server.url("/"));
    let mut streamed = loopback().post_streamed(&target, &[], &b"{}"[..], &limits()).await.unwrap();
    assert_eq!(
        (streamed.status().as_u16(), &streamed.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    assert_eq!(streamed.chunk().await.unwrap().as_deref(), Some(&b"one"[..]));
    assert!(!format!("{streamed:?}").contains("one"));
    assert!(server.requests()[0].ends_with("{}"));
}

#[tokio::test]
async fn the_rest_is_read_as_a_whole() {
    let server =
        Server::start(|_| vec![head(), chunk("one"), chunk(" and two"), Step::Send(b"0\r\n\r\n".to_vec())])
            .await;
    let target = url(&server.url("/"));
    let streamed = loopback().post_streamed(&target, &[], Vec::new(), &limits()).await.unwrap();
    let fetched = streamed.rest().await.unwrap();
    assert_eq!((fetched.status.as_u16(), &fetched.body[..]), (200, &b"one and two"[..]));
    assert_eq!(fetched.final_url, target);
}

#[tokio::test]
async fn the_limits_hold_for_all_parts_together() {
    let pause = Duration::from_millis(20);
    let server = Server::start(move |target| match target {
        "/slow" => vec![head(), Step::Repeat(b"1\r\nx\r\n".to_vec(), pause)],
        "/large" => vec![head(), Step::Repeat(b"4\r\nxxxx\r\n".to_vec(), Duration::ZERO)],
        _ => vec![head(), chunk("one")],
    })
    .await;
    let total = Duration::from_millis(300);
    let slow = Limits { total, ..limits() };
    let large = Limits { max_bytes: 1000, ..limits() };
    for (path, limits, expected) in [
        (
            "/slow",
            slow,
            Some(OutboundError::Timeout { host: "127.0.0.1".into(), stage: Stage::Respond, limit: total }),
        ),
        ("/large", large, Some(OutboundError::TooLarge { host: "127.0.0.1".into(), limit: 1000 })),
        ("/broken", limits(), None),
    ] {
        let target = url(&server.url(path));
        let mut streamed = loopback().post_streamed(&target, &[], Vec::new(), &limits).await.unwrap();
        let error = loop {
            match streamed.chunk().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("{path} ended"),
                Err(error) => break error,
            }
        };
        assert!(expected.is_none_or(|expected| error == expected), "{path}: {error:?}");
    }
}
