//! The Graph API: messages to WhatsApp and Messenger.

use std::time::Duration;

use frontdesk_outbound::{Fetched, Limits, Outbound};
use http::{HeaderValue, header::AUTHORIZATION};
use serde_json::{Value, json};
use url::Url;

use crate::{failure::SendFailure, secret::Secret, text::pieces};

/// The address of the Graph API with its version.
pub const BASE_URL: &str = "https://graph.facebook.com/v23.0/";

/// Longest text of a message of WhatsApp.
pub const WHATSAPP_TEXT: usize = 4_096;

/// Longest text of a message of Messenger.
pub const MESSENGER_TEXT: usize = 2_000;

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
    /// The address, with the version and a `/` at its end.
    pub base_url: Url,
    /// The access token.
    pub token: Secret,
}

impl Graph {
    /// Sends a text from a number of the business, by its id, to a WhatsApp number, in several messages if it is long. Returns what they are
    /// known by. If a later piece fails, the failure is [`SendFailure::Unknown`], as the earlier ones have arrived.
    pub async fn send_whatsapp(
        &self,
        phone_number_id: &str,
        to: &str,
        text: &str,
        in_reply_to: Option<&str>,
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
            let sent = self.post("WhatsApp", phone_number_id, &body).await;
            keys.push(key("WhatsApp", sent, &keys, |sent| sent["messages"][0]["id"].as_str())?);
        }
        not_empty(keys)
    }

    /// Sends a text from a page, by its id, to a person who has written to it within the last 24 hours, in several messages if it is long.
    pub async fn send_messenger(
        &self,
        page_id: &str,
        to: &str,
        text: &str,
    ) -> Result<Vec<String>, SendFailure> {
        let mut keys = Vec::new();
        for piece in pieces(text, MESSENGER_TEXT) {
            let body = json!({ "recipient": { "id": to }, "messaging_type": "RESPONSE", "message": { "text": piece } });
            let sent = self.post("Messenger", page_id, &body).await;
            keys.push(key("Messenger", sent, &keys, |sent| sent["message_id"].as_str())?);
        }
        not_empty(keys)
    }

    async fn post(&self, service: &str, id: &str, body: &Value) -> Result<Value, SendFailure> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SendFailure::Refused(format!(
                "{service}: the id of the number or page must consist of digits."
            )));
        }
        let refused = |reason: &str| SendFailure::Refused(format!("{service}: {reason}"));
        let url =
            self.base_url.join(&format!("{id}/messages")).map_err(|_| refused("the address is not one."))?;
        let mut bearer = HeaderValue::try_from(format!("Bearer {}", self.token.expose()))
            .map_err(|_| refused("the access token has not the form of one."))?;
        bearer.set_sensitive(true);
        let sent = self.outbound.post_json(&url, &[(AUTHORIZATION, bearer)], body, &LIMITS).await;
        let response = sent.map_err(|error| SendFailure::of_request(&error))?;
        let parsed: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if response.status.is_success() && parsed["error"].is_null() {
            return Ok(parsed);
        }
        Err(failure(service, &response, &parsed["error"]))
    }
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
