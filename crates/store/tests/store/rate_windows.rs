//! Rate limits that several processes share through PostgreSQL.

use std::{collections::HashSet, time::Duration};

use frontdesk_store::{RateDecision, RatePortion, RateWindows};

use crate::database::Database;

const MINUTE: Duration = Duration::from_mins(1);

/// Two processes, each with connections of its own.
async fn processes(test: &str) -> Option<(Database, [RateWindows; 2])> {
    let database = Database::postgres(test).await?;
    let open = || RateWindows::open(&database.url).unwrap().unwrap();
    let both = [open(), open()];
    Some((database, both))
}

#[test]
fn a_sqlite_file_is_served_by_one_process() {
    assert!(RateWindows::open("sqlite:frontdesk.db").unwrap().is_none());
    assert!(RateWindows::open("sqlite::memory:").unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_admit_exactly_the_limit() {
    let Some((database, processes)) = processes("two_processes_admit_exactly_the_limit").await else {
        return;
    };
    let calls: Vec<_> = (0..140)
        .map(|call| {
            let windows = processes[call % 2].clone();
            tokio::spawn(async move { windows.take("key", 60, MINUTE).await.unwrap() })
        })
        .collect();
    let mut admitted = 0;
    for call in calls {
        match call.await.unwrap() {
            None => admitted += 1,
            Some(wait) => assert!(wait > Duration::from_secs(30) && wait <= MINUTE, "{wait:?}"),
        }
    }
    assert_eq!(admitted, 60);
    // A check counts nothing, another name has a window of its own, and a higher limit admits the difference.
    assert!(processes[0].check("key", 60, MINUTE).await.unwrap().is_some());
    for _ in 0..3 {
        assert!(processes[0].check("other", 1, MINUTE).await.unwrap().is_none());
    }
    assert!(processes[1].take("other", 1, MINUTE).await.unwrap().is_none());
    assert!(processes[0].check("other", 1, MINUTE).await.unwrap().is_some());
    assert!(processes[0].take("key", 61, MINUTE).await.unwrap().is_none());
    assert!(processes[1].take("key", 61, MINUTE).await.unwrap().is_some());
    for windows in processes {
        windows.close().await;
    }
    database.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_window_of_that_length_has_more_events_than_the_limit() {
    let Some((database, [windows, other])) =
        processes("no_window_of_that_length_has_more_events_than_the_limit").await
    else {
        return;
    };
    let window = Duration::from_millis(400);
    let pool = database.raw().await;
    let mut admitted: HashSet<i64> = HashSet::new();
    let start = std::time::Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < window * 5 {
        let decision = windows.take("key", 5, window).await.unwrap();
        calls += 1;
        if let Some(wait) = decision {
            assert!(wait <= window, "{wait:?}");
        }
        let events: Vec<i64> =
            sqlx::query_scalar("SELECT unnest(moments) FROM rate_portions").fetch_all(&pool).await.unwrap();
        assert!(events.len() <= 5, "{events:?}");
        admitted.extend(events);
    }
    let mut admitted: Vec<i64> = admitted.into_iter().collect();
    admitted.sort_unstable();
    assert!(admitted.len() > 5, "the window never moved in {calls} calls: {admitted:?}");
    let length = i64::try_from(window.as_micros()).unwrap();
    for pair in admitted.windows(6) {
        assert!(pair[5] - pair[0] >= length, "six events within a window: {pair:?}");
    }

    // Waiting as long as it is said is enough.
    let wait = loop {
        if let Some(wait) = windows.take("key", 5, window).await.unwrap() {
            break wait;
        }
    };
    tokio::time::sleep(wait).await;
    assert_eq!(other.take("key", 5, window).await.unwrap(), None);

    // Expired windows are deleted, others are not.
    assert!(windows.take("lasting", 1, MINUTE).await.unwrap().is_none());
    tokio::time::sleep(window).await;
    assert_eq!(windows.prune().await.unwrap(), 1);
    let names: Vec<String> =
        sqlx::query_scalar("SELECT name FROM rate_portions").fetch_all(&pool).await.unwrap();
    assert_eq!(names, ["lasting"]);
    pool.close().await;
    windows.close().await;
    other.close().await;
    database.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn portions_are_taken_while_there_is_room_and_no_window_has_more_than_the_limit() {
    const HELD: Duration = Duration::from_secs(5);
    let test = "portions_are_taken_while_there_is_room_and_no_window_has_more_than_the_limit";
    let Some((database, [windows, other])) = processes(test).await else {
        return;
    };
    // A low limit is counted one by one, however much is wanted.
    for _ in 0..60 {
        let decision = windows.take_portion("low", 60, MINUTE, 1_000, HELD).await.unwrap();
        assert!(matches!(decision, RateDecision::Granted(RatePortion { events: 1, .. })), "{decision:?}");
    }
    assert!(matches!(
        other.take_portion("low", 60, MINUTE, 1_000, HELD).await.unwrap(),
        RateDecision::Wait(wait) if wait <= MINUTE
    ));

    // A high one in portions, which become smaller as the room does.
    let (mut admitted, mut calls, mut sizes) = (0, 0, Vec::new());
    let wait = loop {
        let process = if calls % 2 == 0 { &windows } else { &other };
        calls += 1;
        match process.take_portion("high", 10_000, MINUTE, 100, HELD).await.unwrap() {
            RateDecision::Granted(portion) => {
                admitted += portion.events;
                sizes.push(portion.events);
            }
            RateDecision::Wait(wait) => break wait,
        }
    };
    assert_eq!(admitted, 10_000);
    assert!(calls < 1_000, "{calls} calls");
    assert_eq!((sizes[0], *sizes.last().unwrap()), (100, 1));
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    // Portions count from the end of the time in which they are used.
    assert!(wait + HELD > MINUTE && wait <= MINUTE + 2 * HELD, "{wait:?}");
    assert!(windows.check("high", 10_000, MINUTE).await.unwrap().is_some());

    // What was not used is given back, and there is room for it.
    let RateDecision::Granted(portion) =
        windows.take_portion("third", 6_400, MINUTE, 100, HELD).await.unwrap()
    else {
        panic!("an empty window has room");
    };
    assert_eq!(portion.events, 100);
    windows.give_back("third", RatePortion { events: 99, ..portion }).await.unwrap();
    let pool = database.raw().await;
    let used: i64 = sqlx::query_scalar(
        "SELECT SUM(count)::bigint FROM rate_portions, unnest(counts) AS count WHERE name = 'third'",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(used, 1);
    pool.close().await;
    for windows in [windows, other] {
        windows.close().await;
    }
    database.close().await;
}
