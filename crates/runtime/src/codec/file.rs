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

    /// Makes a file of one on the disk, which is opened now and read while it is sent. Its name is that of
    /// the path, and its length is stated to the receiver. A retry reads it again, and fails if it has
    /// changed meanwhile.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
    pub async fn from_path(path: impl AsRef<std::path::Path>) -> std::io::Result<Self> {
        let path = path.as_ref();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self { name, content_type: None, content: ByteStream::from_path(path).await? })
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

#[cfg(test)]
mod tests {
    #[cfg(feature = "client")]
    #[test]
    fn a_file_of_the_disk_comes_back_as_it_was() {
        use super::File;

        let folder = std::env::temp_dir().join(format!("frontdesk-runtime-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (sent, saved) = (folder.join("a.bin"), folder.join("b.bin"));
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        std::fs::write(&sent, &bytes).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let length = runtime.block_on(async {
            let file = File::from_path(&sent).await.unwrap();
            assert_eq!((file.name.as_deref(), file.content.length()), (Some("a.bin"), Some(200_000)));
            file.content.save_to(&saved).await.unwrap()
        });
        assert_eq!((length, std::fs::read(&saved).unwrap() == bytes), (200_000, true));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
