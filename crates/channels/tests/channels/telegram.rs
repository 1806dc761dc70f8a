//! The Bot API: documented updates, and what is sent.

use std::time::Duration;

use frontdesk_channels::{
    OutgoingFile, Secret, SendFailure,
    telegram::{Bot, read},
};
use frontdesk_outbound::Handover;
use serde_json::{Value, json};

use crate::{PATIENCE, local, stand_in::StandIn};

fn bot(server: &StandIn) -> Bot {
    Bot {
        outbound: local(),
        base_url: server.url.clone(),
        token: Secret::new("123456:ABC-DEF1234ghIkl"),
        patience: PATIENCE,
    }
}

fn update(message: &Value) -> Value {
    let mut whole = json!({
        "message_id": 1365, "date": 1_441_645_532,
        "chat": { "last_name": "Test Lastname", "id": 1_111_111, "type": "private", "first_name": "Test Firstname", "username": "Testusername" },
        "from": { "last_name": "Test Lastname", "id": 1_111_111, "is_bot": false, "first_name": "Test Firstname", "username": "Testusername" },
    });
    for (name, value) in message.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({ "update_id": 10_000, "message": whole })
}

#[test]
fn messages_of_every_kind_are_read() {
    // The example of the documentation of webhooks.
    let message = read(&update(&json!({ "text": "/start" }))).unwrap().message.unwrap();
    assert_eq!(message.text, "/start");
    assert_eq!((message.message_key.as_str(), message.thread_key.as_str()), ("1111111:1365", "1111111"));
    assert_eq!(message.sender.name.as_deref(), Some("Test Firstname Test Lastname"));
    assert_eq!(message.sent_at, Some("2015-09-07T17:05:32Z".parse().unwrap()));

    let photo = json!({ "caption": "Broken", "photo": [{ "file_id": "small", "file_size": 10 }, { "file_id": "large", "file_size": 1_000 }] });
    let message = read(&update(&photo)).unwrap().message.unwrap();
    assert_eq!(
        (message.text.as_str(), message.media.len(), message.media[0].id.as_str()),
        ("Broken", 1, "large")
    );

    let document = json!({ "document": { "file_id": "d", "file_name": "menu.pdf", "mime_type": "application/pdf", "file_size": 5 } });
    let message = read(&update(&document)).unwrap().message.unwrap();
    assert_eq!((message.text.as_str(), message.media[0].name.as_deref()), ("", Some("menu.pdf")));

    let reply =
        json!({ "text": "Yes", "reply_to_message": { "message_id": 1364, "chat": { "id": 1_111_111 } } });
    assert_eq!(read(&update(&reply)).unwrap().message.unwrap().in_reply_to.as_deref(), Some("1111111:1364"));

    let own =
        json!({ "contact": { "phone_number": "4915112345678", "first_name": "Test", "user_id": 1_111_111 } });
    assert_eq!(read(&update(&own)).unwrap().message.unwrap().sender.phone.as_deref(), Some("+4915112345678"));
    let other = json!({ "contact": { "phone_number": "4915112345678", "first_name": "Bo", "user_id": 2 } });
    let message = read(&update(&other)).unwrap().message.unwrap();
    assert_eq!((message.sender.phone, message.text.as_str()), (None, "[Contact: Bo 4915112345678]"));
    assert_eq!(
        read(&update(&json!({ "location": { "latitude": 52.5, "longitude": 13.4 } })))
            .unwrap()
            .message
            .unwrap()
            .text,
        "[Location: 52.5, 13.4]"
    );
}

#[test]
fn what_is_no_message_of_a_person_is_left_out() {
    for message in [
        json!({ "text": "Hi", "chat": { "id": -5, "type": "group" } }),
        json!({ "text": "Hi", "from": { "id": 7, "is_bot": true, "first_name": "Bot" } }),
        json!({ "new_chat_title": "x" }),
        json!({ "text": 5 }),
    ] {
        let read = read(&update(&message)).unwrap();
        assert_eq!((read.update_id, read.message), (10_000, None), "{message}");
    }
    assert_eq!(read(&json!({ "update_id": 7, "edited_message": { "message_id": 1 } })).unwrap().update_id, 7);
    for none in [json!({}), json!([]), json!("x"), json!({ "update_id": "7" })] {
        assert_eq!(read(&none), None);
    }
}

#[tokio::test]
async fn texts_are_sent_in_pieces_that_fit() {
    let sent = |id: i64| (200, json!({ "ok": true, "result": { "message_id": id, "chat": { "id": 5 } } }));
    let server = StandIn::start(&[sent(1), sent(2)]).await;
    let text = format!("{}\n\n{}", "a".repeat(4_000), "b".repeat(4_000));
    let keys = bot(&server).send("5", &text, Some("5:77"), &Handover::unnoted()).await.unwrap();
    assert_eq!(keys, ["5:1", "5:2"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].path, "/bot123456:ABC-DEF1234ghIkl/sendMessage");
    assert_eq!(
        (&requests[0].body["chat_id"], &requests[0].body["text"]),
        (&json!("5"), &json!("a".repeat(4_000)))
    );
    assert_eq!(requests[0].body["reply_parameters"]["message_id"], 77);
    assert!(requests[1].body.get("reply_parameters").is_none());
}

#[tokio::test]
async fn failures_say_what_to_do_and_never_name_the_token() {
    let failed = |status: u16, description: &str| {
        (
            status,
            json!({ "ok": false, "error_code": status, "description": description, "parameters": { "retry_after": 7 } }),
        )
    };
    let server = StandIn::start(&[
        failed(401, "Unauthorized"),
        failed(403, "Forbidden: bot was blocked by the user"),
        failed(429, "Too Many Requests: retry after 7"),
        failed(400, "Bad Request: chat not found"),
        failed(502, "Bad Gateway"),
        (200, json!({ "ok": true, "result": { "message_id": 1, "chat": { "id": 5 } } })),
        failed(429, "Too Many Requests"),
    ])
    .await;
    let bot = bot(&server);
    let mut failures = Vec::new();
    for _ in 0..5 {
        failures.push(bot.send("5", "Hello", None, &Handover::unnoted()).await.unwrap_err());
    }
    assert!(
        matches!(&failures[0], SendFailure::Refused(text) if text.contains("@BotFather")),
        "{:?}",
        failures[0]
    );
    assert!(matches!(&failures[1], SendFailure::Refused(text) if text.contains("blocked")));
    let expected = Some(Duration::from_secs(7));
    assert!(matches!(&failures[2], SendFailure::NotSent { retry_after, .. } if *retry_after == expected));
    assert!(matches!(&failures[3], SendFailure::Refused(text) if text.contains("chat not found")));
    assert!(matches!(&failures[4], SendFailure::Unknown(_)));
    // After the first piece, nothing may be sent again.
    let partly = bot.send("5", &"word ".repeat(1_000), None, &Handover::unnoted()).await.unwrap_err();
    assert!(matches!(&partly, SendFailure::Unknown(text) if text.contains("in part")), "{partly:?}");
    let nobody = Bot { base_url: "http://127.0.0.1:1/".parse().unwrap(), ..bot.clone() };
    let failure = nobody.send("5", "Hello", None, &Handover::unnoted()).await.unwrap_err();
    assert!(
        matches!(&failure, SendFailure::NotSent { .. }) && !failure.to_string().contains("ABC-DEF"),
        "{failure}"
    );
    assert!(failures.iter().all(|failure| !format!("{failure:?}").contains("ABC-DEF")));
    let wrong = Bot { token: Secret::new("../secret"), ..bot };
    assert!(matches!(
        wrong.send("5", "Hello", None, &Handover::unnoted()).await,
        Err(SendFailure::Refused(_))
    ));
}

#[tokio::test]
async fn updates_are_polled_after_the_last_one() {
    let updates = json!([update(&json!({ "text": "Hello" })), { "update_id": 10_001, "my_chat_member": {} }]);
    let server = StandIn::start(&[
        (200, json!({ "ok": true, "result": updates })),
        (200, json!({ "ok": true, "result": [] })),
        (200, json!({ "ok": true, "result": true })),
    ])
    .await;
    let bot = bot(&server);
    let read = bot.updates(None, Duration::ZERO).await.unwrap();
    assert_eq!(
        read.iter().map(|read| (read.update_id, read.message.is_some())).collect::<Vec<_>>(),
        [(10_000, true), (10_001, false)]
    );
    assert!(bot.updates(Some(10_001), Duration::from_secs(1)).await.unwrap().is_empty());
    bot.set_webhook(&"https://shop.example/hook".parse().unwrap(), &Secret::new("s")).await.unwrap();
    let requests = server.requests();
    assert!(requests[0].body.get("offset").is_none());
    assert_eq!(requests[1].body["offset"], 10_002);
    assert_eq!(requests[2].body["secret_token"], "s");
}

#[tokio::test]
async fn photos_and_documents_are_sent() {
    let sent = |id: i64| (200, json!({ "ok": true, "result": { "message_id": id, "chat": { "id": 5 } } }));
    let too_large = json!({ "ok": false, "error_code": 413, "description": "Request Entity Too Large" });
    let server = StandIn::start(&[sent(1), sent(2), (413, too_large)]).await;
    let photo = OutgoingFile {
        name: "bed.jpg".to_owned(),
        media_type: "image/jpeg".to_owned(),
        content: vec![0xff, 0xd8, 0xff].into(),
    };
    let bot = bot(&server);
    assert_eq!(bot.send_file("5", &photo, &Handover::unnoted()).await.unwrap(), "5:1");
    let offer = OutgoingFile {
        name: "offer.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        content: b"%PDF-1.7"[..].into(),
    };
    assert_eq!(bot.send_file("5", &offer, &Handover::unnoted()).await.unwrap(), "5:2");
    let failure = bot.send_file("5", &offer, &Handover::unnoted()).await.unwrap_err();
    assert!(matches!(&failure, SendFailure::Refused(text) if text.contains("Too Large")), "{failure:?}");
    let requests = server.requests();
    let paths: Vec<_> = requests.iter().map(|request| request.path.rsplit('/').next().unwrap()).collect();
    assert_eq!(paths, ["sendPhoto", "sendDocument", "sendDocument"]);
    let kind = requests[1].headers["content-type"].to_str().unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let form = String::from_utf8_lossy(&requests[1].raw);
    assert_eq!(
        form,
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n5\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"document\"; filename=\"offer.pdf\"\r\n\
             Content-Type: application/pdf\r\n\r\n%PDF-1.7\r\n--{boundary}--\r\n"
        )
    );
}

#[tokio::test]
async fn files_are_fetched_by_their_path_and_bounded() {
    let found =
        json!({ "ok": true, "result": { "file_id": "f", "file_path": "photos/file_1.jpg", "file_size": 7 } });
    let server = StandIn::start(&[
        (200, found.clone()),
        (200, json!("bytes")),
        (200, found),
        (200, json!("more than the limit")),
        (400, json!({ "ok": false, "description": "Bad Request: file is too big" })),
    ])
    .await;
    let bot = bot(&server);
    assert_eq!(bot.file("f", 100).await.unwrap(), b"\"bytes\"");
    assert_eq!(server.requests()[1].path, "/file/bot123456:ABC-DEF1234ghIkl/photos/file_1.jpg");
    assert!(bot.file("f", 10).await.is_err());
    assert!(bot.file("f", 100).await.unwrap_err().to_string().contains("too big"));
}
