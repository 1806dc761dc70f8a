//! Events by the thousand: recovering them, and deleting an endpoint, while others write.

use std::{
    collections::BTreeSet,
    io::Write,
    time::{Duration, Instant},
};

use frontdesk_client::{
    Client,
    model::{NewMessage, WebhookEndpoint, WebhookEndpointUpdate, WebhookRecoveryRequest},
};
use frontdesk_runtime::Timestamp;
use frontdesk_store::{DeliveryStatus, PageRequest, Plan};
use sqlx::{AnyPool, AssertSqlSafe, Executor};
use uuid::Uuid;

use super::{Receiver, register};
use crate::{
    database::{Customer, Database},
    installation::{Installation, learned, status},
    on_both_databases,
    patience::until,
    site::{Page, Site},
};

on_both_databases!(many_missed_events_are_sent_again_in_the_background,);

const QUESTION: &str = "How much is a bag of rye flour?";

/// Adds copies of the newest event of the account, as if they had occurred.
async fn add_events(database: &Database, customer: &Customer, count: usize) {
    let account = customer.account.account_id;
    let (begin, commit, id) = if database.is_postgres() {
        ("BEGIN", "COMMIT", "lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000'")
    } else {
        ("BEGIN IMMEDIATE", "COMMIT", "printf('%08x-0000-4000-8000-000000000000', n)")
    };
    // The counter first, whose lock keeps other events from getting the same numbers.
    let copies = format!(
        "{begin}; UPDATE event_sequences SET last_sequence = last_sequence + {count} WHERE account_id = '{account}'; \
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) \
         INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id, contact_id, created_at) \
         SELECT {id}, newest.account_id, counter.last_sequence - {count} + n, type, data, source_chatbot_id, conversation_id, \
         contact_id, created_at FROM n CROSS JOIN event_sequences AS counter CROSS JOIN \
         (SELECT * FROM events WHERE account_id = '{account}' ORDER BY sequence DESC LIMIT 1) AS newest \
         WHERE counter.account_id = '{account}'; {commit}"
    );
    database.run(&copies).await;
}

fn long_ago() -> Timestamp {
    Timestamp::from_microseconds(1_700_000_000_000_000).unwrap()
}

/// An endpoint that was disabled while a chatbot learned a website and answered, that chatbot, and how many
/// events it missed.
async fn endpoint_that_missed(client: &Client, receiver: &Receiver) -> (WebhookEndpoint, Uuid, usize) {
    let site = Site::of([("/", Page::html("Flour", "<p>Rye flour costs 3 pounds a bag.</p>"))]).await;
    let endpoint = register(client, receiver).await;
    let id = endpoint.webhook_endpoint_id;
    client.webhook_endpoints().update(id, WebhookEndpointUpdate::new().enabled(false)).await.unwrap();
    let chatbot_id = learned(client, &site).await;
    client.messages().send(chatbot_id.into(), NewMessage::new(QUESTION)).await.unwrap();
    client.webhook_endpoints().update(id, WebhookEndpointUpdate::new().enabled(true)).await.unwrap();
    let events = client.events().list().limit(100).await.unwrap().events.len();
    assert!(events > 0);
    (endpoint, chatbot_id, events)
}

async fn many_missed_events_are_sent_again_in_the_background(database: Database) {
    const EVENTS: usize = 1_300;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    let (endpoint, _, missed) = endpoint_that_missed(&client, &receiver).await;
    let id = endpoint.webhook_endpoint_id;
    add_events(&service.database, &acme, EVENTS).await;
    let request = WebhookRecoveryRequest::new(long_ago());
    let recovered = client.webhook_endpoints().recover(id, request.clone()).await.unwrap();
    let all = usize::try_from(recovered.queued).unwrap();
    assert!(all > EVENTS && all <= EVENTS + missed, "{all} events");
    let received = receiver.has_received(all).await;
    let ids: BTreeSet<&str> = received.iter().map(|received| received.header("webhook-id")).collect();
    assert_eq!(ids.len(), received.len(), "each event once");
    // Nothing is left, and the job goes on with nothing.
    until("all results are written", async || {
        let recovered = client.webhook_endpoints().recover(id, request.clone()).await.unwrap();
        (recovered.queued == 0).then_some(())
    })
    .await;
    let page = PageRequest::first(9);
    let webhooks = service.database.store.webhooks();
    until("all are delivered", async || {
        let pending = webhooks
            .deliveries(&acme.scope(), id.uuid(), Some(DeliveryStatus::Pending), &page)
            .await
            .unwrap();
        pending.items.is_empty().then_some(())
    })
    .await;
    client.webhook_endpoints().delete(id).await.unwrap();
    assert_eq!(status(&client.webhook_endpoints().delete(id).await), 404);
    assert_eq!(webhooks.deliveries(&acme.scope(), id.uuid(), None, &page).await.unwrap().items, []);
    service.stop().await;
}

/// The slowest and the median of calls, in milliseconds.
fn figures(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1_000.0;
    format!("median {:.0} ms, p95 {:.0} ms, slowest {:.0} ms, of {}", at(50), at(95), at(100), times.len())
}

async fn message(client: &Client, chatbot_id: Uuid) -> Duration {
    let begun = Instant::now();
    client.messages().send(chatbot_id.into(), NewMessage::new(QUESTION)).await.unwrap();
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "an experiment that takes minutes; its outcome is in tests/benches/README.md"]
async fn messages_while_300_000_events_are_recovered() {
    const EVENTS: usize = 300_000;
    let mut terminal = std::io::stderr();
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    let (endpoint, chatbot_id, _) = endpoint_that_missed(&client, &receiver).await;
    let id = endpoint.webhook_endpoint_id;
    add_events(&service.database, &acme, EVENTS).await;
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(message(&client, chatbot_id).await);
    }
    writeln!(terminal, "messages before: {}", figures(idle)).unwrap();

    // What one transaction takes, which is then undone.
    let pool = AnyPool::connect(&service.database.url).await.unwrap();
    let begun = Instant::now();
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let all = format!(
        "INSERT INTO webhook_deliveries (webhook_delivery_id, webhook_endpoint_id, account_id, event_id, status, \
         failures, due_at, attempts, created_at) SELECT event_id, '{id}', account_id, event_id, 'pending', 0, 0, '[]', 0 \
         FROM events WHERE true ON CONFLICT DO NOTHING"
    );
    transaction.execute(AssertSqlSafe(all)).await.unwrap();
    writeln!(terminal, "all events in one statement: {:.1} s", begun.elapsed().as_secs_f64()).unwrap();
    transaction.rollback().await.unwrap();
    pool.close().await;

    let begun = Instant::now();
    let recovered =
        client.webhook_endpoints().recover(id, WebhookRecoveryRequest::new(long_ago())).await.unwrap();
    writeln!(terminal, "recover: {} events in {:.1} s", recovered.queued, begun.elapsed().as_secs_f64())
        .unwrap();
    let mut busy = Vec::new();
    loop {
        busy.push(message(&client, chatbot_id).await);
        let jobs = service.database.store.jobs().counts().await.unwrap();
        let is_over = busy.len() % 20 == 0
            && !jobs.iter().any(|count| {
                count.queue == "housekeeping" && count.state == frontdesk_store::JobState::Running
            });
        if is_over && begun.elapsed() > Duration::from_secs(10) {
            break;
        }
    }
    writeln!(terminal, "messages meanwhile, for {:.0} s: {}", begun.elapsed().as_secs_f64(), figures(busy))
        .unwrap();
    writeln!(terminal, "delivered meanwhile: {}", receiver.received().len()).unwrap();
    let begun = Instant::now();
    let deleting = tokio::spawn({
        let client = client.clone();
        async move { client.webhook_endpoints().delete(id).await.map(drop).map_err(|error| error.to_string()) }
    });
    let mut busy = Vec::new();
    while !deleting.is_finished() {
        busy.push(message(&client, chatbot_id).await);
    }
    deleting.await.unwrap().unwrap();
    writeln!(terminal, "the endpoint was deleted in {:.1} s", begun.elapsed().as_secs_f64()).unwrap();
    writeln!(terminal, "messages meanwhile: {}", figures(busy)).unwrap();
    service.stop().await;
}
