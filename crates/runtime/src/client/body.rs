//! [`Body`]: the body of a request or a response, in memory or as a stream.

use super::SendError;
use crate::codec::ByteStream;
use bytes::Bytes;
use futures_util::Stream;
use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// The body of a request or a response: bytes in memory, or a stream of bytes.
///
/// It is an [`http_body::Body`], so any tower service accepts it.
pub struct Body(Inner);

enum Inner {
    Whole(Bytes),
    Stream(ByteStream),
}

/// A request that passes through [middleware](super::Middleware).
///
/// Its extensions hold the `&'static` [`Operation`](crate::Operation).
pub type Request = http::Request<Body>;

/// A response that passes through middleware; its body may still be arriving.
pub type Response = http::Response<Body>;

impl Body {
    /// Makes an empty body.
    pub fn empty() -> Self {
        Self(Inner::Whole(Bytes::new()))
    }

    /// Returns the bytes in memory; `None` for a stream.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match &self.0 {
            Inner::Whole(bytes) => Some(bytes),
            Inner::Stream(_) => None,
        }
    }

    /// Returns the number of bytes, if it is known in advance.
    pub fn length(&self) -> Option<u64> {
        match &self.0 {
            Inner::Whole(bytes) => Some(bytes.len() as u64),
            Inner::Stream(stream) => stream.length(),
        }
    }

    /// Copies the body; `None` for a stream that can be read only once. A file on the disk is read again.
    pub fn try_clone(&self) -> Option<Self> {
        match &self.0 {
            Inner::Whole(bytes) => Some(bytes.clone().into()),
            Inner::Stream(stream) => stream.try_clone().map(Self::from),
        }
    }

    /// Collects all bytes.
    ///
    /// # Errors
    ///
    /// The stream failed.
    pub async fn collect(self) -> Result<Bytes, SendError> {
        match self.0 {
            Inner::Whole(bytes) => Ok(bytes),
            Inner::Stream(mut stream) => {
                let mut all = Vec::new();
                while let Some(piece) = stream.next().await {
                    all.extend_from_slice(&piece.map_err(SendError::broken)?);
                }
                Ok(all.into())
            }
        }
    }

    /// Returns the bytes as a stream of pieces, in the order in which they arrive.
    pub fn into_stream(self) -> ByteStream {
        match self.0 {
            Inner::Whole(bytes) => bytes.into(),
            Inner::Stream(stream) => stream,
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(Inner::Whole(bytes))
    }
}

impl From<ByteStream> for Body {
    fn from(stream: ByteStream) -> Self {
        match stream.in_memory() {
            Some(bytes) => bytes.clone().into(),
            None => Self(Inner::Stream(stream)),
        }
    }
}

impl fmt::Debug for Body {
    /// Shows the size only: a body may contain secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Whole(bytes) => write!(formatter, "Body({} bytes)", bytes.len()),
            Inner::Stream(_) => formatter.write_str("Body(a stream)"),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = SendError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, SendError>>> {
        match &mut self.0 {
            Inner::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Inner::Whole(bytes) => Poll::Ready(Some(Ok(http_body::Frame::data(std::mem::take(bytes))))),
            Inner::Stream(stream) => Pin::new(stream)
                .poll_next(context)
                .map(|piece| piece.map(|piece| piece.map(http_body::Frame::data).map_err(SendError::broken))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.as_bytes().is_some_and(Bytes::is_empty)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.length().map_or_else(http_body::SizeHint::default, http_body::SizeHint::with_exact)
    }
}

/// An argument for a body of type `T` that may be left out: `T`, `&T`, `Box<T>`, `Arc<T>`, `Some(T)` or
/// `None`.
///
/// What a required body accepts is accepted here too, so a document may make a body optional without breaking
/// callers.
pub trait OptionalBody<T> {
    /// Passes the body on, if there is one.
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R;
}

impl<T> OptionalBody<T> for T {
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R {
        take(Some(&self))
    }
}

impl<T> OptionalBody<T> for &T {
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R {
        take(Some(self))
    }
}

impl<T> OptionalBody<T> for Box<T> {
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R {
        take(Some(&self))
    }
}

impl<T> OptionalBody<T> for Arc<T> {
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R {
        take(Some(&self))
    }
}

impl<T> OptionalBody<T> for Option<T> {
    fn with<R>(self, take: impl FnOnce(Option<&T>) -> R) -> R {
        take(self.as_ref())
    }
}

/// Copies a request; `None` if its body is a stream that can be read only once.
///
/// Middleware needs this to send a request again, for example with a fresh token.
pub fn try_clone(request: &Request) -> Option<Request> {
    let mut copy = Request::new(request.body().try_clone()?);
    copy.method_mut().clone_from(request.method());
    copy.uri_mut().clone_from(request.uri());
    copy.headers_mut().clone_from(request.headers());
    copy.extensions_mut().clone_from(request.extensions());
    *copy.version_mut() = request.version();
    Some(copy)
}
