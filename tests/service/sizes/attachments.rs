//! An attachment of 10 MB in and out by each channel; the bytes are compared at both ends.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use frontdesk_client::{
    Client,
    model::{
        EmailChannelSettings, InboxChannelKind, InboxMessage, MetaChannelSettings, NewAttachment,
        NewInboxChannel, NewThreadMessage, TelegramChannelSettings, Thread,
    },
};
use frontdesk_runtime::codec;
use frontdesk_store::{Plan, Scope};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ATTACHMENT, noise};
use crate::{
    channels::{
        Dovecot, email_channel,
        posting::{SECRET, post_mail, signed_request},
        smtp_server,
        stand_in::{ServedFile, StandIn, stand_in},
    },
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
    wire::Request,
};

on_both_databases!(
    ten_megabytes_go_both_ways_by_email,
    ten_megabytes_go_both_ways_by_telegram,
    ten_megabytes_go_both_ways_by_whatsapp,
    ten_megabytes_go_both_ways_by_messenger,
);

/// A file of the largest size. It looks like a scan, so no channel takes it for a picture that it may change.
fn scan(seed: u64) -> Vec<u8> {
    let mut bytes = noise(seed, ATTACHMENT);
    bytes[..9].copy_from_slice(b"%PDF-1.7\n");
    bytes
}

/// Waits for the message of an inbox whose text begins so, and returns its thread, too.
async fn arrived(client: &Client, text: &str) -> (Thread, InboxMessage) {
    until("the message is there", async || {
        for thread in client.inbox().list_threads().await.unwrap().into_inner().threads {
            let all =
                client.inbox().list_thread_messages(thread.thread_id).await.unwrap().into_inner().messages;
            if let Some(message) = all.into_iter().find(|message| message.body.starts_with(text)) {
                return Some((thread, message));
            }
        }
        None
    })
    .await
}

/// Checks that a message has brought a file with this content.
async fn has_brought(service: &Installation, acme: &Customer, message: &InboxMessage, content: &[u8]) {
    let [file] = message.attachments.as_slice() else { panic!("{message:?}") };
    assert_eq!(
        (file.mime_type.as_str(), file.size_bytes),
        ("application/pdf", i64::try_from(content.len()).unwrap())
    );
    let path = format!("/api/v1/inbox/attachments/{}/download", file.attachment_id);
    let raw = Request::new("GET", &path).key(&acme.key.text).send(service.address()).await;
    assert!(raw.body == content, "the download differs: {}", raw.status);
}

/// Replies with a file, and waits until the channel has taken it.
async fn reply(client: &Client, thread_id: Uuid, content: &[u8]) {
    let file = NewAttachment::new(codec::File::new(content.to_vec()).named("offer.pdf"));
    let file = client.inbox().upload_attachment(file).await.unwrap().into_inner();
    let new = NewThreadMessage::new("Here is our offer.").attachment_ids([file.attachment_id]);
    let written = client.inbox().create_thread_message(thread_id.into(), new).await.unwrap().into_inner();
    until("the reply is sent", async || {
        let all = client.inbox().list_thread_messages(thread_id.into()).await.unwrap().into_inner().messages;
        let found = all.into_iter().find(|message| message.message_id == written.message_id).unwrap();
        assert_eq!(found.delivery_error, None);
        (found.delivery_status.unwrap().as_str() == "sent").then_some(())
    })
    .await;
}

/// An e-mail with a file.
fn mail(id: &str, text: &str, content: &[u8]) -> Vec<u8> {
    let encoded = STANDARD.encode(content);
    let mut mail = format!(
        "From: Sam Reed <sam@customer.example>\r\nTo: support@acme.example\r\nSubject: {text}\r\nMessage-ID: <{id}@customer.example>\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n--part\r\nContent-Type: text/plain\r\n\r\n{text}\r\n\
         --part\r\nContent-Type: application/pdf; name=scan.pdf\r\nContent-Disposition: attachment; filename=scan.pdf\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n"
    );
    for line in encoded.as_bytes().chunks(76) {
        mail.push_str(std::str::from_utf8(line).unwrap());
        mail.push_str("\r\n");
    }
    mail.push_str("--part--\r\n");
    mail.into_bytes()
}

async fn ten_megabytes_go_both_ways_by_email(database: Database) {
    let dovecot = Dovecot::start().await;
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = match &dovecot {
        Some(dovecot) => dovecot.settings(&smtp),
        None => EmailChannelSettings::new().address("support@acme.example").smtp(smtp_server(&smtp)),
    };
    let channel = email_channel(&client, "Support", settings.push_secret(SECRET.to_owned())).await;

    let posted = scan(1);
    let post = post_mail(service.address(), &channel, mail("1", "By post", &posted)).await;
    assert_eq!(post.status, 202);
    let (thread, message) = arrived(&client, "By post").await;
    has_brought(&service, &acme, &message, &posted).await;

    if let Some(dovecot) = &dovecot {
        let scope = Scope::of_account(acme.account.account_id);
        let channels = service.database.store.inbox_channels();
        let is_read =
            async || channels.find(&scope, channel.channel_id.uuid()).await.unwrap().unwrap().progress;
        until("the mailbox is read", is_read).await;
        let fetched = scan(2);
        dovecot.deliver(mail("2", "From the mailbox", &fetched));
        let (_, message) = arrived(&client, "From the mailbox").await;
        has_brought(&service, &acme, &message, &fetched).await;
    }

    let offer = scan(3);
    reply(&client, thread.thread_id.uuid(), &offer).await;
    let sent = mails.lock().unwrap()[0].clone();
    let sent = frontdesk_mail::read(sent.as_bytes(), &frontdesk_mail::Limits::default()).unwrap();
    assert_eq!(sent.reply.trim(), "Here is our offer.");
    let [file] = sent.attachments.as_slice() else { panic!("{} files", sent.attachments.len()) };
    assert_eq!((&*file.name, &*file.media_type), ("offer.pdf", "application/pdf"));
    assert!(file.bytes == offer, "the recipient gets another file");
    service.stop().await;
}

/// Starts a messenger to which somebody has sent a file.
async fn messenger(content: Vec<u8>) -> (StandIn, url::Url) {
    let (messenger, url) = stand_in().await;
    messenger.lock().unwrap().file =
        ServedFile { name: "file_1.pdf", media_type: "application/pdf", content };
    (messenger, url)
}

/// Checks that a messenger was sent a form with this file.
fn was_sent(messenger: &StandIn, content: &[u8]) {
    let messenger = messenger.lock().unwrap();
    let [form] = messenger.forms.as_slice() else { panic!("{} forms", messenger.forms.len()) };
    let start = form.windows(9).position(|window| window == b"%PDF-1.7\n").expect("the form has the file");
    assert!(form[start..].starts_with(content), "the file differs");
    let head = String::from_utf8_lossy(&form[..start]);
    assert!(head.contains("filename=\"offer.pdf\"") && head.contains("application/pdf"), "{head}");
}

async fn ten_megabytes_go_both_ways_by_telegram(database: Database) {
    let (received, offer) = (scan(1), scan(2));
    let (telegram, url) = messenger(received.clone()).await;
    let service = Installation::start_with(database, |config| config.channels.telegram_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    telegram.lock().unwrap().updates = vec![json!({ "update_id": 1, "message": {
        "message_id": 1, "date": 1_441_645_532, "caption": "Our plan of the garden",
        "document": { "file_id": "f", "file_name": "plan.pdf", "mime_type": "application/pdf", "file_size": received.len() },
        "chat": { "id": 5, "type": "private", "first_name": "Sam" },
        "from": { "id": 5, "is_bot": false, "first_name": "Sam" },
    } })];
    let settings = TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl");
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    client.inbox_channels().create(new).await.unwrap();
    let (thread, message) = arrived(&client, "Our plan").await;
    has_brought(&service, &acme, &message, &received).await;
    reply(&client, thread.thread_id.uuid(), &offer).await;
    was_sent(&telegram, &offer);
    service.stop().await;
}

fn meta(sender_id: &str) -> MetaChannelSettings {
    MetaChannelSettings::new()
        .sender_id(sender_id)
        .access_token("EAAB")
        .app_secret("secret of the app")
        .verify_token("token of the handshake")
}

/// Posts a body as Meta does.
async fn post(service: &Installation, key: Uuid, body: &Value) {
    let request = signed_request(key, "secret of the app", body);
    assert_eq!(request.send(service.address()).await.status, 200);
}

async fn ten_megabytes_go_both_ways_by_whatsapp(database: Database) {
    let (received, offer) = (scan(1), scan(2));
    let (whatsapp, url) = messenger(received.clone()).await;
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Whatsapp, "WhatsApp").whatsapp(meta("106540352242922"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1", "changes": [{ "field": "messages", "value": {
        "messaging_product": "whatsapp",
        "metadata": { "display_phone_number": "15550783881", "phone_number_id": "106540352242922" },
        "contacts": [{ "profile": { "name": "Sam Reed" }, "wa_id": "16505551234" }],
        "messages": [{
            "from": "16505551234", "id": "wamid.HBg", "timestamp": "1744344496", "type": "document",
            "document": { "caption": "Our plan of the garden", "filename": "plan.pdf", "mime_type": "application/pdf", "sha256": "x", "id": "1003383421387256" },
        }],
    } }] }] });
    post(&service, channel.whatsapp.as_ref().unwrap().channel_key, &body).await;
    let (thread, message) = arrived(&client, "Our plan").await;
    has_brought(&service, &acme, &message, &received).await;
    reply(&client, thread.thread_id.uuid(), &offer).await;
    was_sent(&whatsapp, &offer);
    service.stop().await;
}

async fn ten_megabytes_go_both_ways_by_messenger(database: Database) {
    let (received, offer) = (scan(1), scan(2));
    let (page, url) = messenger(received.clone()).await;
    let content = url.join("content/plan").unwrap();
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Messenger, "Page").messenger(meta("1"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let body = json!({ "object": "page", "entry": [{ "id": "1", "time": 1, "messaging": [{
        "sender": { "id": "77" }, "recipient": { "id": "1" }, "timestamp": 1_749_416_383_000_i64,
        "message": { "mid": "m_1", "text": "Our plan of the garden", "attachments": [{ "type": "file", "payload": { "url": content } }] },
    }] }] });
    post(&service, channel.messenger.as_ref().unwrap().channel_key, &body).await;
    let (thread, message) = arrived(&client, "Our plan").await;
    has_brought(&service, &acme, &message, &received).await;
    reply(&client, thread.thread_id.uuid(), &offer).await;
    was_sent(&page, &offer);
    service.stop().await;
}
