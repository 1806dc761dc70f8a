//! What Messenger posts to a webhook.

use jiff::Timestamp;
use serde_json::Value;

use super::notification::{Notification, text};
use crate::message::{DeliveryReport, DeliveryStatus, Inbound, Media, Sender};

pub(super) fn read(entry: &Value) -> Vec<Notification> {
    let events = entry["messaging"].as_array().into_iter().flatten();
    events.flat_map(|event| event_of(event).unwrap_or_default()).collect()
}

fn event_of(event: &Value) -> Option<Vec<Notification>> {
    let (sender, recipient) = (text(&event["sender"]["id"])?, text(&event["recipient"]["id"])?);
    if event["message"].is_object() {
        return Some(
            message(&event["message"], event, sender, recipient)
                .map(Notification::Message)
                .into_iter()
                .collect(),
        );
    }
    if event["postback"].is_object() {
        let postback = &event["postback"];
        let inbound = Inbound {
            // Old versions send no id.
            message_key: text(&postback["mid"])
                .unwrap_or_else(|| format!("postback:{sender}:{}", event["timestamp"])),
            thread_key: sender.clone(),
            recipient: Some(recipient),
            sender: Sender { id: sender, ..Sender::default() },
            text: text(&postback["title"]).or_else(|| text(&postback["payload"]))?,
            media: Vec::new(),
            in_reply_to: None,
            sent_at: milliseconds(&event["timestamp"]),
        };
        return Some(vec![Notification::Message(inbound)]);
    }
    if event["delivery"].is_object() {
        let keys = event["delivery"]["mids"].as_array().into_iter().flatten().filter_map(text);
        let report = |message_key| {
            Notification::Delivery(DeliveryReport {
                message_key,
                recipient: Some(recipient.clone()),
                status: DeliveryStatus::Delivered,
                error: None,
            })
        };
        return Some(keys.map(report).collect());
    }
    let at = milliseconds(&event["read"]["watermark"])?;
    Some(vec![Notification::SeenUpTo { recipient, thread_key: sender, at }])
}

fn message(message: &Value, event: &Value, sender: String, recipient: String) -> Option<Inbound> {
    // An echo is what the page itself has sent.
    if message["is_echo"] == true || message["is_deleted"] == true {
        return None;
    }
    let attachments = message["attachments"].as_array().into_iter().flatten();
    let media: Vec<Media> = attachments
        .filter_map(|attachment| {
            let kind = match attachment["type"].as_str()? {
                "file" => "document",
                kind @ ("image" | "audio" | "video") => kind,
                _ => return None,
            };
            let id = text(&attachment["payload"]["url"])?;
            Some(Media { id, kind: kind.to_owned(), name: None, media_type: None, bytes: None })
        })
        .collect();
    let body = text(&message["text"]).unwrap_or_default();
    let body = match (body.is_empty() && media.is_empty(), message["attachments"][0]["type"].as_str()) {
        (true, Some(kind)) => format!("[{kind}: this kind of message is not supported]"),
        (true, None) => return None,
        (false, _) => body,
    };
    Some(Inbound {
        message_key: text(&message["mid"])?,
        thread_key: sender.clone(),
        recipient: Some(recipient),
        sender: Sender { id: sender, ..Sender::default() },
        text: body,
        media,
        in_reply_to: text(&message["reply_to"]["mid"]),
        sent_at: milliseconds(&event["timestamp"]),
    })
}

fn milliseconds(value: &Value) -> Option<Timestamp> {
    Timestamp::from_millisecond(value.as_i64()?).ok()
}
