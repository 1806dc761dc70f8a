//! [`Mailer`]: hands a message to the mail server, and tells whether it may have been accepted.

use std::{fmt, time::Duration};

use bytes::Bytes;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    address::AddressError,
    message::{
        Attachment, Mailbox, MultiPart, SinglePart,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
    transport::smtp,
};
use uuid::Uuid;

use crate::config;

/// Time limit of one step of the conversation with the mail server.
const TIMEOUT: Duration = Duration::from_secs(30);

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
        "mail.smtp_url cannot be used; it has the form smtps://USER:PASSWORD@HOST or smtp://HOST:587?tls=required"
    )]
    Server(#[source] smtp::Error),
    /// The sender is no e-mail address.
    #[error("mail.from is not an e-mail address such as `Frontdesk <notices@frontdesk.example>`")]
    Sender(#[source] AddressError),
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

/// An e-mail.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    /// A part of the message's id, by which mail servers recognise repeats. ASCII letters, digits, `-` and `.`.
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

/// Hands messages to the mail server. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
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
    /// Reads the settings. Returns `None` if no e-mail is to be sent, and says so in the log.
    pub(crate) fn open(settings: &config::Mail) -> Result<Option<Self>, MailError> {
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
        let from = from.parse().map_err(MailError::Sender)?;
        let builder =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose()).map_err(MailError::Server)?;
        Ok(Some(Self { transport: builder.timeout(Some(TIMEOUT)).build(), from }))
    }

    /// Sends a text. `id` becomes a part of the message's id, by which mail servers recognise repeats.
    pub(super) async fn send(
        &self,
        id: Uuid,
        to: &str,
        name: &str,
        subject: &str,
        body: String,
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
        self.deliver(mail).await
    }

    /// Sends an e-mail.
    pub(crate) async fn deliver(&self, mail: Mail) -> Result<(), SendError> {
        let message = self.message(mail)?;
        // What fails here has not handed anything over.
        match self.transport.test_connection().await {
            Ok(true) => {}
            Ok(false) => return Err(SendError::NotSent("the mail server is not available".to_owned())),
            Err(error) => return Err(SendError::NotSent(chain(&error))),
        }
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_permanent() => Err(SendError::Refused(chain(&error))),
            Err(error) if error.is_transient() => Err(SendError::NotSent(chain(&error))),
            Err(error) => Err(SendError::Unknown(chain(&error))),
        }
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
                // What is no media type to the mail library is sent as unknown content.
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

/// Returns a text that cannot begin another header.
fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}

/// Returns an error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    one_line(&causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

#[cfg(test)]
mod tests {
    use frontdesk_store::Redacted;

    use super::*;

    fn settings(url: Option<&str>, from: Option<&str>) -> config::Mail {
        let smtp_url = url.map(|url| Redacted::new(url.to_owned()));
        config::Mail { smtp_url, from: from.map(str::to_owned), public_url: None }
    }

    #[tokio::test]
    async fn both_settings_are_needed() {
        let (url, from) = ("smtp://127.0.0.1:2525", "Frontdesk <notices@frontdesk.example>");
        assert!(Mailer::open(&settings(Some(url), Some(from))).unwrap().is_some());
        assert!(Mailer::open(&settings(None, None)).unwrap().is_none());
        assert!(matches!(Mailer::open(&settings(Some(url), None)), Err(MailError::Incomplete)));
        assert!(matches!(Mailer::open(&settings(Some(url), Some("Frontdesk"))), Err(MailError::Sender(_))));
        let wrong = Mailer::open(&settings(Some("smtp://127.0.0.1:2525?tls=perhaps"), Some(from)));
        assert!(matches!(wrong, Err(MailError::Server(_))));
    }

    #[test]
    fn a_name_cannot_begin_another_header() {
        assert_eq!(one_line("Eve\r\nBcc: all@example.com"), "Eve  Bcc: all@example.com");
    }

    #[tokio::test]
    async fn an_email_to_a_contact_has_the_headers_of_bulk_senders_and_no_others() {
        let mailer =
            Mailer::open(&settings(Some("smtp://127.0.0.1:1"), Some("Frontdesk <a@frontdesk.example>")));
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
    async fn a_server_that_is_not_there_has_not_sent_anything() {
        let mailer = Mailer::open(&settings(Some("smtp://127.0.0.1:1"), Some("a@frontdesk.example")));
        let mailer = mailer.unwrap().unwrap();
        let sent = mailer.send(Uuid::nil(), "owner@acme.example", "", "Hello", "Text".to_owned()).await;
        assert!(matches!(sent, Err(SendError::NotSent(_))), "{sent:?}");
    }
}
