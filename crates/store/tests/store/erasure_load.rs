//! How long others wait while much is erased. Run with
//! `cargo nextest run -p frontdesk-store --run-ignored only --no-capture waits`; `tests/benches/README.md`
//! has the figures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frontdesk_store::{RetentionPeriods, Store};
use sqlx::AnyPool;
use uuid::Uuid;

use crate::database::Database;
use crate::world::{World, at, turn};

/// What a writer waits at most while others are erased, with room for a busy machine: one transaction holds
/// the writer for a part of it.
const LONGEST: Duration = Duration::from_secs(1);

/// Fills a database: conversations of one contact with messages and an event for each, and threads with
/// indexed messages.
async fn fill(pool: &AnyPool, world: &World, conversations: i64, messages: i64) {
    let id = |kind: &str, number: &str| {
        format!("printf('{kind}-%04d-7000-8000-%012d', {number} / 1000000000, {number})")
    };
    let numbers = |end: String| {
        format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {end})")
    };
    let (account, bot) = (world.account.account_id, world.chatbot.chatbot_id);
    let (contact, channel) = (world.contact.contact_id, world.channel.channel_id);
    let all = conversations * messages;
    let conversation = format!("((i - 1) / {messages} + 1)");
    let position = format!("((i - 1) % {messages} + 1)");
    let of = id("c0000000", &conversation);
    let thread = id("d0000000", &conversation);
    let body =
        "'The parcel of canary number ' || i || ' has not arrived, and I have waited for it since Monday.'";
    for sql in [
        format!(
            "{} INSERT INTO conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source, message_count, \
             context_start, created_at, last_message_at) SELECT {}, '{account}', '{bot}', '{contact}', 'ai', 'api', {messages}, 0, \
             {now}, {now} FROM n",
            numbers(conversations.to_string()),
            id("c0000000", "i"),
            now = at(10).as_microsecond(),
        ),
        format!(
            "{} INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, \
             needs_escalation, credits_used, created_at) SELECT {}, {of}, '{account}', '{bot}', {position}, 'visitor', {body}, '[]', \
             0, 0, {now} FROM n",
            numbers(all.to_string()),
            id("e0000000", "i"),
            now = at(10).as_microsecond(),
        ),
        format!(
            "{} INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id, contact_id, \
             created_at) SELECT {}, '{account}', 1000 + i, 'message.created', {body}, '{bot}', {of}, '{contact}', {now} FROM n",
            numbers(all.to_string()),
            id("f0000000", "i"),
            now = at(10).as_microsecond(),
        ),
        format!("UPDATE event_sequences SET last_sequence = 1000 + {all} WHERE account_id = '{account}'"),
        format!(
            "{} INSERT INTO threads (thread_id, account_id, channel, channel_id, external_key, contact_id, created_at, status, \
             priority, tags, unread_count, message_count, last_message_at, last_message_preview, updated_at) SELECT {}, '{account}', \
             'api', '{channel}', 'key' || i, '{contact}', {now}, 'open', 'none', '[]', 0, {messages}, {now}, '', {now} FROM n",
            numbers(conversations.to_string()),
            id("d0000000", "i"),
            now = at(10).as_microsecond(),
        ),
        format!(
            "{} INSERT INTO thread_messages (message_id, thread_id, account_id, position, direction, author_type, body, created_at) \
             SELECT {}, {thread}, '{account}', {position}, 'inbound', 'contact', {body}, {now} FROM n",
            numbers(all.to_string()),
            id("a0000000", "i"),
            now = at(10).as_microsecond(),
        ),
        "INSERT INTO thread_message_index (rowid, tokens) SELECT message_no, '7zzparcel 7zzcanary 7zz' || message_no || ' 7zzmonday' \
         FROM thread_messages WHERE message_id LIKE 'a0000000-%'"
            .to_owned(),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(pool).await.unwrap();
    }
}

/// Writes messages of another account until it is stopped. Returns how long each of them took, the longest
/// first.
fn others(store: &Store, world: Arc<World>) -> (Arc<AtomicBool>, tokio::task::JoinHandle<Vec<Duration>>) {
    let (store, stopped) = (store.clone(), Arc::new(AtomicBool::new(false)));
    let is_stopped = Arc::clone(&stopped);
    let task = tokio::spawn(async move {
        let mut waits = Vec::new();
        while !is_stopped.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let said = turn(&world.chatbot, Some(world.conversation_id()), "Hello?");
            store.conversations().begin_turn(&world.scope(), &said, at(20)).await.unwrap();
            waits.push(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        waits.sort_unstable_by_key(|wait| std::cmp::Reverse(*wait));
        waits
    });
    (stopped, task)
}

/// Runs something large beside the messages of others, and prints what both took.
#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
async fn beside_others<T>(
    what: &str,
    store: &Store,
    world: &Arc<World>,
    large: impl Future<Output = T>,
) -> T {
    let (stopped, task) = others(store, Arc::clone(world));
    let begun = Instant::now();
    let result = large.await;
    let took = begun.elapsed();
    stopped.store(true, Ordering::Relaxed);
    let waits = task.await.unwrap();
    let (longest, high) = (waits[0], waits[waits.len() / 100]);
    println!(
        "{what}: {took:.1?}; meanwhile {} messages of others, 99 % within {high:.0?}, the longest {longest:.0?}",
        waits.len()
    );
    assert!(longest < LONGEST, "{what}: others wait for {longest:?}");
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "a measurement of a minute or more"]
async fn waits_while_much_is_erased() {
    for (conversations, messages) in [(1, 50_000), (5_000, 10)] {
        let database = Database::sqlite().await;
        let store = &database.store;
        let world = World::new(store, "one", 1).await;
        let other = Arc::new(World::new(store, "two", 2).await);
        let pool = database.raw().await;
        fill(&pool, &world, conversations, messages).await;
        pool.close().await;
        let what =
            format!("a contact with {conversations} conversations and threads of {messages} messages each");
        let (scope, contact_id) = (world.scope(), world.contact.contact_id);
        let erased =
            beside_others(&what, store, &other, store.contacts().erase(&scope, contact_id, at(30))).await;
        assert!(erased.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "a measurement of a minute or more"]
async fn waits_while_retention_and_the_erasure_of_an_account_run() {
    let database = Database::sqlite().await;
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = Arc::new(World::new(store, "two", 2).await);
    let pool = database.raw().await;
    fill(&pool, &world, 10_000, 10).await;
    let scope = world.scope();
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: None };
    store.retention().set(&scope, &periods).await.unwrap();
    let retention =
        async { while store.retention().apply(&scope, at(11 * 86_400), 1_000).await.unwrap() >= 1_000 {} };
    beside_others("retention of 200,000 messages", store, &other, retention).await;
    assert_eq!(store.conversations().find(&scope, Uuid::nil()).await.unwrap(), None);
    fill(&pool, &world, 10_000, 10).await;
    pool.close().await;
    let erased = store.account_data().erase(world.account.account_id, at(30));
    assert!(beside_others("an account with 200,000 messages", store, &other, erased).await.unwrap());
    let export = async {
        let mut rows = 0;
        for table in frontdesk_store::TABLES {
            let mut after = Some(String::new());
            while let Some(key) = after {
                let (page, next) =
                    store.account_data().rows(other.account.account_id, *table, &key).await.unwrap();
                rows += page.len();
                after = next;
            }
        }
        rows
    };
    assert!(beside_others("an export", store, &other, export).await > 0);
}
