//! Erased data is nowhere, and retention erases what is due.

use std::time::Duration;

use frontdesk_store::{
    Claimed, ContactUpdate, ConversationFilter, Erased, IdempotentRequest, MessagesFrom, NewAnswer, NewDeal,
    NewInbound, NewSkippedMail, NewTurn, PageRequest, Payment, RetentionPeriods, Snapshot, StoredResponse,
    TABLES, ThreadFilter,
};
use serde_json::json;
use sqlx::{AnyPool, Row};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::personal_data::{text_columns, traces};
use crate::world::{World, answer, at, claim, inbound, turn};

on_both_databases!(
    an_erased_contact_leaves_no_trace,
    what_is_left_of_an_erasure_is_hidden,
    an_interrupted_erasure_takes_what_is_claimed_meanwhile,
    an_address_of_another_contact_stays_with_it,
    a_merge_forgets_responses_or_does_not_happen,
    a_merged_contact_is_erased_under_its_earlier_names,
    reports_about_a_person_are_erased,
    a_thread_of_others_loses_what_the_person_wrote,
    an_erased_account_leaves_no_row,
    erasing_beside_messages_leaves_no_text,
);

/// A text that only the erased contact has.
const CANARY: &str = "zanzibar canary";

/// Runs a statement that overwrites as thoroughly as the store itself, and returns whether it has changed
/// something.
async fn run(database: &Database, pool: &AnyPool, sql: String) -> bool {
    let mut connection = pool.acquire().await.unwrap();
    if !database.is_postgres() {
        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *connection).await.unwrap();
    }
    let done = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *connection).await;
    done.is_ok_and(|done| done.rows_affected() > 0)
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

    // Every column of text of the rows that belong to the contact or its conversations, unless the column
    // allows only certain values.
    let pool = database.raw().await;
    let mut planted = Vec::new();
    let all: Vec<(String, String)> =
        text_columns(database, &pool).await.into_iter().map(|(table, column, _)| (table, column)).collect();
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
    assert!(traces(database, &pool, &["zanzibar"]).await.len() > 8);

    assert!(store.contacts().erase(&scope, contact_id, at(30)).await.unwrap());

    // Another connection that keeps a reading position would keep the log.
    pool.close().await;
    let pool = database.raw().await;
    let left = traces(database, &pool, &["zanzibar"]).await;
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
    assert!(store.account_data().erase(account_id, at(30)).await.unwrap());
    let pool = database.raw().await;
    for (table, column, _) in text_columns(database, &pool).await {
        if column != "account_id" {
            continue;
        }
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE account_id = '{account_id}'");
        let count: i64 = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_one(&pool).await.unwrap().get(0);
        assert_eq!(count, 0, "{table}");
    }
    pool.close().await;
    assert!(!store.account_data().erase(account_id, at(30)).await.unwrap());
    assert_eq!(other.everything(store).await, before);
}

/// Messages, answers and statistics of a conversation at the moment at which its contact is erased. Which of
/// them come first is up to the scheduler; what the conversation counted when it was erased must be empty,
/// and so must answers to erased questions.
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
            // Some messages continue the conversation, with or without saying again who writes; some begin
            // another one.
            next.conversation_id = (number % 3 != 2).then_some(conversation_id);
            next.contact_id = next.contact_id.filter(|_| number % 3 != 1);
            next.text = format!("Canary number {number}");
            tasks.spawn(async move {
                match number % 4 {
                    0 => {
                        let words = "As you said, a canary.";
                        let words = NewAnswer { question_id: Some(asked.message_id), ..answer(words) };
                        let conversations = store.conversations();
                        conversations
                            .record_answer(&scope, conversation_id, &words, None, at(11))
                            .await
                            .unwrap();
                        Ok(())
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

/// Writes a conversation of many messages that are all the same, straight into the tables.
pub(crate) async fn long_conversation(database: &Database, world: &World, text: &str, messages: i64) -> Uuid {
    let store = &database.store;
    let mut first = turn(&world.chatbot, None, text);
    first.contact_id = Some(world.contact.contact_id);
    let begun = store.conversations().begin_turn(&world.scope(), &first, at(10)).await.unwrap().unwrap();
    let id = begun.conversation.conversation_id;
    let pool = database.raw().await;
    let (numbers, last) = if database.is_postgres() {
        ("generate_series(2, $2) AS n (value)", "lpad(CAST(n.value AS TEXT), 12, '0')")
    } else {
        (
            "(WITH RECURSIVE n (value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < $2) SELECT value FROM n) AS n",
            "substr('000000000000' || n.value, -12)",
        )
    };
    let sql = format!(
        "INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, \
         needs_escalation, credits_used, created_at) SELECT substr(m.conversation_id, 1, 24) || {last}, m.conversation_id, m.account_id, \
         m.chatbot_id, n.value, m.role, m.body, m.sources, 0, 0, m.created_at FROM messages AS m CROSS JOIN {numbers} \
         WHERE m.conversation_id = $1"
    );
    let mut connection = pool.acquire().await.unwrap();
    if !database.is_postgres() {
        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *connection).await.unwrap();
    }
    for sql in [sql, "UPDATE conversations SET message_count = $2 WHERE conversation_id = $1".to_owned()] {
        let statement = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.to_string()).bind(messages);
        statement.execute(&mut *connection).await.unwrap();
    }
    drop(connection);
    pool.close().await;
    id
}

async fn what_is_left_of_an_erasure_is_hidden(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, contact_id) = (world.scope(), world.contact.contact_id);
    let id = long_conversation(database, &world, "A canary in Zanzibar", 1_200).await;
    // It is emptied after the conversation, which is older.
    let written = NewInbound {
        subject: Some("A canary".into()),
        attachments: Vec::new(),
        ..inbound(&world.channel, "later", "canary@mail.example")
    };
    let thread = store.threads().receive(&scope, &written, at(11)).await.unwrap().unwrap().thread.thread_id;
    let erased = store.contacts().erase_within(&scope, contact_id, Duration::ZERO, at(30)).await.unwrap();
    assert_eq!(erased, Erased::Continues);
    let pool = database.raw().await;
    let hidden = traces(database, &pool, &["anary"]).await;
    for column in
        ["messages.body", "thread_messages.body", "thread_messages.subject", "thread_messages.external_id"]
    {
        assert!(hidden.iter().any(|place| place == column), "{column}: {hidden:?}");
    }
    let known = traces(database, &pool, &["visitor@example.com"]).await;
    assert!(!known.iter().any(|place| place == "erasures.person"), "nobody needs it any more: {known:?}");
    pool.close().await;

    assert_eq!(store.contacts().find(&scope, contact_id).await.unwrap(), None);
    let messages = store.conversations().messages(&scope, id, 0, 2_000).await.unwrap();
    assert_eq!(messages.len(), 1_200);
    assert!(messages.iter().all(|message| message.body.is_empty()));
    let (kept, _) = store.threads().messages(&scope, thread, MessagesFrom::Newest, 10).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept.iter().all(|message| message.body.is_empty() && message.author_name.is_none()));
    assert!(kept.iter().all(|message| message.subject.is_none() && message.external_id.is_none()));
    let ids = ["canary@mail.example".to_owned()];
    let channel_id = world.channel.channel_id;
    assert_eq!(store.threads().find_by_message_ids(&scope, channel_id, &ids).await.unwrap(), None);
    assert_eq!(store.threads().message_keys(&scope, thread, 10).await.unwrap(), []);
    for table in TABLES {
        let (rows, _) = store.account_data().rows(world.account.account_id, *table, "").await.unwrap();
        let text = serde_json::to_string(&rows).unwrap();
        assert!(!text.contains("anary"), "the archive of the account: {}", table.name);
    }
    let mut snapshot = Snapshot::open(&database.url).await.unwrap();
    for table in snapshot.tables().to_vec() {
        let mut copy = Vec::new();
        let sum = snapshot.copy(&table, &mut copy).await.unwrap();
        let copy = String::from_utf8(copy).unwrap();
        assert_eq!(sum.rows, copy.lines().count() as u64);
        assert!(!copy.contains("anary"), "the backup: {}", table.name);
    }
    snapshot.close().await.unwrap();
    let found = ThreadFilter { text: Some("parcel".into()), ..ThreadFilter::default() };
    assert_eq!(store.threads().page(&scope, &found, &PageRequest::first(10)).await.unwrap().items, []);
    for text in [None, Some("canary".to_owned())] {
        let is_search = text.is_some();
        let filter = ConversationFilter { text, ..ConversationFilter::default() };
        let page = PageRequest::first(10);
        let found =
            store.conversations().page(&scope, world.chatbot.chatbot_id, &filter, &page).await.unwrap();
        assert!(!is_search || found.items.is_empty());
        assert!(found.items.iter().all(|listed| !listed.preview.contains("canary")));
    }
    // Whoever goes on writing is a stranger, and is read.
    let next = turn(&world.chatbot, Some(id), "Hello again");
    let next = store.conversations().begin_turn(&scope, &next, at(31)).await.unwrap().unwrap();
    assert_eq!((next.message.body.as_str(), next.conversation.contact_id), ("Hello again", None));
    // An answer to an erased question has no words, and the question is not kept.
    let asked = &messages[1_199];
    let words = NewAnswer { question_id: Some(asked.message_id), ..answer("As you said, a canary.") };
    let recorded = store.conversations().record_answer(&scope, id, &words, None, at(31)).await;
    assert_eq!(recorded.unwrap().unwrap().message.body, "");
    let questions = store.unanswered_questions();
    let bot = world.chatbot.chatbot_id;
    let kept = questions.record_asked(&scope, bot, "A canary in Zanzibar", asked, at(31)).await.unwrap();
    assert_eq!(kept, None);

    assert_eq!(store.contacts().unfinished_erasures(at(20), 10).await.unwrap(), Vec::<Uuid>::new());
    let unfinished = store.contacts().unfinished_erasures(at(3_000), 10).await.unwrap();
    assert_eq!(unfinished, [contact_id]);
    assert!(!store.contacts().continue_erasure(contact_id, Duration::ZERO, at(3_000)).await.unwrap());
    assert!(store.contacts().continue_erasure(contact_id, Duration::MAX, at(3_000)).await.unwrap());
    assert!(store.contacts().continue_erasure(contact_id, Duration::MAX, at(61)).await.unwrap());
    assert_eq!(store.contacts().unfinished_erasures(at(9_000), 10).await.unwrap(), Vec::<Uuid>::new());
    let pool = database.raw().await;
    let left = traces(database, &pool, &["anary"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
    let messages = store.conversations().messages(&scope, id, 1_200, 10).await.unwrap();
    assert_eq!(messages[0].body, "Hello again");
}

async fn a_merged_contact_is_erased_under_its_earlier_names(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let mut named = claim("kanarienvogel@customer.example");
    named.claimed.name = Some("Kanaria Vogel".into());
    let source = store.contacts().upsert(&scope, &named, at(10)).await.unwrap().unwrap();
    let target =
        store.contacts().upsert(&scope, &claim("ann@customer.example"), at(10)).await.unwrap().unwrap();
    let new = NewDeal {
        title: "Mower for Kanaria Vogel".into(),
        contact_ids: vec![source.contact_id],
        ..NewDeal::default()
    };
    let linked = store.deals().create(&scope, &new, None, at(11)).await.unwrap();
    let unlinked = NewDeal { title: "Ask kanarienvogel@customer.example".into(), ..NewDeal::default() };
    let unlinked = store.deals().create(&scope, &unlinked, None, at(11)).await.unwrap();
    let skipped = crate::emails::skipped(world.channel.channel_id, "a", "kanarienvogel@customer.example");
    assert!(store.skipped_mails().add(&scope, &skipped, at(12)).await.unwrap());
    store.contacts().merge(&scope, target.contact_id, source.contact_id, at(13)).await.unwrap().unwrap();
    // Names that it had only for a while.
    for name in ["Kanarie", "Ann"] {
        let update = ContactUpdate { name: Some(Some(name.into())), ..ContactUpdate::default() };
        store.contacts().update(&scope, target.contact_id, &update, at(14)).await.unwrap().unwrap();
    }
    let pool = database.raw().await;
    assert!(!traces(database, &pool, &["anarie", "anaria"]).await.is_empty());
    pool.close().await;
    assert!(store.contacts().erase(&scope, target.contact_id, at(20)).await.unwrap());
    let pool = database.raw().await;
    let left = traces(database, &pool, &["anarie", "anaria"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
    let title = async |id| store.deals().find(&scope, id).await.unwrap().unwrap().title;
    assert_eq!(title(linked.deal_id).await, "Mower for [erased]");
    assert_eq!(title(unlinked.deal_id).await, "Ask [erased]");
}

async fn reports_about_a_person_are_erased(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let person =
        store.contacts().upsert(&scope, &claim("ann@customer.example"), at(10)).await.unwrap().unwrap();
    let channel_id = world.channel.channel_id;
    let report = |key: &str, address: &str| NewSkippedMail {
        addresses: vec!["mailer-daemon@mx.example".into(), address.into()],
        ..crate::emails::skipped(channel_id, key, "mailer-daemon@mx.example")
    };
    for (key, address) in [("a", "Ann@Customer.example"), ("b", "joann@customer.example")] {
        let report = report(key, address);
        store.stored_objects().register(report.object_key.as_deref().unwrap(), at(11)).await.unwrap();
        assert!(store.skipped_mails().add(&scope, &report, at(11)).await.unwrap());
    }
    assert!(store.contacts().erase(&scope, person.contact_id, at(20)).await.unwrap());
    let left = store.skipped_mails().page(&scope, channel_id, &PageRequest::first(10)).await.unwrap().items;
    assert_eq!(left.len(), 1, "the report about somebody else stays");
    // The object goes at once, whatever its age.
    let orphans = store.stored_objects().erased(10).await.unwrap();
    assert_eq!(orphans, [format!("mail/{channel_id}/a")]);
}

async fn a_thread_of_others_loses_what_the_person_wrote(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let joins = NewInbound {
        thread_id: Some(world.received.thread.thread_id),
        contact: claim("canary@customer.example").claimed,
        body: "I am the canary.".into(),
        ..inbound(&world.channel, "order", "two")
    };
    let joined = store.threads().receive(&scope, &joins, at(9)).await.unwrap().unwrap();
    let person = joined.message.author_id.unwrap();
    assert_ne!(person, world.contact.contact_id);
    assert!(store.contacts().erase(&scope, person, at(20)).await.unwrap());
    let thread = store.threads().find(&scope, joined.thread.thread_id).await.unwrap().unwrap();
    assert_eq!(thread.last_message_preview, "");
    let (messages, _) =
        store.threads().messages(&scope, thread.thread_id, MessagesFrom::Newest, 10).await.unwrap();
    assert!(messages[0].body.contains("parcel"), "what others wrote stays");
    let pool = database.raw().await;
    let left = traces(database, &pool, &["anary"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
}

/// A submission names an address of the person after the contact was deleted, and before the erasure has
/// noted that it has looked for such submissions.
async fn an_interrupted_erasure_takes_what_is_claimed_meanwhile(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, contact_id) = (world.scope(), world.contact.contact_id);
    long_conversation(database, &world, "Hello", 1_200).await;
    let erased = store.contacts().erase_within(&scope, contact_id, Duration::ZERO, at(30)).await.unwrap();
    assert_eq!(erased, Erased::Continues);
    assert_eq!(store.contacts().find(&scope, contact_id).await.unwrap(), None);
    let person = json!({
        "contact_id": contact_id, "account_id": world.account.account_id, "ids": [contact_id.to_string()],
        "emails": ["canary@customer.example"], "names": [], "phones": [], "external_ids": [],
    });
    let pool = database.raw().await;
    assert!(run(database, &pool, format!("UPDATE erasures SET person = '{person}'")).await);
    let doubtful = NewInbound {
        contact: claim("canary@customer.example").claimed,
        body: "I am the canary.".into(),
        is_spam: true,
        ..inbound(&world.channel, "doubtful", "doubtful")
    };
    let doubtful = store.threads().receive(&scope, &doubtful, at(31)).await.unwrap().unwrap();
    assert_eq!(doubtful.thread.contact_id, None);
    assert!(store.contacts().continue_erasure(contact_id, Duration::MAX, at(32)).await.unwrap());
    let left = traces(database, &pool, &["anary"]).await;
    assert!(left.is_empty(), "{left:?}");
    pool.close().await;
}

async fn an_address_of_another_contact_stays_with_it(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let contacts = store.contacts();
    let email = |text: &str| ContactUpdate { email: Some(Some(text.into())), ..ContactUpdate::default() };
    let person = contacts.create(&scope, &email("info@bäcker.example"), at(5)).await.unwrap().unwrap();
    contacts.update(&scope, person.contact_id, &email("ann@customer.example"), at(6)).await.unwrap().unwrap();
    let other = contacts.create(&scope, &email("info@bäcker.example"), at(7)).await.unwrap().unwrap();
    // As earlier versions have stored it.
    let pool = database.raw().await;
    let earlier = format!(
        "UPDATE contacts SET email = 'info@bäcker.example' WHERE contact_id = '{}'",
        other.contact_id
    );
    assert!(run(database, &pool, earlier).await);
    pool.close().await;
    let channel_id = world.channel.channel_id;
    for (key, address) in [("a", "info@bäcker.example"), ("b", "ann@customer.example")] {
        let skipped = crate::emails::skipped(channel_id, key, address);
        assert!(store.skipped_mails().add(&scope, &skipped, at(8)).await.unwrap());
    }
    assert!(contacts.erase(&scope, person.contact_id, at(9)).await.unwrap());
    let left = store.skipped_mails().page(&scope, channel_id, &PageRequest::first(10)).await.unwrap().items;
    let senders: Vec<_> = left.iter().filter_map(|mail| mail.from_address.as_deref()).collect();
    assert_eq!(senders, ["info@xn--bcker-gra.example"]);
}

async fn a_merge_forgets_responses_or_does_not_happen(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, source) = (world.scope(), world.contact.contact_id);
    let target =
        store.contacts().upsert(&scope, &claim("ann@customer.example"), at(10)).await.unwrap().unwrap();
    let request = IdempotentRequest {
        api_key_id: world.key.key_id,
        path: "POST /api/v1/contacts".into(),
        key: "one".into(),
        fingerprint: "hash".into(),
    };
    let Claimed::Run(claimed) = store.idempotency().claim(&request, at(11)).await.unwrap() else { panic!() };
    let mentions = source.to_string();
    let response = StoredResponse { status: 201, content_type: None, body: b"x".to_vec(), mentions };
    assert!(store.idempotency().complete(&claimed, &response).await.unwrap());
    let statements: &[&str] = if database.is_postgres() {
        &[
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
            "CREATE TRIGGER refuse BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse()",
            "DROP TRIGGER refuse ON idempotency_keys",
        ]
    } else {
        &[
            "CREATE TRIGGER refuse BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'refused'); END",
            "DROP TRIGGER refuse",
        ]
    };
    let (allow, refuse) = statements.split_last().unwrap();
    let pool = database.raw().await;
    for statement in refuse {
        sqlx::query(*statement).execute(&pool).await.unwrap();
    }
    store.contacts().merge(&scope, target.contact_id, source, at(12)).await.unwrap_err();
    assert!(store.contacts().find(&scope, source).await.unwrap().is_some());
    sqlx::query(*allow).execute(&pool).await.unwrap();
    pool.close().await;
    store.contacts().merge(&scope, target.contact_id, source, at(13)).await.unwrap().unwrap();
    assert_eq!(database.count("idempotency_keys").await, 0);
}
