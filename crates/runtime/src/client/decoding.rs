//! Decoding of response bodies other than JSON, text and bytes: events and multipart bodies.

use super::{Raw, ReadError};
use crate::codec::{ByteStream, EventStream, Multipart, decode_multipart};
use futures_util::FutureExt;
use http::header;
use serde::de::DeserializeOwned;

/// The maximum size of an event, in bytes.
const LONGEST_EVENT: usize = 16 << 20;

/// Decodes events that hold JSON.
pub(super) fn events<T: DeserializeOwned + Send + 'static>(bytes: ByteStream) -> EventStream<T> {
    EventStream::decode_json(bytes, LONGEST_EVENT)
}

/// Decodes events that hold text.
pub(super) fn text_events(bytes: ByteStream) -> EventStream<String> {
    EventStream::decode_text(bytes, LONGEST_EVENT)
}

/// Decodes a complete multipart body.
pub(super) fn read_multipart<T: Multipart>(raw: &Raw) -> Result<T, ReadError> {
    let content_type = raw.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // All bytes are in memory, so reading never waits.
    match decode_multipart(content_type.unwrap_or_default(), raw.body.clone().into(), raw.body.len())
        .now_or_never()
    {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(ReadError::new(error)),
        None => Err(ReadError::new("the multipart body is not complete")),
    }
}
