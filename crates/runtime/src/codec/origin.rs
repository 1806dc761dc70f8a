//! [`Origin`]: the source of a stream whose bytes can be read again, so that a request can be sent again.

use super::ByteStream;
use bytes::Bytes;
use std::sync::Arc;

/// The source of a stream whose bytes can be read again; cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// Bytes in memory.
    Memory(Bytes),
    /// A file on the disk.
    #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
    File(Arc<disk::FileOrigin>),
    /// Several sources, one after the other.
    Joined(Arc<[Self]>),
}

impl Origin {
    /// Returns a stream of all bytes, from the first one.
    pub(super) fn open(&self) -> ByteStream {
        match self {
            Self::Memory(bytes) => bytes.clone().into(),
            #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
            Self::File(file) => disk::open_again(Arc::clone(file)),
            Self::Joined(origins) => ByteStream::joined(origins.iter().map(Self::open).collect()),
        }
    }
}

#[cfg(all(feature = "client", not(target_arch = "wasm32")))]
mod disk {
    use super::{ByteStream, Origin};
    use bytes::{Bytes, BytesMut};
    use futures_util::{Stream, TryStreamExt, stream};
    use std::{
        io,
        path::{Path, PathBuf},
        sync::Arc,
        time::SystemTime,
    };
    use tokio::{
        fs::File,
        io::{AsyncRead, AsyncReadExt},
    };

    /// The size of the pieces in which a file is read, in bytes.
    const PIECE: usize = 64 << 10;

    /// A file as it was when it was opened first.
    #[derive(Debug, PartialEq, Eq)]
    pub(in crate::codec) struct FileOrigin {
        path: PathBuf,
        length: u64,
        modified: Option<SystemTime>,
    }

    impl FileOrigin {
        async fn open(path: PathBuf) -> io::Result<(File, Self)> {
            let file = File::open(&path).await?;
            let metadata = file.metadata().await?;
            let (length, modified) = (metadata.len(), metadata.modified().ok());
            Ok((file, Self { path, length, modified }))
        }
    }

    impl ByteStream {
        /// Makes a stream of a file, which is opened now and read while it is sent. Its length is known.
        ///
        /// A request with it can be retried: the file is then opened again, and the retry fails if it has
        /// changed.
        ///
        /// # Errors
        ///
        /// The file cannot be opened.
        pub async fn from_path(path: impl AsRef<Path>) -> io::Result<Self> {
            let (file, origin) = FileOrigin::open(path.as_ref().to_owned()).await?;
            let length = origin.length;
            Ok(Self::repeatable(pieces(file.take(length)), length, Origin::File(Arc::new(origin))))
        }
    }

    /// Returns a stream that opens the file when the first piece is needed.
    pub(super) fn open_again(origin: Arc<FileOrigin>) -> ByteStream {
        let (length, wanted) = (origin.length, Arc::clone(&origin));
        let opened = async move {
            let (file, found) = FileOrigin::open(wanted.path.clone()).await?;
            if found == *wanted {
                Ok(pieces(file.take(length)))
            } else {
                // A retry has to send the same bytes as the first attempt.
                let problem = format!("the file {} has changed while it was sent", wanted.path.display());
                Err(io::Error::other(problem))
            }
        };
        ByteStream::repeatable(stream::once(opened).try_flatten(), length, Origin::File(origin))
    }

    /// Returns the pieces of a file.
    fn pieces(
        file: impl AsyncRead + Unpin + Send + 'static,
    ) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::try_unfold(file, |mut file| async move {
            let mut piece = BytesMut::with_capacity(PIECE);
            let read = file.read_buf(&mut piece).await?;
            Ok::<_, io::Error>((read > 0).then(|| (piece.freeze(), file)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ByteStream;
    use futures_util::{FutureExt, stream};

    fn text(stream: ByteStream) -> String {
        stream.text(100).now_or_never().unwrap().unwrap()
    }

    #[test]
    fn bytes_in_memory_are_read_again_from_the_first_one() {
        let stream = ByteStream::joined(vec!["a".into(), ByteStream::joined(vec!["bc".into(), "".into()])]);
        let copy = stream.try_clone().unwrap();
        assert_eq!((copy.length(), text(copy.try_clone().unwrap())), (Some(3), "abc".to_owned()));
        assert_eq!((text(stream), text(copy)), ("abc".to_owned(), "abc".to_owned()));
    }

    #[test]
    fn a_stream_that_was_begun_or_can_be_read_once_is_not_copied() {
        let mut begun = ByteStream::from("abc");
        assert_eq!(begun.next().now_or_never().unwrap().unwrap().unwrap(), "abc");
        assert!(begun.try_clone().is_none());
        let once = || ByteStream::new(stream::iter([Ok::<_, std::io::Error>("a".into())]));
        assert!(once().try_clone().is_none());
        assert!(ByteStream::joined(vec!["a".into(), once()]).try_clone().is_none());
    }

    #[test]
    fn a_copy_knows_who_sent_the_bytes() {
        for received in [true, false] {
            let copy = ByteStream::from("abc").received(received).try_clone().unwrap();
            assert_eq!(copy.is_received(), received);
        }
    }

    #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
    #[test]
    fn a_file_is_read_again_unless_it_has_changed() {
        let folder = std::env::temp_dir().join(format!("frontdesk-runtime-again-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("prices.txt");
        std::fs::write(&path, "one").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let stream = ByteStream::from_path(&path).await.unwrap();
            let (copy, late) = (stream.try_clone().unwrap(), stream.try_clone().unwrap());
            assert_eq!(stream.text(9).await.unwrap(), "one");
            assert_eq!((copy.length(), copy.text(9).await.unwrap()), (Some(3), "one".to_owned()));
            std::fs::write(&path, "seven").unwrap();
            let error = late.text(9).await.unwrap_err().to_string();
            assert!(error.ends_with("prices.txt has changed while it was sent"), "{error}");
        });
        std::fs::remove_dir_all(folder).unwrap();
    }
}
