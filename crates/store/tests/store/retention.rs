//! Retention removes what is due, and goes on after failures and interruptions.

use frontdesk_store::{
    Claimed, IdempotentRequest, NewInbound, NewSkippedMail, RetentionPeriods, StoredResponse,
};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::database::Database;
use crate::erasure::long_conversation;
use crate::on_both_databases;
use crate::personal_data::traces;
use crate::world::{World, at, claim, inbound, turn};

on_both_databases!(
    retention_removes_what_is_due,
    retention_removes_what_else_is_old,
    a_long_conversation_is_removed_in_parts,
    retention_forgets_what_it_has_removed,
    words_of_an_interrupted_retention_leave_the_index,
    a_contact_that_cannot_be_erased_keeps_no_other,
    erasures_that_fail_come_last,
);

const DAY: i64 = 86_400;

async fn retention_removes_what_is_due(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let before = other.everything(store).await;
    let scope = world.scope();
    let retention = store.retention();
    assert_eq!(retention.find(&scope).await.unwrap(), RetentionPeriods::default());
    assert_eq!(
        retention.apply(&scope, at(1_000 * DAY), 10).await.unwrap(),
        0,
        "everything is kept by default"
    );
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: Some(20) };
    retention.set(&scope, &periods).await.unwrap();
    assert_eq!(retention.find(&scope).await.unwrap(), periods);
    assert_eq!(retention.accounts().await.unwrap(), [world.account.account_id]);

    let late =
        store.contacts().upsert(&scope, &claim("late@example.com"), at(15 * DAY)).await.unwrap().unwrap();
    let mut recent = turn(&world.chatbot, None, "hello");
    recent.contact_id = Some(late.contact_id);
    let recent = store.conversations().begin_turn(&scope, &recent, at(15 * DAY)).await.unwrap().unwrap();
    assert_eq!(retention.apply(&scope, at(10 * DAY), 10).await.unwrap(), 0);
    assert_eq!(retention.apply(&scope, at(11 * DAY), 10).await.unwrap(), 2, "a conversation and a thread");
    assert_eq!(store.threads().find(&scope, world.received.thread.thread_id).await.unwrap(), None);
    assert_eq!(store.conversations().find(&scope, world.conversation_id()).await.unwrap(), None);
    assert_eq!(retention.apply(&scope, at(21 * DAY), 10).await.unwrap(), 1);
    assert_eq!(store.contacts().find(&scope, world.contact.contact_id).await.unwrap(), None);
    let kept = store.conversations().find(&scope, recent.conversation.conversation_id).await.unwrap();
    assert_eq!(kept.and_then(|kept| kept.contact_id), Some(late.contact_id));
    assert_eq!(retention.apply(&scope, at(40 * DAY), 10).await.unwrap(), 2);
    assert_eq!(store.contacts().find(&scope, late.contact_id).await.unwrap(), None);
    retention.set(&scope, &RetentionPeriods::default()).await.unwrap();
    assert_eq!(retention.accounts().await.unwrap(), Vec::<Uuid>::new());
    assert_eq!(other.everything(store).await, before);
}

async fn retention_removes_what_else_is_old(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let skipped = crate::emails::skipped(world.channel.channel_id, "a", "x@example.com");
    assert!(store.skipped_mails().add(&scope, &skipped, at(5)).await.unwrap());
    let request = IdempotentRequest {
        api_key_id: world.key.key_id,
        path: format!("POST /api/v1/inbox/threads/{}/draft", world.received.thread.thread_id),
        key: "1".into(),
        fingerprint: "hash".into(),
    };
    let Claimed::Run(claimed) = store.idempotency().claim(&request, at(6)).await.unwrap() else { panic!() };
    // A draft repeats words of the thread, and names it only in its path.
    let response =
        StoredResponse { status: 200, content_type: None, body: b"parcel".to_vec(), mentions: String::new() };
    assert!(store.idempotency().complete(&claimed, &response).await.unwrap());
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: None };
    store.retention().set(&scope, &periods).await.unwrap();
    assert_eq!(store.retention().apply(&scope, at(11 * DAY), 10).await.unwrap(), 2);
    for table in ["unanswered_questions", "skipped_mails", "idempotency_keys", "messages", "thread_messages"]
    {
        assert_eq!(database.count(table).await, 0, "{table}");
    }
    let pool = database.raw().await;
    let left = traces(database, &pool, &["parcel", "When do you deliver"]).await;
    assert!(left.is_empty(), "{left:?}");
    let deals: i64 = sqlx::query("SELECT COUNT(*) FROM events WHERE type = 'deal.created'")
        .fetch_one(&pool)
        .await
        .unwrap()
        .get(0);
    assert_eq!(deals, 1, "other events stay");
    pool.close().await;
}

async fn a_long_conversation_is_removed_in_parts(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let id = long_conversation(database, &world, "canary", 1_700).await;
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: None };
    store.retention().set(&scope, &periods).await.unwrap();
    // One after the other, with the thread.
    assert_eq!(store.retention().apply(&scope, at(11 * DAY), 1).await.unwrap(), 2);
    assert_eq!(store.retention().apply(&scope, at(11 * DAY), 1).await.unwrap(), 1);
    assert_eq!(store.retention().apply(&scope, at(11 * DAY), 1).await.unwrap(), 0);
    assert_eq!(store.conversations().find(&scope, id).await.unwrap(), None);
    assert_eq!(database.count("messages").await, 0);
}

async fn retention_forgets_what_it_has_removed(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: None };
    store.retention().set(&scope, &periods).await.unwrap();

    // Data outside of conversations and threads.
    let skipped = NewSkippedMail {
        subject: Some("A zanzibar canary".into()),
        ..crate::emails::skipped(world.channel.channel_id, "a", "x@example.com")
    };
    assert!(store.skipped_mails().add(&scope, &skipped, at(5)).await.unwrap());
    let said = turn(&world.chatbot, Some(world.conversation_id()), "Are you there?");
    store.conversations().begin_turn(&scope, &said, at(9 * DAY)).await.unwrap();
    let written = NewInbound { attachments: Vec::new(), ..inbound(&world.channel, "order", "two") };
    store.threads().receive(&scope, &written, at(9 * DAY)).await.unwrap();
    assert_eq!(store.retention().apply(&scope, at(11 * DAY), 10).await.unwrap(), 0);
    let pool = database.raw().await;
    let left = traces(database, &pool, &["zanzibar"]).await;
    assert!(left.is_empty(), "{left:?}");

    // As many as a call removes.
    pool.close().await;
    assert_eq!(store.retention().apply(&scope, at(20 * DAY), 1).await.unwrap(), 2);
    let pool = database.raw().await;
    let left = traces(database, &pool, &["parcel", "Are you there"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
}

/// A call that removes a part leaves what a crash leaves: entries that are deleted, and an index that still
/// has their words.
async fn words_of_an_interrupted_retention_leave_the_index(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let later = NewInbound { attachments: Vec::new(), ..inbound(&world.channel, "other", "two") };
    store.threads().receive(&scope, &later, at(5 * DAY)).await.unwrap();
    let retention = store.retention();
    let periods = |days| RetentionPeriods { conversation_days: Some(days), contact_days: None };
    retention.set(&scope, &periods(10)).await.unwrap();
    assert_eq!(retention.apply(&scope, at(16 * DAY), 1).await.unwrap(), 2);
    assert_eq!(store.threads().find(&scope, world.received.thread.thread_id).await.unwrap(), None);
    // Nothing else is due any more.
    retention.set(&scope, &RetentionPeriods::default()).await.unwrap();
    assert_eq!(retention.accounts().await.unwrap(), [world.account.account_id]);
    assert_eq!(retention.apply(&scope, at(16 * DAY), 1).await.unwrap(), 0);
    assert_eq!(retention.accounts().await.unwrap(), Vec::<Uuid>::new());
    let pool = database.raw().await;
    let left = traces(database, &pool, &["parcel one"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
}

async fn a_contact_that_cannot_be_erased_keeps_no_other(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, contacts) = (world.scope(), store.contacts());
    let mut known = Vec::new();
    for address in ["ann@one.example", "ben@one.example", "cal@one.example"] {
        known.push(contacts.upsert(&scope, &claim(address), at(1)).await.unwrap().unwrap().contact_id);
    }
    known.sort();
    let pool = database.raw().await;
    let unreadable = format!("UPDATE contacts SET tags = 'no list' WHERE contact_id = '{}'", known[0]);
    sqlx::query(AssertSqlSafe(unreadable)).execute(&pool).await.unwrap();
    pool.close().await;
    let periods = RetentionPeriods { conversation_days: None, contact_days: Some(10) };
    store.retention().set(&scope, &periods).await.unwrap();
    assert!(store.retention().apply(&scope, at(20 * DAY), 10).await.is_err());
    assert!(contacts.find(&scope, known[0]).await.is_err());
    for gone in &known[1..] {
        assert_eq!(contacts.find(&scope, *gone).await.unwrap(), None);
    }
}

async fn erasures_that_fail_come_last(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let pool = database.raw().await;
    let account_id = world.account.account_id;
    for (id, touched_at) in
        [("0198e7a4-0000-7000-8000-000000000001", 1), ("0198e7a4-0000-7000-8000-000000000002", 2)]
    {
        let unreadable = format!(
            "INSERT INTO erasures (contact_id, account_id, person, touched_at) VALUES ('{id}', '{account_id}', 'nobody', {touched_at})"
        );
        sqlx::query(AssertSqlSafe(unreadable)).execute(&pool).await.unwrap();
    }
    pool.close().await;
    let contacts = store.contacts();
    let first = contacts.unfinished_erasures(at(10), 1).await.unwrap();
    assert!(contacts.continue_erasure(first[0], std::time::Duration::ZERO, at(5)).await.is_err());
    let next = contacts.unfinished_erasures(at(10), 1).await.unwrap();
    assert_ne!(next, first);
}
