//! Exactly 60 requests a minute for each API key, also over several processes.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use frontdesk_client::{
    Client, Error,
    model::{ListChatbotsError, RateLimitedErrorKind, RateLimitedHeaders},
};
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, client},
    process::Process,
};

const REDIS_URL: &str = "FRONTDESK_TEST_REDIS_URL";

/// The requests that were admitted, with the times between which each was counted.
#[derive(Default)]
struct Admitted(Vec<(Instant, Instant)>);

impl Admitted {
    /// Checks that as many as the limit were admitted, and never more within a minute. On a machine so slow
    /// that the requests take longer than that, the first ones have left the window for later ones.
    fn are_exactly(&self, limit: usize) {
        assert!(self.0.len() >= limit, "{} of {limit} were admitted", self.0.len());
        // Times are counted in quarters of a second.
        let minute = Duration::from_millis(59_500);
        for (first, _) in &self.0 {
            let within = |(began, ended): &&(Instant, Instant)| began >= first && *ended <= *first + minute;
            let count = self.0.iter().filter(within).count();
            assert!(count <= limit, "{count} were admitted within a minute, more than {limit}");
        }
    }
}

/// Lists the chatbots. Returns when the request began and ended, too.
async fn list(client: Client) -> (Instant, Instant, Result<(), Error<ListChatbotsError>>) {
    let began = Instant::now();
    let outcome = client.chatbots().list().await.map(drop);
    (began, Instant::now(), outcome)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sixty_first_request_within_a_minute_is_refused() {
    let limit = frontdesk_service::config::Config::default().limits.requests_per_key;
    assert_eq!(limit, 60);
    let service = Installation::start_with(Database::sqlite().await, |config| {
        config.limits.requests_per_key = limit;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = client(service.address(), &service.database.key(&acme.owner, None).await.text);
    let fast = service.database.key(&acme.owner, Some(90)).await;
    let fast = client(service.address(), &fast.text);
    let usual = service.client(&acme);
    for (client, limit) in [(&usual, 60), (&fast, 90)] {
        // All at once: what is counted is not what is answered first.
        let calls: Vec<_> = (0..limit + 5).map(|_| tokio::spawn(list(client.clone()))).collect();
        let mut admitted = Admitted::default();
        for call in calls {
            let (began, ended, outcome) = call.await.unwrap();
            match outcome {
                Ok(()) => admitted.0.push((began, ended)),
                Err(error) => match error.declared() {
                    Some(ListChatbotsError::TooManyRequests(limited)) => {
                        let wait = limited.typed_headers::<RateLimitedHeaders>().unwrap().retry_after;
                        assert!((1..=60).contains(&wait), "{limited:?}");
                        assert_eq!(limited.body.error, Some(RateLimitedErrorKind::RateLimited));
                    }
                    other => panic!("{other:?}"),
                },
            }
        }
        admitted.are_exactly(limit);
    }
    // The other keys of the same user have limits of their own.
    other.chatbots().list().await.unwrap();
    service.stop().await;
}

/// Sends 140 requests with one key to two processes in turn, and returns how many were admitted.
async fn admitted_by_two_processes(database: &Database, more: &[&str]) -> Admitted {
    // A busy machine must not be taken for a failing store.
    let settings = ["--shared-limits-timeout-milliseconds", "30000"];
    let settings = [&settings, more].concat();
    let processes = [Process::start(database, &settings), Process::start(database, &settings)];
    let acme = database.customer("acme", Plan::Growth).await;
    let key = database.key(&acme.owner, Some(60)).await;
    let calls: Vec<_> =
        (0..140).map(|call| tokio::spawn(list(client(processes[call % 2].address, &key.text)))).collect();
    let mut admitted = Admitted::default();
    for call in calls {
        let (began, ended, outcome) = call.await.unwrap();
        match outcome {
            Ok(()) => admitted.0.push((began, ended)),
            Err(error) => match error.declared() {
                Some(ListChatbotsError::TooManyRequests(limited)) => {
                    let wait = limited.typed_headers::<RateLimitedHeaders>().unwrap().retry_after;
                    assert!((1..=60).contains(&wait), "{limited:?}");
                }
                other => panic!("{other:?}"),
            },
        }
    }
    admitted
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_admit_exactly_sixty_through_postgres() {
    let Some(database) = Database::postgres("two_processes_admit_exactly_sixty_through_postgres").await
    else {
        return;
    };
    admitted_by_two_processes(&database, &[]).await.are_exactly(60);
    database.store.close().await;
    database.remains().release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_admit_exactly_sixty_through_redis() {
    let Ok(url) = std::env::var(REDIS_URL) else {
        // Directly to the stream, which the test harness does not capture.
        let mut terminal = std::io::stderr();
        writeln!(
            terminal,
            "skipped on Redis: two_processes_admit_exactly_sixty_through_redis ({REDIS_URL} is not set)"
        )
        .unwrap();
        return;
    };
    let Some(database) = Database::postgres("two_processes_admit_exactly_sixty_through_redis").await else {
        return;
    };
    // Without its table PostgreSQL cannot be what counts.
    database.run("DROP TABLE rate_portions").await;
    admitted_by_two_processes(&database, &["--redis-url", &url]).await.are_exactly(60);
    database.store.close().await;
    database.remains().release().await;
}

/// Each process takes several events at once while there is room, gives back what it does not use, and counts
/// one by one near the limit.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_admit_exactly_a_high_limit_in_portions() {
    const LIMIT: usize = 600;
    let Some(database) = Database::postgres("two_processes_admit_exactly_a_high_limit_in_portions").await
    else {
        return;
    };
    let settings = ["--shared-limits-timeout-milliseconds", "30000"];
    let processes = [Process::start(&database, &settings), Process::start(&database, &settings)];
    let acme = database.customer("acme", Plan::Growth).await;
    let key = database.key(&acme.owner, Some(LIMIT.try_into().unwrap())).await;
    let clients = processes.each_ref().map(|process| client(process.address, &key.text));
    let (mut admitted, mut rounds_without) = (Admitted::default(), 0);
    while rounds_without < 2 {
        let calls: Vec<_> = (0..60).map(|call| tokio::spawn(list(clients[call % 2].clone()))).collect();
        let before = admitted.0.len();
        for call in calls {
            let (began, ended, outcome) = call.await.unwrap();
            if outcome.is_ok() {
                admitted.0.push((began, ended));
            }
        }
        let new = admitted.0.len() - before;
        rounds_without = if new == 0 || admitted.0.len() > 2 * LIMIT { rounds_without + 1 } else { 0 };
        if new < 60 {
            // What a process has taken and not used comes back.
            tokio::time::sleep(Duration::from_millis(600)).await;
        }
    }
    admitted.are_exactly(LIMIT);
    database.store.close().await;
    database.remains().release().await;
}
