//! Files that are sent to messengers.

use bytes::Bytes;
use frontdesk_outbound::FormFile;

/// A file to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingFile {
    /// Its name, which the recipient sees.
    pub name: String,
    /// Its media type, recognized from its content.
    pub media_type: String,
    /// Its content.
    pub content: Bytes,
}

impl OutgoingFile {
    /// Returns whether its media type is one of these.
    pub(crate) fn is_one_of(&self, media_types: &[&str]) -> bool {
        media_types.contains(&self.media_type.as_str())
    }

    /// Returns its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.content.len()
    }

    /// Returns the file as a part of a form.
    pub(crate) fn in_form(&self) -> FormFile<'_> {
        FormFile { name: &self.name, media_type: &self.media_type, content: &self.content }
    }
}
