//! The queue: no job is lost, none is held by two.

use std::collections::BTreeSet;

use frontdesk_store::{ChatbotStatus, JobState, NewJob, Scope, Store, StoreError};
use jiff::Timestamp;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, account, at, chatbot, job};

on_both_databases!(
    a_job_is_claimed_done_and_pruned,
    twenty_workers_never_hold_the_same_job,
    a_job_of_a_dead_worker_is_claimed_again,
    a_worker_thought_dead_cannot_disturb_its_successor,
    a_failed_attempt_is_repeated_until_none_is_left,
    a_job_that_kills_its_worker_is_given_up,
    a_chatbot_without_a_job_is_found,
    an_unfinished_job_is_not_enqueued_twice,
    many_enqueue_the_same_at_once,
    tenants_take_turns,
    jobs_wait_for_their_time,
    a_stopping_worker_puts_its_job_back,
    all_leases_end_at_the_start_of_a_single_process,
    jobs_end_with_their_chatbot,
);

async fn enqueue(store: &Store, scope: &Scope, new: &NewJob, now: Timestamp) -> uuid::Uuid {
    let enqueued = store.enqueue(scope, new, now).await.unwrap().unwrap();
    assert!(enqueued.is_new);
    enqueued.job_id
}

async fn a_job_is_claimed_done_and_pruned(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    assert_eq!(store.claim_job("mail", "worker", LEASE, at(0)).await.unwrap(), None);
    let claimed = store.claim_job("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!((claimed.job_id, claimed.attempts, claimed.state), (job_id, 1, JobState::Running));
    assert_eq!(claimed.lease_until, Some(at(30)));
    assert_eq!(claimed.scope(), scope);
    assert_eq!(claimed.payload, job("train").payload);
    assert_eq!(store.claim_job("crawl", "other", LEASE, at(0)).await.unwrap(), None);
    assert!(store.complete_job(&claimed, at(5)).await.unwrap());
    assert!(!store.complete_job(&claimed, at(5)).await.unwrap());
    let done = store.job(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((done.state, done.finished_at, done.lease_owner), (JobState::Done, Some(at(5)), None));
    let counts = store.job_counts().await.unwrap();
    assert_eq!((counts.len(), counts[0].state, counts[0].jobs), (1, JobState::Done, 1));
    assert_eq!(store.prune_jobs(at(5)).await.unwrap(), 0);
    assert_eq!(store.prune_jobs(at(6)).await.unwrap(), 1);
    assert_eq!(store.job(&scope, job_id).await.unwrap(), None);
}

async fn twenty_workers_never_hold_the_same_job(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let mut expected = BTreeSet::new();
    for _ in 0..60 {
        expected.insert(enqueue(store, &scope, &job("train"), at(0)).await);
    }
    let workers: Vec<_> = (0..20)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut held = Vec::new();
                let owner = format!("worker {number}");
                while let Some(job) = store.claim_job("crawl", &owner, LEASE, at(0)).await.unwrap() {
                    assert_eq!(job.lease_owner.as_deref(), Some(owner.as_str()));
                    held.push(job.job_id);
                }
                held
            })
        })
        .collect();
    let mut claimed = Vec::new();
    for worker in workers {
        claimed.extend(worker.await.unwrap());
    }
    assert_eq!(claimed.len(), 60);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), expected);
}

async fn a_job_of_a_dead_worker_is_claimed_again(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &job("train"), at(0)).await;
    let first = store.claim_job("crawl", "first", LEASE, at(0)).await.unwrap().unwrap();
    assert!(store.heartbeat_job(&first, LEASE, at(20)).await.unwrap());
    assert_eq!(store.claim_job("crawl", "second", LEASE, at(49)).await.unwrap(), None);
    assert_eq!(store.next_job_at("crawl").await.unwrap(), Some(at(50)));
    let second = store.claim_job("crawl", "second", LEASE, at(50)).await.unwrap().unwrap();
    assert_eq!((second.job_id, second.attempts), (first.job_id, 2));
}

async fn a_worker_thought_dead_cannot_disturb_its_successor(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &job("train"), at(0)).await;
    let stale = store.claim_job("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    // The same name again, as after a restart: the attempt tells them apart.
    let holder = store.claim_job("crawl", "worker", LEASE, at(31)).await.unwrap().unwrap();
    assert!(!store.heartbeat_job(&stale, LEASE, at(32)).await.unwrap());
    assert!(!store.complete_job(&stale, at(32)).await.unwrap());
    assert_eq!(store.fail_job(&stale, "late", None, at(32)).await.unwrap(), None);
    assert!(!store.release_job(&stale, at(32)).await.unwrap());
    let job = store.job(&scope, holder.job_id).await.unwrap().unwrap();
    assert_eq!(job, holder);
    assert!(store.complete_job(&holder, at(33)).await.unwrap());
}

async fn a_failed_attempt_is_repeated_until_none_is_left(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    for (attempt, state) in [(1, JobState::Queued), (2, JobState::Queued), (3, JobState::Failed)] {
        let now = at(i64::from(attempt) * 100);
        let claimed = store.claim_job("crawl", "worker", LEASE, now).await.unwrap().unwrap();
        assert_eq!((claimed.attempts, claimed.is_last_attempt()), (attempt, attempt == 3));
        let retry_at = at(i64::from(attempt) * 100 + 50);
        let told = store.fail_job(&claimed, "timeout", Some(retry_at), now).await.unwrap();
        assert_eq!(told, Some(state));
        if state == JobState::Queued {
            assert_eq!(
                store.claim_job("crawl", "worker", LEASE, at(i64::from(attempt) * 100 + 49)).await.unwrap(),
                None
            );
        }
    }
    assert_eq!(store.claim_job("crawl", "worker", LEASE, at(9_999)).await.unwrap(), None);
    let failed = store.job(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((failed.state, failed.last_error.as_deref()), (JobState::Failed, Some("timeout")));
    assert_eq!(failed.finished_at, Some(at(300)));

    enqueue(store, &scope, &job("hopeless"), at(0)).await;
    let claimed = store.claim_job("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!(store.fail_job(&claimed, "no use", None, at(1)).await.unwrap(), Some(JobState::Failed));
}

async fn a_job_that_kills_its_worker_is_given_up(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    for attempt in 0..3 {
        assert!(store.fail_abandoned_jobs(at(attempt * 40)).await.unwrap().is_empty());
        let claimed = store.claim_job("crawl", "worker", LEASE, at(attempt * 40)).await.unwrap();
        assert_eq!(claimed.map(|job| job.job_id), Some(job_id));
    }
    assert_eq!(store.claim_job("crawl", "worker", LEASE, at(200)).await.unwrap(), None);
    assert_eq!(store.next_job_at("crawl").await.unwrap(), None);
    let abandoned = store.fail_abandoned_jobs(at(200)).await.unwrap();
    assert_eq!(abandoned.len(), 1);
    assert_eq!((abandoned[0].job_id, abandoned[0].state), (job_id, JobState::Failed));
    assert!(store.fail_abandoned_jobs(at(201)).await.unwrap().is_empty());
}

async fn a_chatbot_without_a_job_is_found(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "Bot").await;
    assert_eq!(store.stranded_chatbots().await.unwrap(), [], "its job waits");
    let claimed = store.claim_job("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!(claimed.chatbot_id, Some(bot.chatbot_id));
    assert_eq!(store.stranded_chatbots().await.unwrap(), [], "its job runs");
    store.fail_job(&claimed, "no use", None, at(2)).await.unwrap();
    let stranded: Vec<_> =
        store.stranded_chatbots().await.unwrap().iter().map(|bot| bot.chatbot_id).collect();
    assert_eq!(stranded, [bot.chatbot_id]);
    store.set_chatbot_status(&scope, bot.chatbot_id, ChatbotStatus::Ready, None, at(3)).await.unwrap();
    assert_eq!(store.stranded_chatbots().await.unwrap(), []);
}

async fn an_unfinished_job_is_not_enqueued_twice(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let keyed = NewJob { dedupe_key: Some("train bot".into()), ..job("train") };
    let first = enqueue(store, &scope, &keyed, at(0)).await;
    let again = async || store.enqueue(&scope, &keyed, at(1)).await.unwrap().unwrap();
    assert_eq!((again().await.job_id, again().await.is_new), (first, false));
    let claimed = store.claim_job("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert!(!again().await.is_new, "a running job is unfinished");
    assert!(store.complete_job(&claimed, at(2)).await.unwrap());
    let second = again().await;
    assert!(second.is_new && second.job_id != first);
    let other = account(store, "Two").await.scope();
    enqueue(store, &other, &keyed, at(3)).await;
    enqueue(store, &scope, &job("train"), at(3)).await;
    enqueue(store, &scope, &job("train"), at(3)).await;
    let never = NewJob { max_attempts: 0, ..job("train") };
    let error = store.enqueue(&scope, &never, at(3)).await.unwrap_err();
    assert!(matches!(error, StoreError::InvalidValue { field: "max_attempts", .. }), "{error:?}");
}

async fn many_enqueue_the_same_at_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let store = store.clone();
            let keyed = NewJob { dedupe_key: Some("same".into()), ..job("train") };
            tokio::spawn(async move { store.enqueue(&scope, &keyed, at(0)).await.unwrap().unwrap() })
        })
        .collect();
    let mut answers = Vec::new();
    for task in asking {
        answers.push(task.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|answer| answer.is_new).count(), 1);
    assert!(answers.iter().all(|answer| answer.job_id == answers[0].job_id));
    assert_eq!(database.count("jobs").await, 1);
}

async fn tenants_take_turns(database: &Database) {
    let store = &database.store;
    let busy = account(store, "Busy").await.scope();
    let small = account(store, "Small").await.scope();
    for _ in 0..5 {
        enqueue(store, &busy, &job("train"), at(0)).await;
    }
    for _ in 0..2 {
        enqueue(store, &small, &job("train"), at(10)).await;
    }
    let mut order = Vec::new();
    while let Some(job) = store.claim_job("crawl", "worker", LEASE, at(20)).await.unwrap() {
        order.push(if job.account_id == busy.account_id { 'b' } else { 's' });
    }
    assert_eq!(order.iter().collect::<String>(), "bsbsbbb");
}

async fn jobs_wait_for_their_time(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    assert_eq!(store.next_job_at("crawl").await.unwrap(), None);
    let late = NewJob { run_at: Some(at(100)), ..job("late") };
    let soon = NewJob { run_at: Some(at(50)), ..job("soon") };
    enqueue(store, &scope, &late, at(0)).await;
    enqueue(store, &scope, &soon, at(0)).await;
    assert_eq!(store.next_job_at("crawl").await.unwrap(), Some(at(50)));
    assert_eq!(store.claim_job("crawl", "worker", LEASE, at(49)).await.unwrap(), None);
    let claimed = store.claim_job("crawl", "worker", LEASE, at(200)).await.unwrap().unwrap();
    assert_eq!(claimed.kind, "soon");
    assert_eq!(store.next_job_at("crawl").await.unwrap(), Some(at(100)));
}

async fn a_stopping_worker_puts_its_job_back(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &job("train"), at(0)).await;
    let claimed = store.claim_job("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert!(store.release_job(&claimed, at(1)).await.unwrap());
    let again = store.claim_job("crawl", "other", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!((again.job_id, again.attempts), (claimed.job_id, 1));
    assert!(!store.heartbeat_job(&claimed, LEASE, at(2)).await.unwrap());
}

async fn all_leases_end_at_the_start_of_a_single_process(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let retried = enqueue(store, &scope, &job("retried"), at(0)).await;
    let once = NewJob { max_attempts: 1, ..job("once") };
    let once = enqueue(store, &scope, &once, at(0)).await;
    for _ in 0..2 {
        store.claim_job("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    }
    assert_eq!(store.release_all_leases(at(1)).await.unwrap(), 2);
    let abandoned = store.fail_abandoned_jobs(at(1)).await.unwrap();
    assert_eq!(abandoned.iter().map(|job| job.job_id).collect::<Vec<_>>(), [once]);
    let claimed = store.claim_job("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!((claimed.job_id, claimed.attempts), (retried, 2));
}

async fn jobs_end_with_their_chatbot(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let kept = chatbot(store, &scope, "kept").await;
    let claimed = store.claim_job("crawl", "worker", LEASE, at(5)).await.unwrap().unwrap();
    assert_eq!((claimed.chatbot_id, claimed.kind.as_str()), (Some(bot.chatbot_id), "train"));
    let waiting = NewJob { chatbot_id: Some(bot.chatbot_id), ..job("refresh") };
    enqueue(store, &scope, &waiting, at(5)).await;
    assert!(store.delete_chatbot(&scope, bot.chatbot_id).await.unwrap());
    assert!(!store.heartbeat_job(&claimed, LEASE, at(6)).await.unwrap());
    assert!(!store.complete_job(&claimed, at(6)).await.unwrap());
    let left = store.claim_job("crawl", "worker", LEASE, at(6)).await.unwrap().unwrap();
    assert_eq!(left.chatbot_id, Some(kept.chatbot_id));
    assert_eq!(store.claim_job("crawl", "worker", LEASE, at(6)).await.unwrap(), None);
    assert_eq!(store.cancel_jobs(&scope, kept.chatbot_id).await.unwrap(), 1);
    assert!(!store.heartbeat_job(&left, LEASE, at(6)).await.unwrap());
}
