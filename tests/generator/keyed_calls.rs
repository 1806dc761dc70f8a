//! Calls that the service recognizes by their `Idempotency-Key`: which have one, when they are retried, and
//! that every attempt is the same.

use std::time::{Duration, Instant};

use events_client::{Client, Error, RetryPolicy};
use events_model::{AppendError, AttachBody, Item, RunningProblemError, ThrottledProblemError};
use frontdesk_runtime::codec::{ByteStream, File, StreamError};
use frontdesk_runtime::{StatusCode, Uuid};
use futures_util::stream;

use crate::events_service::KNOWN;
use crate::script::{Act, Script};

const ITEM: Act = Act::Answer("200 OK", &["Content-Type: application/json"], r#"{"name":"a"}"#);
const STORED: Act = Act::Answer("204 No Content", &[], "");
const DOWN: Act = Act::Answer("503 Service Unavailable", &[], "");
const RUNNING: Act =
    Act::Answer("409 Conflict", &["Content-Type: application/json"], r#"{"error":"in_progress"}"#);
const TAKEN: Act = Act::Answer("409 Conflict", &["Content-Type: application/json"], r#"{"error":"taken"}"#);
const THROTTLED: &str = r#"{"error":"rate_limited","message":"slow down","limit":60}"#;
const THROTTLED_NOW: Act =
    Act::Answer("429 Too Many Requests", &["Content-Type: application/json", "Retry-After: 0"], THROTTLED);
const THROTTLED_LONG: Act =
    Act::Answer("429 Too Many Requests", &["Content-Type: application/json", "Retry-After: 20"], THROTTLED);

/// A client of the script, whose pauses are short.
fn client(script: &Script) -> Client {
    let policy = RetryPolicy {
        retries: 2,
        base_delay: Duration::from_millis(1),
        longest_delay: Duration::from_secs(30),
    };
    Client::builder(script.url()).retry(policy).build().unwrap()
}

/// The key of each request; `None` for one without.
fn keys(script: &Script) -> Vec<Option<String>> {
    let key = |request: &String| {
        let lines = request.lines();
        lines.filter_map(|line| line.strip_prefix("idempotency-key: ")).map(str::to_owned).next()
    };
    script.requests().iter().map(key).collect()
}

#[tokio::test]
async fn a_call_has_one_key_for_all_its_attempts() {
    let script = Script::new(&[DOWN, Act::Hang, ITEM, DOWN, ITEM]).await;
    let client = client(&script);
    for _ in 0..2 {
        client.changes().append(Item::new("a")).await.unwrap();
    }
    let keys = keys(&script);
    assert_eq!(keys.len(), 5);
    assert!(keys.iter().all(|key| key.as_ref().is_some_and(|key| key.parse::<Uuid>().is_ok())), "{keys:?}");
    assert!(keys[..3].iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(keys[3], keys[4]);
    assert_ne!(keys[0], keys[3], "another call has another key");
    let requests = script.requests();
    assert!(requests[..3].iter().all(|again| *again == requests[0]), "{requests:?}");
}

#[tokio::test]
async fn a_key_of_the_callers_own_goes_before() {
    let script = Script::new(&[DOWN, ITEM]).await;
    client(&script).changes().append(Item::new("a")).idempotency_key("mine").await.unwrap();
    assert_eq!(keys(&script), [Some("mine".to_owned()), Some("mine".to_owned())]);
}

#[tokio::test]
async fn operations_without_the_header_have_no_key() {
    // The document says that this one may be repeated.
    let script = Script::new(&[DOWN, ITEM]).await;
    client(&script).changes().append_once(KNOWN, Item::new("a")).await.unwrap();
    assert_eq!(keys(&script), [None, None]);

    // The keys of this one are numbers, which a client does not make up.
    let script = Script::new(&[DOWN, ITEM]).await;
    let outcome = client(&script).changes().append_numbered(Item::new("a")).await;
    assert!(matches!(outcome, Err(Error::Undocumented(_))), "{outcome:?}");
    assert_eq!(keys(&script), [None]);
    let script = Script::new(&[DOWN, ITEM]).await;
    client(&script).changes().append_numbered(Item::new("a")).idempotency_key("17").await.unwrap();
    assert_eq!(keys(&script), [Some("17".to_owned()), Some("17".to_owned())]);

    // And these are repeated by their method, or not at all.
    let script = Script::new(&[DOWN, ITEM]).await;
    client(&script).changes().replace(KNOWN, Item::new("a")).await.unwrap();
    assert_eq!(keys(&script), [None, None]);
    let script = Script::new(&[DOWN, ITEM]).await;
    #[expect(deprecated, reason = "the document still declares it")]
    let outcome = client(&script).changes().amend(KNOWN, Item::new("a")).await;
    assert!(matches!(outcome, Err(Error::Undocumented(_))), "{outcome:?}");
    assert_eq!(keys(&script), [None]);
}

#[tokio::test]
async fn a_conflict_is_waited_for_only_while_the_first_request_runs() {
    let script = Script::new(&[Act::Hang, RUNNING, ITEM]).await;
    client(&script).changes().append(Item::new("a")).await.unwrap();
    assert_eq!(script.requests().len(), 3);

    let script = Script::new(&[RUNNING]).await;
    let error = client(&script).changes().append(Item::new("a")).await.unwrap_err();
    let Some(AppendError::Conflict(running)) = error.declared() else { panic!("{error:?}") };
    assert_eq!((running.error.clone(), script.requests().len()), (RunningProblemError::InProgress, 3));

    let script = Script::new(&[TAKEN]).await;
    let error = client(&script).changes().append(Item::new("a")).await.unwrap_err();
    assert_eq!((error.status(), script.requests().len()), (Some(StatusCode::CONFLICT), 1));
}

/// The content of all cases below is text, because the script remembers text.
fn files() -> Vec<AttachBody> {
    ["one", "", "--part-", "a\r\nb"]
        .map(|text| AttachBody::new(File::new(text).named("a.txt")).note("n"))
        .into()
}

#[tokio::test]
async fn a_form_is_the_same_bytes_in_each_attempt() {
    for body in files() {
        let script = Script::new(&[DOWN, Act::Hang, STORED]).await;
        client(&script).changes().attach(body).await.unwrap();
        let requests = script.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|again| *again == requests[0]), "{requests:?}");
        assert!(requests[0].contains("boundary=part-") && requests[0].contains("name=\"note\""));
    }
}

#[tokio::test]
async fn a_form_in_memory_is_the_same_bytes_whenever_it_has_the_same_key() {
    let sent = async |key: u128, body: AttachBody| {
        let script = Script::new(&[STORED]).await;
        let call = client(&script).changes().attach(body).idempotency_key(Uuid::from_u128(key));
        call.await.unwrap();
        let request = script.requests().remove(0);
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let content_type = head.lines().find(|line| line.starts_with("content-type: ")).unwrap();
        (content_type.to_owned(), body.to_owned())
    };
    for (one, other) in files().into_iter().zip(files()) {
        let first = sent(1, one).await;
        assert_eq!(first, sent(1, other).await);
        let (_, boundary) = first.0.split_once("boundary=").unwrap();
        // A file that contains the boundary gets another one.
        let crossed = sent(1, AttachBody::new(File::new(format!("\r\n--{boundary}\r\n")))).await;
        assert_ne!(first.0, crossed.0);
        assert_ne!(first.0, sent(2, AttachBody::new(File::new("one"))).await.0);
    }
}

#[tokio::test]
async fn a_file_of_the_disk_is_sent_again_unless_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.txt");
    fs_err::write(&path, "Lamp 19.95").unwrap();
    let script = Script::new(&[DOWN, Act::Hang, STORED]).await;
    let file = File::from_path(&path).await.unwrap();
    client(&script).changes().attach(AttachBody::new(file)).await.unwrap();
    let requests = script.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|again| *again == requests[0]), "{requests:?}");
    assert!(requests[0].contains("Lamp 19.95") && requests[0].contains("filename=\"prices.txt\""));

    let script = Script::new(&[DOWN, STORED]).await;
    let file = File::from_path(&path).await.unwrap();
    let policy = RetryPolicy { base_delay: Duration::from_millis(400), ..RetryPolicy::default() };
    let client = client(&script);
    let call = client.changes().attach(AttachBody::new(file)).retry(policy).into_future();
    let changed = async {
        while script.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        fs_err::write(&path, "Lamp 1.00, today only").unwrap();
    };
    let (outcome, ()) = tokio::join!(call, changed);
    assert!(matches!(outcome, Err(Error::Connection(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_stream_that_can_be_read_once_is_sent_once() {
    let script = Script::new(&[DOWN, STORED]).await;
    let pieces = stream::iter([Ok::<_, StreamError>("a".into())]);
    let file = File::new(ByteStream::new(pieces).with_length(1));
    let outcome = client(&script).changes().attach(AttachBody::new(file)).await;
    assert!(matches!(outcome, Err(Error::Undocumented(_))), "{outcome:?}");
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn a_deadline_ends_with_the_last_response() {
    // The pause would take longer than the call has, so nobody waits for it.
    let script = Script::new(&[THROTTLED_LONG]).await;
    let began = Instant::now();
    let call = client(&script).changes().append(Item::new("a")).deadline(Duration::from_secs(10));
    let error = call.await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let Some(AppendError::TooManyRequests(throttled)) = error.declared() else { panic!("{error:?}") };
    assert_eq!((throttled.limit, throttled.message.as_str()), (Some(60), "slow down"));
    assert_eq!(throttled.headers["retry-after"], "20");

    // The time is over while another attempt waits for its response.
    let script = Script::new(&[THROTTLED_NOW, Act::Silence]).await;
    let call = client(&script).changes().append(Item::new("a")).deadline(Duration::from_millis(300));
    let error = call.await.unwrap_err();
    assert!(error.is_rate_limited(), "{error:?}");
    assert_eq!(script.requests().len(), 2);

    // Whether a request that may not be repeated has had its effect is not known then.
    let script = Script::new(&[THROTTLED_NOW, Act::Silence]).await;
    let call = client(&script).changes().append_numbered(Item::new("a"));
    let error = call.deadline(Duration::from_millis(300)).await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn retry_after_is_waited_for_within_the_deadline() {
    const SOON: Act = Act::Answer("503 Service Unavailable", &["Retry-After: 1"], "");
    let script = Script::new(&[SOON, ITEM]).await;
    let began = Instant::now();
    let call = client(&script).changes().append(Item::new("a")).deadline(Duration::from_secs(20));
    call.await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_code_that_the_document_does_not_list_is_kept() {
    const NEW: Act = Act::Answer(
        "429 Too Many Requests",
        &["Content-Type: application/json"],
        r#"{"error":"credits_exhausted","message":"wait until Monday"}"#,
    );
    let script = Script::new(&[NEW]).await;
    let call = client(&script).changes().append(Item::new("a")).retry(RetryPolicy::NEVER);
    let error = call.await.unwrap_err();
    let Some(AppendError::TooManyRequests(throttled)) = error.declared() else { panic!("{error:?}") };
    assert_eq!(throttled.error, ThrottledProblemError::Unknown("credits_exhausted".to_owned()));
    assert_eq!(throttled.message, "wait until Monday");
}
