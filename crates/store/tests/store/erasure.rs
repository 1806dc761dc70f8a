//! Erased data is nowhere, and retention erases what is due.

use frontdesk_store::{
    Claimed, ContactUpdate, IdempotentRequest, MessagesFrom, NewAnswer, NewTurn, PageRequest, Payment,
    RetentionPeriods, StoredResponse, TABLES, ThreadFilter,
};
use serde_json::json;
use sqlx::{AnyPool, Row};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, answer, at, claim, turn};

on_both_databases!(
    an_erased_contact_leaves_no_trace,
    retention_removes_what_is_due,
    every_table_is_exported_or_left_out,
    an_erased_account_leaves_no_row,
    erasing_beside_messages_leaves_no_text,
);

/// Tables of accounts that an archive does not contain, with the reason.
const LEFT_OUT: [(&str, &str); 19] = [
    ("domains", "its secret is what it consists of"),
    ("jobs", "work of the service"),
    ("chunks", "made of pages, snippets, files and FAQs"),
    ("faq_chatbots", "a setting of the service"),
    ("deal_contacts", "a column of deals"),
    ("deal_threads", "a column of deals"),
    ("deal_totals", "counts and sums of deals"),
    ("stored_bytes", "sums of sizes"),
    ("credit_entries", "the details of credit_usage"),
    ("reply_credits", "a part of credit_usage"),
    ("retention", "a setting of the operator"),
    ("chunk_vectors", "made of chunks"),
    ("event_sequences", "a counter of events"),
    ("webhook_deliveries", "work of the service"),
    ("notices", "work of the service"),
    ("follow_up_messages", "work of the service"),
    ("unsubscribe_links", "its secret is what it consists of"),
    ("outgoing_messages", "work of the service"),
    ("erased_ids", "work of the service"),
];

/// A text that only the erased contact has.
const CANARY: &str = "zanzibar canary";

/// Tables with their columns of text, from the catalogue so that none is forgotten.
async fn columns(database: &Database, pool: &AnyPool) -> Vec<(String, String)> {
    let catalogue = if database.is_postgres() {
        "SELECT CAST(table_name AS TEXT) AS name, CAST(column_name AS TEXT) AS link FROM information_schema.columns \
         WHERE table_schema = current_schema() AND data_type = 'text' \
         AND table_name IN (SELECT table_name FROM information_schema.tables \
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE')"
    } else {
        "SELECT m.name AS name, c.name AS link FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
         WHERE m.type = 'table' AND c.type = 'TEXT'"
    };
    let rows = sqlx::query(catalogue).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| (row.get("name"), row.get("link"))).collect()
}

/// Runs a statement that overwrites as thoroughly as the store itself, and returns whether it has changed something.
async fn run(database: &Database, pool: &AnyPool, sql: String) -> bool {
    let mut connection = pool.acquire().await.unwrap();
    if !database.is_postgres() {
        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *connection).await.unwrap();
    }
    let done = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *connection).await;
    done.is_ok_and(|done| done.rows_affected() > 0)
}

/// Returns the places where the canary is.
async fn traces(database: &Database, pool: &AnyPool) -> Vec<String> {
    let mut found = Vec::new();
    for (table, column) in columns(database, pool).await {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE {column} LIKE '%zanzibar%'");
        let count: i64 = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_one(pool).await.unwrap().get(0);
        found.extend((count > 0).then(|| format!("{table}.{column}")));
    }
    if !database.is_postgres() {
        let file = database.url.strip_prefix("sqlite:").unwrap().replace("%3f", "?");
        for file in [file.clone(), format!("{file}-wal")] {
            let bytes = std::fs::read(&file).unwrap_or_default();
            let is_there = bytes.windows(8).any(|window| window == b"zanzibar");
            found.extend(is_there.then_some(file));
        }
    }
    found
}

async fn an_erased_contact_leaves_no_trace(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let before = other.everything(store).await;
    let (scope, contact_id) = (world.scope(), world.contact.contact_id);
    let chat_thread_id = world.chat(store).await;
    let text = |text: &str| Some(Some(format!("{text} {CANARY}")));
    let update = ContactUpdate {
        email: Some(Some("zanzibar@example.com".into())),
        name: text("Ann"),
        phone: text("phone"),
        company: text("company"),
        custom: Some(json!([CANARY])),
        external_id: text("c"),
        ..ContactUpdate::default()
    };
    store.contacts().update(&scope, contact_id, &update, at(20)).await.unwrap().unwrap();
    let payment = Payment { reference: Some(CANARY.into()), ..Payment::default() };
    store.contacts().mark_as_customer(&scope, contact_id, &payment, at(20)).await.unwrap().unwrap();

    // Long and short texts in two conversations, questions that could not be answered, and a response.
    let long = format!("{CANARY} ").repeat(2_000);
    let mut second = turn(&world.chatbot, None, &long);
    second.contact_id = Some(contact_id);
    let begun = store.conversations().begin_turn(&scope, &second, at(21)).await.unwrap().unwrap();
    for conversation_id in [world.conversation_id(), begun.conversation.conversation_id] {
        for said in [CANARY, "Where is the zanzibar order?", &long] {
            let said_again = turn(&world.chatbot, Some(conversation_id), said);
            store.conversations().begin_turn(&scope, &said_again, at(22)).await.unwrap().unwrap();
            let questions = store.unanswered_questions();
            questions.record(&scope, world.chatbot.chatbot_id, said, at(22)).await.unwrap();
            let answered = answer(&format!("You said: {said}"));
            store
                .conversations()
                .record_answer(&scope, conversation_id, &answered, None, at(23))
                .await
                .unwrap();
        }
    }
    for (number, id) in [contact_id, begun.conversation.conversation_id].into_iter().enumerate() {
        let request = IdempotentRequest {
            api_key_id: world.key.key_id,
            path: "POST /api/v1/contacts".into(),
            key: number.to_string(),
            fingerprint: "hash".into(),
        };
        let Claimed::Run(claimed) = store.idempotency().claim(&request, at(24)).await.unwrap() else {
            panic!()
        };
        let body = format!("{{\"id\":\"{id}\",\"name\":\"{CANARY}\"}}").into_bytes();
        let response = StoredResponse {
            status: 201,
            content_type: None,
            body,
            mentions: format!("{} {id}", Uuid::new_v4()),
        };
        assert!(store.idempotency().complete(&claimed, &response).await.unwrap());
    }

    // Every column of text of the rows that belong to the contact or its conversations, unless the column allows only certain values.
    let pool = database.raw().await;
    let mut planted = Vec::new();
    let all = columns(database, &pool).await;
    let links = [
        ("contact_id", contact_id),
        ("conversation_id", world.conversation_id()),
        ("thread_id", world.received.thread.thread_id),
        ("thread_id", chat_thread_id),
    ];
    for (link, id) in links {
        for (table, column) in &all {
            let is_linked = all.iter().any(|(other, column)| other == table && column == link);
            // Names of places and references to other rows are no personal data.
            if !is_linked || column == "source" || column.ends_with("_id") && column != "external_id" {
                continue;
            }
            let sql = format!("UPDATE {table} SET {column} = '\"{CANARY}\"' WHERE {link} = '{id}'");
            if run(database, &pool, sql).await {
                planted.push(format!("{table}.{column}"));
            }
        }
    }
    for column in [
        "contacts.name",
        "contacts.payment_reference",
        "messages.body",
        "messages.sources",
        "conversations.verified_subject",
        "threads.subject",
        "thread_messages.body",
    ] {
        assert!(planted.iter().any(|planted| planted == column), "{column}: {planted:?}");
    }
    assert!(traces(database, &pool).await.len() > 8);

    assert!(store.contacts().erase(&scope, contact_id, at(30)).await.unwrap());

    // Another connection that keeps a reading position would keep the log.
    pool.close().await;
    let pool = database.raw().await;
    let left = traces(database, &pool).await;
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(database.count("idempotency_keys").await, 0);
    let messages = store.conversations().messages(&scope, world.conversation_id(), 0, 100).await.unwrap();
    let thread = world.received.thread.thread_id;
    let (kept, _) = store.threads().messages(&scope, thread, MessagesFrom::Newest, 10).await.unwrap();
    assert_eq!(kept.len(), 2, "so do those of the thread");
    assert!(kept.iter().all(|message| message.body.is_empty() && message.author_name.is_none()));
    let found = ThreadFilter { text: Some("parcel".into()), ..ThreadFilter::default() };
    let found = store.threads().page(&scope, &found, &PageRequest::first(10)).await.unwrap();
    assert_eq!(found.items, [], "the index has forgotten the words");
    assert_eq!(messages.len(), 8, "the counts of the conversation stay right");
    assert!(messages.iter().all(|message| message.body.is_empty() && message.sources == json!([])));
    let conversation = store.conversations().find(&scope, world.conversation_id()).await.unwrap().unwrap();
    assert_eq!((conversation.contact_id, conversation.verified_subject), (None, None));
    assert!(!store.contacts().erase(&scope, contact_id, at(31)).await.unwrap());
    assert_eq!(other.everything(store).await, before);
    pool.close().await;
}

async fn retention_removes_what_is_due(database: &Database) {
    const DAY: i64 = 86_400;
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

/// The tables with a column of this name.
async fn tables_with(database: &Database, pool: &AnyPool, column: &str) -> Vec<String> {
    let mut tables: Vec<String> = columns(database, pool)
        .await
        .into_iter()
        .filter_map(|(table, found)| (found == column).then_some(table))
        .collect();
    tables.sort_unstable();
    tables
}

async fn every_table_is_exported_or_left_out(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let channel_id = world.channel.channel_id;
    let skipped = crate::emails::skipped(channel_id, "a", "x@example.com");
    assert!(store.skipped_mails().add(&world.scope(), &skipped, at(5)).await.unwrap());
    World::new(store, "two", 2).await;
    let pool = database.raw().await;
    for table in tables_with(database, &pool, "account_id").await {
        let is_named = TABLES.iter().any(|exported| exported.name == table)
            || LEFT_OUT.iter().any(|(left_out, _)| *left_out == table);
        assert!(is_named, "{table} is neither in an archive nor left out of it for a reason");
    }
    for table in TABLES {
        let (rows, next) = store.account_data().rows(world.account.account_id, *table, "").await.unwrap();
        assert!(!rows.is_empty() && next.is_none(), "{}", table.name);
        let text = serde_json::to_string(&rows).unwrap();
        assert!(!text.contains("secret") && !text.contains("key_hash"), "{text}");
    }
    pool.close().await;
}

async fn an_erased_account_leaves_no_row(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let before = other.everything(store).await;
    let account_id = world.account.account_id;
    store
        .retention()
        .set(&world.scope(), &RetentionPeriods { contact_days: Some(1), conversation_days: None })
        .await
        .unwrap();
    assert!(store.account_data().erase(account_id).await.unwrap());
    let pool = database.raw().await;
    for table in tables_with(database, &pool, "account_id").await {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE account_id = '{account_id}'");
        let count: i64 = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_one(&pool).await.unwrap().get(0);
        assert_eq!(count, 0, "{table}");
    }
    pool.close().await;
    assert!(!store.account_data().erase(account_id).await.unwrap());
    assert_eq!(other.everything(store).await, before);
}

/// Messages, answers and statistics of a conversation at the moment at which its contact is erased. Which of them come first is up to the
/// scheduler; what the conversation counted when it was erased must be empty, and so must answers to erased questions.
async fn erasing_beside_messages_leaves_no_text(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, bot) = (world.scope(), world.chatbot.chatbot_id);
    let pool = database.raw().await;
    for round in 0..20 {
        let address = format!("zanzibar{round}@customer.example");
        let contact = store.contacts().upsert(&scope, &claim(&address), at(9)).await.unwrap().unwrap();
        let mut first = turn(&world.chatbot, None, &format!("Is round {round} a canary?"));
        first.contact_id = Some(contact.contact_id);
        let begun = store.conversations().begin_turn(&scope, &first, at(10)).await.unwrap().unwrap();
        let conversation_id = begun.conversation.conversation_id;
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..12 {
            let (store, mut next) = (store.clone(), first.clone());
            let (question, asked) = (first.text.clone(), begun.message.clone());
            // Some messages continue the conversation, with or without saying again who writes; some begin another one.
            next.conversation_id = (number % 3 != 2).then_some(conversation_id);
            next.contact_id = next.contact_id.filter(|_| number % 3 != 1);
            next.text = format!("Canary number {number}");
            tasks.spawn(async move {
                match number % 4 {
                    0 => {
                        let words = "As you said, a canary.";
                        let words = NewAnswer { question_id: Some(asked.message_id), ..answer(words) };
                        store
                            .conversations()
                            .record_answer(&scope, conversation_id, &words, None, at(11))
                            .await
                            .map(drop)
                    }
                    1 => {
                        let questions = store.unanswered_questions();
                        questions.record_asked(&scope, bot, &question, &asked, at(11)).await.map(drop)
                    }
                    _ => store.conversations().begin_turn(&scope, &next, at(11)).await.map(drop),
                }
            });
            if number == round % 12 {
                let store = database.store.clone();
                tasks.spawn(async move {
                    store
                        .contacts()
                        .erase(&scope, contact.contact_id, at(12))
                        .await
                        .map(|erased| assert!(erased))
                });
            }
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap().unwrap();
        }
        let count = async |sql: &'static str| {
            let row = sqlx::query(sql).bind(conversation_id.to_string()).fetch_one(&pool).await.unwrap();
            row.get::<i64, _>(0)
        };
        let left = count(
            "SELECT COUNT(*) FROM messages AS m JOIN conversations AS c ON c.conversation_id = m.conversation_id \
             WHERE c.conversation_id = $1 AND m.position <= c.context_start AND m.body <> ''",
        );
        assert_eq!(left.await, 0, "round {round}: a text that was there when the contact was erased");
        let left = count(
            "SELECT COUNT(*) FROM messages WHERE conversation_id = $1 AND role = 'assistant' AND body <> ''",
        );
        assert_eq!(left.await, 0, "round {round}: an answer to an erased question");
        let left = count(
            "SELECT COUNT(*) FROM events AS e JOIN messages AS m ON e.data LIKE '%' || m.message_id || '%' \
             JOIN conversations AS c ON c.conversation_id = m.conversation_id \
             WHERE c.conversation_id = $1 AND m.position <= c.context_start",
        );
        assert_eq!(left.await, 0, "round {round}: an event of an erased message");
        let sql = "SELECT COUNT(*) FROM unanswered_questions WHERE question LIKE '%canary%'";
        let questions: i64 = sqlx::query(sql).fetch_one(&pool).await.unwrap().get(0);
        assert_eq!(questions, 0, "round {round}: a question of the erased contact");
        let sql = "SELECT COUNT(*) FROM conversations WHERE contact_id = $1";
        let linked = sqlx::query(sql).bind(contact.contact_id.to_string()).fetch_one(&pool).await.unwrap();
        assert_eq!(linked.get::<i64, _>(0), 0, "round {round}");
        // Whoever goes on writing is a stranger.
        let next = NewTurn { conversation_id: Some(conversation_id), text: "Hello again".into(), ..first };
        let next = store.conversations().begin_turn(&scope, &next, at(13)).await.unwrap().unwrap();
        let conversation = &next.conversation;
        assert_eq!((conversation.conversation_id, conversation.contact_id), (conversation_id, None));
        assert_eq!(next.message.body, "Hello again");
    }
    pool.close().await;
}
