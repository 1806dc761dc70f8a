//! Telegram, WhatsApp and Messenger: documented posts, and what is sent to them.

use frontdesk_client::{
    Client, Raw,
    model::{
        InboxChannelKind, InboxMessage, MetaChannelSettings, NewAttachment, NewInboxChannel,
        NewThreadMessage, TelegramChannelSettings, Thread,
    },
};
use frontdesk_runtime::codec;
use frontdesk_store::Plan;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    posting::signed_request,
    stand_in::{PNG, StandIn, stand_in, update},
};
use crate::{
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    patience::until,
    wire::Request,
};

on_both_databases!(
    a_bot_is_asked_for_updates_and_replies,
    telegram_posts_updates_with_its_secret,
    whatsapp_reports_what_becomes_of_replies,
    messenger_reports_what_was_seen,
    files_go_both_ways_by_telegram,
    files_go_both_ways_by_whatsapp,
    files_go_both_ways_by_messenger,
);

async fn thread_with(client: &Client, count: usize) -> (Thread, Vec<InboxMessage>) {
    until("the messages are there", async || {
        let thread = client.inbox().list_threads().await.unwrap().into_inner().threads.pop()?;
        let all = client.inbox().list_thread_messages(thread.thread_id).await.unwrap().into_inner().messages;
        assert!(all.len() <= count, "{all:?}");
        (all.len() == count).then_some((thread, all))
    })
    .await
}

/// Writes a reply and waits until it has a status.
async fn reply(client: &Client, thread_id: Uuid, text: &str) -> InboxMessage {
    let written =
        client.inbox().create_thread_message(thread_id.into(), NewThreadMessage::new(text)).await.unwrap();
    has_status(client, thread_id, written.message_id.uuid(), "sent").await
}

async fn has_status(client: &Client, thread_id: Uuid, id: Uuid, expected: &str) -> InboxMessage {
    until(expected, async || {
        let all = client.inbox().list_thread_messages(thread_id.into()).await.unwrap().into_inner().messages;
        let found = all.into_iter().find(|message| message.message_id == id.into()).unwrap();
        (found.delivery_status.as_ref().unwrap().as_str() == expected).then_some(found)
    })
    .await
}

async fn a_bot_is_asked_for_updates_and_replies(database: Database) {
    let (asked, url) = stand_in().await;
    let service = Installation::start_with(database, |config| config.channels.telegram_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    asked.lock().unwrap().updates = vec![update(1, "Do you repair trimmers?"), json!({ "update_id": 2 })];
    let settings = TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl");
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    assert_eq!(channel.telegram.as_ref().map(|telegram| telegram.uses_webhook), Some(false));

    let (thread, all) = thread_with(&client, 1).await;
    assert_eq!((thread.channel.as_str(), &*all[0].body), ("telegram", "Do you repair trimmers?"));
    assert_eq!(all[0].author.name.as_deref(), Some("Sam Reed"));
    reply(&client, thread.thread_id.uuid(), "We do.").await;
    let sent = asked.lock().unwrap().requests.clone();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].0, "/bot123456:ABC-DEF1234ghIkl/sendMessage");
    assert_eq!((&sent[0].1["chat_id"], &sent[0].1["text"]), (&json!("5"), &json!("We do.")));
    // Updates are not received again, and later ones join the thread.
    asked.lock().unwrap().updates.push(update(3, "Great"));
    let (same, _) = thread_with(&client, 3).await;
    assert_eq!(same.thread_id, thread.thread_id);
    assert!(client.contacts().list().await.unwrap().contacts.len() <= 1);
    service.stop().await;
}

async fn telegram_posts_updates_with_its_secret(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = TelegramChannelSettings::new()
        .token("123456:ABC-DEF1234ghIkl")
        .webhook_secret("secret-of-the-webhook".to_owned());
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = channel.telegram.as_ref().unwrap().channel_key;
    let path = format!("/api/v1/public/channels/{key}/telegram");
    let post = async |secret: &str, body: String| {
        let request = Request::new("POST", &path).header("X-Telegram-Bot-Api-Secret-Token", secret);
        request.json(body).send(service.address()).await.status.as_u16()
    };
    let hello = update(1, "Hello").to_string();
    assert_eq!(post("secret-of-somebody", hello.clone()).await, 404);
    assert_eq!(post("", hello.clone()).await, 404);
    for body in [hello.clone(), hello, json!({ "update_id": 2, "edited_message": {} }).to_string()] {
        assert_eq!(post("secret-of-the-webhook", body).await, 200);
    }
    assert_eq!(post("secret-of-the-webhook", "no JSON".to_owned()).await, 400);
    thread_with(&client, 1).await;
    service.stop().await;
}

fn meta(sender_id: &str) -> MetaChannelSettings {
    MetaChannelSettings::new()
        .sender_id(sender_id)
        .access_token("EAAB")
        .app_secret("secret of the app")
        .verify_token("token of the handshake")
}

/// Posts a body as Meta does, signed with a secret.
async fn post(service: &Installation, key: Uuid, body: &Value, secret: &str) -> u16 {
    signed_request(key, secret, body).send(service.address()).await.status.as_u16()
}

/// What Meta asks when the webhook is set up.
async fn handshake(service: &Installation, key: Uuid, token: &str) -> Raw {
    let path = format!(
        "/api/v1/public/channels/{key}/meta?hub.mode=subscribe&hub.verify_token={token}&hub.challenge=1158201444"
    );
    Request::new("GET", &path).send(service.address()).await
}

async fn whatsapp_reports_what_becomes_of_replies(database: Database) {
    let (asked, url) = stand_in().await;
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Whatsapp, "WhatsApp").whatsapp(meta("106540352242922"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = channel.whatsapp.as_ref().unwrap().channel_key;
    let right = handshake(&service, key, "token%20of%20the%20handshake").await;
    assert_eq!((right.status.as_u16(), &right.body[..]), (200, &b"1158201444"[..]));
    assert_eq!(handshake(&service, key, "wrong").await.status, 404);
    assert_eq!(
        handshake(&service, channel.channel_id.uuid(), "token%20of%20the%20handshake").await.status,
        404
    );

    let whatsapp = |value: Value, number: &str| {
        let mut value = value;
        value["messaging_product"] = json!("whatsapp");
        value["metadata"] = json!({ "display_phone_number": "15550783881", "phone_number_id": number });
        json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1", "changes": [{ "value": value, "field": "messages" }] }] })
    };
    let message = json!({
        "contacts": [{ "profile": { "name": "Sheena Nelson" }, "wa_id": "16505551234" }],
        "messages": [{ "from": "16505551234", "id": "wamid.HBg", "timestamp": "1749416383", "type": "text", "text": { "body": "Another color?" } }],
    });
    let body = whatsapp(message.clone(), "106540352242922");
    assert_eq!(post(&service, key, &body, "another secret").await, 404);
    assert_eq!(
        post(&service, key, &whatsapp(message, "999"), "secret of the app").await,
        200,
        "of another number"
    );
    for _ in 0..2 {
        assert_eq!(post(&service, key, &body, "secret of the app").await, 200);
    }
    let (thread, all) = thread_with(&client, 1).await;
    assert_eq!((thread.channel.as_str(), &*all[0].body), ("whatsapp", "Another color?"));
    let contact = client.contacts().get(thread.contact_id.unwrap()).await.unwrap().into_inner();
    assert_eq!(contact.phone.as_deref(), Some("+16505551234"));
    let written = reply(&client, thread.thread_id.uuid(), "Green.").await;
    let sent = asked.lock().unwrap().requests.clone();
    assert_eq!((&*sent[0].0, &sent[0].1["to"]), ("/106540352242922/messages", &json!("16505551234")));
    let report = |status: &str, more: Value| {
        let mut report = json!({ "id": "wamid.100", "status": status, "timestamp": "1749416390", "recipient_id": "16505551234" });
        if let Some(errors) = more.get("errors") {
            report["errors"] = errors.clone();
        }
        whatsapp(json!({ "statuses": [report] }), "106540352242922")
    };
    for (status, expected) in [("delivered", "delivered"), ("read", "read"), ("delivered", "read")] {
        assert_eq!(post(&service, key, &report(status, json!({})), "secret of the app").await, 200);
        has_status(&client, thread.thread_id.uuid(), written.message_id.uuid(), expected).await;
    }
    service.stop().await;
}

async fn messenger_reports_what_was_seen(database: Database) {
    let (asked, url) = stand_in().await;
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Messenger, "Page").messenger(meta("1"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = channel.messenger.as_ref().unwrap().channel_key;
    assert_eq!(handshake(&service, key, "token%20of%20the%20handshake").await.status, 200);
    let page = |event: Value| {
        let mut event = event;
        event["sender"] = json!({ "id": "77" });
        event["recipient"] = json!({ "id": "1" });
        json!({ "object": "page", "entry": [{ "id": "1", "time": 1, "messaging": [event] }] })
    };
    let hello =
        page(json!({ "timestamp": 1_749_416_383_000_i64, "message": { "mid": "m_1", "text": "Hello" } }));
    assert_eq!(post(&service, key, &hello, "secret of the app").await, 200);
    let (thread, _) = thread_with(&client, 1).await;
    let written = reply(&client, thread.thread_id.uuid(), "Hi.").await;
    let sent = asked.lock().unwrap().requests.clone();
    assert_eq!((&*sent[0].0, &sent[0].1["recipient"]["id"]), ("/1/messages", &json!("77")));
    let seen = |at: i64| page(json!({ "timestamp": at, "read": { "watermark": at } }));
    assert_eq!(post(&service, key, &seen(1_000), "secret of the app").await, 200);
    has_status(&client, thread.thread_id.uuid(), written.message_id.uuid(), "sent").await;
    let now = jiff::Timestamp::now().as_millisecond() + 1_000;
    assert_eq!(post(&service, key, &seen(now), "secret of the app").await, 200);
    has_status(&client, thread.thread_id.uuid(), written.message_id.uuid(), "read").await;
    service.stop().await;
}

/// Uploads a picture and a text file, and replies with both.
async fn reply_with_files(client: &Client, thread_id: Uuid) -> InboxMessage {
    let mut ids = Vec::new();
    for (name, content) in [("bed.png", PNG), ("offer.txt", &b"Two hedges, 40 EUR"[..])] {
        let file = NewAttachment::new(codec::File::new(content.to_vec()).named(name));
        ids.push(client.inbox().upload_attachment(file).await.unwrap().attachment_id);
    }
    let new = NewThreadMessage::new("Here it is.").attachment_ids(ids);
    let written = client.inbox().create_thread_message(thread_id.into(), new).await.unwrap().into_inner();
    let types: Vec<_> = written.attachments.iter().map(|file| file.mime_type.as_str()).collect();
    assert_eq!(types, ["image/png", "text/plain"]);
    has_status(client, thread_id, written.message_id.uuid(), "sent").await
}

/// The picture that a message has brought.
async fn is_picture(service: &Installation, acme: &Customer, message: &InboxMessage, name: &str) {
    let [picture] = message.attachments.as_slice() else { panic!("{message:?}") };
    assert_eq!((picture.file_name.as_str(), picture.mime_type.as_str()), (name, "image/png"));
    let path = format!("/api/v1/inbox/attachments/{}/download", picture.attachment_id);
    let raw = Request::new("GET", &path).key(&acme.key.text).send(service.address()).await;
    assert_eq!(&raw.body[..], PNG);
}

fn paths(asked: &StandIn) -> Vec<String> {
    asked.lock().unwrap().requests.iter().map(|(path, _)| path.clone()).collect()
}

async fn files_go_both_ways_by_telegram(database: Database) {
    let (asked, url) = stand_in().await;
    let service = Installation::start_with(database, |config| config.channels.telegram_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let mut photo = update(1, "");
    photo["message"]["caption"] = json!("Is this box blight?");
    photo["message"]["photo"] =
        json!([{ "file_id": "small", "file_size": 10 }, { "file_id": "large", "file_size": 33 }]);
    let mut film = update(2, "And a film");
    film["message"]["video"] =
        json!({ "file_id": "film", "file_size": 50_000_000, "file_name": "hedge.mp4" });
    asked.lock().unwrap().updates = vec![photo, film];
    let settings = TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl");
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    client.inbox_channels().create(new).await.unwrap();
    let (thread, all) = thread_with(&client, 2).await;
    is_picture(&service, &acme, &all[0], "attachment.png").await;
    assert_eq!(all[1].body, "And a film\n[video: hedge.mp4, not fetched]", "larger than the limit");
    asked.lock().unwrap().requests.clear();
    reply_with_files(&client, thread.thread_id.uuid()).await;
    let paths = paths(&asked);
    let methods: Vec<_> = paths.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(methods, ["sendMessage", "sendPhoto", "sendDocument"]);
    let form = asked.lock().unwrap().requests[2].1.as_str().unwrap().to_owned();
    assert!(form.contains("filename=\"offer.txt\"") && form.contains("Two hedges, 40 EUR"), "{form}");
    service.stop().await;
}

async fn files_go_both_ways_by_whatsapp(database: Database) {
    let (asked, url) = stand_in().await;
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Whatsapp, "WhatsApp").whatsapp(meta("106540352242922"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = channel.whatsapp.as_ref().unwrap().channel_key;
    // The payload of the documentation of image messages.
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1", "changes": [{ "field": "messages", "value": {
        "messaging_product": "whatsapp",
        "metadata": { "display_phone_number": "15550783881", "phone_number_id": "106540352242922" },
        "contacts": [{ "profile": { "name": "Sheena Nelson" }, "wa_id": "16505551234" }],
        "messages": [{
            "from": "16505551234", "id": "wamid.HBg", "timestamp": "1744344496", "type": "image",
            "image": { "caption": "Taj Mahal", "mime_type": "image/jpeg", "sha256": "SfInY0gGKTsJlUWbwxC1k", "id": "1003383421387256" },
        }],
    } }] }] });
    assert_eq!(post(&service, key, &body, "secret of the app").await, 200);
    let (thread, all) = thread_with(&client, 1).await;
    assert_eq!(all[0].body, "Taj Mahal");
    is_picture(&service, &acme, &all[0], "attachment.png").await;
    assert_eq!(paths(&asked), ["/1003383421387256"]);
    asked.lock().unwrap().requests.clear();
    reply_with_files(&client, thread.thread_id.uuid()).await;
    let number = "/106540352242922";
    let expected =
        ["media", "media", "messages", "messages", "messages"].map(|end| format!("{number}/{end}"));
    assert_eq!(paths(&asked), expected, "everything is uploaded before anything is sent");
    let sent = asked.lock().unwrap().requests.clone();
    assert_eq!(sent[2].1["text"]["body"], "Here it is.");
    assert_eq!(sent[3].1["image"]["id"], "1037543291543636");
    assert_eq!(sent[4].1["document"]["filename"], "offer.txt");
    service.stop().await;
}

async fn files_go_both_ways_by_messenger(database: Database) {
    let (asked, url) = stand_in().await;
    let content = url.join("content/photo").unwrap();
    let service = Installation::start_with(database, |config| config.channels.graph_url = url).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let new = NewInboxChannel::new(InboxChannelKind::Messenger, "Page").messenger(meta("1"));
    let channel = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = channel.messenger.as_ref().unwrap().channel_key;
    let image = |url: &str, mid: &str| {
        json!({ "object": "page", "entry": [{ "id": "1", "time": 1, "messaging": [{
            "sender": { "id": "77" }, "recipient": { "id": "1" }, "timestamp": 1_749_416_383_000_i64,
            "message": { "mid": mid, "attachments": [{ "type": "image", "payload": { "url": url } }] },
        }] }] })
    };
    assert_eq!(post(&service, key, &image(content.as_str(), "m_1"), "secret of the app").await, 200);
    // An address of somebody else is not asked.
    let elsewhere = "http://127.0.0.1:9/secret.png";
    assert_eq!(post(&service, key, &image(elsewhere, "m_2"), "secret of the app").await, 200);
    let (thread, all) = thread_with(&client, 2).await;
    is_picture(&service, &acme, &all[0], "attachment.png").await;
    assert_eq!((&*all[1].body, all[1].attachments.len()), ("[image: a file, not fetched]", 0));
    asked.lock().unwrap().requests.clear();
    reply_with_files(&client, thread.thread_id.uuid()).await;
    let expected = ["message_attachments", "message_attachments", "messages", "messages", "messages"];
    assert_eq!(paths(&asked), expected.map(|end| format!("/1/{end}")));
    let sent = asked.lock().unwrap().requests.clone();
    let types = sent[3..].iter().map(|(_, body)| body["message"]["attachment"]["type"].clone());
    assert_eq!(types.collect::<Vec<_>>(), ["image", "file"]);
    service.stop().await;
}
