//! What mail servers and Meta post to channels, with the proof that the service asks for.

use std::net::SocketAddr;

use data_encoding::HEXLOWER;
use frontdesk_client::{
    Client, Raw,
    model::{EmailChannelSettings, InboxChannel, InboxMessage},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

use super::{dovecot::smtp_server, email_channel};
use crate::{
    installation::Installation,
    wire::{Request, json as body_of},
};

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

/// A mailbox that programs post e-mails to.
pub(super) struct Mailbox<'a> {
    pub(super) service: &'a Installation,
    pub(super) client: Client,
    pub(super) channel: InboxChannel,
}

impl<'a> Mailbox<'a> {
    pub(super) async fn new(service: &'a Installation, client: Client, smtp: Option<&str>) -> Self {
        let settings =
            EmailChannelSettings::new().address("support@acme.example").push_secret(SECRET.to_owned());
        let settings = match smtp {
            Some(smtp) => settings.smtp(smtp_server(smtp)),
            None => settings,
        };
        let channel = email_channel(&client, "Support", settings).await;
        Self { service, client, channel }
    }

    /// Posts an e-mail and returns what became of it.
    pub(super) async fn post(&self, mail: impl AsRef<[u8]>) -> String {
        let answer = post_mail(self.service.address(), &self.channel, mail.as_ref()).await;
        body_of(&answer)["outcome"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }

    /// Posts an e-mail and returns the newest message.
    pub(super) async fn newest(&self, mail: impl AsRef<[u8]>) -> (Uuid, InboxMessage) {
        assert_eq!(self.post(mail).await, "received");
        let thread = self.client.inbox().list_threads().await.unwrap().into_inner().threads.remove(0);
        let page = self.client.inbox().list_thread_messages(thread.thread_id).await.unwrap().into_inner();
        (thread.thread_id.uuid(), page.messages.into_iter().last().unwrap())
    }
}
