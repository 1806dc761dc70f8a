//! What a client takes of a response: how many bytes, and how long it waits for the next of a stream.

use std::time::Duration;

use bodies_client::Client as StreamingClient;
use events_client::{Client, Error};
use frontdesk_runtime::{Method, StatusCode};

use crate::events_service::KNOWN;
use crate::script::{Act, Script};

/// A body of 40 bytes.
const ITEM: Act =
    Act::Answer("200 OK", &["Content-Type: application/json"], r#"{"name":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#);

#[tokio::test]
async fn a_body_over_the_limit_is_unreadable_and_its_status_is_known() {
    for (limit, fits) in [(40, true), (39, false), (0, false)] {
        let script = Script::new(&[ITEM]).await;
        let client = Client::builder(script.url()).response_limit(limit).build().unwrap();
        let call = client.subscriptions().get(KNOWN);
        let outcome = call.await;
        // It is not the body of a subscription, which shows only if it was read.
        let Err(Error::Unreadable { raw, error }) = outcome else { panic!("{outcome:?}") };
        assert_eq!((raw.status, raw.body.len()), (StatusCode::OK, if fits { 40 } else { 0 }), "{limit}");
        let expected = format!("the body is longer than {limit} bytes");
        assert_eq!(error.to_string().starts_with(&expected), !fits, "{error}");

        let outcome = client.raw_request(&Method::GET, "/anything").await;
        assert_eq!(outcome.is_ok(), fits, "{limit}: {outcome:?}");
        // Bodies are read once, whatever their size.
        assert_eq!(script.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_stream_that_stalls_ends_with_an_error() {
    let event = r#"data: {"number":1}"#;
    let script = Script::new(&[Act::Stall("data: {\"number\":1}\n\ndata: {\"num")]).await;
    let client = StreamingClient::builder(script.url())
        .stream_idle_timeout(Duration::from_millis(200))
        .build()
        .unwrap();
    let mut events = client.events().stream(1).await.unwrap().into_inner();
    assert!(events.next().await.unwrap().is_ok(), "{event}");
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "nothing of the stream arrived for 200ms");
    assert!(events.next().await.is_none());
}
