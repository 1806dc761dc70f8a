//! E-mail: from the mailbox into threads and back to the customer, and what is not for the inbox.

use frontdesk_client::{
    Client,
    model::{
        EmailChannelSettings, InboxChannel, InboxChannelKind, InboxMessage, NewInboxChannel, NewThread,
        NewThreadMessage, Thread, ThreadStatus, ThreadUpdate,
    },
};
use frontdesk_store::Plan;
use serde_json::json;
use uuid::Uuid;

use super::{Dovecot, dovecot::smtp_server, email_channel, posting::SECRET};
use crate::{
    database::Database,
    installation::{Installation, status},
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
    wire::{Request, json},
};

on_both_databases!(
    a_mailbox_is_answered_from_the_inbox,
    broken_mails_are_listed_and_block_nothing,
    mails_are_posted_with_a_secret,
    secrets_of_channels_are_never_returned,
);

/// Waits for a number of threads and returns them, newest first.
async fn threads(client: &Client, count: usize) -> Vec<Thread> {
    until("the threads are there", async || {
        let found = client.inbox().list_threads().await.unwrap().into_inner().threads;
        (found.len() == count).then_some(found)
    })
    .await
}

/// Waits until a thread has a number of messages.
async fn messages(client: &Client, thread_id: Uuid, count: usize) -> Vec<InboxMessage> {
    until("the messages are there", async || {
        let found =
            client.inbox().list_thread_messages(thread_id.into()).await.unwrap().into_inner().messages;
        (found.len() == count).then_some(found)
    })
    .await
}

/// Waits until the first visit of a mailbox has found where it begins.
pub(super) async fn is_read(service: &Installation, channel: &InboxChannel) {
    let scope = frontdesk_store::Scope::of_account(
        service.database.store.accounts().list().await.unwrap()[0].account_id,
    );
    until("the mailbox is read", async || {
        let channels = service.database.store.inbox_channels();
        let found = channels.find(&scope, channel.channel_id.uuid()).await.unwrap().unwrap();
        assert_eq!(found.last_error, None);
        found.progress
    })
    .await;
}

async fn a_mailbox_is_answered_from_the_inbox(database: Database) {
    let Some(dovecot) = Dovecot::start().await else { return };
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let inbox = client.inbox();
    let channel = email_channel(&client, "Support", dovecot.settings(&smtp)).await;
    is_read(&service, &channel).await;

    dovecot.deliver(
        "From: Sam Reed <Sam@Customer.example>\r\nTo: support@acme.example\r\nSubject: Hedge trimmer\r\n\
         Message-ID: <1@customer.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nDo you repair it?\r\n\
         --b\r\nContent-Type: text/plain; name=note.txt\r\nContent-Disposition: attachment; filename=note.txt\r\n\r\nserial 36\r\n--b--\r\n",
    );
    let thread = threads(&client, 1).await.remove(0);
    let thread_id = thread.thread_id;
    assert_eq!((thread.channel.as_str(), thread.subject.as_deref()), ("email", Some("Hedge trimmer")));
    let first = messages(&client, thread_id.uuid(), 1).await.remove(0);
    assert_eq!((&*first.body, first.author.name.as_deref()), ("Do you repair it?", Some("Sam Reed")));
    assert_eq!(first.attachments[0].file_name, "note.txt");
    let contact = client.contacts().get(thread.contact_id.unwrap()).await.unwrap().into_inner();
    assert_eq!((contact.email.as_deref(), contact.is_verified), (Some("sam@customer.example"), false));
    assert_eq!(contact.source.as_str(), "email");

    // The reply is an e-mail of the same exchange.
    let resolve = NewThreadMessage::new("We do.").set_status(ThreadStatus::Resolved);
    let reply = inbox.create_thread_message(thread_id, resolve).await.unwrap().into_inner();
    let is_status = async |id: Uuid, expected: &str| {
        let all = inbox.list_thread_messages(thread_id).await.unwrap().into_inner().messages;
        let found = all.into_iter().find(|message| message.message_id == id.into()).unwrap();
        (found.delivery_status.as_ref().unwrap().as_str() == expected).then_some(found)
    };
    until("the reply is sent", async || is_status(reply.message_id.uuid(), "sent").await).await;
    let sent = mails.lock().unwrap()[0].clone();
    let own_id = format!("{}@acme.example", reply.message_id);
    for expected in [
        format!("Message-ID: <{own_id}>"),
        "In-Reply-To: <1@customer.example>".to_owned(),
        "References: <1@customer.example>".to_owned(),
        "Subject: Re: Hedge trimmer".to_owned(),
        "From: \"Acme Support\" <support@acme.example>".to_owned(),
        "To: \"Sam Reed\" <sam@customer.example>".to_owned(),
        format!("X-Frontdesk-Channel: {}", channel.channel_id),
        "We do.".to_owned(),
    ] {
        assert!(sent.contains(&expected), "{expected} is not in {sent}");
    }

    // A vacation notice neither opens the thread nor is answered.
    dovecot.deliver(format!(
        "From: sam@customer.example\r\nSubject: Automatic reply\r\nMessage-ID: <2@customer.example>\r\nAuto-Submitted: auto-replied\r\n\
         In-Reply-To: <{own_id}>\r\n\r\nI am away.\r\n"
    ));
    messages(&client, thread_id.uuid(), 3).await;
    assert_eq!(inbox.get_thread(thread_id).await.unwrap().status, ThreadStatus::Resolved);
    // A person opens it again; what is quoted is cut.
    dovecot.deliver(format!(
        "From: sam@customer.example\r\nSubject: Re: Hedge trimmer\r\nMessage-ID: <3@customer.example>\r\nReferences: <1@customer.example> \
         <{own_id}>\r\n\r\nGreat, when?\r\n\r\nOn 3 May 2026, Acme Support wrote:\r\n> We do.\r\n"
    ));
    let all = messages(&client, thread_id.uuid(), 4).await;
    assert_eq!(all[3].body, "Great, when?");
    assert_eq!(inbox.get_thread(thread_id).await.unwrap().status, ThreadStatus::Open);
    // Programs that name no earlier message are recognized by subject and sender.
    dovecot.deliver(
        "From: sam@customer.example\r\nSubject: AW: hedge trimmer\r\n\r\nAnd what does it cost?\r\n",
    );
    messages(&client, thread_id.uuid(), 5).await;
    // The same subject of another person is another thread, and so is what another person says of it.
    dovecot.deliver(
        "From: jo@other.example\r\nSubject: Hedge trimmer\r\nMessage-ID: <1@other.example>\r\n\r\nMe too\r\n",
    );
    threads(&client, 2).await;
    assert_eq!(mails.lock().unwrap().len(), 1, "nothing was answered by itself");

    // A bounce is noted at the message that has bounced.
    let late = inbox.create_thread_message(thread_id, NewThreadMessage::new("45 pounds.")).await.unwrap();
    until("the reply is sent", async || is_status(late.message_id.uuid(), "sent").await).await;
    dovecot.deliver(format!(
        "From: MAILER-DAEMON@acme.example\r\nSubject: Undelivered Mail\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n\
         Reporting-MTA: dns; mx.acme.example\r\n\r\nFinal-Recipient: rfc822; sam@customer.example\r\nAction: failed\r\n\
         Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n\
         Message-ID: <{}@acme.example>\r\n\r\n--b--\r\n",
        late.message_id
    ));
    let bounced =
        until("the bounce is noted", async || is_status(late.message_id.uuid(), "failed").await).await;
    assert!(bounced.delivery_error.unwrap().contains("550 no such user"));

    // The account can begin an exchange.
    let begin = NewThread::new(channel.channel_id, contact.contact_id, "Your trimmer is ready.")
        .subject("Repair".to_owned());
    let begun = inbox.create_thread(begin).await.unwrap().into_inner();
    let id = begun.messages.as_ref().unwrap()[0].message_id;
    until("it is sent", async || {
        mails.lock().unwrap().iter().find(|mail| mail.contains("Subject: Repair\n")).cloned()
    })
    .await;
    dovecot.deliver(format!(
        "From: sam@customer.example\r\nSubject: Re: Repair\r\nMessage-ID: <9@customer.example>\r\nIn-Reply-To: <{id}@acme.example>\r\n\r\nThanks\r\n"
    ));
    messages(&client, begun.thread_id.uuid(), 2).await;
    service.stop().await;
}

async fn broken_mails_are_listed_and_block_nothing(database: Database) {
    let Some(dovecot) = Dovecot::start().await else { return };
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let client = service.client(&acme);
    let channels = client.inbox_channels();
    let channel = email_channel(&client, "Support", dovecot.settings(&smtp)).await;
    let id = channel.channel_id;
    is_read(&service, &channel).await;

    dovecot.deliver((0..=255).collect::<Vec<u8>>());
    dovecot.deliver("");
    dovecot.deliver("Subject: Offer\r\n\r\nNobody has sent this\r\n");
    dovecot.deliver(format!("From: a@b.example\r\nX-Frontdesk-Channel: {id}\r\n\r\nA circle\r\n"));
    dovecot.deliver("From: support@acme.example\r\nSubject: Note to self\r\n\r\nx\r\n");
    dovecot.deliver(
        "From: postmaster@b.example\r\nReturn-Path: <>\r\nSubject: Undelivered Mail\r\n\r\n550 5.1.1 unknown\r\n",
    );
    dovecot.deliver("From: sam@customer.example\r\nSubject: Fine\r\n\r\nHello\r\n");
    let thread = threads(&client, 1).await.remove(0);
    assert_eq!(thread.subject.as_deref(), Some("Fine"));
    let listed = until("all are listed", async || {
        let list = channels.list_skipped_mails(id).await.unwrap().into_inner().skipped_mails;
        (list.len() == 6).then_some(list)
    })
    .await;
    let mut reasons: Vec<_> = listed.iter().map(|mail| mail.reason.as_str()).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, ["circle", "circle", "empty", "no_sender", "not_a_message", "unknown_bounce"]);
    assert!(listed.iter().all(|mail| mail.is_kept && !mail.detail.is_empty()), "{listed:?}");
    let offer = listed.iter().find(|mail| mail.reason.as_str() == "no_sender").unwrap();
    assert_eq!(offer.size_bytes, Some(40));
    let path = format!("/api/v1/inbox/channels/{id}/skipped-mails/{}/original", offer.skipped_mail_id);
    let original = async |key: String| {
        let request = Request::new("GET", &path).key(&key);
        request.send(service.address()).await
    };
    let raw = original(acme.key.text.clone()).await;
    assert_eq!(&raw.body[..], b"Subject: Offer\r\n\r\nNobody has sent this\r\n");
    assert_eq!(raw.headers["content-type"], "message/rfc822");
    let expected = format!("attachment; filename=\"{}.eml\"", offer.skipped_mail_id);
    assert!(raw.headers["content-disposition"].to_str().unwrap().starts_with(&expected));
    assert_eq!(original(other.key.text.clone()).await.status, 404);
    let page = channels.list_skipped_mails(id).limit(5).await.unwrap().into_inner();
    assert!(page.pagination.has_more);
    assert_eq!(status(&service.client(&other).inbox_channels().list_skipped_mails(id).await), 404);
    assert!(mails.lock().unwrap().is_empty());

    // A mailbox that cannot be read says why, and works again once that is mended.
    let mut wrong = dovecot.settings(&smtp);
    if let Some(imap) = &mut wrong.imap {
        imap.password = Some("wrong".to_owned());
    }
    let change = |email| frontdesk_client::model::InboxChannelUpdate::new().email(email);
    channels.update(id, change(wrong)).await.unwrap();
    until("the error is told", async || {
        let error = channels.get(id).await.unwrap().last_error.clone()?;
        assert!(error.contains("refused the login"), "{error}");
        Some(())
    })
    .await;
    channels.update(id, change(dovecot.settings(&smtp))).await.unwrap();
    dovecot.deliver("From: sam@customer.example\r\nSubject: Later\r\n\r\nHello again\r\n");
    threads(&client, 2).await;
    service.stop().await;
}

async fn mails_are_posted_with_a_secret(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = EmailChannelSettings::new().address("support@acme.example").push_secret(SECRET.to_owned());
    let channel = email_channel(&client, "Support", settings).await;
    let key = channel.email.as_ref().unwrap().channel_key;
    let path = format!("/api/v1/public/channels/{key}/mail");
    let post = async |path: &str, secret: &str, body: &[u8]| {
        let request = Request::new("POST", path).header("X-Channel-Secret", secret);
        request.body_of("message/rfc822", body).send(service.address()).await
    };
    let mail = b"From: sam@customer.example\r\nSubject: Hi\r\nMessage-ID: <1@customer.example>\r\n\r\nGr\xfc\xdfe\r\n";
    let received = post(&path, SECRET, mail).await;
    assert_eq!((received.status.as_u16(), &json(&received)["outcome"]), (202, &json!("received")));
    let again = post(&path, SECRET, mail).await;
    assert_eq!(json(&again), json!({ "outcome": "duplicate" }));
    let broken = post(&path, SECRET, b"nothing").await;
    assert_eq!(json(&broken), json!({ "outcome": "skipped", "reason": "not_a_message" }));
    assert_eq!(json(&post(&path, SECRET, b"nothing").await), json!({ "outcome": "duplicate" }));
    for (path, secret) in [
        (&*path, "a-secret-of-another"),
        (&*path, ""),
        (&*format!("/api/v1/public/channels/{}/mail", channel.channel_id), SECRET),
        ("/api/v1/public/channels/x/mail", SECRET),
        (&*format!("/api/v1/public/channels/{key}/telegram"), SECRET),
        (&*format!("/api/v1/public/channels/{key}/meta"), SECRET),
    ] {
        assert_eq!(post(path, secret, mail).await.status, 404, "{path} {secret}");
    }
    assert_eq!(Request::new("PUT", &path).send(service.address()).await.status, 405);
    threads(&client, 1).await;
    assert_eq!(
        client.inbox_channels().list_skipped_mails(channel.channel_id).await.unwrap().skipped_mails.len(),
        1
    );

    // A proven contact is not changed by what an e-mail claims.
    let account = frontdesk_store::Scope::of_account(acme.account.account_id);
    let contacts = client.contacts().list().await.unwrap().into_inner().contacts;
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    let id = contacts[0].contact_id;
    service
        .database
        .run(&format!("UPDATE contacts SET is_verified = 1, name = 'Sam' WHERE contact_id = '{id}'"))
        .await;
    let other = b"From: Mallory <sam@customer.example>\r\nSubject: Re: Hi\r\nMessage-ID: <2@customer.example>\r\n\r\nIt is me\r\n";
    assert_eq!(post(&path, SECRET, other).await.status, 202);
    let sam = service.database.store.contacts().find(&account, id.uuid()).await.unwrap().unwrap();
    assert_eq!(sam.name.as_deref(), Some("Sam"));

    let off = ThreadUpdate::new().status(ThreadStatus::Resolved);
    let thread = client.inbox().list_threads().await.unwrap().into_inner().threads.remove(0);
    client.inbox().update_thread(thread.thread_id, off).await.unwrap();
    let update = frontdesk_client::model::InboxChannelUpdate::new().enabled(false);
    client.inbox_channels().update(channel.channel_id, update).await.unwrap();
    assert_eq!(post(&path, SECRET, mail).await.status, 404, "it is switched off");
    service.stop().await;
}

async fn secrets_of_channels_are_never_returned(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let channels = client.inbox_channels();
    let settings = || {
        EmailChannelSettings::new()
            .address("support@acme.example")
            .push_secret(SECRET.to_owned())
            .smtp(smtp_server("smtp://mail.acme.example:587").user("support").password("hunter-two"))
    };
    let channel = email_channel(&client, "Support", settings()).await;
    let shown = serde_json::to_string(&channel).unwrap();
    assert!(!shown.contains("hunter-two") && !shown.contains(SECRET), "{shown}");
    assert_eq!(channel.email.as_ref().unwrap().smtp.as_ref().map(|smtp| smtp.has_password), Some(true));
    let scope = acme.scope();
    let store = &service.database.store;
    let stored = store.inbox_channels().find(&scope, channel.channel_id.uuid()).await.unwrap().unwrap();
    assert!(!stored.settings.to_string().contains("hunter-two"));
    assert!(!stored.secrets.unwrap().expose().contains("hunter-two"));
    // Another host does not get the password of this one.
    let moved = EmailChannelSettings::new().smtp(smtp_server("smtp://mail.evil.example:587").user("support"));
    let update = frontdesk_client::model::InboxChannelUpdate::new().email(moved);
    let moved = channels.update(channel.channel_id, update).await.unwrap().into_inner();
    assert_eq!(moved.email.unwrap().smtp.map(|smtp| smtp.has_password), Some(false));
    // What is missing or of another kind is a failing field.
    for (new, field) in [
        (NewInboxChannel::new(InboxChannelKind::Email, "x"), "email.address"),
        (NewInboxChannel::new(InboxChannelKind::Api, "x").email(settings()), "email"),
        (NewInboxChannel::new(InboxChannelKind::Telegram, "x"), "telegram.token"),
        (NewInboxChannel::new(InboxChannelKind::Whatsapp, "x"), "whatsapp.app_secret"),
    ] {
        let refused = channels.create(new).await;
        assert_eq!(status(&refused), 422, "{field}");
        assert!(format!("{:?}", refused.unwrap_err()).contains(field), "{field}");
    }
    service.stop().await;
}
