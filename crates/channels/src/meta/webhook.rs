//! Webhooks of Meta: the handshake, signatures, and what is posted.

use serde_json::Value;

use super::{messenger, notification::Notification, whatsapp};
use crate::secret::Secret;

/// The header with the signature of a body.
pub const SIGNATURE_HEADER: &str = "X-Hub-Signature-256";

/// Returns the text that the handshake must be responded to with, if mode and token are right: Meta calls a
/// new webhook with `hub.mode`, `hub.verify_token` and `hub.challenge` to see whom it belongs to.
pub fn challenge<'a>(mode: &str, token: &str, challenge: &'a str, expected: &Secret) -> Option<&'a str> {
    let is_sound = !challenge.is_empty()
        && challenge.len() <= 200
        && challenge.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (mode == "subscribe" && is_sound && expected.is(token)).then_some(challenge)
}

/// Returns whether a body was signed with the secret of the app. `header` is the value of
/// [`SIGNATURE_HEADER`], and `body` the bytes as they arrived: the same JSON in another form has another
/// signature.
pub fn is_signed(body: &[u8], header: &str, app_secret: &Secret) -> bool {
    header.strip_prefix("sha256=").is_some_and(|signature| app_secret.has_signed(body, signature))
}

/// Reads what was posted. What is not known, such as reactions of a new kind, is left out: Meta posts again
/// whatever is not accepted.
pub fn read(body: &Value) -> Vec<Notification> {
    let entries = body["entry"].as_array().into_iter().flatten();
    match body["object"].as_str() {
        Some("whatsapp_business_account") => entries.flat_map(whatsapp::read).collect(),
        Some("page") => entries.flat_map(messenger::read).collect(),
        _ => Vec::new(),
    }
}
