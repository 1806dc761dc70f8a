//! The Graph API: messages to WhatsApp and Messenger.

use std::time::Duration;

use frontdesk_outbound::{Fetched, Form, Handover, Limits, Outbound};
use http::{
    HeaderName, HeaderValue,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Value, json};
use url::Url;

use crate::{failure::SendFailure, file::OutgoingFile, secret::Secret, text::pieces};

/// The address of the Graph API with its version.
pub const BASE_URL: &str = "https://graph.facebook.com/v23.0/";

/// Longest text of a message of WhatsApp.
pub const WHATSAPP_TEXT: usize = 4_096;

/// Longest text of a message of Messenger.
pub const MESSENGER_TEXT: usize = 2_000;

/// Hosts from which Meta serves files of messages.
const MEDIA_HOSTS: [&str; 5] =
    [".fbsbx.com", ".fbcdn.net", ".facebook.com", ".whatsapp.net", ".cdninstagram.com"];

/// Upper bounds of a call. Its whole time is bounded by the patience of the caller, too.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(30),
    connect: Duration::from_secs(10),
    max_bytes: 1024 * 1024,
    max_redirects: 0,
};

/// The Graph API with the token of one number or page.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The guarded client.
    pub outbound: Outbound,
    /// The address with the version, which ends in `/`.
    pub base_url: Url,
    /// The access token.
    pub token: Secret,
    /// The longest time of one request. Files may take all of it.
    pub patience: Duration,
}

impl Graph {
    /// Sends a text from a number of the business, by its id, to a WhatsApp number, in several messages if it
    /// is long. Returns what they are known by. If a later piece fails, the failure is
    /// [`SendFailure::Unknown`], as the earlier ones have arrived.
    pub async fn send_whatsapp(
        &self,
        phone_number_id: &str,
        to: &str,
        text: &str,
        in_reply_to: Option<&str>,
        handover: &Handover,
    ) -> Result<Vec<String>, SendFailure> {
        let mut keys = Vec::new();
        for piece in pieces(text, WHATSAPP_TEXT) {
            let mut body = json!({
                "messaging_product": "whatsapp", "recipient_type": "individual", "to": to, "type": "text",
                "text": { "body": piece, "preview_url": false },
            });
            if let Some(replied) = in_reply_to.filter(|_| keys.is_empty()) {
                body["context"] = json!({ "message_id": replied });
            }
            let sent = self.post("WhatsApp", phone_number_id, &body, handover).await;
            keys.push(key("WhatsApp", sent, &keys, |sent| sent["messages"][0]["id"].as_str())?);
        }
        not_empty(keys)
    }

    /// Sends a text from a page, by its id, to a person who has written to it within the last 24 hours, in
    /// several messages if it is long.
    pub async fn send_messenger(
        &self,
        page_id: &str,
        to: &str,
        text: &str,
        handover: &Handover,
    ) -> Result<Vec<String>, SendFailure> {
        let mut keys = Vec::new();
        for piece in pieces(text, MESSENGER_TEXT) {
            let body = json!({ "recipient": { "id": to }, "messaging_type": "RESPONSE", "message": { "text": piece } });
            let sent = self.post("Messenger", page_id, &body, handover).await;
            keys.push(key("Messenger", sent, &keys, |sent| sent["message_id"].as_str())?);
        }
        not_empty(keys)
    }

    /// Sends a file that was uploaded by [`upload_to_whatsapp`](Self::upload_to_whatsapp). Returns what the
    /// message is known by.
    pub async fn send_whatsapp_file(
        &self,
        phone_number_id: &str,
        to: &str,
        uploaded: &Uploaded,
        handover: &Handover,
    ) -> Result<String, SendFailure> {
        let Uploaded { id, kind, name } = uploaded;
        let mut media = json!({ "id": id });
        if *kind == "document" {
            media["filename"] = json!(name);
        }
        let body = json!({
            "messaging_product": "whatsapp", "recipient_type": "individual", "to": to, "type": kind, (*kind): media,
        });
        let sent = self.post("WhatsApp", phone_number_id, &body, handover).await;
        key("WhatsApp", sent, &[], |sent| sent["messages"][0]["id"].as_str())
    }

    /// Sends a file that was uploaded by [`upload_to_messenger`](Self::upload_to_messenger). Returns what the
    /// message is known by.
    pub async fn send_messenger_file(
        &self,
        page_id: &str,
        to: &str,
        uploaded: &Uploaded,
        handover: &Handover,
    ) -> Result<String, SendFailure> {
        let payload = json!({ "attachment_id": uploaded.id });
        let body = json!({
            "recipient": { "id": to }, "messaging_type": "RESPONSE",
            "message": { "attachment": { "type": uploaded.kind, "payload": payload } },
        });
        let sent = self.post("Messenger", page_id, &body, handover).await;
        key("Messenger", sent, &[], |sent| sent["message_id"].as_str())
    }

    /// Uploads a file for a message of WhatsApp. Nobody sees it before it is sent.
    pub async fn upload_to_whatsapp(
        &self,
        phone_number_id: &str,
        file: &OutgoingFile,
    ) -> Result<Uploaded, SendFailure> {
        let fields = [("messaging_product", "whatsapp"), ("type", file.media_type.as_str())];
        let form = Form::new(&fields, "file", file.in_form());
        let url = self.url("WhatsApp", phone_number_id, "media")?;
        let sent = self.upload("WhatsApp", &url, form).await?;
        let kind = whatsapp_kind(file);
        Uploaded::of("WhatsApp", &sent["id"], kind, file)
    }

    /// Uploads a file for a message of Messenger. Nobody sees it before it is sent.
    pub async fn upload_to_messenger(
        &self,
        page_id: &str,
        file: &OutgoingFile,
    ) -> Result<Uploaded, SendFailure> {
        let kind = match file.media_type.split('/').next() {
            Some("image") if file.is_one_of(&["image/jpeg", "image/png", "image/gif"]) => "image",
            Some("audio") => "audio",
            Some("video") => "video",
            _ => "file",
        };
        let message =
            json!({ "attachment": { "type": kind, "payload": { "is_reusable": false } } }).to_string();
        let form = Form::new(&[("message", &message)], "filedata", file.in_form());
        let url = self.url("Messenger", page_id, "message_attachments")?;
        let sent = self.upload("Messenger", &url, form).await?;
        Uploaded::of("Messenger", &sent["attachment_id"], kind, file)
    }

    /// Fetches a file of a message of WhatsApp by its id, of at most `max_bytes`.
    pub async fn whatsapp_file(&self, media_id: &str, max_bytes: u64) -> Result<Vec<u8>, SendFailure> {
        let url = self.url("WhatsApp", media_id, "")?;
        let headers = [(AUTHORIZATION, self.bearer("WhatsApp")?)];
        let found = self.outbound.get(&url, &headers, &self.limits(LIMITS.total)).await;
        let found = answer("WhatsApp", found.map_err(|error| SendFailure::before_handover(&error)))?;
        let unusable =
            || SendFailure::Refused("WhatsApp: the address of the file cannot be used.".to_owned());
        if found["file_size"].as_u64().is_some_and(|bytes| bytes > max_bytes) {
            return Err(SendFailure::Refused("WhatsApp: the file is too large.".to_owned()));
        }
        let url: Url = found["url"].as_str().and_then(|url| url.parse().ok()).ok_or_else(unusable)?;
        if !self.is_metas(&url) {
            return Err(unusable());
        }
        self.fetch("WhatsApp", &url, &[(AUTHORIZATION, self.bearer("WhatsApp")?)], max_bytes).await
    }

    /// Fetches a file of a message of Messenger by its address, of at most `max_bytes`. The address needs no
    /// token.
    pub async fn messenger_file(&self, url: &str, max_bytes: u64) -> Result<Vec<u8>, SendFailure> {
        let url: Option<Url> = url.parse().ok().filter(|url| self.is_metas(url));
        let url = url.ok_or_else(|| {
            SendFailure::Refused("Messenger: the address of the file cannot be used.".to_owned())
        })?;
        self.fetch("Messenger", &url, &[], max_bytes).await
    }

    /// Returns whether an address belongs to Meta. Tokens are sent nowhere else; and whoever knows the secret
    /// of an app could post any address.
    fn is_metas(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_known = url.scheme() == "https" && MEDIA_HOSTS.iter().any(|known| host.ends_with(known));
        is_known || url.origin() == self.base_url.origin()
    }

    async fn fetch(
        &self,
        service: &str,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        max_bytes: u64,
    ) -> Result<Vec<u8>, SendFailure> {
        let limits = Limits { max_bytes, ..self.limits(self.patience) };
        let fetched = self.outbound.get(url, headers, &limits).await;
        let response = fetched.map_err(|error| SendFailure::before_handover(&error))?;
        if !response.status.is_success() {
            return Err(SendFailure::of_response(service, &response, ""));
        }
        Ok(response.body.to_vec())
    }

    /// Uploads a form. Whatever fails, nobody has got a message, so it can be tried again.
    async fn upload(&self, service: &str, url: &Url, form: Form) -> Result<Value, SendFailure> {
        let headers = [(CONTENT_TYPE, form.content_type), (AUTHORIZATION, self.bearer(service)?)];
        let sent = self.outbound.post_and_read(url, &headers, form.body, &self.limits(self.patience)).await;
        answer(service, sent.map_err(|error| SendFailure::before_handover(&error))).map_err(|failure| {
            match failure {
                SendFailure::Unknown(reason) => SendFailure::not_sent(reason),
                other => other,
            }
        })
    }

    /// Posts a message.
    async fn post(
        &self,
        service: &str,
        id: &str,
        body: &Value,
        handover: &Handover,
    ) -> Result<Value, SendFailure> {
        let url = self.url(service, id, "messages")?;
        let json = HeaderValue::from_static("application/json");
        let headers = [(CONTENT_TYPE, json), (AUTHORIZATION, self.bearer(service)?)];
        let (body, limits) = (body.to_string().into(), self.limits(LIMITS.total));
        let sent = self.outbound.post_handing_over(&url, &headers, body, &limits, handover).await;
        answer(service, sent.map_err(|failed| SendFailure::of_post(&failed)))
    }

    fn limits(&self, total: Duration) -> Limits {
        let total = total.min(self.patience);
        Limits { total, connect: LIMITS.connect.min(total), ..LIMITS }
    }

    /// Returns the address of something below the id of a number, a page or a file.
    fn url(&self, service: &str, id: &str, below: &str) -> Result<Url, SendFailure> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SendFailure::Refused(format!(
                "{service}: the id of the number, page or file must consist of digits."
            )));
        }
        let path = if below.is_empty() { id.to_owned() } else { format!("{id}/{below}") };
        self.base_url
            .join(&path)
            .map_err(|_| SendFailure::Refused(format!("{service}: the address is not one.")))
    }

    fn bearer(&self, service: &str) -> Result<HeaderValue, SendFailure> {
        let mut bearer = HeaderValue::try_from(format!("Bearer {}", self.token.expose())).map_err(|_| {
            SendFailure::Refused(format!("{service}: the access token has not the form of one."))
        })?;
        bearer.set_sensitive(true);
        Ok(bearer)
    }
}

/// A file that Meta has, to be sent with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploaded {
    id: String,
    kind: &'static str,
    name: String,
}

impl Uploaded {
    fn of(service: &str, id: &Value, kind: &'static str, file: &OutgoingFile) -> Result<Self, SendFailure> {
        let id = id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string()));
        let id = id.ok_or_else(|| {
            SendFailure::not_sent(format!("{service} sent a response that cannot be read."))
        })?;
        Ok(Self { id, kind, name: file.name.clone() })
    }
}

/// Returns how WhatsApp shows a file. Everything that is not shown as something else is a document.
fn whatsapp_kind(file: &OutgoingFile) -> &'static str {
    const MB: usize = 1024 * 1024;
    match file.bytes() {
        bytes if bytes <= 5 * MB && file.is_one_of(&["image/jpeg", "image/png"]) => "image",
        bytes if bytes <= 16 * MB && file.is_one_of(&["video/mp4", "video/3gpp"]) => "video",
        bytes
            if bytes <= 16 * MB
                && file.is_one_of(&["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"]) =>
        {
            "audio"
        }
        _ => "document",
    }
}

/// Returns the body of a response of the Graph API, or what has failed.
fn answer(service: &str, sent: Result<Fetched, SendFailure>) -> Result<Value, SendFailure> {
    let response = sent?;
    let parsed: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    if response.status.is_success() && parsed["error"].is_null() {
        return Ok(parsed);
    }
    Err(failure(service, &response, &parsed["error"]))
}

/// Returns what a message is known by, from the response to it.
fn key(
    service: &str,
    sent: Result<Value, SendFailure>,
    earlier: &[String],
    id: impl Fn(&Value) -> Option<&str>,
) -> Result<String, SendFailure> {
    match sent {
        Ok(sent) => id(&sent)
            .map(str::to_owned)
            .ok_or_else(|| SendFailure::Unknown(format!("{service} sent a response that cannot be read."))),
        Err(failure) if earlier.is_empty() => Err(failure),
        Err(failure) => Err(SendFailure::Unknown(format!("The text was sent in part. {failure}"))),
    }
}

fn not_empty(keys: Vec<String>) -> Result<Vec<String>, SendFailure> {
    if keys.is_empty() { Err(SendFailure::Refused("The message has no text.".to_owned())) } else { Ok(keys) }
}

/// Converts an error of the Graph API. The codes that people can do something about have texts of their own.
fn failure(service: &str, response: &Fetched, error: &Value) -> SendFailure {
    let message = error["message"].as_str().unwrap_or_default();
    let refused = |text: &str| SendFailure::Refused(format!("{service}: {text}"));
    match error["code"].as_i64() {
        // Too many calls, or too many messages to one person.
        Some(4 | 32 | 613 | 80_007 | 130_429 | 131_048 | 131_056) => {
            SendFailure::not_sent(format!("{service}: {message}"))
        }
        Some(190) => refused("the access token has expired or was revoked; enter a new one."),
        Some(10 | 200..=299) if service == "WhatsApp" => {
            refused("the access token lacks the permission whatsapp_business_messaging.")
        }
        Some(131_047) => refused("the person has not written for 24 hours, so only templates may be sent."),
        Some(10) => refused(
            "the person has not written for 24 hours, or the access token lacks the permission pages_messaging.",
        ),
        Some(131_026) => refused("the number cannot receive the message: it may not use WhatsApp."),
        Some(551) => refused("the person does not receive messages at present."),
        _ => SendFailure::of_response(service, response, message),
    }
}
