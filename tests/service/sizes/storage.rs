//! Bytes that a plan includes: what is refused, what is received all the same, and what `/usage` shows.

use frontdesk_client::{
    Client, Error,
    model::{
        DeleteContactMode, EmailChannelSettings, FaqItemUpdate, FileContent, NewAttachment, NewFaq,
        NewFaqItem, NewFile, NewTextSnippet, TextSnippetUpdate,
    },
};
use frontdesk_runtime::codec;
use frontdesk_store::{Plan, ResourceLimits};
use serde_json::json;

use super::noise;
use crate::{
    channels::{
        email_channel,
        posting::{SECRET, post_mail},
        smtp_server,
    },
    database::Database,
    installation::{Installation, chatbot_for},
    on_both_databases,
    patience::until,
    wire::json as json_of,
};

on_both_databases!(plans_limit_the_bytes_that_are_stored, what_people_send_is_received_without_room);

const LIMIT: i64 = 10_000;

/// Returns that a request was refused because of the limit.
fn is_refused<T: std::fmt::Debug, E: std::fmt::Debug>(refused: Result<T, Error<E>>) {
    let refused = refused.unwrap_err();
    let body: serde_json::Value = serde_json::from_slice(&refused.raw().unwrap().body).unwrap();
    assert_eq!(
        (refused.status().unwrap().as_u16(), &body["error"]),
        (409, &json!("plan_limit_reached")),
        "{body}"
    );
    let message = body["message"].as_str().unwrap();
    assert!(message.contains("includes 10000 bytes of storage"), "{message}");
}

async fn used(client: &Client) -> i64 {
    let storage = client.usage().get().await.unwrap().into_inner().storage;
    assert_eq!(storage.limit_bytes, Some(LIMIT));
    storage.used_bytes
}

async fn start(database: Database) -> Installation {
    let growth = ResourceLimits { storage: u64::try_from(LIMIT).ok(), ..ResourceLimits::default() };
    Installation::start_with(database, |config| config.plans.growth = growth).await
}

async fn plans_limit_the_bytes_that_are_stored(database: Database) {
    let service = start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let bot = client
        .chatbots()
        .create(chatbot_for("Helper", &["https://acme.example/".to_owned()]))
        .await
        .unwrap()
        .chatbot_id;
    let text = |letter: &str, length: usize| codec::File::new(letter.repeat(length)).named("a.txt");
    let (files, inbox, snippets) = (client.files(), client.inbox(), client.text_snippets());

    // Each kind counts, and the last byte of the plan can be used.
    let file = files.upload(bot, NewFile::new(text("a", 4_000))).await.unwrap().into_inner();
    inbox.upload_attachment(NewAttachment::new(text("b", 3_000))).await.unwrap();
    let snippet = snippets
        .create(bot, NewTextSnippet::new("Öffnung", "täglich ".repeat(100)))
        .await
        .unwrap()
        .into_inner();
    let mut expected = 7_000 + 8 + 900;
    assert_eq!(used(&client).await, expected, "texts count in UTF-8");
    let faq = client.faqs().create(NewFaq::new("Questions")).await.unwrap().faq_id;
    let item = client.faq_items().create(faq, NewFaqItem::new("Open?", "Yes.")).await.unwrap().into_inner();
    expected += 5 + 2 + 4;
    assert_eq!(used(&client).await, expected);
    let rest = usize::try_from(LIMIT - expected).unwrap();
    is_refused(inbox.upload_attachment(NewAttachment::new(text("c", rest + 1))).await);
    is_refused(files.upload(bot, NewFile::new(text("c", rest + 1))).await);
    is_refused(files.replace_content(bot, file.file_id, FileContent::new(text("c", 4_000 + rest + 1))).await);
    is_refused(snippets.create(bot, NewTextSnippet::new("T", "x".repeat(rest))).await);
    let longer = TextSnippetUpdate::new().content("x".repeat(900 + rest + 1));
    is_refused(snippets.update(bot, snippet.text_snippet_id, longer).await);
    is_refused(client.faq_items().create(faq, NewFaqItem::new("Q", "x".repeat(rest))).await);
    let longer = FaqItemUpdate::new().answer("x".repeat(4 + rest + 1));
    is_refused(client.faq_items().update(faq, item.faq_item_id, longer).await);
    assert_eq!(used(&client).await, expected, "what was refused has left nothing");
    let csv = format!("question,answer\nShort?,Yes\nLong?,{}\n", "x".repeat(rest));
    let report = client.faq_items().import(faq, csv).await.unwrap().into_inner();
    assert_eq!((report.created, report.rejected.len(), report.rejected[0].line), (1, 1, 3));
    assert!(report.rejected[0].message.contains("bytes of storage"), "{report:?}");
    let rest = rest - 6 - 2 - 3;
    let last = inbox.upload_attachment(NewAttachment::new(text("d", rest))).await.unwrap();
    assert_eq!((last.size_bytes, used(&client).await), (i64::try_from(rest).unwrap(), LIMIT));
    is_refused(inbox.upload_attachment(NewAttachment::new(text("e", 1))).await);

    // What is smaller than before, or as large, is never refused, and what is deleted makes room.
    let shorter = TextSnippetUpdate::new().content("x".repeat(900));
    snippets.update(bot, snippet.text_snippet_id, shorter).await.unwrap();
    client.faq_items().update(faq, item.faq_item_id, FaqItemUpdate::new().answer("No.")).await.unwrap();
    files.replace_content(bot, file.file_id, FileContent::new(text("f", 100))).await.unwrap();
    assert_eq!(used(&client).await, LIMIT - 1 - 3_900);
    files.delete(bot, file.file_id).await.unwrap();
    snippets.delete(bot, snippet.text_snippet_id).await.unwrap();
    client.faqs().delete(faq).await.unwrap();
    assert_eq!(used(&client).await, 3_000 + last.size_bytes);
    files.upload(bot, NewFile::new(text("g", 2_000))).await.unwrap();
    client.chatbots().delete(bot).await.unwrap();
    assert_eq!(used(&client).await, 3_000 + last.size_bytes, "files go with their chatbot");
    // Other plans have their own limit, or none.
    let other = service.database.customer("other", Plan::Business).await;
    let storage = service.client(&other).usage().get().await.unwrap().into_inner().storage;
    assert_eq!((storage.used_bytes, storage.limit_bytes), (0, None));
    service.stop().await;
}

/// An e-mail with two files of these sizes.
fn mail(id: &str, first: usize, second: usize) -> String {
    let file = |name: &str, length: usize| {
        format!(
            "--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename={name}\r\n\r\n{}\r\n",
            "x".repeat(length)
        )
    };
    format!(
        "From: sam@customer.example\r\nSubject: Files\r\nMessage-ID: <{id}@customer.example>\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nDo you repair it?\r\n{}{}--b--\r\n",
        file("large.txt", first),
        file("small.txt", second)
    )
}

async fn what_people_send_is_received_without_room(database: Database) {
    let service = start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = EmailChannelSettings::new()
        .address("support@acme.example")
        .push_secret(SECRET.to_owned())
        .smtp(smtp_server("smtp://mail.acme.example:587"));
    let channel = email_channel(&client, "Support", settings).await;
    let post = async |body: Vec<u8>| {
        let posted = post_mail(service.address(), &channel, body).await;
        assert_eq!(posted.status, 202);
        json_of(&posted)
    };
    let received = post(mail("1", 9_990, 20).into_bytes()).await;
    assert_eq!(received["outcome"], "received");
    let thread_id = received["thread_id"].as_str().unwrap().parse().unwrap();
    let message =
        client.inbox().list_thread_messages(thread_id).await.unwrap().into_inner().messages.remove(0);
    let note = "[small.txt: 20 bytes, not stored because the plan includes no more storage]";
    assert_eq!(message.body, format!("Do you repair it?\n{note}"));
    assert_eq!((message.attachments.len(), &*message.attachments[0].file_name), (1, "large.txt"));
    assert_eq!(used(&client).await, 9_990);

    // What cannot be read is listed, and says that its bytes are not there.
    assert_eq!(post(noise(1, 500)).await["outcome"], "skipped");
    let listed = client
        .inbox_channels()
        .list_skipped_mails(channel.channel_id)
        .await
        .unwrap()
        .into_inner()
        .skipped_mails;
    assert_eq!((listed.len(), listed[0].is_kept, listed[0].size_bytes), (1, false, Some(500)));
    assert!(
        listed[0].detail.ends_with("because the plan of the account includes no more storage."),
        "{listed:?}"
    );
    assert_eq!(used(&client).await, 9_990);
    // Only what is named by a row is in the storage of files.
    until("nothing else is kept", async || (objects(service.files.path()) == 1).then_some(())).await;

    // Erasing who has written makes room at once.
    let contact = client.contacts().lookup().email("sam@customer.example").await.unwrap().contact_id;
    client.contacts().delete(contact).mode(DeleteContactMode::Erase).await.unwrap();
    until("the room is free", async || (used(&client).await == 0).then_some(())).await;
    assert_eq!(post(noise(2, 500)).await["outcome"], "skipped");
    assert_eq!(used(&client).await, 500);
    service.stop().await;
}

/// Returns how many objects a folder has.
fn objects(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { objects(&entry.path()) } else { 1 }).sum()
}
