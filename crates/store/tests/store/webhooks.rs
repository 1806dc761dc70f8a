//! Events and their deliveries: order, leases, fencing, and what is written about attempts.

use std::collections::BTreeSet;

use frontdesk_store::{
    Attempt, AttemptOutcome, Attempted, DeliveryStatus, DueDelivery, EventType, HealthPolicy, MissedEvents,
    NextAttempt, PageRequest, RecoveredPart, Scope, Store, WebhookEndpointUpdate,
};
use jiff::SignedDuration;
use sqlx::Executor;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, World, at, turn};

on_both_databases!(
    events_of_an_account_have_an_order,
    an_endpoint_belongs_to_one_dispatcher,
    only_the_holder_writes_results,
    a_backlog_is_read_in_small_parts,
    commits_wake_dispatchers,
    missed_events_are_queued_in_parts,
    an_endpoint_is_deleted_with_any_number_of_deliveries,
);

const POLICY: HealthPolicy = HealthPolicy {
    tell_after: SignedDuration::from_hours(24),
    disable_after: SignedDuration::from_hours(120),
};

/// The result of an attempt.
fn attempted(due: DueDelivery, outcome: AttemptOutcome, next: NextAttempt) -> Attempted {
    Attempted {
        webhook_endpoint_id: due.target.webhook_endpoint_id,
        delivery: due.delivery,
        attempt: Attempt { at: at(10), duration_ms: 5, outcome, http_status: Some(200) },
        next,
        is_gone: false,
    }
}

async fn status(store: &Store, scope: &Scope, id: Uuid) -> (DeliveryStatus, usize) {
    let delivery = store.webhooks().find_delivery(scope, id).await.unwrap().unwrap();
    (delivery.status, delivery.attempts.len())
}

async fn events_of_an_account_have_an_order(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let saying: Vec<_> = (0..20)
        .map(|_| {
            let (store, said) = (store.clone(), turn(&world.chatbot, None, "hello"));
            tokio::spawn(async move { store.conversations().begin_turn(&scope, &said, at(5)).await.unwrap() })
        })
        .collect();
    for said in saying {
        said.await.unwrap();
    }
    let all = store.events().page(&scope, None, &[], 100).await.unwrap().unwrap().items;
    let sequences: Vec<u64> = all.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=sequences.len() as u64).collect::<Vec<_>>());
    let created = [EventType::ConversationCreated];
    let some = store.events().page(&scope, None, &created, 100).await.unwrap().unwrap().items;
    assert_eq!(some.len(), 21);
    assert!(some.iter().all(|event| event.data.event_type() == EventType::ConversationCreated));
    // Events are deleted by age, with their deliveries.
    assert_eq!(usize::try_from(store.events().prune(at(5), 100).await.unwrap()).unwrap(), all.len() - 40);
    assert_eq!(
        store.webhooks().find_delivery(&scope, world.delivery.webhook_delivery_id).await.unwrap(),
        None
    );
}

async fn an_endpoint_belongs_to_one_dispatcher(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (webhooks, id) = (store.webhooks(), world.endpoint.webhook_endpoint_id);
    assert!(webhooks.claim("early", None, LEASE, 10, at(3)).await.unwrap().is_empty(), "nothing is due yet");
    let claiming: Vec<_> = (0..8)
        .map(|number| {
            let store = store.clone();
            let owner = number.to_string();
            tokio::spawn(async move {
                store.webhooks().claim(&owner, Some(&[id]), LEASE, 10, at(4)).await.unwrap()
            })
        })
        .collect();
    let mut claims = 0;
    for claimed in claiming {
        claims += claimed.await.unwrap().len();
    }
    assert_eq!(claims, 1);
    assert!(!webhooks.is_any_due(at(5)).await.unwrap());
    // The lease ends, and another dispatcher claims the endpoint.
    let later = at(5) + LEASE;
    assert!(webhooks.is_any_due(later).await.unwrap());
    let claimed = webhooks.claim("other", None, LEASE, 10, later).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(webhooks.renew("other", LEASE, later).await.unwrap(), claimed);
    webhooks.release("other", &[id]).await.unwrap();
    assert!(webhooks.renew("other", LEASE, later).await.unwrap().is_empty());
    assert_eq!(webhooks.claim("third", None, LEASE, 10, later).await.unwrap().len(), 1);
}

async fn only_the_holder_writes_results(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, webhooks) = (world.scope(), store.webhooks());
    let (id, delivery) = (world.endpoint.webhook_endpoint_id, world.delivery.webhook_delivery_id);
    webhooks.claim("first", None, LEASE, 10, at(4)).await.unwrap();
    let due = webhooks.due("first", &[id], 10, at(4)).await.unwrap().remove(0);
    assert_eq!(
        (due.delivery.webhook_delivery_id, due.target.url.as_str()),
        (delivery, "https://crm.example/")
    );
    assert!(webhooks.due("second", &[id], 10, at(4)).await.unwrap().is_empty());

    // It was thought dead, and another one has the endpoint.
    let later = at(5) + LEASE;
    webhooks.claim("second", None, LEASE, 10, later).await.unwrap();
    let stale = [attempted(due.clone(), AttemptOutcome::Succeeded, NextAttempt::Delivered)];
    webhooks.record("first", &stale, POLICY, later).await.unwrap();
    assert_eq!(status(store, &scope, delivery).await, (DeliveryStatus::Pending, 0));

    let retry = [attempted(due, AttemptOutcome::HttpError, NextAttempt::At(later + LEASE))];
    webhooks.record("second", &retry, POLICY, later).await.unwrap();
    assert_eq!(status(store, &scope, delivery).await, (DeliveryStatus::Pending, 1));
    assert!(webhooks.due("second", &[id], 10, later).await.unwrap().is_empty());
    let due = webhooks.due("second", &[id], 10, later + LEASE).await.unwrap().remove(0);
    assert_eq!((due.delivery.failures, due.target.failing_since), (1, Some(later)));
    let done = [attempted(due, AttemptOutcome::Succeeded, NextAttempt::Delivered)];
    webhooks.record("second", &done, POLICY, later + LEASE).await.unwrap();
    assert_eq!(status(store, &scope, delivery).await, (DeliveryStatus::Succeeded, 2));
    let endpoint = webhooks.find(&scope, id).await.unwrap().unwrap();
    assert_eq!((endpoint.failing_since, endpoint.last_success_at), (None, Some(later + LEASE)));
}

async fn a_backlog_is_read_in_small_parts(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let ids = [one.endpoint.webhook_endpoint_id, two.endpoint.webhook_endpoint_id];
    for _ in 0..30 {
        store.webhooks().send_test(&one.scope(), ids[0], at(4)).await.unwrap().unwrap();
    }
    store.webhooks().claim("owner", None, LEASE, 10, at(5)).await.unwrap();
    let due = store.webhooks().due("owner", &ids, 8, at(5)).await.unwrap();
    let of = |id: Uuid| due.iter().filter(|due| due.target.webhook_endpoint_id == id).count();
    assert_eq!((of(ids[0]), of(ids[1])), (8, 1));
    // Pages of the list hold each delivery once.
    let mut seen = BTreeSet::new();
    let mut page = PageRequest::first(7);
    loop {
        let found = store.webhooks().deliveries(&one.scope(), ids[0], None, &page).await.unwrap();
        seen.extend(found.items.iter().map(|delivery| delivery.webhook_delivery_id));
        match found.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 31);
}

async fn commits_wake_dispatchers(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let id = world.endpoint.webhook_endpoint_id;
    let mut queued = store.webhooks().queued_events();
    // Another process on the same database, which SQLite does not have.
    let other = if database.is_postgres() { Some(Store::open(&database.url).await.unwrap()) } else { None };
    let mut elsewhere = other.as_ref().map(|other| other.webhooks().queued_events());
    let listening = other.clone().map(|other| {
        let url = database.url.clone();
        tokio::spawn(async move { other.listen(&url).await })
    });
    // The listener needs a moment to connect; a signal before that is lost, which the poll makes up for.
    let woken = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        loop {
            store.webhooks().send_test(&world.scope(), id, at(4)).await.unwrap();
            // PostgreSQL also reports what the other tests queue in their schemas of the same database.
            while queued.next().await.as_deref() != Some(&[id][..]) {}
            let Some(elsewhere) = &mut elsewhere else { break };
            let wait = std::time::Duration::from_millis(500);
            if let Ok(Some(endpoints)) = tokio::time::timeout(wait, elsewhere.next()).await
                && *endpoints == [id]
            {
                break;
            }
        }
    });
    woken.await.unwrap();
    if let Some(listening) = listening {
        listening.abort();
    }
    if let Some(other) = other {
        other.close().await;
    }
}

async fn count(database: &Database, status: &str) -> i64 {
    database.count(&format!("webhook_deliveries WHERE status = '{status}'")).await
}

async fn missed_events_are_queued_in_parts(database: &Database) {
    let store = &database.store;
    let ours = World::new(store, "ours", 1).await;
    let (webhooks, scope) = (store.webhooks(), ours.scope());
    let endpoint = ours.endpoint.webhook_endpoint_id;
    let set = |enabled| WebhookEndpointUpdate {
        enabled: Some(enabled),
        events: Some(vec![EventType::ConversationCreated]),
        ..WebhookEndpointUpdate::default()
    };
    webhooks.update(&scope, endpoint, &set(false), at(20)).await.unwrap().unwrap();
    let first = count(database, "pending").await + count(database, "succeeded").await;
    for _ in 0..7 {
        store.conversations().begin_turn(&scope, &turn(&ours.chatbot, None, "Hello?"), at(30)).await.unwrap();
    }
    webhooks.update(&scope, endpoint, &set(true), at(40)).await.unwrap().unwrap();
    // What was given up before the request is recovered, what fails afterwards is not.
    database
        .raw()
        .await
        .execute("UPDATE webhook_deliveries SET status = 'failed', finished_at = 45000000 + created_at")
        .await
        .unwrap();
    let given_up = count(database, "failed").await;
    assert_eq!(given_up, first);
    let missed = MissedEvents { since: at(0), until: at(60), given_up_until: at(1_000) };
    let counted = webhooks.count_missed(&scope, endpoint, &missed).await.unwrap().unwrap();
    assert!(counted >= 7, "{counted}");
    let none = MissedEvents { given_up_until: at(0), ..missed };
    let never_queued = webhooks.count_missed(&scope, endpoint, &none).await.unwrap().unwrap();
    assert_eq!(i64::try_from(counted - never_queued).unwrap(), given_up);
    let outside = MissedEvents { since: at(61), until: at(90), ..missed };
    assert_eq!(webhooks.count_missed(&scope, endpoint, &outside).await.unwrap(), Some(0));

    // No part writes more than it may, and a part that is done again queues nothing twice.
    let part = |after| webhooks.recover_part(&scope, endpoint, &missed, after, 3, at(70));
    let one = part(i64::MIN).await.unwrap().unwrap();
    assert_eq!((one.queued, one.last.is_some()), (3, true));
    assert_eq!(count(database, "pending").await, 3);
    let mut queued = one.queued;
    let mut after = i64::MIN;
    loop {
        let RecoveredPart { queued: more, last } = part(after).await.unwrap().unwrap();
        queued += more;
        let Some(last) = last else { break };
        after = last;
    }
    assert_eq!(queued, counted);
    assert_eq!(u64::try_from(count(database, "pending").await).unwrap(), counted);
    assert_eq!(webhooks.count_missed(&scope, endpoint, &missed).await.unwrap(), Some(0));
}

async fn an_endpoint_is_deleted_with_any_number_of_deliveries(database: &Database) {
    let store = &database.store;
    let ours = World::new(store, "ours", 1).await;
    let endpoint = ours.endpoint.webhook_endpoint_id;
    // More than one statement deletes.
    for batch in 0..5 {
        let events = format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500) \
             INSERT INTO events (event_id, account_id, sequence, type, data, created_at) \
             SELECT 'event-{batch}-' || n, '{account}', 1000000 + {batch} * 1000 + n, 'webhook.test', '{{}}', 1 FROM n",
            account = ours.account.account_id,
        );
        let pool = database.raw().await;
        pool.execute(sqlx::AssertSqlSafe(events)).await.unwrap();
        pool.close().await;
    }
    let deliveries = format!(
        "INSERT INTO webhook_deliveries (webhook_delivery_id, webhook_endpoint_id, account_id, event_id, status, \
         failures, due_at, attempts, created_at) SELECT 'delivery-' || event_id, '{endpoint}', account_id, event_id, \
         'pending', 0, 0, '[]', 1 FROM events WHERE event_id LIKE 'event-%'"
    );
    let pool = database.raw().await;
    pool.execute(sqlx::AssertSqlSafe(deliveries)).await.unwrap();
    pool.close().await;
    assert!(database.count("webhook_deliveries").await > 2_500);
    assert!(store.webhooks().delete(&ours.scope(), endpoint).await.unwrap());
    assert!(!store.webhooks().delete(&ours.scope(), endpoint).await.unwrap());
    assert_eq!(database.count("webhook_deliveries").await, 0);
    assert!(database.count("events").await > 2_500);
}
