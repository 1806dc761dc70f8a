//! `kill -9` while events are on their way: each arrives at least once, nobody is told twice by e-mail, and
//! no contact is doubled.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use frontdesk_client::{
    Client,
    model::{ContactInfo, NewMessage, NewWebhookEndpoint},
};
use frontdesk_store::{DeliveryStatus, Event, EventData, PageRequest, Plan, Scope};
use futures_util::future::join_all;
use jiff::Timestamp;
use uuid::Uuid;

use super::crashes::restart;
use crate::{
    database::Database,
    installation::{Installation, client, learned},
    on_both_databases,
    patience::until,
    process::Process,
    site,
    webhooks::{
        Received, Receiver, Reply, all_events,
        mail::{self, sink},
        register, secret,
    },
};

on_both_databases!(events_survive_kills_at_any_moment,);

/// Time without any arrival after which deliveries are taken to hang.
const STANDSTILL: Duration = Duration::from_secs(90);

/// How much happens in a test.
#[derive(Clone, Copy)]
struct Extent {
    kills: usize,
    /// Conversations, at least.
    conversations: usize,
    senders: usize,
}

/// Fails the first attempt of three events in ten.
fn unreliable(all: &[Received]) -> Reply {
    let last = all.last().unwrap();
    let id = last.header("webhook-id");
    let is_first = !all.iter().rev().skip(1).any(|other| other.header("webhook-id") == id);
    Reply::Status(if is_first && all.len() % 10 < 3 { 503 } else { 204 })
}

/// Begins conversations until the service is gone; returns those that were acknowledged.
async fn talk(client: Client, chatbot_id: Uuid, begun: Arc<AtomicUsize>, enough: usize) -> Vec<Uuid> {
    let mut acknowledged = Vec::new();
    while begun.load(Ordering::Relaxed) < enough {
        let number = begun.fetch_add(1, Ordering::Relaxed);
        // Two conversations have the same visitor.
        let contact = ContactInfo::new().email(format!("visitor-{}@customer.example", number / 2));
        let text =
            if number.is_multiple_of(8) { "I want to talk to a human" } else { "What does delivery cost?" };
        let Ok(answer) =
            client.messages().send(chatbot_id.into(), NewMessage::new(text).contact(contact)).await
        else {
            return acknowledged;
        };
        acknowledged.push(answer.conversation_id.uuid());
    }
    acknowledged
}

/// The whole journal.
async fn journal(database: &Database, scope: &Scope) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    loop {
        let after = all.last().map(|event| event.event_id);
        let page = database.store.events().page(scope, after, &[], 100).await.unwrap().unwrap();
        all.extend(page.items);
        if page.next.is_none() {
            return all;
        }
    }
}

async fn events_survive_kills_at_any_moment(database: Database) {
    survive(database, Extent { kills: 3, conversations: 60, senders: 4 }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "takes several minutes"]
async fn many_events_survive_thirty_kills() {
    let extent = Extent { kills: 30, conversations: 2_000, senders: 4 };
    if let Some(database) = Database::postgres("many_events_survive_thirty_kills").await {
        let remains = database.remains();
        survive(database, extent).await;
        remains.release().await;
    }
    survive(Database::sqlite().await, extent).await;
}

async fn survive(database: Database, extent: Extent) {
    let customer = database.customer("mill", Plan::Scale).await;
    let scope = customer.scope();
    let (healthy, hanging) =
        (Receiver::replying(unreliable).await, Receiver::replying(|_| Reply::Never).await);
    let (smtp, mails) = sink(mail::Manner::Accept).await;
    let settings =
        ["--crawl-delay-milliseconds", "0", "--mail-smtp-url", &smtp, "--mail-from", "a@frontdesk.example"];
    let mut process = Process::start(&database, &settings);
    let talking = client(process.address, &customer.key.text);
    let chatbot_id = learned(&talking, &site::bakery().await).await;
    register(&talking, &hanging).await;
    let endpoint = register(&talking, &healthy).await;
    let secret = secret(&endpoint);

    let begun = Arc::new(AtomicUsize::new(0));
    let mut acknowledged = Vec::new();
    let mut moments = Vec::new();
    let rounds = extent.kills + 1;
    for round in 1..=rounds {
        let enough = extent.conversations * round / rounds;
        let talking = client(process.address, &customer.key.text);
        let senders: Vec<_> = (0..extent.senders)
            .map(|_| tokio::spawn(talk(talking.clone(), chatbot_id, Arc::clone(&begun), enough)))
            .collect();
        if round < rounds {
            until("enough conversations have begun", async || {
                (begun.load(Ordering::Relaxed) >= enough - extent.senders).then_some(())
            })
            .await;
            let moment = u64::from(Uuid::new_v4().as_bytes()[0]) * 2;
            moments.push(moment);
            tokio::time::sleep(Duration::from_millis(moment)).await;
            process.kill();
            process = restart(&database, &settings).await;
        }
        for sender in senders {
            acknowledged.extend(sender.await.unwrap());
        }
    }
    let what = format!("killed after {moments:?} ms");

    // Journal and deliveries agree: everything since the registration is delivered to the healthy receiver.
    let id = endpoint.webhook_endpoint_id;
    let mut arrived = (0, Instant::now());
    loop {
        let pending = Some(DeliveryStatus::Pending);
        let page = PageRequest::first(1);
        let left = database.store.webhooks().deliveries(&scope, id.uuid(), pending, &page).await.unwrap();
        if left.items.is_empty() {
            break;
        }
        let now = healthy.received().len();
        if now > arrived.0 {
            arrived = (now, Instant::now());
        }
        assert!(arrived.1.elapsed() < STANDSTILL, "{what}: nothing arrives after {now} requests: {left:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let journal = journal(&database, &scope).await;
    let sequences: Vec<u64> = journal.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=journal.len() as u64).collect::<Vec<_>>(), "{what}");
    let mut arrived: BTreeMap<String, Vec<Received>> = BTreeMap::new();
    for request in healthy.received() {
        arrived.entry(request.header("webhook-id").to_owned()).or_default().push(request);
    }
    let expected: Vec<&Event> =
        journal.iter().filter(|event| !matches!(event.data, EventData::TrainingCompleted { .. })).collect();
    let tolerant =
        frontdesk_runtime::webhook::Verifier::new(&secret).unwrap().tolerance(Duration::from_hours(1));
    for event in &expected {
        let requests = arrived.remove(&event.event_id.to_string());
        let requests = requests.unwrap_or_else(|| panic!("{what}: {event:?} never arrived"));
        for request in &requests {
            assert!(tolerant.verify(&request.headers, &request.body).is_ok(), "{what}");
            assert_eq!(request.body, requests[0].body, "{what}");
        }
    }
    assert!(arrived.is_empty(), "{what}: {arrived:?}");
    // What was acknowledged has its events, and no visitor has two contacts.
    let conversations: BTreeSet<Uuid> = journal
        .iter()
        .filter_map(|event| match &event.data {
            EventData::ConversationCreated { conversation, .. } => Some(conversation.conversation_id),
            _ => None,
        })
        .collect();
    assert!(acknowledged.iter().all(|id| conversations.contains(id)), "{what}");
    let contacts = database.store.contacts().list(&scope, None, 10_000).await.unwrap();
    let emails: BTreeSet<_> = contacts.iter().map(|contact| contact.email.clone()).collect();
    assert_eq!(emails.len(), contacts.len(), "{what}");
    let leads = journal.iter().filter(|event| matches!(event.data, EventData::LeadCreated { .. })).count();
    assert_eq!(leads, contacts.len(), "{what}");
    // Nobody is told twice.
    until("a mail is sent", async || (!mails.lock().unwrap().is_empty()).then_some(())).await;
    let mails = mails.lock().unwrap().clone();
    let ids: BTreeSet<&str> =
        mails.iter().map(|mail| mail.lines().find(|line| line.starts_with("Message-ID:")).unwrap()).collect();
    assert!(ids.len() == mails.len(), "{what}: {} mails, {} ids", mails.len(), ids.len());
}

/// The 95th percentile from commit to arrival at 195 healthy endpoints, while 5 hang, at 100 events a second.
/// To be run with `--release`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn two_hundred_endpoints() {
    measure(Database::sqlite().await, "SQLite").await;
    if let Some(database) = Database::postgres("two_hundred_endpoints").await {
        let remains = database.remains();
        measure(database, "PostgreSQL").await;
        remains.release().await;
    }
}

async fn measure(database: Database, name: &str) {
    const ACCOUNTS: usize = 10;
    const PER_ACCOUNT: usize = 20;
    const EVENTS: usize = 2_000;
    const PAUSE: Duration = Duration::from_millis(10);
    /// Endpoints that receive each event.
    const FANOUT: usize = 2;
    let service = Installation::start(database).await;
    let (healthy, hanging) = (Receiver::start().await, Receiver::replying(|_| Reply::Never).await);
    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        let customer = service.database.customer(&format!("acme-{number}"), Plan::Scale).await;
        let client = service.client(&customer);
        let mut endpoints = Vec::new();
        for number in 0..PER_ACCOUNT {
            // One endpoint of every other account hangs.
            let hangs = number == 0 && accounts.len() % 2 == 0;
            let url = if hangs { hanging.url() } else { healthy.url() };
            let new = NewWebhookEndpoint::new(url).events(all_events());
            let created = client.webhook_endpoints().create(new).await.unwrap().into_inner();
            endpoints.push(created.webhook_endpoint_id);
        }
        accounts.push((customer, endpoints));
    }
    let committed: Mutex<BTreeMap<String, Timestamp>> = Mutex::default();
    let began = Instant::now();
    let mut writing = Vec::new();
    for number in 0..EVENTS {
        tokio::time::sleep_until((began + PAUSE * u32::try_from(number).unwrap()).into()).await;
        let (customer, endpoints) = &accounts[number % ACCOUNTS];
        let (scope, committed, service) = (customer.scope(), &committed, &service);
        writing.push(async move {
            for step in 0..FANOUT {
                let endpoint = endpoints[(number / ACCOUNTS * FANOUT + step) % PER_ACCOUNT];
                let webhooks = service.running.store.webhooks();
                let delivery =
                    webhooks.send_test(&scope, endpoint.uuid(), Timestamp::now()).await.unwrap().unwrap();
                committed.lock().unwrap().insert(delivery.event_id.to_string(), Timestamp::now());
            }
        });
        if writing.len() == 4 {
            join_all(writing.drain(..)).await;
        }
    }
    join_all(writing).await;
    let took = began.elapsed();
    let healthy_endpoints = ACCOUNTS * PER_ACCOUNT - ACCOUNTS / 2;
    let expected = EVENTS * FANOUT * healthy_endpoints / (ACCOUNTS * PER_ACCOUNT);
    let received = healthy.has_received(expected - 1).await;
    let committed = committed.lock().unwrap().clone();
    let mut delays: Vec<i128> = received
        .iter()
        .filter_map(|request| {
            let at = committed.get(request.header("webhook-id"))?;
            Some(at.duration_until(request.at).as_millis().max(0))
        })
        .collect();
    delays.sort_unstable();
    let percentile = |share: usize| delays[(delays.len() - 1) * share / 100];
    let line = format!(
        "{name}: {} events in {:.1} s, {} arrived, p50 {} ms, p95 {} ms, p99 {} ms",
        EVENTS * FANOUT,
        took.as_secs_f64(),
        received.len(),
        percentile(50),
        percentile(95),
        percentile(99),
    );
    let mut terminal = std::io::stderr();
    std::io::Write::write_all(&mut terminal, format!("{line}\n").as_bytes()).unwrap();
    assert!(percentile(95) < 1_000, "{line}");
    service.stop().await;
}
