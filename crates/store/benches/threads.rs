//! The inbox of an account with 100,000 threads and 20,000 deals, on both databases.
//!
//! `cargo bench -p frontdesk-store --bench threads` prints the times of pages with each filter, of all pages
//! from the first to the last, and how the database reads them. PostgreSQL takes part if
//! `FRONTDESK_TEST_POSTGRES_URL` names a database in which schemas may be made.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod databases;

use databases::{ID, Result, Times, account, fill, numbers, on_each};
use frontdesk_store::{
    ChannelKind, NewInboxChannel, NewUser, PageRequest, Role, Store, ThreadChannel, ThreadFilter,
    ThreadStatus,
};
use jiff::Timestamp;
use uuid::Uuid;

const THREADS: i64 = 100_000;
const DEALS: i64 = 20_000;
const ROUNDS: usize = 101;

#[tokio::main]
async fn main() -> Result<()> {
    on_each(measure).await
}

/// Threads of an inbox that is worked on: one of 50 is open, one of 1,000 spam, one of 200 unread, one of 20
/// assigned. Each is of a contact of its own.
fn threads(account_id: Uuid) -> Vec<String> {
    let numbers = numbers(THREADS);
    vec![
        format!(
            "INSERT INTO contacts (contact_id, account_id, email, is_verified, source, first_seen_at, last_seen_at) \
             {numbers} SELECT {ID}, '{account_id}', 'person' || CAST(i AS TEXT) || '@customer.example', 0, 'api', i, i FROM numbers"
        ),
        format!(
            "INSERT INTO threads (thread_id, account_id, channel, channel_id, external_key, contact_id, subject, status, priority, assignee_id, \
             tags, unread_count, message_count, last_message_at, last_message_preview, waiting_since, created_at, updated_at) {numbers} \
             SELECT {ID}, '{account_id}', 'api', (SELECT channel_id FROM inbox_channels), 'order ' || CAST(i AS TEXT), {ID}, \
             'Order ' || CAST(i AS TEXT), CASE WHEN i % 50 = 0 THEN 'open' WHEN i % 1000 = 1 THEN 'spam' ELSE 'resolved' END, 'none', \
             CASE WHEN i % 20 = 0 THEN (SELECT user_id FROM users) END, '[\"orders\"]', CASE WHEN i % 200 = 0 THEN 1 ELSE 0 END, 1, \
             1600000000000000 + i * 1000, 'The parcel of order ' || CAST(i AS TEXT) || ' has not arrived yet. Where is it?', \
             CASE WHEN i % 50 = 0 THEN i END, i, 1600000000000000 + i * 1000 FROM numbers"
        ),
    ]
}

/// Deals that are about one thread each, of every fifth one.
fn deals(account_id: Uuid) -> Vec<String> {
    let numbers = numbers(DEALS);
    let of_thread = ID.replace("+ i", "+ 5 * i");
    vec![
        format!(
            "INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, source, \
             status_changed_at, active_at, created_at, updated_at) {numbers} SELECT {ID}, '{account_id}', 'Deal', 'deal', \
             (SELECT s.deal_status_id FROM deal_statuses AS s WHERE s.account_id = '{account_id}' AND s.position = 1 + i % 6), \
             (SELECT r.deal_row_id FROM deal_rows AS r WHERE r.account_id = '{account_id}'), CAST(100000000 + i AS TEXT), 'open', 'api', \
             i, i, i, i FROM numbers"
        ),
        format!(
            "INSERT INTO deal_threads (deal_id, thread_id, account_id) {numbers} SELECT {ID}, {of_thread}, '{account_id}' FROM numbers"
        ),
    ]
}

/// A message of each thread, in the index with the words `parcel` and, as an example, `x71`.
fn messages(database: &str, account_id: Uuid) -> Vec<String> {
    let numbers = numbers(THREADS);
    let (_, low) = account_id.as_u64_pair();
    // As the store writes them; a search that finds nothing shows that this has changed.
    let prefix = format!("{}zz", low >> 1);
    let tokens = format!("'{prefix}parcel {prefix}x' || CAST(i AS TEXT)");
    let message = |column: &str, value: &str| {
        format!(
            "INSERT INTO thread_messages (message_id, thread_id, account_id, position, direction, author_type, body, external_id, created_at{column}) \
             {numbers} SELECT {ID}, {ID}, '{account_id}', 1, 'inbound', 'contact', \
             'The parcel of order ' || CAST(i AS TEXT) || ' has not arrived yet. Where is it?', CAST(i AS TEXT), i{value} FROM numbers"
        )
    };
    if database == "PostgreSQL" {
        return vec![message(", tokens", &format!(", CAST({tokens} AS tsvector)"))];
    }
    let index =
        format!("INSERT INTO thread_message_index (rowid, tokens) {numbers} SELECT i, {tokens} FROM numbers");
    vec![message("", ""), index]
}

async fn measure(database: &'static str, url: &str) -> Result<()> {
    let store = Store::open(url).await?;
    let scope = account(&store).await?.scope();
    let now = Timestamp::now();
    let user = NewUser { email: "ann@acme.example".into(), name: "Ann".into(), role: Role::Owner };
    let user = store.users().create(&scope, &user, now).await?;
    let channel = NewInboxChannel {
        channel_id: Uuid::now_v7(),
        kind: ChannelKind::Api,
        name: "Shop".into(),
        enabled: true,
        settings: serde_json::json!({}),
        secrets: None,
    };
    let channel = store.inbox_channels().create(&scope, &channel, 1, now).await?;
    fill(url, threads(scope.account_id)).await?;
    fill(url, messages(database, scope.account_id)).await?;
    fill(url, deals(scope.account_id)).await?;
    let newest = store.threads().page(&scope, &ThreadFilter::default(), &PageRequest::first(1)).await?;
    let contact_id = newest.items[0].contact_id;

    let all = ThreadFilter::default;
    let text = |text: &str| ThreadFilter { text: Some(text.to_owned()), ..all() };
    for (name, filter) in [
        ("all", all()),
        ("open", ThreadFilter { status: Some(ThreadStatus::Open), ..all() }),
        ("spam", ThreadFilter { status: Some(ThreadStatus::Spam), ..all() }),
        ("snoozed, of which there are none", ThreadFilter { status: Some(ThreadStatus::Snoozed), ..all() }),
        ("of a channel", ThreadFilter { channel_id: Some(channel.channel_id), ..all() }),
        ("of a kind of channel without any", ThreadFilter { channel: Some(ThreadChannel::Sms), ..all() }),
        ("assigned to somebody", ThreadFilter { assignee_id: Some(user.user_id), ..all() }),
        ("unassigned", ThreadFilter { unassigned: Some(true), ..all() }),
        (
            "unassigned and open",
            ThreadFilter { unassigned: Some(true), status: Some(ThreadStatus::Open), ..all() },
        ),
        ("unread", ThreadFilter { unread: Some(true), ..all() }),
        ("of a contact", ThreadFilter { contact_id, ..all() }),
        ("changed ever", ThreadFilter { updated_since: Some(Timestamp::UNIX_EPOCH), ..all() }),
        ("changed in the last moment", ThreadFilter { updated_since: Some(Timestamp::now()), ..all() }),
        ("with a rare word", text("x1499")),
        ("with the beginning of words", text("x1")),
        ("with a word of every message", text("parcel")),
        ("with two words", text("parcel x77")),
    ] {
        let first = PageRequest::first(100);
        let mut found = 0;
        let times = Times::of(ROUNDS, async || {
            found = store.threads().page(&scope, &filter, &first).await?.items.len();
            Ok(())
        });
        println!("{database}: first page, {name}: {}; {found} threads", times.await?);
        println!("{}\n", store.threads().explain_page(scope.account_id, &filter, &first).await?);
    }
    for (name, filter) in [
        ("all", all()),
        ("resolved", ThreadFilter { status: Some(ThreadStatus::Resolved), ..all() }),
        ("unassigned", ThreadFilter { unassigned: Some(true), ..all() }),
    ] {
        let (mut page, mut times) = (PageRequest::first(100), Times::default());
        loop {
            let read = times.add(async || Ok(store.threads().page(&scope, &filter, &page).await?)).await?;
            let Some(next) = read.next else { break };
            page.after = Some(next);
        }
        println!("{database}: every page, {name}: {times}");
    }
    store.close().await;
    Ok(())
}
