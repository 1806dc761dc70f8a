//! What WhatsApp posts to a webhook.

use jiff::Timestamp;
use serde_json::Value;

use super::notification::{Notification, text};
use crate::message::{DeliveryReport, DeliveryStatus, Inbound, Media, Sender};

pub(super) fn read(entry: &Value) -> Vec<Notification> {
    let changes = entry["changes"].as_array().into_iter().flatten();
    let mut notifications = Vec::new();
    for value in changes.filter(|change| change["field"] == "messages").map(|change| &change["value"]) {
        let recipient = text(&value["metadata"]["phone_number_id"]);
        let messages = value["messages"].as_array().into_iter().flatten();
        notifications.extend(
            messages
                .filter_map(|message| inbound(message, value, recipient.clone()))
                .map(Notification::Message),
        );
        let statuses = value["statuses"].as_array().into_iter().flatten();
        notifications.extend(
            statuses.filter_map(|status| report(status, recipient.clone())).map(Notification::Delivery),
        );
    }
    notifications
}

fn inbound(message: &Value, value: &Value, recipient: Option<String>) -> Option<Inbound> {
    let message_key = text(&message["id"])?;
    let from = text(&message["from"])?;
    let kind = message["type"].as_str()?;
    let content = &message[kind];
    let mut media = Vec::new();
    let body = match kind {
        "text" => text(&content["body"]),
        "button" => text(&content["text"]),
        "interactive" => {
            text(&content["button_reply"]["title"]).or_else(|| text(&content["list_reply"]["title"]))
        }
        "image" | "video" | "audio" | "document" | "sticker" => {
            media.push(Media {
                id: text(&content["id"])?,
                kind: kind.to_owned(),
                name: text(&content["filename"]),
                media_type: text(&content["mime_type"])
                    .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_owned()),
                bytes: None,
            });
            text(&content["caption"])
        }
        "location" => {
            let place = text(&content["name"])
                .or_else(|| text(&content["address"]))
                .map(|place| format!(" {place}"))
                .unwrap_or_default();
            Some(format!("[Location:{place} {}, {}]", content["latitude"], content["longitude"]))
        }
        "contacts" => {
            let names = content
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|shared| text(&shared["name"]["formatted_name"]));
            Some(format!("[Contact: {}]", names.collect::<Vec<_>>().join(", ")))
        }
        // A reaction is not a message.
        "reaction" => return None,
        _ => Some(format!("[{kind}: this kind of message is not supported]")),
    };
    let profile = value["contacts"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|contact| contact["wa_id"] == message["from"]);
    let is_number = (6..=15).contains(&from.len()) && from.bytes().all(|byte| byte.is_ascii_digit());
    Some(Inbound {
        message_key,
        thread_key: from.clone(),
        recipient,
        sender: Sender {
            name: profile.and_then(|profile| text(&profile["profile"]["name"])),
            phone: is_number.then(|| format!("+{from}")),
            id: from,
        },
        text: body.unwrap_or_default(),
        media,
        in_reply_to: text(&message["context"]["id"]),
        sent_at: seconds(&message["timestamp"]),
    })
}

fn report(status: &Value, recipient: Option<String>) -> Option<DeliveryReport> {
    let delivery = match status["status"].as_str()? {
        "sent" => DeliveryStatus::Sent,
        "delivered" => DeliveryStatus::Delivered,
        "read" => DeliveryStatus::Read,
        "failed" => DeliveryStatus::Failed,
        _ => return None,
    };
    let error = status["errors"].as_array().and_then(|errors| errors.first()).map(|error| {
        let details = text(&error["error_data"]["details"])
            .or_else(|| text(&error["title"]))
            .or_else(|| text(&error["message"]));
        format!(
            "WhatsApp: {} ({})",
            details.unwrap_or_else(|| "the message was not delivered".to_owned()),
            error["code"]
        )
    });
    Some(DeliveryReport { message_key: text(&status["id"])?, recipient, status: delivery, error })
}

/// Reads a time in seconds, which WhatsApp writes as text.
fn seconds(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_str().and_then(|text| text.parse().ok()).or_else(|| value.as_i64())?;
    Timestamp::from_second(seconds).ok()
}
