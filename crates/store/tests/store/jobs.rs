//! The queue: no job is lost, none is held by two.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use frontdesk_store::{
    ChatbotStatus, JobState, NewJob, PageRequest, Scope, Store, StoreError, Subject, SubjectKind, Turns,
};
use jiff::{SignedDuration, Timestamp};
use sqlx::migrate::Migrator;
use sqlx::{AnyPool, Executor};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, account, at, chatbot, job};

on_both_databases!(
    a_job_is_claimed_done_and_pruned,
    twenty_workers_never_hold_the_same_job,
    a_job_of_a_dead_worker_is_claimed_again,
    a_worker_thought_dead_cannot_disturb_its_successor,
    a_failed_attempt_is_repeated_until_none_is_left,
    a_job_that_kills_its_worker_is_claimed_once_more_to_be_given_up,
    a_chatbot_without_a_job_is_found,
    an_unfinished_job_is_not_enqueued_twice,
    many_enqueue_the_same_at_once,
    tenants_take_turns,
    those_who_were_served_come_after_the_others,
    an_account_without_places_is_passed_over_unless_it_is_alone,
    jobs_wait_for_their_time,
    a_stopping_worker_puts_its_job_back,
    all_leases_end_at_the_start_of_a_single_process,
    jobs_end_with_their_chatbot,
    a_job_that_continues_later_keeps_attempts_and_deadline,
    a_job_that_continues_later_does_not_overtake,
    a_job_that_repeats_starts_afresh,
    work_of_the_installation_is_enqueued_once,
    the_oldest_due_job_is_reported,
    pruning_stops_at_its_limit,
    deleting_a_chatbot_beside_enqueueing_leaves_no_job,
    jobs_from_before_subjects_are_kept,
);

async fn enqueue(store: &Store, scope: &Scope, new: &NewJob, now: Timestamp) -> uuid::Uuid {
    let enqueued = store.jobs().enqueue(scope, new, now).await.unwrap().unwrap();
    assert!(enqueued.is_new);
    enqueued.job_id
}

async fn a_job_is_claimed_done_and_pruned(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    assert_eq!(store.jobs().claim("mail", "worker", LEASE, at(0)).await.unwrap(), None);
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!((claimed.job_id, claimed.attempts, claimed.state), (job_id, 1, JobState::Running));
    assert_eq!(claimed.lease_until, Some(at(30)));
    assert_eq!(claimed.scope(), Some(scope));
    assert_eq!(claimed.payload, job("train").payload);
    assert_eq!(store.jobs().claim("crawl", "other", LEASE, at(0)).await.unwrap(), None);
    assert!(store.jobs().complete(&claimed, at(5)).await.unwrap());
    assert!(!store.jobs().complete(&claimed, at(5)).await.unwrap());
    let done = store.jobs().find(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((done.state, done.finished_at, done.lease_owner), (JobState::Done, Some(at(5)), None));
    let counts = store.jobs().counts().await.unwrap();
    assert_eq!((counts.len(), counts[0].state, counts[0].jobs), (1, JobState::Done, 1));
    assert_eq!(store.jobs().prune(at(5), 10).await.unwrap(), 0);
    assert_eq!(store.jobs().prune(at(6), 10).await.unwrap(), 1);
    assert_eq!(store.jobs().find(&scope, job_id).await.unwrap(), None);
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
                while let Some(job) = store.jobs().claim("crawl", &owner, LEASE, at(0)).await.unwrap() {
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
    let first = store.jobs().claim("crawl", "first", LEASE, at(0)).await.unwrap().unwrap();
    assert!(store.jobs().heartbeat(&first, LEASE, at(20)).await.unwrap());
    assert_eq!(store.jobs().claim("crawl", "second", LEASE, at(49)).await.unwrap(), None);
    assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), Some(at(50)));
    let second = store.jobs().claim("crawl", "second", LEASE, at(50)).await.unwrap().unwrap();
    assert_eq!((second.job_id, second.attempts), (first.job_id, 2));
}

async fn a_worker_thought_dead_cannot_disturb_its_successor(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &job("train"), at(0)).await;
    let stale = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    // The same name again, as after a restart: the attempt tells them apart.
    let holder = store.jobs().claim("crawl", "worker", LEASE, at(31)).await.unwrap().unwrap();
    assert!(!store.jobs().heartbeat(&stale, LEASE, at(32)).await.unwrap());
    assert!(!store.jobs().complete(&stale, at(32)).await.unwrap());
    assert_eq!(store.jobs().fail(&stale, "late", None, at(32)).await.unwrap(), None);
    assert!(!store.jobs().release(&stale, at(32)).await.unwrap());
    let job = store.jobs().find(&scope, holder.job_id).await.unwrap().unwrap();
    assert_eq!(job, holder);
    assert!(store.jobs().complete(&holder, at(33)).await.unwrap());
}

async fn a_failed_attempt_is_repeated_until_none_is_left(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    for (attempt, state) in [(1, JobState::Queued), (2, JobState::Queued), (3, JobState::Failed)] {
        let now = at(i64::from(attempt) * 100);
        let claimed = store.jobs().claim("crawl", "worker", LEASE, now).await.unwrap().unwrap();
        assert_eq!((claimed.attempts, claimed.is_last_attempt()), (attempt, attempt == 3));
        let retry_at = at(i64::from(attempt) * 100 + 50);
        let told = store.jobs().fail(&claimed, "timeout", Some(retry_at), now).await.unwrap();
        assert_eq!(told, Some(state));
        if state == JobState::Queued {
            assert_eq!(
                store
                    .jobs()
                    .claim("crawl", "worker", LEASE, at(i64::from(attempt) * 100 + 49))
                    .await
                    .unwrap(),
                None
            );
        }
    }
    assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(9_999)).await.unwrap(), None);
    let failed = store.jobs().find(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((failed.state, failed.last_error.as_deref()), (JobState::Failed, Some("timeout")));
    assert_eq!(failed.finished_at, Some(at(300)));

    enqueue(store, &scope, &job("hopeless"), at(0)).await;
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!(store.jobs().fail(&claimed, "no use", None, at(1)).await.unwrap(), Some(JobState::Failed));
}

async fn a_job_that_kills_its_worker_is_claimed_once_more_to_be_given_up(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("train"), at(0)).await;
    for attempt in 0..3 {
        let claimed = store.jobs().claim("crawl", "worker", LEASE, at(attempt * 40)).await.unwrap().unwrap();
        assert_eq!((claimed.job_id, claimed.is_abandoned()), (job_id, false));
    }
    assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(100)).await.unwrap(), None);
    let abandoned = store.jobs().claim("crawl", "worker", LEASE, at(200)).await.unwrap().unwrap();
    assert_eq!((abandoned.job_id, abandoned.attempts, abandoned.is_abandoned()), (job_id, 4, true));
    let retry_at = Some(at(300));
    let state = store.jobs().fail(&abandoned, "its worker died", retry_at, at(200)).await.unwrap();
    assert_eq!(state, Some(JobState::Failed), "no attempt is left");
    assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), None);
}

async fn a_chatbot_without_a_job_is_found(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "Bot").await;
    assert_eq!(store.chatbots().stranded().await.unwrap(), [], "its job waits");
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!(claimed.subject.map(|subject| subject.kind), Some(SubjectKind::Website));
    assert_eq!(store.chatbots().stranded().await.unwrap(), [], "the job of its website runs");
    store.jobs().fail(&claimed, "no use", None, at(2)).await.unwrap();
    let stranded: Vec<_> =
        store.chatbots().stranded().await.unwrap().iter().map(|bot| bot.chatbot_id).collect();
    assert_eq!(stranded, [bot.chatbot_id]);
    store.chatbots().set_status(&scope, bot.chatbot_id, ChatbotStatus::Ready, None, at(3)).await.unwrap();
    assert_eq!(store.chatbots().stranded().await.unwrap(), []);
}

async fn an_unfinished_job_is_not_enqueued_twice(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let keyed = NewJob { dedupe_key: Some("train bot".into()), ..job("train") };
    let first = enqueue(store, &scope, &keyed, at(0)).await;
    let again = async || store.jobs().enqueue(&scope, &keyed, at(1)).await.unwrap().unwrap();
    assert_eq!((again().await.job_id, again().await.is_new), (first, false));
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert!(!again().await.is_new, "a running job is unfinished");
    assert!(store.jobs().complete(&claimed, at(2)).await.unwrap());
    let second = again().await;
    assert!(second.is_new && second.job_id != first);
    let other = account(store, "Two").await.scope();
    enqueue(store, &other, &keyed, at(3)).await;
    enqueue(store, &scope, &job("train"), at(3)).await;
    enqueue(store, &scope, &job("train"), at(3)).await;
    let never = NewJob { max_attempts: 0, ..job("train") };
    let error = store.jobs().enqueue(&scope, &never, at(3)).await.unwrap_err();
    assert!(matches!(error, StoreError::InvalidValue { field: "max_attempts", .. }), "{error:?}");
    let hasty = NewJob { time_limit: SignedDuration::ZERO, ..job("train") };
    let error = store.jobs().enqueue(&scope, &hasty, at(3)).await.unwrap_err();
    assert!(matches!(error, StoreError::InvalidValue { field: "time_limit", .. }), "{error:?}");
}

async fn many_enqueue_the_same_at_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let store = store.clone();
            let keyed = NewJob { dedupe_key: Some("same".into()), ..job("train") };
            tokio::spawn(async move { store.jobs().enqueue(&scope, &keyed, at(0)).await.unwrap().unwrap() })
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
    while let Some(job) = store.jobs().claim("crawl", "worker", LEASE, at(20)).await.unwrap() {
        order.push(if job.account_id == Some(busy.account_id) { 'b' } else { 's' });
    }
    assert_eq!(order.iter().collect::<String>(), "bsbsbbb");
}

async fn those_who_were_served_come_after_the_others(database: &Database) {
    let store = &database.store;
    let mut accounts = Vec::new();
    for name in ["Busy", "Small", "Late"] {
        accounts.push(account(store, name).await.scope());
    }
    for (number, scope) in accounts.iter().enumerate() {
        for _ in 0..3 {
            enqueue(store, scope, &job("train"), at(i64::try_from(number).unwrap())).await;
        }
    }
    enqueue_for_installation(store, &job("tidy"), at(9)).await;
    // One place: each job is done before the next is claimed.
    let (mut order, mut turns) = (String::new(), Turns::default());
    while let Some(job) = store.jobs().claim_in_turn("crawl", "worker", LEASE, &turns, at(20)).await.unwrap()
    {
        store.jobs().complete(&job, at(20)).await.unwrap();
        let Some(account_id) = job.account_id else {
            order.push('-');
            continue;
        };
        let served = accounts.iter().position(|scope| scope.account_id == account_id).unwrap();
        order.push(['b', 's', 'l'][served]);
        turns.served.retain(|served| *served != account_id);
        turns.served.push(account_id);
    }
    // Work of the installation is nobody's, so its turn is when it became due.
    assert_eq!(order, "bsl-bslbsl");
}

async fn an_account_without_places_is_passed_over_unless_it_is_alone(database: &Database) {
    let store = &database.store;
    let busy = account(store, "Busy").await.scope();
    for _ in 0..2 {
        enqueue(store, &busy, &job("train"), at(0)).await;
    }
    let turns = Turns { full: vec![busy.account_id], served: Vec::new() };
    let claim = async || store.jobs().claim_in_turn("crawl", "worker", LEASE, &turns, at(20)).await.unwrap();
    assert!(claim().await.is_some(), "there is nobody else");
    let small = account(store, "Small").await.scope();
    assert_eq!(claim().await, None);
    enqueue(store, &small, &job("train"), at(10)).await;
    enqueue_for_installation(store, &job("tidy"), at(11)).await;
    assert_eq!(claim().await.unwrap().account_id, Some(small.account_id));
    assert_eq!(claim().await.unwrap().account_id, None);
    assert_eq!(claim().await, None);
}

async fn enqueue_for_installation(store: &Store, new: &NewJob, now: Timestamp) {
    assert!(store.jobs().enqueue_for_installation(new, now).await.unwrap().is_new);
}

async fn jobs_wait_for_their_time(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), None);
    let late = NewJob { run_at: Some(at(100)), ..job("late") };
    let soon = NewJob { run_at: Some(at(50)), ..job("soon") };
    enqueue(store, &scope, &late, at(0)).await;
    enqueue(store, &scope, &soon, at(0)).await;
    assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), Some(at(50)));
    assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(49)).await.unwrap(), None);
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(200)).await.unwrap().unwrap();
    assert_eq!(claimed.kind, "soon");
    assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), Some(at(100)));
}

async fn a_stopping_worker_puts_its_job_back(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &job("train"), at(0)).await;
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert!(store.jobs().release(&claimed, at(1)).await.unwrap());
    let again = store.jobs().claim("crawl", "other", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!((again.job_id, again.attempts), (claimed.job_id, 1));
    assert!(!store.jobs().heartbeat(&claimed, LEASE, at(2)).await.unwrap());
}

async fn all_leases_end_at_the_start_of_a_single_process(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let retried = enqueue(store, &scope, &job("retried"), at(0)).await;
    let once = NewJob { max_attempts: 1, ..job("once") };
    let once = enqueue(store, &scope, &once, at(0)).await;
    for _ in 0..2 {
        store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    }
    assert_eq!(store.jobs().end_all_leases(at(1)).await.unwrap(), 2);
    let first = store.jobs().claim("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!((first.job_id, first.attempts, first.is_abandoned()), (retried, 2, false));
    let second = store.jobs().claim("crawl", "worker", LEASE, at(1)).await.unwrap().unwrap();
    assert_eq!((second.job_id, second.attempts, second.is_abandoned()), (once, 2, true));
}

async fn jobs_end_with_their_chatbot(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let kept = chatbot(store, &scope, "kept").await;
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(5)).await.unwrap().unwrap();
    assert_eq!(claimed.subject.map(|subject| subject.kind), Some(SubjectKind::Website));
    let waiting = NewJob { subject: Some(Subject::chatbot(bot.chatbot_id)), ..job("refresh") };
    enqueue(store, &scope, &waiting, at(5)).await;
    assert!(store.chatbots().delete(&scope, bot.chatbot_id).await.unwrap());
    assert!(!store.jobs().heartbeat(&claimed, LEASE, at(6)).await.unwrap());
    assert!(!store.jobs().complete(&claimed, at(6)).await.unwrap());
    let left = store.jobs().claim("crawl", "worker", LEASE, at(6)).await.unwrap().unwrap();
    let first = PageRequest::first(10);
    let websites = store.websites().page(&scope, kept.chatbot_id, None, None, &first).await.unwrap().items;
    let subject = Subject::website(websites[0].website_id);
    assert_eq!(left.subject, Some(subject));
    assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(6)).await.unwrap(), None);
    assert_eq!(store.jobs().cancel(&scope, subject).await.unwrap(), 1);
    assert!(!store.jobs().heartbeat(&left, LEASE, at(6)).await.unwrap());
}

async fn a_job_that_continues_later_keeps_attempts_and_deadline(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let new = NewJob { time_limit: SignedDuration::from_secs(500), ..job("train") };
    let job_id = enqueue(store, &scope, &new, at(0)).await;
    // The deadline counts from the first claim: waiting for a worker takes nothing of it.
    for (run, now) in [(1, 100), (2, 120), (3, 140), (4, 160)] {
        let claimed = store.jobs().claim("crawl", "worker", LEASE, at(now)).await.unwrap().unwrap();
        assert_eq!((claimed.attempts, claimed.runs, claimed.deadline_at), (1, run, Some(at(600))));
        assert!(store.jobs().release(&claimed, at(now + 10)).await.unwrap());
        assert!(!store.jobs().release(&claimed, at(now + 10)).await.unwrap());
        assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(now + 9)).await.unwrap(), None);
        assert_eq!(store.jobs().next_due_at("crawl").await.unwrap(), Some(at(now + 10)));
    }
    let waiting = store.jobs().find(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((waiting.state, waiting.attempts), (JobState::Queued, 0));
}

async fn a_job_that_continues_later_does_not_overtake(database: &Database) {
    let store = &database.store;
    let patient = account(store, "Patient").await.scope();
    let other = account(store, "Other").await.scope();
    enqueue(store, &patient, &job("slow"), at(0)).await;
    let slow = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    for second in [1, 2, 20] {
        enqueue(store, &other, &job(&format!("at {second}")), at(second)).await;
    }
    assert!(store.jobs().release(&slow, at(10)).await.unwrap());
    let mut order = Vec::new();
    while let Some(job) = store.jobs().claim("crawl", "worker", LEASE, at(30)).await.unwrap() {
        assert!(store.jobs().complete(&job, at(30)).await.unwrap());
        order.push(job.kind);
    }
    // One after the other: those that were due before it come first, those that became due later do not.
    assert_eq!(order, ["at 1", "at 2", "slow", "at 20"]);
}

async fn a_job_that_repeats_starts_afresh(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let job_id = enqueue(store, &scope, &job("nightly"), at(0)).await;
    let stale = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    let second = store.jobs().claim("crawl", "worker", LEASE, at(50)).await.unwrap().unwrap();
    assert_eq!(second.attempts, 2);
    assert!(store.jobs().repeat(&second, at(1_000), Some("it was given up")).await.unwrap());
    let waiting = store.jobs().find(&scope, job_id).await.unwrap().unwrap();
    assert_eq!((waiting.state, waiting.attempts, waiting.deadline_at), (JobState::Queued, 0, None));
    assert_eq!(waiting.last_error.as_deref(), Some("it was given up"));
    let third = store.jobs().claim("crawl", "worker", LEASE, at(1_000)).await.unwrap().unwrap();
    assert_eq!((third.job_id, third.attempts, third.runs), (job_id, 1, 3));
    // Same owner and same attempt as the first run: the number of the run tells them apart.
    assert!(!store.jobs().heartbeat(&stale, LEASE, at(1_001)).await.unwrap());
    assert!(!store.jobs().complete(&stale, at(1_001)).await.unwrap());
    assert!(store.jobs().repeat(&third, at(2_000), None).await.unwrap());
    assert_eq!(store.jobs().find(&scope, job_id).await.unwrap().unwrap().last_error, None);
}

async fn work_of_the_installation_is_enqueued_once(database: &Database) {
    let store = &database.store;
    let new = NewJob { dedupe_key: Some("prune".into()), ..job("prune") };
    let asking: Vec<_> = (0..10)
        .map(|_| {
            let (store, new) = (store.clone(), new.clone());
            tokio::spawn(async move { store.jobs().enqueue_for_installation(&new, at(0)).await.unwrap() })
        })
        .collect();
    let mut new_ones = 0;
    for task in asking {
        new_ones += u32::from(task.await.unwrap().is_new);
    }
    assert_eq!((new_ones, database.count("jobs").await), (1, 1));
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!((claimed.account_id, claimed.scope(), claimed.subject), (None, None, None));
    assert!(!store.jobs().enqueue_for_installation(&new, at(1)).await.unwrap().is_new);
    // A customer's job with the same key is another one, and no customer sees the installation's.
    let scope = account(store, "One").await.scope();
    enqueue(store, &scope, &new, at(1)).await;
    assert_eq!(store.jobs().find(&scope, claimed.job_id).await.unwrap(), None);
    assert!(store.jobs().complete(&claimed, at(2)).await.unwrap());
    assert!(store.jobs().enqueue_for_installation(&new, at(3)).await.unwrap().is_new);
}

async fn the_oldest_due_job_is_reported(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let mail = NewJob { queue: "mail".into(), ..job("send") };
    for (new, second) in [(&job("train"), 5), (&job("train"), 3), (&mail, 8), (&mail, 100)] {
        enqueue(store, &scope, new, at(second)).await;
    }
    let oldest: Vec<_> = store.jobs().oldest_due(at(10)).await.unwrap();
    let oldest: Vec<_> = oldest.iter().map(|due| (due.queue.as_str(), due.run_at)).collect();
    assert_eq!(oldest, [("crawl", at(3)), ("mail", at(8))]);
    assert_eq!(store.jobs().oldest_due(at(2)).await.unwrap(), []);
}

async fn pruning_stops_at_its_limit(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    for second in 0..5 {
        enqueue(store, &scope, &job("train"), at(second)).await;
        let claimed = store.jobs().claim("crawl", "worker", LEASE, at(second)).await.unwrap().unwrap();
        assert!(store.jobs().complete(&claimed, at(second)).await.unwrap());
    }
    assert_eq!(store.jobs().prune(at(4), 3).await.unwrap(), 3);
    assert_eq!(store.jobs().prune(at(4), 3).await.unwrap(), 1);
    assert_eq!(store.jobs().prune(at(4), 3).await.unwrap(), 0);
    assert_eq!(database.count("jobs").await, 1);
}

async fn deleting_a_chatbot_beside_enqueueing_leaves_no_job(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    for _ in 0..10 {
        let subject = Subject::chatbot(chatbot(store, &scope, "bot").await.chatbot_id);
        let enqueuing: Vec<_> = (0..8)
            .map(|_| {
                let store = store.clone();
                let new = NewJob { subject: Some(subject), ..job("refresh") };
                tokio::spawn(async move { store.jobs().enqueue(&scope, &new, at(5)).await.unwrap() })
            })
            .collect();
        assert!(store.chatbots().delete(&scope, subject.id).await.unwrap());
        for task in enqueuing {
            task.await.unwrap();
        }
        assert_eq!(database.count("jobs").await, 0);
    }
}

/// An installation from before jobs had subjects, run numbers and time limits.
async fn jobs_from_before_subjects_are_kept(database: &Database) {
    let url = database.empty().await;
    let folder = if database.is_postgres() { "migrations/postgres" } else { "migrations/sqlite" };
    let mut first = Migrator::new(Path::new(folder)).await.unwrap();
    first.migrations = Cow::Owned(first.migrations.iter().take(1).cloned().collect());
    let separator = if database.is_postgres() { "" } else { "?mode=rwc" };
    let pool = AnyPool::connect(&format!("{url}{separator}")).await.unwrap();
    first.run(&pool).await.unwrap();
    let [account, bot, train, plain] = [1, 2, 3, 4].map(uuid::Uuid::from_u128);
    pool.execute(sqlx::AssertSqlSafe(format!(
        "INSERT INTO accounts (account_id, kind, name, plan, created_at) \
         VALUES ('{account}', 'standard', 'One', 'growth', 0); \
         INSERT INTO chatbots (chatbot_id, account_id, name, status, settings, created_at, updated_at) \
         VALUES ('{bot}', '{account}', 'Bot', 'training', '{{}}', 0, 0); \
         INSERT INTO jobs (job_id, lane, kind, account_id, chatbot_id, payload, state, attempts, max_attempts, run_at, \
         lease_owner, lease_until, created_at) \
         VALUES ('{train}', 'crawl', 'learn', '{account}', '{bot}', '{{}}', 'running', 2, 8, 5, 'worker', 6, 0); \
         INSERT INTO jobs (job_id, lane, kind, account_id, payload, state, attempts, max_attempts, run_at, created_at) \
         VALUES ('{plain}', 'mail', 'send', '{account}', '{{}}', 'queued', 0, 8, 5, 0);"
    )))
    .await
    .unwrap();
    pool.close().await;

    let store = Store::open(&url).await.unwrap();
    let scope = Scope::of_account(account);
    assert_eq!(store.jobs().find(&scope, plain).await.unwrap().unwrap().subject, None);
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!((claimed.job_id, claimed.subject), (train, Some(Subject::chatbot(bot))));
    assert_eq!((claimed.attempts, claimed.runs), (3, 3));
    assert_eq!(claimed.deadline_at, Some(at(86_400)));
    assert!(store.chatbots().delete(&scope, bot).await.unwrap());
    assert!(!store.jobs().complete(&claimed, at(1)).await.unwrap());
    store.close().await;
}
