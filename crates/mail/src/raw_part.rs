//! The bytes of a part of a message, as they were sent.

use mail_parser::Message;

/// Returns the raw bytes of a part, still encoded.
pub(crate) fn raw_part<'a>(message: &'a Message<'_>, start: u32, end: u32) -> &'a [u8] {
    let index = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
    message.raw_message.get(index(start)..index(end)).unwrap_or_default()
}
