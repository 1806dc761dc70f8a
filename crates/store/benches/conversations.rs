//! The conversations of an account with 200,000 of them, on both databases.
//!
//! `cargo bench -p frontdesk-store --bench conversations` prints the times of first pages with each filter,
//! of all pages from the first to the last, and how the database reads them. PostgreSQL takes part if
//! `FRONTDESK_TEST_POSTGRES_URL` names a database in which schemas may be made.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod databases;

use databases::{ID, Result, Times, account, fill, numbers, on_each};
use frontdesk_store::{ConversationFilter, ConversationMode, FeedbackRating, PageRequest, Store};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

const CONVERSATIONS: i64 = 200_000;
const ROUNDS: usize = 101;

/// Conversations of two messages each. One of 50 is open and has been handed over, one of 100 is rated, one
/// of 20 is by e-mail.
fn seed(account_id: Uuid, chatbot_id: Uuid) -> Vec<String> {
    let numbers = numbers(CONVERSATIONS);
    let message = |position: i64, role: &str, body: &str| {
        format!(
            "INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, needs_escalation, \
             credits_used, created_at) {numbers} SELECT '{position}0000000-0000-4000-8000-000' || CAST(100000000 + i AS TEXT), {ID}, \
             '{account_id}', '{chatbot_id}', {position}, '{role}', '{body} ' || CAST(i AS TEXT), '[]', 0, 1, i FROM numbers"
        )
    };
    vec![
        format!(
            "INSERT INTO chatbots (chatbot_id, account_id, name, status, settings, created_at, updated_at) \
             VALUES ('{chatbot_id}', '{account_id}', 'Bot', 'ready', '{{}}', 0, 0)"
        ),
        format!(
            "INSERT INTO contacts (contact_id, account_id, email, is_verified, source, first_seen_at, last_seen_at) \
             {numbers} SELECT {ID}, '{account_id}', 'person' || CAST(i AS TEXT) || '@customer.example', 0, 'chatbot', i, i FROM numbers"
        ),
        format!(
            "INSERT INTO conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source, message_count, context_start, \
             created_at, last_message_at, needs_escalation, feedback) {numbers} \
             SELECT {ID}, '{account_id}', '{chatbot_id}', {ID}, CASE WHEN i % 50 = 0 THEN 'human' WHEN i % 50 = 1 THEN 'ai' ELSE 'closed' END, \
             CASE WHEN i % 20 = 0 THEN 'email' ELSE 'api' END, 2, 0, 1600000000000000 + i * 1000, 1600000000000000 + i * 1000, \
             CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END, CASE WHEN i % 100 = 0 THEN 'down' END FROM numbers"
        ),
        message(1, "visitor", "When will my parcel arrive, please? It is order number"),
        message(
            2,
            "assistant",
            "Parcels take two to three working days. You find the tracking number in the e-mail that \
             confirmed your order, and in your account. If the parcel does not arrive in this time, please write to us again. Number",
        ),
    ]
}

#[tokio::main]
async fn main() -> Result<()> {
    on_each(measure).await
}

async fn measure(database: &'static str, url: &str) -> Result<()> {
    let store = Store::open(url).await?;
    let scope = account(&store).await?.scope();
    let chatbot_id = Uuid::now_v7();
    fill(url, seed(scope.account_id, chatbot_id)).await?;

    let all = ConversationFilter::default;
    let conversations = store.conversations();
    let newest = conversations.page(&scope, chatbot_id, &all(), &PageRequest::first(1)).await?;
    let newest = &newest.items[0].conversation;
    for (name, filter) in [
        ("all", all()),
        ("human", ConversationFilter { mode: Some(ConversationMode::Human), ..all() }),
        (
            "a mode that none has",
            ConversationFilter { mode: Some(ConversationMode::HumanRequested), ..all() },
        ),
        ("open", ConversationFilter { is_open: Some(true), ..all() }),
        ("closed", ConversationFilter { is_open: Some(false), ..all() }),
        ("for people", ConversationFilter { needs_escalation: Some(true), ..all() }),
        ("of a contact", ConversationFilter { contact_id: newest.contact_id, ..all() }),
        ("of a source", ConversationFilter { source: Some("email".into()), ..all() }),
        ("of a source that none has", ConversationFilter { source: Some("widget".into()), ..all() }),
        ("rated", ConversationFilter { feedback: Some(FeedbackRating::Down), ..all() }),
        ("rated as none is", ConversationFilter { feedback: Some(FeedbackRating::Up), ..all() }),
        (
            "of the last minute",
            ConversationFilter {
                created_since: Some(Timestamp::now() - SignedDuration::from_mins(1)),
                ..all()
            },
        ),
    ] {
        let first = PageRequest::first(100);
        let mut found = 0;
        let times = Times::of(ROUNDS, async || {
            found = conversations.page(&scope, chatbot_id, &filter, &first).await?.items.len();
            Ok(())
        });
        println!("{database}: first page, {name}: {}; {found} conversations", times.await?);
        println!("{}\n", conversations.explain_page(&scope, chatbot_id, &filter, &first).await?);
    }
    for (name, filter) in [
        ("all", all()),
        ("closed", ConversationFilter { is_open: Some(false), ..all() }),
        ("for people", ConversationFilter { needs_escalation: Some(true), ..all() }),
    ] {
        let (mut page, mut times) = (PageRequest::first(100), Times::default());
        loop {
            let read =
                times.add(async || Ok(conversations.page(&scope, chatbot_id, &filter, &page).await?)).await?;
            let Some(next) = read.next else { break };
            page.after = Some(next);
        }
        println!("{database}: every page, {name}: {times}");
    }
    store.close().await;
    Ok(())
}
