//! Why a message cannot be read.

/// Why a message cannot be read. The text is for the people who look after a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// There is nothing but white space.
    #[error("the message is empty")]
    Empty,
    /// The message is larger than [`Limits::bytes`](crate::Limits::bytes).
    #[error("the message has {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The header fields are larger than [`Limits::header_bytes`](crate::Limits::header_bytes).
    #[error("the header fields have {bytes} bytes; at most {limit} are read")]
    HeadersTooLarge {
        /// Their size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The message has more parts than [`Limits::parts`](crate::Limits::parts).
    #[error("the message has {parts} parts; at most {limit} are read")]
    TooManyParts {
        /// Parts with a type of their own.
        parts: usize,
        /// The limit.
        limit: usize,
    },
    /// There are no header fields of a message.
    #[error(
        "the bytes are not an e-mail message: it has none of the fields From, Sender, Date, Subject or Message-ID"
    )]
    NotAMessage,
    /// No field says who has sent the message.
    #[error(
        "the message has no sender: the fields From, Sender, Reply-To and Return-Path have no e-mail address"
    )]
    NoSender,
    /// The reader has failed. The message is kept, so that the fault can be found.
    #[error("the message is damaged in an unknown way")]
    Damaged,
}

impl Unreadable {
    /// Returns a stable name of the reason, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLarge { .. } => "too_large",
            Self::HeadersTooLarge { .. } => "headers_too_large",
            Self::TooManyParts { .. } => "too_many_parts",
            Self::NotAMessage => "not_a_message",
            Self::NoSender => "no_sender",
            Self::Damaged => "damaged",
        }
    }
}
