//! Owns [`File`]: a file in a multipart body.

use super::ByteStream;

/// A file in a multipart body (RFC 7578).
///
/// What came from a network names nothing on this machine: `name` is for display, not for opening.
#[derive(Debug, Default)]
pub struct File {
    /// The name that the sender gives it, without any folder.
    pub name: Option<String>,
    /// Its media type; `None` stands for `application/octet-stream`.
    pub content_type: Option<String>,
    /// What it holds.
    pub content: ByteStream,
}

impl File {
    /// A file without a name or a media type.
    pub fn new(content: impl Into<ByteStream>) -> Self {
        Self { name: None, content_type: None, content: content.into() }
    }

    /// The same file under a name.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same file with its media type stated, such as `image/png`.
    pub fn with_content_type(self, media_type: impl Into<String>) -> Self {
        Self { content_type: Some(media_type.into()), ..self }
    }
}

impl<T: Into<ByteStream>> From<T> for File {
    fn from(content: T) -> Self {
        Self::new(content)
    }
}
