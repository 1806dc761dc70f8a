//! When a client sends a request again, counted at the other end.

use std::time::Duration;

use widgets_client::{Client, RetryPolicy};
use widgets_model::NewWidget;

use crate::script::{Act, Script};
use crate::service::KNOWN;

const GONE: Act = Act::Answer("204 No Content", &[], "");
const WIDGET: Act = Act::Answer(
    "200 OK",
    &[],
    r#"{"name": "a", "id": "00000000-0000-0000-0000-000000000007", "state": "new", "created_at": "2026-01-31T09:30:00Z"}"#,
);
const ACCEPTED: Act = Act::Answer("202 Accepted", &[], "");
const DOWN: Act = Act::Answer("503 Service Unavailable", &[], "");
const THROTTLED: Act = Act::Answer("429 Too Many Requests", &["Retry-After: 0"], "");
const LATER: Act = Act::Answer("429 Too Many Requests", &["Retry-After: 3600"], "");
const BROKEN: Act = Act::Answer("500 Internal Server Error", &[], "");
const SLOW: Act = Act::Answer("408 Request Timeout", &[], "");
const NOT_MADE: Act = Act::Answer("501 Not Implemented", &[], "");
const BAD_GATEWAY: Act = Act::Answer("502 Bad Gateway", &[], "");
const GATEWAY_SLOW: Act = Act::Answer("504 Gateway Timeout", &[], "");

/// A policy without waits worth the name.
fn policy() -> RetryPolicy {
    RetryPolicy { retries: 2, base_delay: Duration::from_millis(1), longest_delay: Duration::from_secs(1) }
}

#[derive(Clone, Copy, Debug)]
enum Request {
    Get,
    Post,
    PostWithKey,
}

#[tokio::test]
async fn requests_are_repeated_where_that_is_safe_and_no_further() {
    for (request, acts, attempts, succeeds) in [
        (Request::Get, &[WIDGET][..], 1, true),
        (Request::Get, &[DOWN, WIDGET], 2, true),
        (Request::Get, &[Act::Hang, WIDGET], 2, true),
        // An answer that breaks off has begun; it is told, not asked for again.
        (Request::Get, &[Act::Truncate, WIDGET], 2, true),
        (Request::Get, &[THROTTLED, THROTTLED, WIDGET], 3, true),
        (Request::Get, &[DOWN, DOWN, DOWN, WIDGET], 3, false),
        (Request::Get, &[BROKEN, WIDGET], 2, true),
        (Request::Get, &[SLOW, BAD_GATEWAY, WIDGET], 3, true),
        (Request::Get, &[GATEWAY_SLOW, WIDGET], 2, true),
        (Request::Get, &[NOT_MADE, WIDGET], 1, false),
        (Request::Get, &[LATER, WIDGET], 1, false),
        (Request::Get, &[GONE, WIDGET], 1, false),
        (Request::Post, &[ACCEPTED], 1, true),
        // The service may have acted before it failed.
        (Request::Post, &[DOWN, ACCEPTED], 1, false),
        (Request::Post, &[BROKEN, ACCEPTED], 1, false),
        (Request::Post, &[SLOW, ACCEPTED], 1, false),
        (Request::Post, &[Act::Hang, ACCEPTED], 1, false),
        // It has not where it says that it turned the request away.
        (Request::Post, &[THROTTLED, ACCEPTED], 2, true),
        // With a key it promises to act once.
        (Request::PostWithKey, &[DOWN, ACCEPTED], 2, true),
        (Request::PostWithKey, &[Act::Hang, ACCEPTED], 2, true),
        (Request::PostWithKey, &[BROKEN, SLOW, ACCEPTED], 3, true),
    ] {
        let script = Script::new(acts).await;
        let client = Client::builder(script.url()).retry(policy()).build().unwrap();
        let widgets = client.widgets();
        let body = NewWidget::new("a", []);
        let succeeded = match request {
            Request::Get => widgets.get(KNOWN.into()).await.is_ok(),
            Request::Post => widgets.new_widget(&body).await.is_ok(),
            Request::PostWithKey => widgets.new_widget(&body).header("Idempotency-Key", "once").await.is_ok(),
        };
        let requests = script.requests();
        assert_eq!((requests.len(), succeeded), (attempts, succeeds), "{request:?} {acts:?}");
        assert!(requests.iter().all(|again| again == &requests[0]), "{requests:?}");
        let keyed = requests[0].contains("\r\nidempotency-key: once\r\n");
        assert_eq!(keyed, matches!(request, Request::PostWithKey), "{requests:?}");
    }
}

#[tokio::test]
async fn a_time_out_is_repeated_only_where_that_is_safe() {
    for (post, attempts) in [(false, 3), (true, 1)] {
        let script = Script::new(&[Act::Silence]).await;
        let client =
            Client::builder(script.url()).retry(policy()).timeout(Duration::from_millis(40)).build().unwrap();
        let succeeded = if post {
            client.widgets().new_widget(NewWidget::new("a", [])).await.is_ok()
        } else {
            client.widgets().get(KNOWN.into()).await.is_ok()
        };
        assert_eq!((script.requests().len(), succeeded), (attempts, false), "post: {post}");
    }
}
