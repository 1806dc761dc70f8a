//! Rate limits in a shared store: on Redis, and with a store that fails or does not respond.

use std::io::Write;

use tokio::net::TcpListener;

use super::*;

const REDIS_URL: &str = "FRONTDESK_TEST_REDIS_URL";
/// Long enough for a busy machine: a decision that falls back would make these tests fail.
const PATIENT: Duration = Duration::from_secs(30);

fn redis_url(test: &str) -> Option<String> {
    let url = std::env::var(REDIS_URL).ok();
    if url.is_none() {
        // Directly to the stream, which the test harness does not capture.
        writeln!(std::io::stderr(), "skipped on Redis: {test} ({REDIS_URL} is not set)").unwrap();
    }
    url
}

fn count(metrics: &Metrics, name: &str) -> u64 {
    let text = metrics.render(&[]);
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("frontdesk_{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_on_redis_admit_exactly_the_limit() {
    let Some(url) = redis_url("two_processes_on_redis_admit_exactly_the_limit") else { return };
    let metrics = Metrics::new();
    let process = || RateLimits::in_redis(&url, PATIENT, metrics.clone()).unwrap();
    let processes = [process(), process()];
    let subject = Subject::RequestsOfKey(Uuid::new_v4());
    let calls: Vec<_> = (0..140)
        .map(|call| {
            let limits = processes[call % 2].clone();
            tokio::spawn(async move { limits.take(subject, 60).await })
        })
        .collect();
    let mut admitted = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(()) => admitted += 1,
            Err(exceeded) => assert!((30..=60).contains(&exceeded.retry_after), "{exceeded:?}"),
        }
    }
    assert_eq!(admitted, 60);
    let chatbot = Subject::RepliesOfChatbot(Uuid::new_v4());
    for _ in 0..3 {
        assert_eq!(processes[0].check(chatbot, 1).await, Ok(()));
    }
    assert_eq!(processes[0].take(chatbot, 1).await, Ok(()));
    assert!(processes[1].check(chatbot, 1).await.is_err());
    assert!(processes[1].take(chatbot, 1).await.is_err());
    assert_eq!(count(&metrics, "rate_limit_fallbacks_total"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_window_on_redis_slides_and_expires() {
    let Some(url) = redis_url("a_window_on_redis_slides_and_expires") else { return };
    let windows = redis_windows::RedisWindows::open(&url, PATIENT).unwrap();
    let window = Duration::from_millis(300);
    let name = format!("test:{}", Uuid::new_v4());
    let take = async || windows.decide(Operation::Take, &name, 3, window).await.unwrap();
    let mut admitted = Vec::new();
    let start = Instant::now();
    while start.elapsed() < window * 4 {
        let before = Instant::now();
        match take().await {
            None => admitted.push((before, Instant::now())),
            Some(wait) => assert!(wait <= window, "{wait:?}"),
        }
    }
    assert!(admitted.len() > 3, "the window never moved");
    for four in admitted.windows(4) {
        assert!(four[3].1.duration_since(four[0].0) >= window, "four events within a window");
    }
    let wait = loop {
        if let Some(wait) = take().await {
            break wait;
        }
    };
    tokio::time::sleep(wait).await;
    assert_eq!(take().await, None);
    // The server removes the entry after the window and one more second.
    tokio::time::sleep(window + Duration::from_millis(1500)).await;
    let mut connection = redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap();
    let key = format!("frontdesk:limit:{name}");
    let exists: bool = redis::cmd("EXISTS").arg(key).query_async(&mut connection).await.unwrap();
    assert!(!exists);
}

#[tokio::test]
async fn a_process_counts_alone_while_the_shared_store_fails() {
    // A port where nobody listens, and one where nobody ever answers.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    for address in [closed, silent.local_addr().unwrap()] {
        let metrics = Metrics::new();
        let timeout = Duration::from_millis(100);
        let limits = RateLimits::in_redis(&format!("redis://{address}"), timeout, metrics.clone()).unwrap();
        let subject = Subject::RequestsOfKey(Uuid::new_v4());
        let start = Instant::now();
        let mut admitted = 0;
        for _ in 0..80 {
            match limits.take(subject, 60).await {
                Ok(()) => admitted += 1,
                Err(exceeded) => assert!((1..=60).contains(&exceeded.retry_after)),
            }
        }
        assert_eq!(admitted, 60);
        assert_eq!(limits.check(Subject::FailedAttempts(address.ip(), "test", None), 1).await, Ok(()));
        // After repeated failures the store is not asked any more, so the calls did not wait 80 times.
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert!(count(&metrics, "rate_limit_fallbacks_total") >= 60);
        assert_eq!(count(&metrics, "rate_limits_degraded"), 1);
    }
}

#[tokio::test]
async fn limits_are_shared_again_when_the_store_works_again() {
    let Some(url) = redis_url("limits_are_shared_again_when_the_store_works_again") else { return };
    // A relay that refuses its first connections behaves like a server that is restarted.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = url.trim_start_matches("redis://").split('/').next().unwrap().to_owned();
    tokio::spawn(async move {
        let opened = Instant::now();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            if opened.elapsed() < Duration::from_millis(300) {
                continue;
            }
            let mut redis = tokio::net::TcpStream::connect(&server).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut redis).await });
        }
    });
    let metrics = Metrics::new();
    let limits =
        RateLimits::in_redis(&format!("redis://{address}"), Duration::from_secs(5), metrics.clone()).unwrap();
    let subject = Subject::RequestsOfKey(Uuid::new_v4());
    limits.take(subject, 1000).await.unwrap();
    assert_eq!(count(&metrics, "rate_limits_degraded"), 1);
    while count(&metrics, "rate_limits_degraded") == 1 {
        limits.take(subject, 1000).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn unusable_addresses_are_refused_with_advice() {
    let error = RateLimits::in_redis("http://127.0.0.1/", PATIENT, Metrics::new()).unwrap_err();
    assert!(error.to_string().contains("redis://HOST:PORT"), "{error}");
}

#[test]
fn waits_are_whole_seconds_of_at_least_one() {
    for (milliseconds, expected) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (59_999, 60)] {
        assert_eq!(Exceeded::after(Duration::from_millis(milliseconds)).retry_after, expected);
    }
}
