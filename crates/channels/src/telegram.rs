//! The Bot API of Telegram: updates, by webhook or by polling, and messages to chats.
//!
//! Only chats with one person are read. What is said in groups and channels is not for a business alone.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::{Fetched, Form, Handover, Limits, Outbound};
use http::{HeaderValue, header::CONTENT_TYPE};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::{
    failure::SendFailure,
    file::OutgoingFile,
    message::{Inbound, Media, Sender},
    secret::Secret,
    text::pieces,
};

/// The header with the secret of a webhook.
pub const SECRET_HEADER: &str = "X-Telegram-Bot-Api-Secret-Token";

/// The address of the Bot API.
pub const BASE_URL: &str = "https://api.telegram.org/";

/// Longest text of a message, in UTF-16 code units.
pub const MAX_TEXT: usize = 4_096;

/// The media types that are sent as photos.
const PHOTOS: [&str; 2] = ["image/jpeg", "image/png"];

/// Largest photo, in bytes.
const MAX_PHOTO: usize = 10_000_000;

/// Upper bounds of a call. Its whole time is bounded by the patience of the bot, too.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(30),
    connect: Duration::from_secs(10),
    max_bytes: 4 * 1024 * 1024,
    max_redirects: 0,
};

/// An update. Only what is read here is described.
#[derive(Debug, Deserialize)]
struct Update {
    message: Option<Incoming>,
}

#[derive(Debug, Deserialize)]
struct Incoming {
    message_id: i64,
    from: Option<User>,
    chat: Chat,
    #[serde(default)]
    date: i64,
    text: Option<String>,
    caption: Option<String>,
    reply_to_message: Option<Box<Reference>>,
    #[serde(default)]
    photo: Vec<FileOf>,
    document: Option<FileOf>,
    audio: Option<FileOf>,
    voice: Option<FileOf>,
    video: Option<FileOf>,
    video_note: Option<FileOf>,
    sticker: Option<Sticker>,
    location: Option<Location>,
    contact: Option<SharedContact>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    message_id: i64,
}

#[derive(Debug, Deserialize)]
struct User {
    id: i64,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    first_name: String,
    last_name: Option<String>,
    username: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct FileOf {
    file_id: String,
    file_name: Option<String>,
    mime_type: Option<String>,
    file_size: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Sticker {
    emoji: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Location {
    latitude: f64,
    longitude: f64,
}

#[derive(Debug, Deserialize)]
struct SharedContact {
    phone_number: String,
    #[serde(default)]
    first_name: String,
    user_id: Option<i64>,
}

/// An update as far as it concerns a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The number of the update. The next poll asks for the one after it.
    pub update_id: i64,
    /// The message, unless the update is something else: an edit, a group, another bot.
    pub message: Option<Inbound>,
}

/// Reads an update, as a webhook posts it. Returns `None` if it is none.
pub fn read(update: &Value) -> Option<Read> {
    // An update with a message of a new form still has its number, so polling goes on after it.
    let update_id = update.get("update_id")?.as_i64()?;
    let message = Update::deserialize(update).ok().and_then(|update| update.message).and_then(inbound);
    Some(Read { update_id, message })
}

fn inbound(message: Incoming) -> Option<Inbound> {
    let from = message.from.filter(|from| !from.is_bot)?;
    if message.chat.kind != "private" {
        return None;
    }
    let mut media = Vec::new();
    let mut add = |kind: &str, file: Option<FileOf>| {
        if let Some(file) = file {
            media.push(Media {
                id: file.file_id,
                kind: kind.to_owned(),
                name: file.file_name,
                media_type: file.mime_type,
                bytes: file.file_size,
            });
        }
    };
    // The last size of a photo is the largest.
    add("image", message.photo.into_iter().next_back());
    add("document", message.document);
    add("audio", message.audio);
    add("audio", message.voice);
    add("video", message.video);
    add("video", message.video_note);
    let own_number = message.contact.as_ref().filter(|shared| shared.user_id == Some(from.id));
    let phone = own_number.map(|shared| format!("+{}", shared.phone_number.trim_start_matches('+')));
    let text = message
        .text
        .or(message.caption)
        .or_else(|| message.sticker.map(|sticker| sticker.emoji.unwrap_or_else(|| "[Sticker]".to_owned())))
        .or_else(|| message.location.map(|at| format!("[Location: {}, {}]", at.latitude, at.longitude)))
        .or_else(|| {
            message.contact.map(|shared| format!("[Contact: {} {}]", shared.first_name, shared.phone_number))
        })
        .unwrap_or_default();
    if text.is_empty() && media.is_empty() {
        return None;
    }
    let name = [Some(from.first_name), from.last_name].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty()).or(from.username);
    Some(Inbound {
        message_key: key(message.chat.id, message.message_id),
        thread_key: message.chat.id.to_string(),
        recipient: None,
        sender: Sender { id: from.id.to_string(), name, phone },
        text,
        media,
        in_reply_to: message.reply_to_message.map(|reply| key(message.chat.id, reply.message_id)),
        sent_at: Timestamp::from_second(message.date).ok().filter(|_| message.date > 0),
    })
}

/// Returns what a message is known by. Telegram numbers the messages of each chat by itself.
fn key(chat: i64, message: i64) -> String {
    format!("{chat}:{message}")
}

/// A bot.
#[derive(Debug, Clone)]
pub struct Bot {
    /// The guarded client.
    pub outbound: Outbound,
    /// The address of the Bot API, which ends in `/`.
    pub base_url: Url,
    /// The token of the bot, such as `123456:ABC`. It is a part of every address, so addresses are never in
    /// errors.
    pub token: Secret,
    /// The longest time of one request. Files may take all of it.
    pub patience: Duration,
}

impl Bot {
    /// Returns the name of the bot. Shows that the token is right.
    pub async fn name(&self) -> Result<String, SendFailure> {
        let me = self.call("getMe", &json!({}), LIMITS.total).await?;
        Ok(me["username"].as_str().unwrap_or_default().to_owned())
    }

    /// Lets Telegram post updates to an address, with the secret in [`SECRET_HEADER`]. Polling does not work
    /// from then on.
    pub async fn set_webhook(&self, url: &Url, secret: &Secret) -> Result<(), SendFailure> {
        let body = json!({ "url": url, "secret_token": secret.expose(), "allowed_updates": ["message"] });
        self.call("setWebhook", &body, LIMITS.total).await.map(drop)
    }

    /// Ends posts of updates, so that they can be polled.
    pub async fn delete_webhook(&self) -> Result<(), SendFailure> {
        self.call("deleteWebhook", &json!({}), LIMITS.total).await.map(drop)
    }

    /// Returns updates after `last`, at most 100, and waits up to `wait` for the first. Those up to `last`
    /// are forgotten by Telegram.
    pub async fn updates(&self, last: Option<i64>, wait: Duration) -> Result<Vec<Read>, SendFailure> {
        let mut body = json!({ "timeout": wait.as_secs(), "limit": 100, "allowed_updates": ["message"] });
        if let Some(last) = last {
            body["offset"] = json!(last.saturating_add(1));
        }
        let found = self.call("getUpdates", &body, LIMITS.total + wait).await?;
        Ok(found.as_array().into_iter().flatten().filter_map(read).collect())
    }

    /// Sends a text to a chat, in several messages if it is long. Returns their ids. If a later
    /// piece fails, the failure is [`SendFailure::Unknown`], as the earlier ones have arrived.
    pub async fn send(
        &self,
        chat: &str,
        text: &str,
        in_reply_to: Option<&str>,
        handover: &Handover,
    ) -> Result<Vec<String>, SendFailure> {
        let mut keys = Vec::new();
        for piece in pieces(text, MAX_TEXT) {
            let mut body =
                json!({ "chat_id": chat, "text": piece, "link_preview_options": { "is_disabled": true } });
            let replied =
                in_reply_to.and_then(|key| key.rsplit_once(':')).and_then(|(_, id)| id.parse::<i64>().ok());
            if let Some(replied) = replied.filter(|_| keys.is_empty()) {
                body["reply_parameters"] =
                    json!({ "message_id": replied, "allow_sending_without_reply": true });
            }
            let json = HeaderValue::from_static("application/json");
            let sent = self.post("sendMessage", json, body.to_string().into(), LIMITS.total, handover);
            match sent.await {
                Ok(sent) => keys.push(sent_key(&sent)?),
                Err(failure) if keys.is_empty() => return Err(failure),
                Err(failure) => {
                    return Err(SendFailure::Unknown(format!("The text was sent in part. {failure}")));
                }
            }
        }
        if keys.is_empty() {
            return Err(SendFailure::Refused("The message has no text.".to_owned()));
        }
        Ok(keys)
    }

    /// Sends a file to a chat: photos so that they are shown, other files as documents. Returns what the
    /// message is known by.
    pub async fn send_file(
        &self,
        chat: &str,
        file: &OutgoingFile,
        handover: &Handover,
    ) -> Result<String, SendFailure> {
        let is_photo = file.is_one_of(&PHOTOS) && file.bytes() <= MAX_PHOTO;
        let (method, field) = if is_photo { ("sendPhoto", "photo") } else { ("sendDocument", "document") };
        let form = Form::new(&[("chat_id", chat)], field, file.in_form());
        sent_key(&self.post(method, form.content_type, form.body, self.patience, handover).await?)
    }

    /// Posts a message.
    async fn post(
        &self,
        method: &str,
        content_type: HeaderValue,
        body: Bytes,
        total: Duration,
        handover: &Handover,
    ) -> Result<Value, SendFailure> {
        let url = self.url(&format!("bot{}/{method}", self.token.expose()))?;
        let headers = [(CONTENT_TYPE, content_type)];
        let sent = self.outbound.post_handing_over(&url, &headers, body, &self.limits(total), handover).await;
        result(&sent.map_err(|failed| SendFailure::of_post(&failed))?)
    }

    /// Fetches the content of a file of a message, of at most `max_bytes`. Telegram itself refuses more than
    /// 20 MB.
    pub async fn file(&self, file_id: &str, max_bytes: u64) -> Result<Vec<u8>, SendFailure> {
        let found = self.call("getFile", &json!({ "file_id": file_id }), LIMITS.total).await?;
        let path = found["file_path"].as_str().unwrap_or_default();
        let url = self.url(&format!("file/bot{}/{path}", self.token.expose()))?;
        let limits = Limits { max_bytes, ..self.limits(self.patience) };
        let fetched = self.outbound.get(&url, &[], &limits).await;
        let response = fetched.map_err(|error| SendFailure::before_handover(&error))?;
        if !response.status.is_success() {
            return Err(SendFailure::of_response("Telegram", &response, ""));
        }
        Ok(response.body.to_vec())
    }

    async fn call(&self, method: &str, body: &Value, total: Duration) -> Result<Value, SendFailure> {
        let url = self.url(&format!("bot{}/{method}", self.token.expose()))?;
        let sent = self.outbound.post_json(&url, &[], body, &self.limits(total)).await;
        // Whatever has become of it, such a call can be made again.
        result(&sent.map_err(|error| SendFailure::before_handover(&error))?)
    }

    fn limits(&self, total: Duration) -> Limits {
        let total = total.min(self.patience);
        Limits { total, connect: LIMITS.connect.min(total), ..LIMITS }
    }

    fn url(&self, path: &str) -> Result<Url, SendFailure> {
        let is_sound = path.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\\%".contains(&byte))
            && !path.contains("..");
        let url = self.base_url.join(&format!("./{path}")).ok().filter(|_| is_sound);
        url.ok_or_else(|| {
            SendFailure::Refused("The token has not the form of a token of Telegram.".to_owned())
        })
    }
}

/// Returns what a message that was sent is known by.
fn sent_key(sent: &Value) -> Result<String, SendFailure> {
    let (chat, message) = (sent["chat"]["id"].as_i64(), sent["message_id"].as_i64());
    let (Some(chat), Some(message)) = (chat, message) else {
        return Err(SendFailure::Unknown("Telegram sent a response that cannot be read.".to_owned()));
    };
    Ok(key(chat, message))
}

/// Returns the result of a call.
fn result(response: &Fetched) -> Result<Value, SendFailure> {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    if response.status.is_success() && body["ok"] == true {
        return Ok(body["result"].clone());
    }
    let description = body["description"].as_str().unwrap_or_default();
    let reason = match response.status.as_u16() {
        401 | 404 => "the token of the bot is not valid; get a new one from @BotFather",
        403 => "the person has blocked the bot",
        _ => description,
    };
    let failure = SendFailure::of_response("Telegram", response, reason);
    match (failure, body["parameters"]["retry_after"].as_u64()) {
        (SendFailure::NotSent { reason, .. }, Some(seconds)) => {
            Err(SendFailure::NotSent { reason, retry_after: Some(Duration::from_secs(seconds)) })
        }
        (failure, _) => Err(failure),
    }
}
