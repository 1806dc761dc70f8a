//! What mail servers and Meta post to channels, with the proof that the service asks for.

use std::net::SocketAddr;

use data_encoding::HEXLOWER;
use frontdesk_client::{Raw, model::InboxChannel};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

use crate::wire::Request;

/// The secret of e-mail channels that e-mails are posted to.
pub(crate) const SECRET: &str = "a-secret-of-the-channel";

/// Returns a request that posts an e-mail to the channel with a key.
pub(crate) fn mail_request(channel_key: Uuid, secret: &str, mail: impl Into<Vec<u8>>) -> Request {
    let request = Request::new("POST", &format!("/api/v1/public/channels/{channel_key}/mail"));
    request.header("X-Channel-Secret", secret).body_of("message/rfc822", mail)
}

/// Posts an e-mail to a channel that has [`SECRET`].
pub(crate) async fn post_mail(address: SocketAddr, channel: &InboxChannel, mail: impl Into<Vec<u8>>) -> Raw {
    let key = channel.email.as_ref().unwrap().channel_key;
    mail_request(key, SECRET, mail).send(address).await
}

/// Returns a request that posts a body to the channel with a key, signed as Meta does.
pub(crate) fn signed_request(channel_key: Uuid, secret: &str, body: &serde_json::Value) -> Request {
    let text = body.to_string();
    let mut code = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    code.update(text.as_bytes());
    let code = HEXLOWER.encode(&code.finalize().into_bytes());
    Request::new("POST", &format!("/api/v1/public/channels/{channel_key}/meta"))
        .header("X-Hub-Signature-256", &format!("sha256={code}"))
        .json(text)
}
