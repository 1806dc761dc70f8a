//! Sums of the bytes that accounts store: right after everything that changes them, and limited by plans.

use frontdesk_store::{
    Account, AttachmentError, FaqItemUpdate, FileError, NewAttachment, NewSkippedMail, NewTextSnippet,
    PlanLimits, ResourceLimits, SnippetContent, Store, TextSnippetError, TextSnippetUpdate,
};
use sqlx::Row;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, attachment, chatbot, faq_chunk, faq_item, file, inbound};

on_both_databases!(
    sums_are_right_after_every_change,
    what_was_stored_before_there_were_sums_is_counted,
    storage_is_limited_even_when_much_is_added_at_once,
    messages_are_received_without_the_files_that_have_no_room,
);

/// The kinds with the sizes of their rows.
const KINDS: [(&str, &str); 5] = [
    ("files", "size_bytes"),
    ("attachments", "size_bytes"),
    ("skipped_mails", "CASE WHEN object_key IS NULL THEN 0 ELSE COALESCE(size_bytes, 0) END"),
    ("text_snippets", "octet_length(title) + octet_length(content)"),
    ("faq_items", "octet_length(question) + octet_length(alternative_questions) + octet_length(answer)"),
];

/// Checks that the sums are those of the rows, and returns that of an account.
async fn sum(database: &Database, account_id: Uuid) -> u64 {
    let counted: Vec<String> = KINDS
        .iter()
        .map(|(kind, size)| {
            format!(
                "SELECT account_id, '{kind}' AS kind, CAST(SUM({size}) AS BIGINT) AS bytes FROM {kind} GROUP BY account_id \
                 HAVING SUM({size}) > 0"
            )
        })
        .collect();
    let counted = format!("SELECT * FROM ({}) AS counted", counted.join(" UNION ALL "));
    let kept = "SELECT account_id, kind, bytes FROM stored_bytes".to_owned();
    let pool = database.raw().await;
    for (one, other) in [(&counted, &kept), (&kept, &counted)] {
        let difference = format!("SELECT kind FROM ({one} EXCEPT {other}) AS difference");
        let rows = sqlx::query(sqlx::AssertSqlSafe(difference)).fetch_all(&pool).await.unwrap();
        let kinds: Vec<String> = rows.iter().map(|row| row.get("kind")).collect();
        assert!(kinds.is_empty(), "other sums: {kinds:?}");
    }
    pool.close().await;
    database.store.plan_uses().of(account_id).await.unwrap().map_or(0, |plan| plan.storage.used)
}

fn snippet(title: &str, content: &str) -> SnippetContent {
    let (title, content) = (title.to_owned(), content.to_owned());
    SnippetContent { title, content, url: None, enabled: true, chunks: Vec::new() }
}

fn skipped(channel_id: Uuid, mail_key: &str, size_bytes: u64) -> NewSkippedMail {
    NewSkippedMail {
        skipped_mail_id: Uuid::now_v7(),
        channel_id,
        mail_key: mail_key.into(),
        reason: "damaged".into(),
        detail: "It is damaged.".into(),
        from_address: Some("visitor@example.com".into()),
        subject: None,
        size_bytes: Some(size_bytes),
        object_key: Some(format!("mail/{channel_id}/{mail_key}")),
        addresses: Vec::new(),
    }
}

fn sized(file_name: &str, size_bytes: u64) -> NewAttachment {
    NewAttachment { size_bytes, ..attachment(file_name) }
}

async fn sums_are_right_after_every_change(database: &Database) {
    let store = &database.store;
    let [one, other] = [World::new(store, "one", 1).await, World::new(store, "two", 2).await];
    let (scope, id) = (one.scope(), one.account.account_id);
    let bot = one.chatbot.chatbot_id;
    let before = sum(database, id).await;
    assert!(before > 0);
    // Texts count in UTF-8, and a NUL as the character that replaces it.
    let new = NewTextSnippet { content: snippet("Ö", "a\0b"), tag_ids: Vec::new() };
    let written = store.text_snippets().create(&scope, bot, &new, at(5)).await.unwrap().unwrap();
    assert_eq!(sum(database, id).await, before + 2 + 5);
    let update = TextSnippetUpdate { content: snippet("Opening", ""), tag_ids: None };
    store.text_snippets().update(&scope, &written, &update, at(6)).await.unwrap().unwrap();
    assert_eq!(sum(database, id).await, before + 7);
    let update = FaqItemUpdate { answer: Some("ja".into()), ..FaqItemUpdate::default() };
    let (faq, item) = (one.faq.faq_id, one.faq_item.faq_item_id);
    store.faq_items().update(&scope, faq, item, &update, &faq_chunk, at(7)).await.unwrap().unwrap();
    let rows = [faq_item("One?", "1"), faq_item("Two?", "2")].map(|new| new.content);
    store.faq_items().import(&scope, faq, &rows, &faq_chunk, at(8)).await.unwrap().unwrap();
    let content = file("other text", &[]).content;
    let job = file("", &[]).job;
    store
        .files()
        .replace_content(&scope, bot, one.file.file_id, &content, &job, at(9))
        .await
        .unwrap()
        .unwrap();
    for (key, kept) in [("a", true), ("b", false)] {
        let mut new = skipped(one.channel.channel_id, key, 300);
        new.object_key = new.object_key.filter(|_| kept);
        assert!(store.skipped_mails().add(&scope, &new, at(10)).await.unwrap());
    }
    let mut new = inbound(&one.channel, "files", "files");
    new.attachments = vec![sized("a.pdf", 1_000), sized("b.pdf", 2_000)];
    let received = store.threads().receive(&scope, &new, at(11)).await.unwrap().unwrap();
    let full = sum(database, id).await;
    assert!(full > before + 3_300, "{full}");
    // What is deleted, erased, pruned or goes with something else makes room.
    let thread = received.thread.contact_id.unwrap();
    assert!(store.contacts().erase(&scope, thread, at(12)).await.unwrap());
    assert!(sum(database, id).await <= full - 3_000);
    assert!(store.threads().prune_attachments(at(1_000), 100).await.unwrap() > 0);
    sum(database, id).await;
    assert!(store.inbox_channels().delete(&scope, one.channel.channel_id).await.unwrap());
    sum(database, id).await;
    assert!(store.faqs().delete(&scope, faq).await.unwrap());
    assert!(store.chatbots().delete(&scope, bot).await.unwrap());
    assert_eq!(sum(database, id).await, 0);
    let others = sum(database, other.account.account_id).await;
    assert!(others > 0);
    assert!(store.account_data().erase(other.account.account_id, at(1_000)).await.unwrap());
    assert_eq!(sum(database, other.account.account_id).await, 0);
}

async fn what_was_stored_before_there_were_sums_is_counted(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    store
        .skipped_mails()
        .add(&world.scope(), &skipped(world.channel.channel_id, "a", 300), at(5))
        .await
        .unwrap();
    let before = sum(database, world.account.account_id).await;
    let kind = if database.is_postgres() { "postgres" } else { "sqlite" };
    let migration = std::fs::read_to_string(format!("migrations/{kind}/0032_stored_bytes.sql")).unwrap();
    let (filling, _) = migration.split_once("-- By triggers").unwrap();
    let (_, filling) = filling.split_once("-- The sizes").unwrap();
    let (_, filling) = filling.split_once('\n').unwrap();
    let pool = database.raw().await;
    for statement in ["DELETE FROM stored_bytes"].into_iter().chain(filling.split(';')) {
        if !statement.trim().is_empty() {
            sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&pool).await.unwrap();
        }
    }
    pool.close().await;
    assert_eq!(sum(database, world.account.account_id).await, before);
}

fn limited(store: &Store, storage: u64) -> Store {
    let growth = ResourceLimits { storage: Some(storage), ..ResourceLimits::default() };
    store.clone().with_plan_limits(PlanLimits { growth, ..PlanLimits::default() })
}

async fn storage_is_limited_even_when_much_is_added_at_once(database: &Database) {
    let store = limited(&database.store, 1_000);
    let account: Account = account(&store, "One").await;
    let scope = account.scope();
    let bots = [chatbot(&store, &scope, "one").await, chatbot(&store, &scope, "two").await];
    let adding: Vec<_> = (0..24)
        .map(|number: usize| {
            let (store, bot) = (store.clone(), bots[number % 2].chatbot_id);
            tokio::spawn(async move {
                // Each takes 100 bytes.
                match number % 3 {
                    0 => match store.threads().add_attachment(&scope, &sized("a", 100), at(2)).await {
                        Ok(_) => true,
                        Err(AttachmentError::PlanLimit(_)) => false,
                        Err(error) => panic!("{error:?}"),
                    },
                    1 => {
                        let content = snippet("", &"x".repeat(100));
                        let new = NewTextSnippet { content, tag_ids: Vec::new() };
                        match store.text_snippets().create(&scope, bot, &new, at(2)).await {
                            Ok(_) => true,
                            Err(TextSnippetError::PlanLimit(_)) => false,
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                    _ => {
                        let mut new = file(&number.to_string(), &[]);
                        new.content.size_bytes = 100;
                        match store.files().create(&scope, bot, &new, at(2)).await {
                            Ok(_) => true,
                            Err(FileError::PlanLimit(_)) => false,
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
            })
        })
        .collect();
    let mut added = 0;
    for task in adding {
        added += u64::from(task.await.unwrap());
    }
    assert_eq!((added, sum(database, account.account_id).await), (10, 1_000));
}

async fn messages_are_received_without_the_files_that_have_no_room(database: &Database) {
    let world = World::new(&database.store, "one", 1).await;
    let (scope, id) = (world.scope(), world.account.account_id);
    let store = limited(&database.store, sum(database, id).await + 1_000);
    let mut new = inbound(&world.channel, "files", "files");
    new.attachments = vec![sized("a.pdf", 900), sized("b.pdf", 101), sized("c.pdf", 100)];
    let received = store.threads().receive(&scope, &new, at(11)).await.unwrap().unwrap();
    assert_eq!(received.left_out, [new.attachments[1].object_key.clone()]);
    let note = "[b.pdf: 101 bytes, not stored because the plan includes no more storage]";
    assert_eq!(received.message.body, format!("{}\n{note}", frontdesk_store::replace_nul(&new.body)));
    let message_id = received.message.message_id;
    let stored =
        store.threads().attachments_of(&scope, &[message_id]).await.unwrap().remove(&message_id).unwrap();
    let names: Vec<_> = stored.iter().map(|file| file.file_name.as_str()).collect();
    assert_eq!(names, ["a.pdf", "c.pdf"]);
    // An e-mail that is not read is listed without its bytes.
    assert!(
        store.skipped_mails().add(&scope, &skipped(world.channel.channel_id, "a", 1), at(12)).await.unwrap()
    );
    let page = frontdesk_store::PageRequest::first(9);
    let listed = store.skipped_mails().page(&scope, world.channel.channel_id, &page).await.unwrap().items;
    let [mail] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((mail.size_bytes, mail.object_key.as_deref()), (Some(1), None));
    assert!(mail.detail.starts_with("It is damaged. Its bytes are not kept"), "{}", mail.detail);
    sum(database, id).await;
}
