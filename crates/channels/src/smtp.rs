//! Outgoing e-mails: composed as MIME messages, and handed to a mail server (`exchange`).

mod exchange;

use std::{fmt, time::Duration};

use frontdesk_outbound::{Handover, Outbound};
use lettre::{
    Address, Message,
    message::{
        Attachment as AttachedPart, Mailbox, MultiPart, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
};

pub use self::exchange::Relay;
use crate::{failure::SendFailure, secret::Secret, text::one_line};

/// Most ids in `References`. The first one and the newest are kept.
const MAX_REFERENCES: usize = 20;

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// From the first byte (implicit TLS).
    Tls,
    /// After the command `STARTTLS`, which the server must offer.
    StartTls,
    /// Not at all. Then nobody logs in: a password would be readable on the way.
    None,
}

/// A mail server that accepts messages of a channel.
#[derive(Debug, Clone)]
pub struct SmtpServer {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted.
    pub security: Security,
    /// User name and password.
    pub login: Option<(String, Secret)>,
}

/// A name and an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correspondent {
    /// The name.
    pub name: Option<String>,
    /// The address.
    pub address: String,
}

/// A file to attach.
#[derive(Clone)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for File {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("File")
            .field("name", &self.name)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

/// An e-mail to send.
#[derive(Debug, Clone)]
pub struct Letter {
    /// `Message-ID` without angle brackets. Responses name it, so it is stored before the letter is sent.
    pub message_id: String,
    /// The sender.
    pub from: Correspondent,
    /// Where responses go, if not to the sender.
    pub reply_to: Option<Correspondent>,
    /// The recipients.
    pub to: Vec<Correspondent>,
    /// The subject.
    pub subject: String,
    /// `Message-ID` of the message that this responds to, without angle brackets.
    pub in_reply_to: Option<String>,
    /// Earlier messages of the exchange, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// The text.
    pub text: String,
    /// The same in HTML.
    pub html: Option<String>,
    /// Attached files.
    pub files: Vec<File>,
    /// Further fields, such as the one by which own messages are recognized.
    pub fields: Vec<(&'static str, String)>,
    /// A program has written it, so it carries `Auto-Submitted: auto-generated` (RFC 3834). Never set for
    /// what a person writes: programs of recipients would hide it.
    pub is_automatic: bool,
}

/// Why a letter cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LetterError {
    /// An address has not the form of one.
    #[error("{0:?} is not an e-mail address")]
    Address(String),
    /// A part of it cannot be written.
    #[error("the message cannot be written: {0}")]
    Other(String),
}

impl Letter {
    /// Writes the letter as a message of MIME.
    pub fn write(&self) -> Result<Message, LetterError> {
        let mut message = Message::builder()
            .from(mailbox(&self.from)?)
            .subject(one_line(&self.subject))
            .message_id(Some(format!(
                "<{}>",
                id(&self.message_id).ok_or_else(|| LetterError::Other("its id is not one".to_owned()))?
            )));
        for to in &self.to {
            message = message.to(mailbox(to)?);
        }
        if let Some(reply_to) = &self.reply_to {
            message = message.reply_to(mailbox(reply_to)?);
        }
        if let Some(parent) = self.in_reply_to.as_deref().and_then(id) {
            message = message.in_reply_to(format!("<{parent}>"));
        }
        let references = self.references();
        if !references.is_empty() {
            message = message.references(references.join(" "));
        }
        for (name, value) in &self.fields {
            message = message.raw_header(field(name, value));
        }
        if self.is_automatic {
            message = message.raw_header(field("Auto-Submitted", "auto-generated"));
        }
        let other = |error: lettre::error::Error| LetterError::Other(error.to_string());
        let text = SinglePart::plain(self.text.clone());
        match (&self.html, self.files.is_empty()) {
            (None, true) => message.singlepart(text).map_err(other),
            (Some(html), true) => message
                .multipart(MultiPart::alternative_plain_html(self.text.clone(), html.clone()))
                .map_err(other),
            (html, false) => {
                let mut parts = match html {
                    Some(html) => MultiPart::mixed()
                        .multipart(MultiPart::alternative_plain_html(self.text.clone(), html.clone())),
                    None => MultiPart::mixed().singlepart(text),
                };
                for file in &self.files {
                    let binary = ContentType::parse("application/octet-stream")
                        .map_err(|error| LetterError::Other(error.to_string()))?;
                    let kind = ContentType::parse(&file.media_type).unwrap_or(binary);
                    parts = parts
                        .singlepart(AttachedPart::new(one_line(&file.name)).body(file.bytes.clone(), kind));
                }
                message.multipart(parts).map_err(other)
            }
        }
    }

    fn references(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for reference in self.references.iter().chain(&self.in_reply_to) {
            if let Some(reference) = id(reference) {
                let written = format!("<{reference}>");
                ids.retain(|known| *known != written);
                ids.push(written);
            }
        }
        if ids.len() > MAX_REFERENCES {
            ids.drain(1..=ids.len() - MAX_REFERENCES);
        }
        ids
    }
}

/// Sends a letter, and says whether it may have been accepted. `patience` is that of a [`Relay`].
pub async fn send(
    outbound: &Outbound,
    server: &SmtpServer,
    letter: &Letter,
    patience: Duration,
    handover: &Handover,
) -> Result<(), SendFailure> {
    let message = letter.write().map_err(|error| SendFailure::Refused(error.to_string()))?;
    if server.security == Security::None && server.login.is_some() {
        let reason =
            "A password is not sent over a connection without encryption: use TLS or STARTTLS, or no login.";
        return Err(SendFailure::Refused(reason.to_owned()));
    }
    let relay = Relay {
        server: server.clone(),
        hello_name: letter.from.address.rsplit('@').next().unwrap_or("localhost").to_owned(),
        is_opportunistic: false,
        is_operators: false,
        patience,
    };
    relay.hand_over(outbound, &message, handover).await
}

fn mailbox(of: &Correspondent) -> Result<Mailbox, LetterError> {
    let address: Address = of.address.parse().map_err(|_| LetterError::Address(of.address.clone()))?;
    let name = of.name.as_deref().map(one_line).filter(|name| !name.is_empty());
    Ok(Mailbox::new(name, address))
}

/// Returns an id that is safe to write between angle brackets.
fn id(text: &str) -> Option<&str> {
    let is_sound = text.contains('@')
        && text.len() <= 900
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(&byte));
    is_sound.then_some(text)
}

fn field(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), one_line(value))
}
