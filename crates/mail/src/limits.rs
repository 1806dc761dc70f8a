//! Upper bounds of what is read.

/// Upper bounds of what is read of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Size of the whole message in bytes. A larger one is unreadable.
    pub bytes: usize,
    /// Parts with a type of their own, which also bounds how deep they are nested. A message with more is
    /// unreadable.
    pub parts: usize,
    /// Size of all header fields of the message together, in bytes. A message with more is unreadable.
    pub header_bytes: usize,
    /// Size of the text and of the HTML, each, in bytes. Longer texts are cut.
    pub text_bytes: usize,
    /// Attachments that are returned. Others are listed as skipped.
    pub attachments: usize,
    /// Size of one attachment in bytes. Larger ones are listed as skipped.
    pub attachment_bytes: usize,
}

impl Default for Limits {
    /// Returns limits that ordinary mail servers have: 25 MiB, 300 parts, 256 KiB of headers, 1 MiB of text,
    /// 50 attachments of 20 MiB.
    fn default() -> Self {
        Self {
            bytes: 25 * 1024 * 1024,
            parts: 300,
            header_bytes: 256 * 1024,
            text_bytes: 1024 * 1024,
            attachments: 50,
            attachment_bytes: 20 * 1024 * 1024,
        }
    }
}
