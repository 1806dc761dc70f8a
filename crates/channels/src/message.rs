//! What messengers have in common.

use jiff::Timestamp;

/// Who has sent a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sender {
    /// What the messenger knows the person by.
    pub id: String,
    /// The name that the person shows.
    pub name: Option<String>,
    /// The telephone number in the form of E.164, if the messenger proves it.
    pub phone: Option<String>,
}

/// A file of a message. Its content is at the messenger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// What the messenger knows the file by: an id, or an address.
    pub id: String,
    /// Its kind: `image`, `audio`, `video`, `document`, `sticker`.
    pub kind: String,
    /// Its name, as the sender states it.
    pub name: Option<String>,
    /// Its media type, as the sender states it.
    pub media_type: Option<String>,
    /// Its size in bytes, as the messenger states it.
    pub bytes: Option<u64>,
}

/// A message from a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// What the messenger knows the message by. A message that arrives again has the same one.
    pub message_key: String,
    /// What the messenger knows the chat by. Replies go there.
    pub thread_key: String,
    /// The id of the business's own number, page or bot that the message went to, if the messenger states it.
    pub recipient: Option<String>,
    /// Who has sent it.
    pub sender: Sender,
    /// The text. For messages without one, what they are in brackets, such as `[Location: 52.5, 13.4]`; empty
    /// if there are only files.
    pub text: String,
    /// Its files.
    pub media: Vec<Media>,
    /// The message that it responds to.
    pub in_reply_to: Option<String>,
    /// When it was sent.
    pub sent_at: Option<Timestamp>,
}

/// What became of a message that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    /// The messenger has sent it.
    Sent,
    /// It has arrived.
    Delivered,
    /// The person has seen it.
    Read,
    /// It will not arrive.
    Failed,
}

/// A report of what became of a message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// What the messenger knows the message by.
    pub message_key: String,
    /// The id of the business's own number or page, if the messenger states it.
    pub recipient: Option<String>,
    /// What became of it.
    pub status: DeliveryStatus,
    /// Why it failed, for people.
    pub error: Option<String>,
}
