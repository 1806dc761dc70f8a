//! Mailboxes: their settings, and replies by their mail server. `receiving` makes messages of e-mails.

mod addresses;
pub(super) mod receiving;

use frontdesk_channels::{
    Secret,
    imap::ImapServer,
    smtp::{Correspondent, File, Letter, Security, SmtpServer, send},
};
use frontdesk_mail::{ORIGIN_HEADER, is_forward};
use frontdesk_model::{
    ConnectionSecurity, EmailChannel, EmailChannelRequired, EmailChannelSettings, MailServer,
    MailServerRequired, MailServerSettings,
};
use frontdesk_outbound::Handover;
use frontdesk_runtime::{Patch, check};
use frontdesk_store::{Contact, InboxChannel, MessageDirection, OutgoingMessage, Scope};
use serde::{Deserialize, Serialize};

use super::{Delivered, DeliveryError, Sending, content, failed};
use crate::{background::Background, edge::responses, platform::secrets::of_channels};

/// The subject of a message without one.
const SUBJECT: &str = "Your message";
/// The mailbox that is read unless the settings say otherwise.
const INBOX: &str = "INBOX";
/// Earlier messages that a reply names.
const REFERENCES: u32 = 50;

/// A mail server, as it is stored. Its password is among the secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredServer {
    host: String,
    port: u16,
    security: String,
    user: Option<String>,
    has_password: bool,
    mailbox: Option<String>,
}

/// The settings of a mailbox, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EmailSettings {
    /// The address that messages are sent from.
    pub(crate) address: String,
    sender_name: Option<String>,
    /// Where e-mails are fetched.
    pub(crate) imap: Option<StoredServer>,
    smtp: Option<StoredServer>,
    has_push_secret: bool,
}

/// The secrets of a mailbox.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EmailSecrets {
    imap_password: Option<String>,
    smtp_password: Option<String>,
    /// With which programs may post e-mails.
    pub(crate) push_secret: Option<String>,
}

impl EmailSettings {
    /// Reads the settings of a channel.
    pub(crate) fn of(channel: &InboxChannel) -> Self {
        serde_json::from_value(channel.settings.clone()).unwrap_or_default()
    }

    /// Applies a change, and adds a failing field for each value that cannot be used.
    pub(crate) fn change(
        &mut self,
        change: EmailChannelSettings,
        secrets: &mut EmailSecrets,
        failures: &mut Vec<check::Failure>,
    ) {
        if let Some(address) = change.address {
            match frontdesk_address::email(&address) {
                Some(address) => self.address = address,
                None => failures.push(responses::failure("email.address", "must be an e-mail address")),
            }
        }
        match change.sender_name {
            Patch::Absent => {}
            Patch::Null => self.sender_name = None,
            Patch::Value(name) => self.sender_name = Some(name).filter(|name| !name.trim().is_empty()),
        }
        server(&mut self.imap, &mut secrets.imap_password, change.imap, "email.imap", failures);
        server(&mut self.smtp, &mut secrets.smtp_password, change.smtp, "email.smtp", failures);
        if self.imap.as_ref().is_some_and(|imap| imap.user.is_none() || !imap.has_password) {
            failures.push(responses::failure("email.imap", "needs `user` and `password`"));
        }
        match change.push_secret {
            Patch::Absent => {}
            Patch::Null => secrets.push_secret = None,
            Patch::Value(secret) => secrets.push_secret = Some(secret),
        }
        self.has_push_secret = secrets.push_secret.is_some();
        if self.address.is_empty() && failures.iter().all(|failure| failure.path != "email.address") {
            failures.push(responses::failure("email.address", "is required"));
        }
    }

    /// Returns the settings as the contract describes them.
    pub(crate) fn shown(channel: &InboxChannel) -> EmailChannel {
        let settings = Self::of(channel);
        let shown = |server: StoredServer| {
            MailServer::new(MailServerRequired {
                host: server.host,
                port: i64::from(server.port),
                security: ConnectionSecurity::from(server.security.as_str()),
                user: server.user,
                has_password: server.has_password,
                mailbox: server.mailbox.unwrap_or_else(|| INBOX.to_owned()),
            })
        };
        EmailChannel::new(EmailChannelRequired {
            address: settings.address,
            sender_name: settings.sender_name,
            imap: settings.imap.map(shown),
            smtp: settings.smtp.map(shown),
            channel_key: channel.public_key,
            has_push_secret: settings.has_push_secret,
        })
    }
}

/// Applies a change of one server.
fn server(
    stored: &mut Option<StoredServer>,
    password: &mut Option<String>,
    change: Option<MailServerSettings>,
    path: &str,
    failures: &mut Vec<check::Failure>,
) {
    let Some(new) = change else { return };
    if !ConnectionSecurity::KNOWN.contains(&new.security.as_str()) {
        failures.push(responses::failure(&format!("{path}.security"), "is not one of the known values"));
    }
    let host = frontdesk_address::host(&new.host).unwrap_or(new.host);
    // A password belongs to its server: another host must not get to see it.
    if stored.as_ref().is_some_and(|stored| stored.host != host) {
        *password = None;
    }
    *password = new.password.or(password.take());
    *stored = Some(StoredServer {
        host,
        port: u16::try_from(new.port).unwrap_or_default(),
        security: new.security.as_str().to_owned(),
        user: new.user,
        has_password: password.is_some(),
        mailbox: new.mailbox,
    });
}

fn security(text: &str) -> Security {
    match text {
        "starttls" => Security::StartTls,
        "none" => Security::None,
        _ => Security::Tls,
    }
}

/// Returns the server to fetch e-mails from. `None` if there is none, or if its password cannot be decrypted.
pub(super) fn imap_server(service: &Background, channel: &InboxChannel) -> Option<ImapServer> {
    let imap = EmailSettings::of(channel).imap?;
    let secrets: EmailSecrets = of_channels::decrypted(&service.cipher, channel)?;
    Some(ImapServer {
        security: security(&imap.security),
        host: imap.host,
        port: imap.port,
        user: imap.user?,
        password: Secret::new(secrets.imap_password?),
        mailbox: imap.mailbox.unwrap_or_else(|| INBOX.to_owned()),
    })
}

fn smtp_server(service: &Background, channel: &InboxChannel, stored: StoredServer) -> Option<SmtpServer> {
    let login = match stored.user {
        Some(user) if stored.has_password => {
            let secrets: EmailSecrets = of_channels::decrypted(&service.cipher, channel)?;
            Some((user, Secret::new(secrets.smtp_password?)))
        }
        _ => None,
    };
    let security = security(&stored.security);
    Some(SmtpServer { host: stored.host, port: stored.port, security, login })
}

pub(super) fn sending(contact: Option<&Contact>) -> Sending {
    if contact.is_none_or(|contact| contact.email.is_none()) {
        Sending::Impossible("Nobody has left an email address to reply to.")
    } else {
        Sending::ByJob
    }
}

pub(super) async fn deliver(
    service: &Background,
    outgoing: &OutgoingMessage,
    handover: &Handover,
) -> Result<Delivered, DeliveryError> {
    let OutgoingMessage { channel, thread, message, .. } = outgoing;
    let settings = EmailSettings::of(channel);
    let Some(stored) = settings.smtp else {
        return Err(DeliveryError::Refused("The channel has no mail server to send with.".to_owned()));
    };
    let Some(server) = smtp_server(service, channel, stored) else {
        return Err(DeliveryError::Refused("The password of the mail server cannot be read.".to_owned()));
    };
    let scope = Scope::of_account(channel.account_id);
    let files = content::files(service, outgoing).await?;
    let keys = service.store.threads().message_keys(&scope, thread.thread_id, REFERENCES).await;
    let keys = keys.map_err(|error| content::unreadable(&error))?;
    let parent = keys.iter().rev().find(|key| key.direction == MessageDirection::Inbound);
    let author_id = keys
        .iter()
        .rev()
        .filter(|key| key.direction == MessageDirection::Inbound)
        .find_map(|key| key.author_id);
    let recipient = content::recipient(service, outgoing, author_id).await?;
    let domain = settings.address.rsplit('@').next().unwrap_or_default();
    let message_id = format!("{}@{domain}", message.message_id);
    // The subject of the e-mail that is answered: people change it within an exchange.
    let subject = parent.and_then(|parent| parent.subject.as_deref()).or(thread.subject.as_deref());
    let subject = match subject {
        Some(subject) if keys.is_empty() || is_reply(subject) => subject.to_owned(),
        Some(subject) => format!("Re: {subject}"),
        None => SUBJECT.to_owned(),
    };
    let letter = Letter {
        message_id: message_id.clone(),
        from: Correspondent { name: settings.sender_name, address: settings.address },
        reply_to: None,
        to: vec![Correspondent {
            name: Some(recipient.name).filter(|name| !name.is_empty()),
            address: recipient.address,
        }],
        subject,
        in_reply_to: parent.map(|key| key.external_id.clone()),
        references: keys.iter().map(|key| key.external_id.clone()).collect(),
        text: message.body.clone(),
        html: None,
        files: files
            .into_iter()
            .map(|file| File { name: file.name, media_type: file.mime_type, bytes: file.content.to_vec() })
            .collect(),
        fields: vec![(ORIGIN_HEADER, channel.channel_id.to_string())],
        is_automatic: false,
    };
    let patience = service.config.channels.timeout;
    match send(&service.mail_outbound, &server, &letter, patience, handover).await {
        Ok(()) => Ok(Delivered { external_id: Some(message_id) }),
        Err(failure) => Err(failed(failure)),
    }
}

/// Returns whether a subject says already that it is a reply.
fn is_reply(subject: &str) -> bool {
    !is_forward(subject) && frontdesk_mail::base_subject(subject) != subject.trim().to_lowercase()
}
