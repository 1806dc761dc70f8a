//! [`ByteStream`]: bytes that are sent or received in pieces.

use super::{
    maybe_send::{Boxed, MaybeSend},
    origin::Origin,
};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
#[cfg(feature = "client")]
use std::time::Duration;
use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

/// Bytes that are sent or received in pieces; made `From` bytes or text, or from any stream by
/// [`new`](Self::new).
///
/// It implements [`Stream`] over the pieces. [`bytes`](Self::bytes) and [`text`](Self::text) collect them.
/// Bytes in memory and files on the disk can be sent again, so requests with them are retried.
pub struct ByteStream {
    pieces: Boxed<Result<Bytes, StreamError>>,
    /// The length, if it is known in advance.
    length: Option<u64>,
    /// The source of the bytes, if they can be read again and no piece has been taken.
    origin: Option<Origin>,
    /// Whether a server receives it, so that its length is the caller's doing.
    received: bool,
}

/// Why a stream ended early.
#[derive(Debug)]
pub struct StreamError(Reason);

#[derive(Debug)]
enum Reason {
    Broken(Box<dyn Error + Send + Sync>),
    TooLong {
        limit: u64,
        received: bool,
    },
    #[cfg(feature = "client")]
    Idle(Duration),
    Data {
        data: String,
        problem: String,
    },
}

impl StreamError {
    /// The transport of the stream failed.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Reason::Broken(cause.into()))
    }

    /// The stream is longer than `limit` bytes.
    pub(crate) const fn too_long(limit: u64) -> Self {
        Self(Reason::TooLong { limit, received: false })
    }

    /// No piece of the stream arrived for this time.
    #[cfg(feature = "client")]
    pub(crate) const fn idle(limit: Duration) -> Self {
        Self(Reason::Idle(limit))
    }

    /// One entry of the stream does not fit its type; the stream continues.
    pub(crate) fn unfit(data: String, problem: impl fmt::Display) -> Self {
        Self(Reason::Data { data, problem: problem.to_string() })
    }

    /// Whether the stream was longer than the reader's limit.
    pub const fn is_too_long(&self) -> bool {
        match self.0 {
            Reason::TooLong { .. } => true,
            #[cfg(feature = "client")]
            Reason::Idle(_) => false,
            Reason::Broken(_) | Reason::Data { .. } => false,
        }
    }

    /// Returns the limit if the stream is the body of a request, or a part of it, that exceeds the limit of
    /// the server or of its handler.
    #[cfg(feature = "server")]
    pub(crate) const fn request_limit(&self) -> Option<u64> {
        match self.0 {
            Reason::TooLong { limit, received: true } => Some(limit),
            _ => None,
        }
    }

    /// Returns the problem if the data of an event does not fit its type. The stream continues after it.
    pub fn data(&self) -> Option<&str> {
        match &self.0 {
            Reason::Data { data, .. } => Some(data),
            _ => None,
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Broken(cause) => write!(formatter, "the stream broke off: {cause}"),
            Reason::TooLong { limit, received } => {
                let what = if *received { "the received body or part" } else { "the stream" };
                write!(formatter, "{what} is longer than {limit} bytes")
            }
            #[cfg(feature = "client")]
            Reason::Idle(limit) => write!(formatter, "nothing of the stream arrived for {limit:?}"),
            Reason::Data { problem, .. } => {
                write!(formatter, "the data of an event does not fit its type: {problem}")
            }
        }
    }
}

impl Error for StreamError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Reason::Broken(cause) => Some(&**cause),
            _ => None,
        }
    }
}

impl ByteStream {
    /// Makes a stream of unknown length from any stream of pieces.
    pub fn new<S, E>(pieces: S) -> Self
    where
        S: Stream<Item = Result<Bytes, E>> + MaybeSend + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let pieces = Box::pin(pieces.map(|piece| piece.map_err(StreamError::new)));
        Self { pieces, length: None, origin: None, received: false }
    }

    /// Makes a stream of the pieces that `next` returns, with another state each time, until it returns
    /// `None`.
    #[cfg(feature = "client")]
    pub(crate) fn unfold<S, F, R>(state: S, next: F) -> Self
    where
        S: MaybeSend + 'static,
        F: FnMut(S) -> R + MaybeSend + 'static,
        R: Future<Output = Option<(Result<Bytes, StreamError>, S)>> + MaybeSend + 'static,
    {
        Self { pieces: Box::pin(stream::unfold(state, next)), length: None, origin: None, received: false }
    }

    /// Makes a stream of this length whose bytes can be read again.
    #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
    pub(super) fn repeatable<S, E>(pieces: S, length: u64, origin: Origin) -> Self
    where
        S: Stream<Item = Result<Bytes, E>> + MaybeSend + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self { origin: Some(origin), ..Self::new(pieces).with_length(length) }
    }

    /// Makes a stream of several ones, one after the other. Its length is known if those of all are.
    pub(super) fn joined(mut streams: Vec<Self>) -> Self {
        if streams.len() == 1
            && let Some(only) = streams.pop()
        {
            return only;
        }
        let length = streams.iter().map(Self::length).sum::<Option<u64>>();
        let origins: Option<Vec<Origin>> = streams.iter().map(|stream| stream.origin.clone()).collect();
        let origin = origins.map(|origins| Origin::Joined(origins.into()));
        Self { pieces: Box::pin(stream::iter(streams).flatten()), length, origin, received: false }
    }

    /// Returns a stream of the same bytes, from the first one; `None` if they can be read only once, or if a
    /// piece has been taken.
    pub fn try_clone(&self) -> Option<Self> {
        self.origin.as_ref().map(|origin| origin.open().received(self.received))
    }

    /// Returns the bytes if all are in memory and no piece has been taken.
    pub(crate) const fn in_memory(&self) -> Option<&Bytes> {
        match &self.origin {
            Some(Origin::Memory(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// Makes an empty stream.
    pub fn empty() -> Self {
        Bytes::new().into()
    }

    /// States the length of the stream, so that a sender can write `Content-Length`. The length must be
    /// right.
    #[must_use]
    pub fn with_length(self, length: u64) -> Self {
        Self { length: Some(length), ..self }
    }

    /// Returns the number of bytes in the stream, if it is known in advance.
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// Limits the stream: it ends with an error after `limit` bytes.
    #[must_use]
    pub fn limited(self, limit: u64) -> Self {
        let received = self.received;
        let too_long = move || StreamError(Reason::TooLong { limit, received });
        if self.length.is_some_and(|length| length > limit) {
            return Self { pieces: Box::pin(stream::iter([Err(too_long())])), origin: None, ..self };
        }
        let pieces = self.pieces.scan(Some(limit), move |left, piece| {
            // Pieces after an error would make a stream with a gap.
            let result = left.map(|room| {
                let piece = piece?;
                match room.checked_sub(piece.len() as u64) {
                    Some(rest) => {
                        *left = Some(rest);
                        Ok(piece)
                    }
                    None => Err(too_long()),
                }
            });
            if matches!(result, Some(Err(_))) {
                *left = None;
            }
            std::future::ready(result)
        });
        Self { pieces: Box::pin(pieces), origin: None, ..self }
    }

    /// Makes the body of a request, [`limited`](Self::limited) by the server's limit. Its error reports the
    /// limit, be it that of the server or a smaller one of the handler.
    #[cfg(feature = "server")]
    pub(crate) fn of_request(self, limit: u64) -> Self {
        self.received(true).limited(limit)
    }

    /// Sets whether a server receives the stream; whoever exceeds a limit of it is refused with 413.
    pub(crate) fn received(self, received: bool) -> Self {
        Self { received, ..self }
    }

    /// Whether a server receives the stream.
    pub(crate) const fn is_received(&self) -> bool {
        self.received
    }

    /// Returns the next piece; `None` after the last one. Callers need not import `Stream` for it.
    pub async fn next(&mut self) -> Option<Result<Bytes, StreamError>> {
        self.origin = None;
        self.pieces.next().await
    }

    /// Writes all pieces to a file, which is created or overwritten, and returns their number of bytes. After
    /// an error the file contains the bytes that were received before.
    #[cfg(all(feature = "client", not(target_arch = "wasm32")))]
    pub async fn save_to(mut self, path: impl AsRef<std::path::Path>) -> std::io::Result<u64> {
        use tokio::io::AsyncWriteExt;

        let mut file = tokio::fs::File::create(path).await?;
        let mut length = 0;
        while let Some(piece) = self.next().await {
            let piece = piece.map_err(std::io::Error::other)?;
            file.write_all(&piece).await?;
            length += piece.len() as u64;
        }
        file.flush().await?;
        Ok(length)
    }

    /// Collects all pieces. A stream longer than `limit` bytes is an error.
    pub async fn bytes(self, limit: usize) -> Result<Bytes, StreamError> {
        let mut pieces = self.limited(limit as u64);
        let Some(first) = pieces.next().await.transpose()? else {
            return Ok(Bytes::new());
        };
        let Some(second) = pieces.next().await.transpose()? else {
            return Ok(first);
        };
        let mut all = BytesMut::with_capacity(first.len() + second.len());
        all.extend_from_slice(&first);
        all.extend_from_slice(&second);
        while let Some(piece) = pieces.next().await.transpose()? {
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }

    /// Collects all pieces as text in UTF-8. A stream longer than `limit` bytes is an error.
    pub async fn text(self, limit: usize) -> Result<String, StreamError> {
        String::from_utf8(self.bytes(limit).await?.into()).map_err(StreamError::new)
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.origin = None;
        self.pieces.as_mut().poll_next(context)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pieces.size_hint()
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ByteStream").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Default for ByteStream {
    fn default() -> Self {
        Self::empty()
    }
}

impl From<Bytes> for ByteStream {
    fn from(bytes: Bytes) -> Self {
        let length = Some(bytes.len() as u64);
        let pieces = (!bytes.is_empty()).then(|| Ok(bytes.clone()));
        Self {
            pieces: Box::pin(stream::iter(pieces)),
            length,
            origin: Some(Origin::Memory(bytes)),
            received: false,
        }
    }
}

macro_rules! from_bytes {
    ($($type:ty),+) => {
        $(impl From<$type> for ByteStream {
            fn from(bytes: $type) -> Self {
                Bytes::from(bytes).into()
            }
        })+
    };
}

from_bytes!(Vec<u8>, String, &'static str, &'static [u8], Box<[u8]>);

#[cfg(test)]
mod tests {
    use super::{ByteStream, StreamError};
    use bytes::Bytes;
    use futures_util::{FutureExt, StreamExt, stream};

    fn pieces(texts: &'static [&'static str]) -> ByteStream {
        ByteStream::new(stream::iter(texts.iter().map(|text| Ok::<_, StreamError>(Bytes::from(*text)))))
    }

    #[test]
    fn pieces_are_put_together() {
        for texts in [&["abc"][..], &["a", "bc"], &["a", "", "b", "c"]] {
            assert_eq!(pieces(texts).bytes(3).now_or_never().unwrap().unwrap(), "abc");
        }
        assert_eq!(pieces(&[]).text(0).now_or_never().unwrap().unwrap(), "");
    }

    #[test]
    fn the_limit_holds_for_known_and_unknown_lengths() {
        for stream in [pieces(&["ab", "c"]), ByteStream::from("abc")] {
            assert!(stream.bytes(2).now_or_never().unwrap().unwrap_err().is_too_long());
        }
    }

    #[test]
    fn a_limited_stream_gives_what_fits_and_ends_with_the_error() {
        let seen: Vec<_> = pieces(&["ab", "c", "d"]).limited(2).collect().now_or_never().unwrap();
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[0].as_ref().unwrap(), "ab");
        assert_eq!(seen[1].as_ref().unwrap_err().to_string(), "the stream is longer than 2 bytes");
    }

    #[test]
    fn lengths_are_known_of_whole_bytes_only() {
        assert_eq!(ByteStream::from("abc").length(), Some(3));
        assert_eq!(ByteStream::empty().length(), Some(0));
        assert_eq!(pieces(&["abc"]).length(), None);
        assert_eq!(pieces(&["abc"]).with_length(3).length(), Some(3));
    }

    #[test]
    fn text_must_be_utf_8() {
        let error = ByteStream::from(vec![0xff]).text(9).now_or_never().unwrap().unwrap_err();
        assert!(error.to_string().starts_with("the stream broke off: invalid utf-8"), "{error}");
    }
}
