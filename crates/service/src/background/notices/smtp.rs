//! [`Mailer`]: hands a message to the mail server, and tells whether it may have been accepted.

use std::{fmt, time::Duration};

use bytes::Bytes;
use frontdesk_channels::{
    Secret, SendFailure, one_line,
    smtp::{Relay, Security, SmtpServer},
};
use frontdesk_outbound::{Handover, Outbound, OutboundError, Policy};
use lettre::{
    Message,
    address::AddressError,
    message::{
        Attachment, Mailbox, MultiPart, SinglePart,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
};
use percent_encoding::percent_decode_str;
use url::Url;
use uuid::Uuid;

use crate::platform::config;

/// Why e-mail cannot be configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// One of the two settings is missing.
    #[error(
        "to send e-mail, set both mail.smtp_url (FRONTDESK_MAIL_SMTP_URL) and mail.from (FRONTDESK_MAIL_FROM)"
    )]
    Incomplete,
    /// The address of the mail server cannot be used.
    #[error(
        "mail.smtp_url cannot be used: {0}; it has the form smtps://USER:PASSWORD@HOST or smtp://HOST:587?tls=required"
    )]
    Server(&'static str),
    /// The sender is not an e-mail address.
    #[error("mail.from is not an e-mail address such as `Frontdesk <notices@frontdesk.example>`")]
    Sender(#[source] AddressError),
    /// The client for the mail server cannot be created.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
}

/// How an attempt to send a message has failed.
#[derive(Debug)]
pub(crate) enum SendError {
    /// The message certainly was not accepted; another attempt may succeed.
    NotSent(String),
    /// The mail server will never accept the message.
    Refused(String),
    /// Nobody knows whether the message was accepted.
    Unknown(String),
}

impl From<SendFailure> for SendError {
    fn from(failure: SendFailure) -> Self {
        match failure {
            SendFailure::NotSent { reason, .. } => Self::NotSent(reason),
            SendFailure::Refused(reason) => Self::Refused(reason),
            SendFailure::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

/// An e-mail.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    /// A part of the message's id, by which mail servers recognize repeats. ASCII letters, digits, `-` and
    /// `.`.
    pub(crate) id: String,
    /// The name of the sender, instead of the configured one.
    pub(crate) from_name: Option<String>,
    /// The address of the recipient.
    pub(crate) to: String,
    /// The name of the recipient; may be empty.
    pub(crate) to_name: String,
    /// The address for replies, instead of that of the sender.
    pub(crate) reply_to: Option<String>,
    /// The subject.
    pub(crate) subject: String,
    /// The text.
    pub(crate) body: String,
    /// Whether a program has written it, so that other programs must not answer (RFC 3834).
    pub(crate) is_automatic: bool,
    /// The address at which the recipient unsubscribes with one click (RFC 8058).
    pub(crate) unsubscribe: Option<String>,
    /// Files.
    pub(crate) attached: Vec<Attached>,
}

/// A file of an e-mail.
#[derive(Debug, Clone)]
pub(crate) struct Attached {
    /// Its name; may be any text.
    pub(crate) name: String,
    /// Its media type.
    pub(crate) mime_type: String,
    /// Its bytes.
    pub(crate) content: Bytes,
}

/// Hands messages to the mail server of the operator, which may be in any network.
#[derive(Clone)]
pub(crate) struct Mailer {
    outbound: Outbound,
    relay: Relay,
    from: Mailbox,
}

impl fmt::Debug for Mailer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mailer").field("from", &self.from).finish_non_exhaustive()
    }
}

/// `Auto-Submitted: auto-generated` (RFC 3834): other programs must not answer, which could go on for ever.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

impl Mailer {
    /// Reads the settings. Returns `None` if no e-mail is to be sent, and says so in the log. `patience` is
    /// that of a [`Relay`].
    pub(crate) fn open(settings: &config::Mail, patience: Duration) -> Result<Option<Self>, MailError> {
        let (url, from) = match (&settings.smtp_url, &settings.from) {
            (Some(url), Some(from)) => (url, from),
            (None, None) => {
                tracing::info!(
                    "no mail server is configured (mail.smtp_url): nobody is notified by e-mail that a visitor waits for a \
                     person, or that a webhook endpoint fails"
                );
                return Ok(None);
            }
            _ => return Err(MailError::Incomplete),
        };
        let from: Mailbox = from.parse().map_err(MailError::Sender)?;
        let relay = relay(url.expose(), from.email.domain(), patience).map_err(MailError::Server)?;
        let everywhere = ["0.0.0.0/0", "::/0"].map(|network| network.parse().expect("it is a network"));
        let user_agent = concat!("Frontdesk/", env!("CARGO_PKG_VERSION"));
        let outbound = Outbound::new(Policy { allow: everywhere.to_vec(), ..Policy::new(user_agent) })?;
        Ok(Some(Self { outbound, relay, from }))
    }

    /// Sends a text. `id` becomes a part of the message's id, by which mail servers recognize repeats.
    pub(super) async fn send(
        &self,
        id: Uuid,
        to: &str,
        name: &str,
        subject: &str,
        body: String,
        handover: &Handover,
    ) -> Result<(), SendError> {
        let mail = Mail {
            id: id.to_string(),
            from_name: None,
            to: to.to_owned(),
            to_name: name.to_owned(),
            reply_to: None,
            subject: subject.to_owned(),
            body,
            is_automatic: true,
            unsubscribe: None,
            attached: Vec::new(),
        };
        self.deliver(mail, handover).await
    }

    /// Sends an e-mail. `handover` notes that it may have arrived just before its text is written.
    pub(crate) async fn deliver(&self, mail: Mail, handover: &Handover) -> Result<(), SendError> {
        let message = self.message(mail)?;
        Ok(self.relay.hand_over(&self.outbound, &message, handover).await?)
    }

    /// Writes the headers and the text of an e-mail. No text of `mail` can begin another header.
    fn message(&self, mail: Mail) -> Result<Message, SendError> {
        let refused = |error: &dyn fmt::Display| SendError::Refused(error.to_string());
        let address = |text: &str| {
            frontdesk_address::email_key(text).parse().map_err(|error: AddressError| refused(&error))
        };
        let named = |name: &str| Some(one_line(name)).filter(|name| !name.is_empty());
        let from_name = mail.from_name.as_deref().map_or_else(|| self.from.name.clone(), named);
        let mut builder = Message::builder()
            .from(Mailbox::new(from_name, self.from.email.clone()))
            .to(Mailbox::new(named(&mail.to_name), address(&mail.to)?))
            .subject(one_line(&mail.subject))
            .message_id(Some(format!("<{}@{}>", mail.id, self.from.email.domain())));
        if mail.is_automatic {
            builder = builder.header(AutoSubmitted);
        }
        if let Some(reply_to) = &mail.reply_to {
            builder = builder.reply_to(Mailbox::new(None, address(reply_to)?));
        }
        let message = if mail.attached.is_empty() {
            builder.header(ContentType::TEXT_PLAIN).body(mail.body)
        } else {
            let mut parts = MultiPart::mixed().singlepart(SinglePart::plain(mail.body));
            for Attached { name, mime_type, content } in mail.attached {
                // A media type that the mail library rejects is sent as unknown content.
                let media_type = ContentType::parse(&mime_type)
                    .or_else(|_| ContentType::parse("application/octet-stream"))
                    .map_err(|error| refused(&error))?;
                parts = parts.singlepart(Attachment::new(one_line(&name)).body(content.to_vec(), media_type));
            }
            builder.multipart(parts)
        };
        let mut message = message.map_err(|error| refused(&error))?;
        if let Some(url) = mail.unsubscribe {
            for (name, value) in [
                ("List-Unsubscribe", format!("<{}>", one_line(&url))),
                ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()),
            ] {
                let name = HeaderName::new_from_ascii_str(name);
                message.headers_mut().insert_raw(HeaderValue::new(name, value));
            }
        }
        Ok(message)
    }
}

/// Reads the address of the mail server. Its path, if it has one, is the name by which this client introduces
/// itself, instead of the domain of the sender.
fn relay(url: &str, domain: &str, patience: Duration) -> Result<Relay, &'static str> {
    let url: Url = url.parse().map_err(|_| "it is not an address")?;
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or("it names no host")?;
    let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
    let (security, is_opportunistic, port) = match (url.scheme(), tls.as_deref()) {
        ("smtps", _) => (Security::Tls, false, 465),
        ("smtp", None) => (Security::None, false, 25),
        ("smtp", Some("required")) => (Security::StartTls, false, 587),
        ("smtp", Some("opportunistic")) => (Security::None, true, 587),
        ("smtp", Some(_)) => return Err("`tls` is neither `required` nor `opportunistic`"),
        _ => return Err("it begins with neither smtp:// nor smtps://"),
    };
    let decoded = |text: &str| {
        let text =
            percent_decode_str(text).decode_utf8().map_err(|_| "user name or password is not UTF-8")?;
        Ok::<_, &'static str>(text.into_owned())
    };
    let login = match url.password() {
        Some(password) => Some((decoded(url.username())?, Secret::new(decoded(password)?))),
        None => None,
    };
    let path = url.path().trim_matches('/');
    Ok(Relay {
        server: SmtpServer { host: host.to_owned(), port: url.port().unwrap_or(port), security, login },
        hello_name: if path.is_empty() { domain } else { path }.to_owned(),
        is_opportunistic,
        is_operators: true,
        patience,
    })
}

#[cfg(test)]
mod tests {
    use frontdesk_store::Redacted;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn open(url: Option<&str>, from: Option<&str>) -> Result<Option<Mailer>, MailError> {
        let smtp_url = url.map(|url| Redacted::new(url.to_owned()));
        Mailer::open(&config::Mail { smtp_url, from: from.map(str::to_owned), public_url: None }, PATIENCE)
    }

    #[tokio::test]
    async fn both_settings_are_needed() {
        let (url, from) = ("smtp://127.0.0.1:2525", "Frontdesk <notices@frontdesk.example>");
        assert!(open(Some(url), Some(from)).unwrap().is_some());
        assert!(open(None, None).unwrap().is_none());
        assert!(matches!(open(Some(url), None), Err(MailError::Incomplete)));
        assert!(matches!(open(Some(url), Some("Frontdesk")), Err(MailError::Sender(_))));
        let wrong = open(Some("smtp://127.0.0.1:2525?tls=perhaps"), Some(from));
        assert!(matches!(wrong, Err(MailError::Server(_))));
    }

    #[test]
    fn the_address_says_how_the_connection_is_encrypted() {
        let read = |url: &str| {
            let Relay { server, hello_name, is_opportunistic, .. } =
                relay(url, "frontdesk.example", PATIENCE)?;
            let login = server.login.map(|(user, password)| format!("{user} {}", password.expose()));
            Ok((server.host, server.port, server.security, is_opportunistic, login, hello_name))
        };
        let of = |host: &str, port: u16, security: Security, is_opportunistic: bool| {
            (
                host.to_owned(),
                port,
                security,
                is_opportunistic,
                None::<String>,
                "frontdesk.example".to_owned(),
            )
        };
        for (url, expected) in [
            ("smtps://mail.example", Ok(of("mail.example", 465, Security::Tls, false))),
            ("smtp://mail.example", Ok(of("mail.example", 25, Security::None, false))),
            ("smtp://mail.example:2525", Ok(of("mail.example", 2525, Security::None, false))),
            ("smtp://mail.example?tls=required", Ok(of("mail.example", 587, Security::StartTls, false))),
            ("smtp://mail.example?tls=opportunistic", Ok(of("mail.example", 587, Security::None, true))),
            ("smtp://mail.example?tls=never", Err("`tls` is neither `required` nor `opportunistic`")),
            ("https://mail.example", Err("it begins with neither smtp:// nor smtps://")),
            ("mail.example", Err("it is not an address")),
            ("smtp:///path", Err("it names no host")),
        ] {
            assert_eq!(read(url), expected, "{url}");
        }
        let (.., login, name) = read("smtps://a%40b.example:p%3Aw@mail.example/mx.acme.example").unwrap();
        assert_eq!((login.as_deref(), name.as_str()), (Some("a@b.example p:w"), "mx.acme.example"));
    }

    #[test]
    fn a_name_cannot_begin_another_header() {
        assert_eq!(one_line("Eve\r\nBcc: all@example.com"), "Eve  Bcc: all@example.com");
    }

    #[tokio::test]
    async fn an_email_to_a_contact_has_the_headers_of_bulk_senders_and_no_others() {
        let mailer = open(Some("smtp://127.0.0.1:1"), Some("Frontdesk <a@frontdesk.example>"));
        let mail = Mail {
            id: "7.1".to_owned(),
            from_name: Some("Acme\r\nBcc: x@evil.example".to_owned()),
            to: "ann@customer.example".to_owned(),
            to_name: "Ann\nX-Evil: 1".to_owned(),
            reply_to: Some("owner@acme.example".to_owned()),
            subject: "Your offer\r\nX-Evil: 2".to_owned(),
            body: "Hello\n.\nX-Body: 3".to_owned(),
            is_automatic: true,
            attached: Vec::new(),
            unsubscribe: Some(
                "https://api.frontdesk.example/api/v1/unsubscribe/d47b93e0-5a1c-4826-bf38-6e0c9a1f7d25"
                    .to_owned(),
            ),
        };
        let mailer = mailer.unwrap().unwrap();
        let text = String::from_utf8(mailer.message(mail.clone()).unwrap().formatted()).unwrap();
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        let names: Vec<&str> = head
            .lines()
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| line.split(':').next())
            .collect();
        for name in ["Bcc", "X-Evil"] {
            assert!(!names.contains(&name), "{head}");
        }
        let unfolded = head.replace("\r\n ", " ");
        for line in [
            "Message-ID: <7.1@frontdesk.example>",
            "Reply-To: owner@acme.example",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe: <https://api.frontdesk.example/api/v1/unsubscribe/d47b93e0-5a1c-4826-bf38-6e0c9a1f7d25>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(unfolded.lines().any(|other| other == line), "{line} is not in\n{unfolded}");
        }
        let wrong =
            mailer.message(Mail { to: "ann@customer.example\r\nBcc: x@evil.example".to_owned(), ..mail });
        assert!(matches!(wrong, Err(SendError::Refused(_))));
    }

    #[tokio::test]
    async fn a_server_that_lets_nobody_in_has_refused_no_message() {
        for conversation in
            ["554 go away", "220 x\r\n554 go away", "220 x\r\n250 AUTH PLAIN\r\n535 wrong password"]
        {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("smtp://shop:secret@{}", listener.local_addr().unwrap());
            tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                // Its replies are there before the commands.
                let replies = format!("{conversation}\r\n");
                tokio::io::AsyncWriteExt::write_all(&mut stream, replies.as_bytes()).await.unwrap();
                std::future::pending::<()>().await;
            });
            let mailer = open(Some(&url), Some("a@frontdesk.example")).unwrap().unwrap();
            let text = "Text".to_owned();
            let sent =
                mailer.send(Uuid::nil(), "a@acme.example", "", "Hello", text, &Handover::unnoted()).await;
            assert!(matches!(sent, Err(SendError::NotSent(_))), "{conversation}: {sent:?}");
        }
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_has_not_sent_anything() {
        let mailer = open(Some("smtp://127.0.0.1:1"), Some("a@frontdesk.example"));
        let mailer = mailer.unwrap().unwrap();
        let sent = mailer
            .send(Uuid::nil(), "owner@acme.example", "", "Hello", "Text".to_owned(), &Handover::unnoted())
            .await;
        assert!(matches!(sent, Err(SendError::NotSent(_))), "{sent:?}");
    }
}
