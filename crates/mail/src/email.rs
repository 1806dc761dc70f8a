//! The values that a message becomes.

use jiff::Timestamp;

use crate::{
    attachment::{Attachment, SkippedAttachment},
    mailbox::Mailbox,
    nature::Nature,
};

/// A message. Texts have no control characters but line feeds and tabs, and no invisible characters that
/// reorder text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// `Message-ID`, without angle brackets.
    pub message_id: Option<String>,
    /// Messages that this one responds to (`In-Reply-To`), without angle brackets.
    pub in_reply_to: Vec<String>,
    /// Earlier messages of the same exchange, oldest first (`References`), at most 100.
    pub references: Vec<String>,
    /// Who wrote the message: `From`, else `Sender`, `Reply-To` or `Return-Path`.
    pub from: Mailbox,
    /// Where responses go. Empty if they go to [`from`](Self::from).
    pub reply_to: Vec<Mailbox>,
    /// Recipients (`To`), at most 100.
    pub to: Vec<Mailbox>,
    /// Other recipients (`Cc`), at most 100.
    pub cc: Vec<Mailbox>,
    /// The subject, on one line; empty if there is none.
    pub subject: String,
    /// When the sender's program says that it was written.
    pub date: Option<Timestamp>,
    /// The whole text, of all parts that are shown. That of the HTML if there is no other one or only a
    /// placeholder. If nothing is shown, that of an invitation, a forwarded message or a text file.
    pub text: String,
    /// The text; that of a response without the messages that it quotes and without a signature. Never empty
    /// if [`text`](Self::text) is not.
    pub reply: String,
    /// The part of [`text`](Self::text) that is not in [`reply`](Self::reply): quoted messages and the
    /// signature. Every line of the text is in one of the two.
    pub folded: Option<String>,
    /// The HTML in a safe form: no scripts, no styles, no images of other hosts.
    pub html: Option<String>,
    /// Text or HTML was longer than the limit, and was cut.
    pub is_truncated: bool,
    /// The attached files.
    pub attachments: Vec<Attachment>,
    /// Attached files beyond the limits.
    pub skipped_attachments: Vec<SkippedAttachment>,
    /// Whether a person wrote the message, or a program.
    pub nature: Nature,
    /// The sender asks that programs do not respond (`X-Auto-Response-Suppress`).
    pub suppresses_responses: bool,
    /// The value of [`ORIGIN_HEADER`](crate::ORIGIN_HEADER), if the message went through a system like this
    /// one.
    pub origin: Option<String>,
    /// Mail servers that the message came through (`Received` fields).
    pub hops: usize,
}

impl Email {
    /// Returns whether a program may respond without anybody asking it to, such as with a confirmation (RFC
    /// 3834).
    pub fn may_be_answered_by_programs(&self) -> bool {
        self.nature == Nature::Person && !self.suppresses_responses
    }
}
