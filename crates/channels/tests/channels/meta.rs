//! WhatsApp and Messenger: documented posts of webhooks, signatures, and what is sent.

use frontdesk_channels::{
    DeliveryStatus, OutgoingFile, Secret, SendFailure,
    meta::{Graph, Notification, challenge, is_signed, read},
};
use frontdesk_outbound::Handover;
use serde_json::{Value, json};

use crate::{PATIENCE, local, stand_in::StandIn};

fn graph(server: &StandIn) -> Graph {
    Graph {
        outbound: local(),
        base_url: server.url.join("v23.0/").unwrap(),
        token: Secret::new("EAAB"),
        patience: PATIENCE,
    }
}

fn whatsapp(value: &Value) -> Value {
    let mut whole = json!({
        "messaging_product": "whatsapp",
        "metadata": { "display_phone_number": "15550783881", "phone_number_id": "106540352242922" },
        "contacts": [{ "profile": { "name": "Sheena Nelson" }, "wa_id": "16505551234" }],
    });
    for (name, value) in value.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": "102290129340398", "changes": [{ "value": whole, "field": "messages" }] }] })
}

fn message(content: &Value) -> Value {
    let mut message = json!({ "from": "16505551234", "id": "wamid.HBg", "timestamp": "1749416383" });
    for (name, value) in content.as_object().unwrap() {
        message[name] = value.clone();
    }
    whatsapp(&json!({ "messages": [message] }))
}

#[test]
fn whatsapp_messages_are_read() {
    let notifications =
        read(&message(&json!({ "type": "text", "text": { "body": "Does it come in another color?" } })));
    let [Notification::Message(text)] = notifications.as_slice() else { panic!("{notifications:?}") };
    assert_eq!(text.text, "Does it come in another color?");
    assert_eq!((text.message_key.as_str(), text.thread_key.as_str()), ("wamid.HBg", "16505551234"));
    assert_eq!(text.recipient.as_deref(), Some("106540352242922"));
    assert_eq!(
        (text.sender.name.as_deref(), text.sender.phone.as_deref()),
        (Some("Sheena Nelson"), Some("+16505551234"))
    );
    assert_eq!(text.sent_at, Some("2025-06-08T20:59:43Z".parse().unwrap()));

    for (content, expected, files) in [
        (
            json!({ "type": "image", "image": { "caption": "Broken", "mime_type": "image/jpeg", "sha256": "x", "id": "1003383421387256" } }),
            "Broken",
            1,
        ),
        (
            json!({ "type": "document", "document": { "filename": "menu.pdf", "mime_type": "application/pdf", "id": "5" } }),
            "",
            1,
        ),
        (json!({ "type": "button", "button": { "text": "Yes", "payload": "yes" } }), "Yes", 0),
        (
            json!({ "type": "interactive", "interactive": { "type": "list_reply", "list_reply": { "id": "1", "title": "Priority" } } }),
            "Priority",
            0,
        ),
        (
            json!({ "type": "location", "location": { "latitude": 37.5, "longitude": -122.5, "name": "Shop" } }),
            "[Location: Shop 37.5, -122.5]",
            0,
        ),
        (json!({ "type": "order", "order": {} }), "[order: this kind of message is not supported]", 0),
    ] {
        let notifications = read(&message(&content));
        let [Notification::Message(found)] = notifications.as_slice() else { panic!("{content}") };
        assert_eq!((found.text.as_str(), found.media.len()), (expected, files), "{content}");
    }
    assert!(read(&message(&json!({ "type": "reaction", "reaction": { "emoji": "👍" } }))).is_empty());
}

#[test]
fn delivery_reports_are_read() {
    for (status, expected) in [
        ("sent", DeliveryStatus::Sent),
        ("delivered", DeliveryStatus::Delivered),
        ("read", DeliveryStatus::Read),
        ("failed", DeliveryStatus::Failed),
    ] {
        let body = whatsapp(&json!({ "statuses": [{
            "id": "wamid.OUT", "status": status, "timestamp": "1750263773", "recipient_id": "16505551234",
            "errors": [{ "code": 131_047, "title": "Re-engagement message", "error_data": { "details": "More than 24 hours have passed" } }],
        }] }));
        let notifications = read(&body);
        let [Notification::Delivery(report)] = notifications.as_slice() else { panic!("{status}") };
        assert_eq!((report.message_key.as_str(), report.status), ("wamid.OUT", expected));
        assert_eq!(report.error.as_deref(), Some("WhatsApp: More than 24 hours have passed (131047)"));
    }
    assert!(read(&whatsapp(&json!({ "statuses": [{ "id": "x", "status": "warned" }] }))).is_empty());
}

fn page(event: &Value) -> Value {
    let mut whole = json!({ "sender": { "id": "PSID" }, "recipient": { "id": "PAGE" }, "timestamp": 1_458_692_752_478_i64 });
    for (name, value) in event.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({ "object": "page", "entry": [{ "id": "PAGE", "time": 1_458_692_752_478_i64, "messaging": [whole] }] })
}

#[test]
fn messenger_events_are_read() {
    let notifications =
        read(&page(&json!({ "message": { "mid": "m_1", "text": "Hello", "reply_to": { "mid": "m_0" } } })));
    let [Notification::Message(found)] = notifications.as_slice() else { panic!() };
    assert_eq!(
        (found.text.as_str(), found.message_key.as_str(), found.thread_key.as_str()),
        ("Hello", "m_1", "PSID")
    );
    assert_eq!((found.recipient.as_deref(), found.in_reply_to.as_deref()), (Some("PAGE"), Some("m_0")));
    assert_eq!(found.sent_at, Some("2016-03-23T00:25:52.478Z".parse().unwrap()));

    let image = json!({ "message": { "mid": "m_2", "attachments": [{ "type": "image", "payload": { "url": "https://cdn.example/1.jpg" } }] } });
    let notifications = read(&page(&image));
    let [Notification::Message(found)] = notifications.as_slice() else { panic!() };
    assert_eq!(found.media[0].id, "https://cdn.example/1.jpg");

    assert!(read(&page(&json!({ "message": { "mid": "m_3", "text": "own", "is_echo": true } }))).is_empty());
    let notifications =
        read(&page(&json!({ "postback": { "mid": "m_4", "title": "Get started", "payload": "START" } })));
    assert!(
        matches!(notifications.as_slice(), [Notification::Message(found)] if found.text == "Get started")
    );
    let notifications =
        read(&page(&json!({ "delivery": { "mids": ["m_5", "m_6"], "watermark": 1_458_668_856_253_i64 } })));
    assert_eq!(notifications.len(), 2);
    let notifications = read(&page(&json!({ "read": { "watermark": 1_458_668_856_253_i64 } })));
    assert!(
        matches!(notifications.as_slice(), [Notification::SeenUpTo { thread_key, .. }] if thread_key == "PSID")
    );
}

#[test]
fn what_is_not_known_is_left_out() {
    for body in [
        json!({}),
        json!([]),
        json!(null),
        json!({ "object": "page" }),
        json!({ "object": "page", "entry": [{}] }),
        json!({ "object": "user", "entry": [{}] }),
        json!({ "object": "whatsapp_business_account", "entry": [{ "changes": [{ "field": "messages", "value": { "messages": [5, {}, { "id": "x" }] } }] }] }),
        json!({ "object": "page", "entry": [{ "messaging": [{ "sender": {}, "message": [] }, 7] }] }),
    ] {
        assert!(read(&body).is_empty(), "{body}");
    }
}

#[test]
fn handshakes_and_signatures_are_checked() {
    let token = Secret::new("verify-me");
    assert_eq!(challenge("subscribe", "verify-me", "1158201444", &token), Some("1158201444"));
    for (mode, given, text) in [
        ("subscribe", "verify", "1"),
        ("unsubscribe", "verify-me", "1"),
        ("subscribe", "verify-me", "<b>"),
        ("subscribe", "verify-me", ""),
    ] {
        assert_eq!(challenge(mode, given, text, &token), None);
    }
    assert_eq!(challenge("subscribe", "", "1", &Secret::new("")), None);

    let secret = Secret::new("Jefe");
    let header = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert!(is_signed(b"what do ya want for nothing?", header, &secret));
    assert!(!is_signed(b"what do ya want for nothing? ", header, &secret));
    assert!(!is_signed(b"what do ya want for nothing?", &header[7..], &secret));
    assert!(!is_signed(b"what do ya want for nothing?", &header.replace("sha256", "sha1"), &secret));
    assert!(!is_signed(b"what do ya want for nothing?", "", &secret));
}

#[tokio::test]
async fn texts_are_sent_to_whatsapp() {
    let server = StandIn::start(&[(200, json!({
        "messaging_product": "whatsapp", "contacts": [{ "input": "+16505551234", "wa_id": "16505551234" }], "messages": [{ "id": "wamid.OUT" }],
    }))])
    .await;
    let keys = graph(&server)
        .send_whatsapp("106540352242922", "16505551234", "Hello", Some("wamid.HBg"), &Handover::unnoted())
        .await
        .unwrap();
    assert_eq!(keys, ["wamid.OUT"]);
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v23.0/106540352242922/messages"));
    assert_eq!(request.headers["authorization"], "Bearer EAAB");
    assert_eq!(
        request.body,
        json!({ "messaging_product": "whatsapp", "recipient_type": "individual", "to": "16505551234", "type": "text",
            "text": { "body": "Hello", "preview_url": false }, "context": { "message_id": "wamid.HBg" } })
    );
}

#[tokio::test]
async fn texts_are_sent_to_messenger_in_pieces() {
    let sent = |id: &str| (200, json!({ "recipient_id": "PSID", "message_id": id }));
    let server = StandIn::start(&[sent("m_1"), sent("m_2")]).await;
    let text = format!("{}\n\n{}", "a".repeat(1_500), "b".repeat(1_500));
    assert_eq!(
        graph(&server).send_messenger("42", "PSID", &text, &Handover::unnoted()).await.unwrap(),
        ["m_1", "m_2"]
    );
    let request = &server.requests()[1];
    assert_eq!(
        request.body,
        json!({ "recipient": { "id": "PSID" }, "messaging_type": "RESPONSE", "message": { "text": "b".repeat(1_500) } })
    );
}

#[tokio::test]
async fn errors_of_the_graph_api_say_what_to_do() {
    let error = |status: u16, code: i64| {
        (status, json!({ "error": { "message": "(#0) From Meta", "type": "OAuthException", "code": code } }))
    };
    let server = StandIn::start(&[
        error(400, 131_047),
        error(401, 190),
        error(400, 130_429),
        error(429, 4),
        error(500, 2),
        error(400, 100),
    ])
    .await;
    let graph = graph(&server);
    let mut failures = Vec::new();
    for _ in 0..6 {
        failures.push(graph.send_whatsapp("1", "2", "Hello", None, &Handover::unnoted()).await.unwrap_err());
    }
    assert!(matches!(&failures[0], SendFailure::Refused(text) if text.contains("24 hours")));
    assert!(matches!(&failures[1], SendFailure::Refused(text) if text.contains("expired")));
    assert!(matches!(&failures[2], SendFailure::NotSent { .. }));
    assert!(matches!(&failures[3], SendFailure::NotSent { .. }));
    assert!(matches!(&failures[4], SendFailure::Unknown(_)));
    assert!(matches!(&failures[5], SendFailure::Refused(text) if text.contains("From Meta")));
    assert!(matches!(
        graph.send_whatsapp("../me", "2", "Hello", None, &Handover::unnoted()).await,
        Err(SendFailure::Refused(_))
    ));
    assert!(matches!(
        graph.send_whatsapp("1", "2", " ", None, &Handover::unnoted()).await,
        Err(SendFailure::Refused(_))
    ));
}

fn file(name: &str, media_type: &str) -> OutgoingFile {
    OutgoingFile { name: name.to_owned(), media_type: media_type.to_owned(), content: b"content"[..].into() }
}

#[tokio::test]
async fn files_are_uploaded_and_sent_by_whatsapp() {
    let sent = json!({ "messages": [{ "id": "wamid.OUT" }] });
    let server = StandIn::start(&[
        (200, json!({ "id": "1037543291543636" })),
        (200, sent.clone()),
        (200, json!({ "id": "5" })),
        (200, sent),
        (500, json!({ "error": { "message": "(#131000) Something went wrong", "code": 131_000 } })),
    ])
    .await;
    let graph = graph(&server);
    let uploaded =
        graph.upload_to_whatsapp("106540352242922", &file("offer.pdf", "application/pdf")).await.unwrap();
    let key = graph
        .send_whatsapp_file("106540352242922", "16505551234", &uploaded, &Handover::unnoted())
        .await
        .unwrap();
    assert_eq!(key, "wamid.OUT");
    let photo = graph.upload_to_whatsapp("106540352242922", &file("bed.png", "image/png")).await.unwrap();
    graph.send_whatsapp_file("106540352242922", "16505551234", &photo, &Handover::unnoted()).await.unwrap();
    // Nobody has seen what was only uploaded, so it can be tried again.
    let failure = graph.upload_to_whatsapp("106540352242922", &file("bed.png", "image/png")).await;
    assert!(matches!(failure, Err(SendFailure::NotSent { .. })), "{failure:?}");
    let requests = server.requests();
    assert_eq!(requests[0].path, "/v23.0/106540352242922/media");
    assert_eq!(requests[0].headers["authorization"], "Bearer EAAB");
    let form = String::from_utf8_lossy(&requests[0].raw);
    for part in [
        "name=\"messaging_product\"\r\n\r\nwhatsapp\r\n",
        "name=\"type\"\r\n\r\napplication/pdf\r\n",
        "name=\"file\"; filename=\"offer.pdf\"\r\nContent-Type: application/pdf\r\n\r\ncontent\r\n",
    ] {
        assert!(form.contains(part), "{form}\n  lacks {part}");
    }
    assert_eq!(
        requests[1].body,
        json!({ "messaging_product": "whatsapp", "recipient_type": "individual", "to": "16505551234", "type": "document",
            "document": { "id": "1037543291543636", "filename": "offer.pdf" } })
    );
    assert_eq!(
        (&requests[3].body["type"], &requests[3].body["image"]),
        (&json!("image"), &json!({ "id": "5" }))
    );
}

#[tokio::test]
async fn files_are_uploaded_and_sent_by_messenger() {
    let server = StandIn::start(&[
        (200, json!({ "attachment_id": "1857777774821032" })),
        (200, json!({ "recipient_id": "PSID", "message_id": "m_1" })),
    ])
    .await;
    let graph = graph(&server);
    let uploaded = graph.upload_to_messenger("42", &file("bed.png", "image/png")).await.unwrap();
    assert_eq!(
        graph.send_messenger_file("42", "PSID", &uploaded, &Handover::unnoted()).await.unwrap(),
        "m_1"
    );
    let requests = server.requests();
    assert_eq!(requests[0].path, "/v23.0/42/message_attachments");
    let form = String::from_utf8_lossy(&requests[0].raw);
    let message =
        form.split("name=\"message\"\r\n\r\n").nth(1).and_then(|rest| rest.split("\r\n").next()).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(message).unwrap(),
        json!({ "attachment": { "type": "image", "payload": { "is_reusable": false } } })
    );
    assert!(
        form.contains(
            "name=\"filedata\"; filename=\"bed.png\"\r\nContent-Type: image/png\r\n\r\ncontent\r\n"
        ),
        "{form}"
    );
    assert_eq!(
        requests[1].body,
        json!({ "recipient": { "id": "PSID" }, "messaging_type": "RESPONSE",
            "message": { "attachment": { "type": "image", "payload": { "attachment_id": "1857777774821032" } } } })
    );
}

#[tokio::test]
async fn files_are_fetched_from_meta_only() {
    let server = StandIn::start(&[]).await;
    let own = server.url.join("whatsapp_business/attachments/").unwrap();
    let told = |url: &str, bytes: u64| {
        (
            200,
            json!({ "messaging_product": "whatsapp", "url": url, "mime_type": "image/jpeg", "sha256": "x", "file_size": bytes, "id": "5" }),
        )
    };
    let server = StandIn::start(&[
        told(&format!("{}?mid=5", server.url), 7),
        told("https://files.example/5", 7),
        told("http://lookaside.fbsbx.com/5", 7),
        told("https://lookaside.fbsbx.com/5", 7_000),
    ])
    .await;
    let graph = graph(&server);
    for _ in 0..4 {
        let refused = graph.whatsapp_file("5", 1_000).await;
        assert!(matches!(refused, Err(SendFailure::Refused(_))), "{refused:?}");
    }
    assert_eq!(server.requests().len(), 4, "none of these addresses was asked");
    assert_eq!(server.requests()[0].path, "/v23.0/5");
    for url in [own.as_str(), "https://fbsbx.com.files.example/5", "file:///etc/passwd", "no address"] {
        assert!(matches!(graph.messenger_file(url, 1_000).await, Err(SendFailure::Refused(_))), "{url}");
    }
    assert!(graph.whatsapp_file("../me", 1_000).await.is_err());

    let server = StandIn::start(&[(200, json!("bytes")), (200, json!("more than the limit"))]).await;
    let graph = Graph { base_url: server.url.join("v23.0/").unwrap(), ..graph };
    let url = server.url.join("photo.jpg").unwrap();
    assert_eq!(graph.messenger_file(url.as_str(), 100).await.unwrap(), b"\"bytes\"");
    assert!(server.requests()[0].headers.get("authorization").is_none(), "the address needs no token");
    assert!(graph.messenger_file(url.as_str(), 10).await.is_err());
}
