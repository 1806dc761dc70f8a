//! Telegram, WhatsApp and Messenger: documented posts, and stand-ins that keep what is sent to them.

use std::sync::{Arc, Mutex};

use axum::{Router, body::Bytes, extract::State, http::Uri};
use frontdesk_client::{
    Client, Raw,
    model::{
        InboxChannelKind, InboxMessage, MetaChannelSettings, NewInboxChannel, NewThreadMessage,
        TelegramChannelSettings, Thread,
    },
};
use frontdesk_store::Plan;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use uuid::Uuid;

use crate::{
    database::Database, installation::Installation, on_both_databases, patience::until, wire::Request,
};

on_both_databases!(
    a_bot_is_asked_for_updates_and_replies,
    telegram_posts_updates_with_its_secret,
    whatsapp_reports_what_becomes_of_replies,
    messenger_reports_what_was_seen,
);

/// What a stand-in was asked, and the updates that it has for `getUpdates`.
#[derive(Default)]
struct Asked {
    requests: Vec<(String, Value)>,
    updates: Vec<Value>,
}

type StandIn = Arc<Mutex<Asked>>;

/// A server that responds as Telegram and the Graph API do. Returns its address, too.
async fn stand_in() -> (StandIn, url::Url) {
    let asked = StandIn::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let app = Router::new().fallback(respond).with_state(Arc::clone(&asked));
    tokio::spawn(async move { axum::serve(listener, app).await });
    (asked, url)
}

async fn respond(State(asked): State<StandIn>, uri: Uri, body: Bytes) -> axum::Json<Value> {
    let mut asked = asked.lock().unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = uri.path().to_owned();
    let number = asked.requests.len() + 100;
    let response = match path.rsplit('/').next().unwrap() {
        "getUpdates" => {
            let offset = body["offset"].as_i64().unwrap_or(0);
            let due = asked.updates.iter().filter(|update| update["update_id"].as_i64() >= Some(offset));
            json!({ "ok": true, "result": due.collect::<Vec<_>>() })
        }
        "sendMessage" => json!({ "ok": true, "result": { "message_id": number, "chat": { "id": 5 } } }),
        _ if body["messaging_product"] == "whatsapp" => {
            json!({ "messages": [{ "id": format!("wamid.{number}") }] })
        }
        _ => json!({ "recipient_id": "77", "message_id": format!("m_{number}") }),
    };
    if !path.ends_with("getUpdates") {
        asked.requests.push((path, body));
    }
    axum::Json(response)
}

fn update(id: i64, text: &str) -> Value {
    json!({ "update_id": id, "message": {
        "message_id": id, "date": 1_441_645_532, "text": text,
        "chat": { "id": 5, "type": "private", "first_name": "Sam" },
        "from": { "id": 5, "is_bot": false, "first_name": "Sam", "last_name": "Reed" },
    } })
}

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
    let written = client.inbox().create_thread_message(thread_id, NewThreadMessage::new(text)).await.unwrap();
    has_status(client, thread_id, written.message_id, "sent").await
}

async fn has_status(client: &Client, thread_id: Uuid, id: Uuid, expected: &str) -> InboxMessage {
    until(expected, async || {
        let all = client.inbox().list_thread_messages(thread_id).await.unwrap().into_inner().messages;
        let found = all.into_iter().find(|message| message.message_id == id).unwrap();
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
    reply(&client, thread.thread_id, "We do.").await;
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
    let text = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(text.as_bytes());
    let code: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let request = Request::new("POST", &format!("/api/v1/public/channels/{key}/meta"))
        .header("X-Hub-Signature-256", &format!("sha256={code}"));
    request.json(text).send(service.address()).await.status.as_u16()
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
    assert_eq!(handshake(&service, channel.channel_id, "token%20of%20the%20handshake").await.status, 404);

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
    let written = reply(&client, thread.thread_id, "Green.").await;
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
        has_status(&client, thread.thread_id, written.message_id, expected).await;
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
    let written = reply(&client, thread.thread_id, "Hi.").await;
    let sent = asked.lock().unwrap().requests.clone();
    assert_eq!((&*sent[0].0, &sent[0].1["recipient"]["id"]), ("/1/messages", &json!("77")));
    let seen = |at: i64| page(json!({ "timestamp": at, "read": { "watermark": at } }));
    assert_eq!(post(&service, key, &seen(1_000), "secret of the app").await, 200);
    has_status(&client, thread.thread_id, written.message_id, "sent").await;
    let now = jiff::Timestamp::now().as_millisecond() + 1_000;
    assert_eq!(post(&service, key, &seen(now), "secret of the app").await, 200);
    has_status(&client, thread.thread_id, written.message_id, "read").await;
    service.stop().await;
}
