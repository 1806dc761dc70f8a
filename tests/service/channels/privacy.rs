//! What is left of a person's words and addresses: in the log, in errors of jobs, in the files and the
//! database after an erasure.

use std::{path::Path, time::Duration};

use frontdesk_client::model::{DeleteContactMode, EmailChannelSettings, NewThreadMessage};
use frontdesk_store::{Erased, Plan};
use jiff::Timestamp;
use serde_json::json;
use sqlx::{AnyPool, Row};
use uuid::Uuid;

use super::{
    dovecot::smtp_server,
    email_channel,
    posting::{SECRET, post_mail},
};
use crate::{
    database::Database,
    installation::{Installation, SITES, client, status},
    on_both_databases,
    patience::until,
    process::Process,
    webhooks::mail::{Manner, sink},
    wire::json,
};

on_both_databases!(
    a_recipient_is_neither_logged_nor_kept_after_an_erasure,
    an_erasure_is_finished_by_the_service,
);

/// The texts that a statement selects.
async fn selected(database: &Database, sql: &'static str) -> Vec<String> {
    let pool = AnyPool::connect(&database.url).await.unwrap();
    let rows = sqlx::query(sql).fetch_all(&pool).await.unwrap();
    pool.close().await;
    rows.iter().map(|row| row.get(0)).collect()
}

/// The files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // One may be gone meanwhile.
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

async fn a_recipient_is_neither_logged_nor_kept_after_an_erasure(database: Database) {
    let (smtp, _) = sink(Manner::RecipientLater).await;
    let acme = database.customer("acme", Plan::Growth).await;
    let more = ["--channel-allow-network", SITES, "--log-filter", "debug"];
    let process = Process::start(&database, &more);
    let acme_client = client(process.address, &acme.key.text);
    let settings = EmailChannelSettings::new()
        .address("support@acme.example")
        .push_secret(SECRET.to_owned())
        .smtp(smtp_server(&smtp));
    let channel = email_channel(&acme_client, "Support", settings).await;
    let post = async |body: &str| json(&post_mail(process.address, &channel, body).await);
    let mail = "From: Sam Reed <sam@customer.example>\r\nTo: support@acme.example\r\nSubject: Hedge trimmer canary\r\n\
         Message-ID: <1@customer.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nDo you repair the canary?\r\n\
         --b\r\nContent-Type: text/plain; name=note.txt\r\nContent-Disposition: attachment; filename=note.txt\r\n\r\n\
         serial canary\r\n--b--\r\n";
    assert_eq!(post(mail).await["outcome"], json!("received"));
    // A report about a message that nobody has sent: it is kept, and quotes what somebody has written.
    let report = "From: MAILER-DAEMON@mx.example\r\nReturn-Path: <>\r\nSubject: Undelivered Mail\r\n\r\n\
         <sam@customer.example>: 550 5.1.1 unknown\r\n\r\n> the canary\r\n";
    assert_eq!(post(report).await["outcome"], json!("skipped"));
    let thread = acme_client.inbox().list_threads().await.unwrap().into_inner().threads.remove(0);
    let reply = NewThreadMessage::new("We repair every canary.");
    acme_client.inbox().create_thread_message(thread.thread_id, reply).await.unwrap();
    let errors = until("the mail server has said: later", async || {
        let errors = selected(&database, "SELECT last_error FROM jobs WHERE last_error IS NOT NULL").await;
        (!errors.is_empty()).then_some(errors)
    })
    .await;
    assert!(errors[0].contains("mailbox full") && errors[0].contains("[address]"), "{errors:?}");
    assert!(errors.iter().all(|error| !error.contains('@')), "{errors:?}");
    let log = process.log().join("\n");
    assert!(log.contains("mailbox full"), "the log says why");
    assert!(!log.contains("sam@") && !log.contains("customer.example"), "{log}");
    assert!(!files_with(database.folder(), "serial canary").is_empty());

    let contact_id = thread.contact_id.unwrap();
    let contacts = acme_client.contacts();
    contacts.delete(contact_id).mode(DeleteContactMode::Erase).await.unwrap();
    assert_eq!(status(&contacts.get(contact_id).await), 404);
    for text in ["canary", "sam@customer"] {
        assert_eq!(files_with(database.folder(), text), Vec::<String>::new(), "{text}");
    }
    for sql in
        ["SELECT data FROM events", "SELECT body FROM thread_messages", "SELECT addresses FROM skipped_mails"]
    {
        let left = selected(&database, sql).await;
        assert!(
            left.iter().all(|text| !text.contains("canary") && !text.contains("sam@")),
            "{sql}: {left:?}"
        );
    }
    process.end("-TERM");
    drop(database);
}

/// What a request that has died leaves of an erasure.
async fn an_erasure_is_finished_by_the_service(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let acme_client = service.client(&acme);
    let settings = EmailChannelSettings::new().address("support@acme.example").push_secret(SECRET.to_owned());
    let channel = email_channel(&acme_client, "Support", settings).await;
    let mail = b"From: sam@customer.example\r\nSubject: Hi\r\nMessage-ID: <1@customer.example>\r\n\r\nThe canary\r\n";
    post_mail(service.address(), &channel, mail).await;
    let thread = acme_client.inbox().list_threads().await.unwrap().into_inner().threads.remove(0);
    let contact_id = thread.contact_id.unwrap();
    let contacts = service.database.store.contacts();
    let now = Timestamp::now();
    let begun = contacts.erase_within(&acme.scope(), contact_id.uuid(), Duration::ZERO, now).await.unwrap();
    assert_eq!(begun, Erased::Continues);
    assert_eq!(status(&acme_client.contacts().get(contact_id).await), 404);
    let shown =
        acme_client.inbox().list_thread_messages(thread.thread_id).await.unwrap().into_inner().messages;
    assert_eq!(shown[0].body, "", "what is left is not shown");
    // The first erasure fails each time, and does not keep the other one.
    let broken = Uuid::nil();
    let statement = format!(
        "INSERT INTO erasures (contact_id, account_id, person, touched_at) \
         SELECT '{broken}', account_id, 'not JSON', -1 FROM erasures"
    );
    service.database.run(&statement).await;
    until("nothing is left", async || {
        // The job leaves an erasure alone that somebody has worked on a moment ago.
        let statement = format!("UPDATE erasures SET touched_at = 0 WHERE contact_id <> '{broken}'");
        service.database.run(&statement).await;
        service.database.make_due(&["finish_erasures"]).await;
        let unfinished = contacts.unfinished_erasures(Timestamp::MAX, 2).await.unwrap();
        (unfinished == [broken]).then_some(())
    })
    .await;
    let left = selected(&service.database, "SELECT body FROM thread_messages").await;
    assert_eq!(left, [""]);
    service.stop().await;
}
