//! What webhooks of Meta report, whichever messenger it comes from.

use jiff::Timestamp;
use serde_json::Value;

use crate::message::{DeliveryReport, Inbound};

/// Something that a webhook reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notification {
    /// A message from a person.
    Message(Inbound),
    /// What became of a message that was sent.
    Delivery(DeliveryReport),
    /// A person has seen all messages of a chat up to a time (Messenger).
    SeenUpTo {
        /// The page.
        recipient: String,
        /// The chat.
        thread_key: String,
        /// The time.
        at: Timestamp,
    },
}

/// Returns a text that is not empty.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).filter(|text| !text.is_empty())
}
