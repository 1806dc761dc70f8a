//! [`File`]: a file in a multipart body.

use super::ByteStream;

/// A file in a multipart body (RFC 7578).
///
/// The name of a received file comes from the network: use it for display, never as a path.
#[derive(Debug, Default)]
pub struct File {
    /// The file name that the sender states, without any folder.
    pub name: Option<String>,
    /// The media type; `None` means `application/octet-stream`.
    pub content_type: Option<String>,
    /// The content.
    pub content: ByteStream,
}

impl File {
    /// Makes a file without name and media type.
    pub fn new(content: impl Into<ByteStream>) -> Self {
        Self { name: None, content_type: None, content: content.into() }
    }

    /// Sets the file name.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the media type, such as `image/png`.
    pub fn with_content_type(self, media_type: impl Into<String>) -> Self {
        Self { content_type: Some(media_type.into()), ..self }
    }
}

impl<T: Into<ByteStream>> From<T> for File {
    fn from(content: T) -> Self {
        Self::new(content)
    }
}
