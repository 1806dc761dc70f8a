//! A thousand e-mails of all forms and faults, posted and from a mailbox: each becomes a message or is listed
//! with its reason, and the numbers agree.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use data_encoding::HEXLOWER;
use frontdesk_client::{Client, model::EmailChannelSettings};
use frontdesk_mail::{Limits, Nature, Own, read};
use frontdesk_store::Plan;
use frontdesk_testkit::mails::broken;
use futures_util::{StreamExt, stream};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    Dovecot, email_channel,
    mail::is_read,
    posting::{SECRET, mail_request},
};
use crate::{
    database::Database,
    installation::Installation,
    patience::until,
    webhooks::mail::{Manner, sink},
    wire::{Request, json},
};

const ADDRESS: &str = "shop@shop.example";
/// More than is read of one e-mail, as base64.
const TOO_LARGE: usize = 20 * 1024 * 1024;
const BROKEN: u64 = 960;

/// E-mails that are not broken, or in a way of their own.
fn special(channel_id: Uuid) -> Vec<Vec<u8>> {
    let mut mails: Vec<Vec<u8>> = Vec::new();
    for number in 0..10 {
        // What this channel has sent comes back, and a list repeats it.
        mails.push(
            format!("From: list@lists.example\r\nMessage-ID: <{number}@lists.example>\r\nX-Frontdesk-Channel: {channel_id}\r\n\r\nRound {number}\r\n")
                .into_bytes(),
        );
        mails.push(format!("From: {ADDRESS}\r\nMessage-ID: <own.{number}@shop.example>\r\nSubject: Note\r\n\r\nTo myself\r\n").into_bytes());
        mails.push(
            format!(
                "From: postmaster@mx.example\r\nReturn-Path: <>\r\nMessage-ID: <dsn.{number}@mx.example>\r\nMIME-Version: 1.0\r\n\
                 Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nIt failed.\r\n--b\r\n\
                 Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n\
                 Final-Recipient: rfc822; bo@acme.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n"
            )
            .into_bytes(),
        );
    }
    mails.push(with_file("plan.bin", 10 * 1024 * 1024));
    mails.push(Vec::new());
    mails.push((0..=255).collect());
    mails.push(b"Subject: Offer\r\n\r\nNobody has sent this\r\n".to_vec());
    mails
}

/// An e-mail with a file of this size.
fn with_file(name: &str, bytes: usize) -> Vec<u8> {
    let content = STANDARD.encode(vec![7_u8; bytes]);
    format!(
        "From: Ada <ada@acme.example>\r\nMessage-ID: <{name}@acme.example>\r\nSubject: {name}\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the file.\r\n--b\r\n\
         Content-Type: application/octet-stream; name={name}\r\nContent-Transfer-Encoding: base64\r\n\r\n{content}\r\n--b--\r\n"
    )
    .into_bytes()
}

/// What an e-mail is to become, as far as the reader decides it: nothing was sent by this channel, so every
/// report is unknown.
enum Fate {
    /// A message that is known by this.
    Message(String),
    /// A skipped e-mail with this reason.
    Skipped(String),
}

fn fate(bytes: &[u8], channel_id: Uuid) -> Fate {
    let email = match read(bytes, &Limits::default()) {
        Ok(email) => email,
        Err(error) => return Fate::Skipped(error.code().to_owned()),
    };
    let origin = channel_id.to_string();
    if (Own { address: ADDRESS, origin: &origin }).circle(&email).is_some() {
        return Fate::Skipped("circle".to_owned());
    }
    match email.nature {
        Nature::Bounce(_) => Fate::Skipped("unknown_bounce".to_owned()),
        Nature::Receipt => Fate::Skipped("receipt".to_owned()),
        _ => Fate::Message(email.message_id.unwrap_or_else(|| digest(bytes))),
    }
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// What e-mails are to become.
struct Expected {
    /// Messages of threads.
    messages: usize,
    /// Skipped e-mails by their reason.
    skipped: BTreeMap<String, usize>,
}

impl Expected {
    /// Of e-mails with the numbers of their channels. Those that come again count once.
    fn of<'a>(mails: impl IntoIterator<Item = (usize, &'a [u8])>, channels: &[Uuid]) -> Self {
        let mut messages = BTreeSet::new();
        let mut known_skipped = BTreeMap::new();
        for (place, mail) in mails {
            match fate(mail, channels[place]) {
                Fate::Message(key) => {
                    messages.insert((place, key));
                }
                Fate::Skipped(reason) => {
                    known_skipped.insert((place, digest(mail)), reason);
                }
            }
        }
        let mut skipped = BTreeMap::new();
        for reason in known_skipped.into_values() {
            *skipped.entry(reason).or_default() += 1;
        }
        Self { messages: messages.len(), skipped }
    }
}

/// The number of messages in all threads.
async fn messages(client: &Client) -> i64 {
    let mut count = 0;
    let mut cursor: Option<String> = None;
    loop {
        let mut list = client.inbox().list_threads().limit(100);
        if let Some(cursor) = cursor {
            list = list.cursor(cursor);
        }
        let page = list.await.unwrap().into_inner();
        count += page.threads.iter().map(|thread| thread.message_count).sum::<i64>();
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            return count;
        }
    }
}

/// The number of skipped e-mails by their reason.
async fn skipped(client: &Client, channel_id: Uuid) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut list = client.inbox_channels().list_skipped_mails(channel_id.into()).limit(100);
        if let Some(cursor) = cursor {
            list = list.cursor(cursor);
        }
        let page = list.await.unwrap().into_inner();
        for mail in page.skipped_mails {
            // What is too large to be read cannot be kept.
            let is_too_large = mail.reason.as_str() == "too_large";
            assert!(mail.is_kept != is_too_large && !mail.detail.is_empty(), "{mail:?}");
            *reasons.entry(mail.reason.as_str().to_owned()).or_default() += 1;
        }
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            return reasons;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_mails_become_messages_or_are_listed() {
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    // Two mailboxes, because one may get 600 e-mails a minute.
    let mut channels = Vec::new();
    for name in ["Support", "Orders"] {
        let settings = EmailChannelSettings::new().address(ADDRESS).push_secret(SECRET.to_owned());
        let channel = email_channel(&client, name, settings).await;
        channels.push((channel.channel_id, channel.email.unwrap().channel_key));
    }
    let mut mails: Vec<(usize, Vec<u8>)> = Vec::new();
    let of_corpus = |seed: u64| (usize::from(seed % 2 == 1), broken(seed));
    mails.extend((0..BROKEN).map(of_corpus));
    mails.extend(special(channels[0].0.uuid()).into_iter().map(|mail| (0, mail)));
    // Mail servers deliver some messages again.
    mails.extend((0..10).map(of_corpus));
    assert!(mails.len() >= 1_000, "{}", mails.len());

    let ids: Vec<Uuid> = channels.iter().map(|(channel_id, _)| channel_id.uuid()).collect();
    let expected = Expected::of(mails.iter().map(|(place, mail)| (*place, mail.as_slice())), &ids);

    let (total, address) = (mails.len(), service.address());
    let post = |place: usize, mail: Vec<u8>| {
        let request = mail_request(channels[place].1, SECRET, mail);
        async move { request.send(address).await }
    };
    let outcomes: Vec<String> = stream::iter(mails)
        .map(|(place, mail)| {
            let sent = post(place, mail);
            async move {
                let response = sent.await;
                assert_eq!(response.status.as_u16(), 202, "{response:?}");
                json(&response)["outcome"].as_str().unwrap().to_owned()
            }
        })
        .buffer_unordered(4)
        .collect()
        .await;
    // Programs learn at once of what is too large to be read, and keep it.
    assert_eq!(post(0, with_file("film.bin", TOO_LARGE)).await.status, 413);
    let count = |outcome: &str| outcomes.iter().filter(|found| *found == outcome).count();
    let (received, listed, repeated) = (count("received"), count("skipped"), count("duplicate"));
    assert_eq!(received + listed + repeated, total, "every e-mail has an outcome");
    assert_eq!((received, listed), (expected.messages, expected.skipped.values().sum()));
    assert!(repeated >= 10 && listed > 30 && received > 700, "{received} {listed} {repeated}");

    assert_eq!(messages(&client).await, i64::try_from(received).unwrap());
    let mut reasons = skipped(&client, channels[0].0.uuid()).await;
    for (reason, count) in skipped(&client, channels[1].0.uuid()).await {
        *reasons.entry(reason).or_default() += count;
    }
    assert_eq!(reasons, expected.skipped);
    for reason in ["circle", "unknown_bounce", "empty", "not_a_message", "no_sender"] {
        assert!(reasons.contains_key(reason), "{reasons:?}");
    }
    let found = client.inbox().list_threads().q("file").await.unwrap().into_inner().threads;
    let plan = found.iter().find(|thread| thread.subject.as_deref() == Some("plan.bin")).unwrap();
    let all = client.inbox().list_thread_messages(plan.thread_id).await.unwrap().into_inner().messages;
    assert_eq!(all[0].attachments[0].size_bytes, 10 * 1024 * 1024);
    let stored = format!("/api/v1/inbox/attachments/{}/download", all[0].attachments[0].attachment_id);
    let raw = Request::new("GET", &stored).key(&acme.key.text).send(service.address()).await;
    assert_eq!(raw.body.len(), 10 * 1024 * 1024);
    service.stop().await;
}

/// An e-mail as the mail server returns it: every line ends with CR and LF, and no byte is NUL.
fn as_returned(mail: &[u8]) -> Vec<u8> {
    let mut returned = Vec::with_capacity(mail.len());
    for byte in mail {
        if *byte == b'\n' && returned.last() != Some(&b'\r') {
            returned.push(b'\r');
        }
        returned.push(if *byte == 0 { 0x80 } else { *byte });
    }
    returned
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_mails_of_a_mailbox_become_messages_or_are_listed() {
    let Some(dovecot) = Dovecot::start().await else { return };
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let (smtp, _) = sink(Manner::Accept).await;
    let settings = dovecot.settings(&smtp).address(ADDRESS);
    let channel = email_channel(&client, "Support", settings).await;
    is_read(&service, &channel).await;

    let mut mails: Vec<Vec<u8>> = (0..BROKEN).map(broken).collect();
    mails.extend(special(channel.channel_id.uuid()));
    mails.extend((0..10).map(broken));
    let total = mails.len();
    assert!(total >= 1_000, "{total}");
    let returned: Vec<Vec<u8>> = mails.iter().map(|mail| as_returned(mail)).collect();
    let mut expected =
        Expected::of(returned.iter().map(|mail| (0, mail.as_slice())), &[channel.channel_id.uuid()]);
    for mail in &mails {
        dovecot.deliver(mail);
    }
    dovecot.deliver(with_file("film.bin", TOO_LARGE));
    // Its text is read all the same.
    expected.messages += 1;

    let scope = acme.scope();
    for read in (100..=total).step_by(100).chain([total + 1]) {
        until(&format!("{read} e-mails are read"), async || {
            let found = service.database.store.inbox_channels().find(&scope, channel.channel_id.uuid()).await;
            let last = found.unwrap().unwrap().progress?["last_uid"].as_u64()?;
            (last >= read as u64).then_some(())
        })
        .await;
    }
    assert_eq!(messages(&client).await, i64::try_from(expected.messages).unwrap());
    assert_eq!(skipped(&client, channel.channel_id.uuid()).await, expected.skipped);
    let film = client.inbox().list_threads().q("film.bin").await.unwrap().into_inner();
    let [film] = &film.threads[..] else { panic!("{film:?}") };
    let read = client.inbox().list_thread_messages(film.thread_id).await.unwrap().into_inner();
    let text = &read.messages[0].body;
    assert!(text.starts_with("See the file.") && text.contains("files are missing"), "{text}");
    assert!(read.messages[0].attachments.is_empty(), "the file is cut off");
    service.stop().await;
}
