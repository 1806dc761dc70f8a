//! Multipart bodies (RFC 7578, RFC 2046 section 5.1): [`Multipart`], and reading and writing of whole bodies.

mod macros;
mod reader;
mod writer;

pub use self::{
    reader::{Part, PartError, Parts},
    writer::PartsWriter,
};

use super::{ByteStream, StreamError};
use crate::check::Failure;
use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// A type that a multipart body holds; generated code implements it with [`multipart!`](crate::multipart).
pub trait Multipart: Sized {
    /// Writes every member as a part.
    fn write(self, parts: &mut PartsWriter);

    /// Reads every member from its parts. Failures are recorded in the parts, so that all failures of a body
    /// are found.
    fn read(parts: &mut Parts) -> Result<Self, PartError>;
}

/// Why a multipart body could not be read.
#[derive(Debug)]
pub enum MultipartError {
    /// The body is incomplete, or longer than the limit.
    Stream(StreamError),
    /// The body is malformed, for this reason.
    Malformed(String),
    /// The parts violate the document's rules.
    Invalid(Vec<Failure>),
}

impl fmt::Display for MultipartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(error) => error.fmt(formatter),
            Self::Malformed(message) => formatter.write_str(message),
            Self::Invalid(failures) => {
                for (index, failure) in failures.iter().enumerate() {
                    write!(formatter, "{}{failure}", if index == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for MultipartError {}

/// Returns the `Content-Type` and the body of a value; `media_type` is `multipart/form-data` or another
/// multipart type.
///
/// Files are not held in memory but read while the body is sent. The length of the body is known if those of
/// all files are.
///
/// # Errors
///
/// The member that cannot be written as text, such as a number that is not finite.
pub fn encode_multipart(value: impl Multipart, media_type: &str) -> Result<(String, ByteStream), String> {
    write_parts(value).finish(media_type, None)
}

/// Collects the parts of a value, whose boundary is chosen when it is sent.
pub(crate) fn write_parts(value: impl Multipart) -> PartsWriter {
    let mut parts = PartsWriter::new();
    value.write(&mut parts);
    parts
}

/// Reads a value from a multipart body; `content_type` is the unchanged header.
///
/// Parts may come in any order, so the whole body is held in memory, files included: `limit` bounds its size
/// in bytes.
///
/// # Errors
///
/// The body is incomplete, too long or malformed, or parts do not fit; all of these are listed.
pub async fn decode_multipart<T: Multipart>(
    content_type: &str,
    body: ByteStream,
    limit: usize,
) -> Result<T, MultipartError> {
    let boundary = boundary(content_type)?;
    let received = body.is_received();
    let body = body.bytes(limit).await.map_err(MultipartError::Stream)?;
    let mut parts = Parts::parse(&boundary, &body).map_err(MultipartError::Malformed)?.received(received);
    let value = if received { crate::object::refusing(|| T::read(&mut parts)) } else { T::read(&mut parts) };
    let failures = parts.into_failures();
    match value {
        Ok(value) if failures.is_empty() => Ok(value),
        _ => Err(MultipartError::Invalid(failures)),
    }
}

/// Splits a complete body into its parts, for readers without a static type; `content_type` is the unchanged
/// header.
///
/// # Errors
///
/// The malformed part of the header or the body.
pub fn decode_parts(content_type: &str, body: &Bytes) -> Result<Parts, MultipartError> {
    Parts::parse(&boundary(content_type)?, body).map_err(MultipartError::Malformed)
}

fn boundary(content_type: &str) -> Result<String, MultipartError> {
    reader::boundary(content_type).ok_or_else(|| {
        MultipartError::Malformed(
            "the Content-Type of a multipart body must have a `boundary` of 1 to 70 characters".to_owned(),
        )
    })
}

/// Members by name: scalars as text, everything else as JSON; a name that occurs several times is a list.
impl<T: Serialize + DeserializeOwned> Multipart for BTreeMap<String, T> {
    fn write(self, parts: &mut PartsWriter) {
        for (name, value) in self {
            parts.member(&name, &value);
        }
    }

    fn read(parts: &mut Parts) -> Result<Self, PartError> {
        Ok(parts.take_rest())
    }
}

/// Treats an object like a map.
impl Multipart for Value {
    fn write(self, parts: &mut PartsWriter) {
        match self {
            Self::Object(members) => {
                for (name, value) in members {
                    parts.member(&name, &value);
                }
            }
            _ => parts.fail("a multipart body must be an object"),
        }
    }

    fn read(parts: &mut Parts) -> Result<Self, PartError> {
        Ok(Self::Object(parts.take_rest::<Self>().into_iter().collect()))
    }
}

#[cfg(test)]
mod tests;
