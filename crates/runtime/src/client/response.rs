//! [`Raw`], [`Received`] and [`ResponseValue`]: responses of the service.

use super::{DeclaredErrors, ReadError};
use crate::{
    HeaderError, TypedHeaders, WithHeaders,
    codec::{self, ByteStream, EventStream, Member, Multipart},
    whole_numbers,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use std::ops::{Deref, DerefMut};

/// A response as it was received.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; empty if it was returned as a stream.
    pub body: Bytes,
}

impl Raw {
    /// Parses the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        serde_json::from_slice(&self.body).or_else(|error| {
            let digits = str::from_utf8(&self.body).ok().and_then(whole_numbers::in_digits);
            match digits {
                Some(text) => serde_json::from_str(&text)
                    .map_err(|error| ReadError::locate::<T>(text.as_bytes(), error)),
                None => Err(ReadError::locate::<T>(&self.body, error)),
            }
        })
    }

    /// Returns the body as text in UTF-8.
    pub fn text(&self) -> Result<String, ReadError> {
        String::from_utf8(self.body.to_vec()).map_err(|_| ReadError::new("the body is not text in UTF-8"))
    }

    /// Parses the body as a form (`application/x-www-form-urlencoded`).
    pub fn form<T: DeserializeOwned>(&self, members: &[Member]) -> Result<T, ReadError> {
        codec::decode_form(&self.text()?, members).map_err(|problems| {
            let problems: Vec<String> =
                problems.into_iter().map(|(member, rule)| format!("`{member}` {rule}")).collect();
            ReadError::new(problems.join(", "))
        })
    }

    /// Returns the media type without its parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let text = self.headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        Some(text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// Returns the position of the response's media type among the declared ones. The closest match counts:
    /// `image/png` takes precedence over `image/*` and `*/*`. A response without a media type matches the
    /// first.
    pub fn alternative(&self, media_types: &[&str]) -> Result<usize, ReadError> {
        let Some(found) = self.media_type() else { return Ok(0) };
        closest(&found, media_types)
            .ok_or_else(|| ReadError::new(format!("the document declares no body of the type {found}")))
    }

    /// Fails if the response has another media type than the one that this method of the operation reads.
    pub fn require_media_type(&self, expected: &str) -> Result<(), ReadError> {
        match self.media_type() {
            Some(found) if closest(&found, &[expected]).is_none() => Err(ReadError::new(format!(
                "the response is {found}, and this method reads {expected}: call the operation's other method, or ask for {expected} in the request"
            ))),
            _ => Ok(()),
        }
    }
}

/// Returns the declared media type that matches most closely.
pub(super) fn closest(found: &str, declared: &[&str]) -> Option<usize> {
    let main = found.split('/').next().unwrap_or_default();
    let fit = |declared: &str| {
        let declared = declared.to_ascii_lowercase();
        if declared == found {
            4
        } else if is_json(&declared) && is_json(found) {
            3
        } else if declared.strip_suffix("/*") == Some(main) {
            2
        } else {
            u8::from(declared == "*/*")
        }
    };
    let best = declared.iter().map(|declared| fit(declared)).max().filter(|best| *best > 0)?;
    declared.iter().position(|declared| fit(declared) == best)
}

fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type == "text/json" || media_type.ends_with("+json")
}

/// A response that generated code reads: complete, or with a streamed body.
#[derive(Debug)]
pub struct Received {
    pub(super) raw: Raw,
    pub(super) stream: Option<ByteStream>,
    /// Why the body is not there.
    pub(super) problem: Option<ReadError>,
}

impl Received {
    /// Returns the body as a stream of bytes.
    pub fn bytes(&mut self) -> ByteStream {
        self.stream.take().unwrap_or_else(|| self.raw.body.clone().into())
    }

    /// Returns the body as events that hold JSON.
    pub fn events<T: DeserializeOwned + Send + 'static>(&mut self) -> EventStream<T> {
        super::decoding::events(self.bytes())
    }

    /// Returns the body as events that hold text.
    pub fn text_events(&mut self) -> EventStream<String> {
        super::decoding::text_events(self.bytes())
    }

    /// Reads a response whose status is not that of a success: as a declared error, or as undocumented.
    pub fn failure<S, F: DeclaredErrors>(&mut self) -> Result<Reading<S, F>, ReadError> {
        Ok(F::read(self)?.map_or(Reading::Undocumented, Reading::Failure))
    }

    /// Reads the body as a multipart body.
    pub fn multipart<T: Multipart>(&self) -> Result<T, ReadError> {
        super::decoding::read_multipart(&self.raw)
    }
}

/// Puts the headers of a response beside its body.
pub fn with_headers<T>(body: T, response: &Received) -> WithHeaders<T> {
    WithHeaders::new(body, response.raw.headers.clone())
}

/// Wraps a complete response, for example one that a test has recorded.
impl From<Raw> for Received {
    fn from(raw: Raw) -> Self {
        Self { raw, stream: None, problem: None }
    }
}

impl Deref for Received {
    type Target = Raw;

    fn deref(&self) -> &Raw {
        &self.raw
    }
}

/// The responses of an operation whose body is a stream.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// The statuses, from the first to the last.
    pub statuses: (u16, u16),
    /// The declared media types of these statuses, and whether each is streamed.
    pub forms: &'static [(&'static str, bool)],
}

impl Streamed {
    /// Whether the body of a response is returned as a stream.
    pub(super) fn applies(table: &[Self], raw: &Raw) -> bool {
        let status = raw.status.as_u16();
        let Some(row) = table.iter().find(|row| (row.statuses.0..=row.statuses.1).contains(&status)) else {
            return false;
        };
        let declared: Vec<&str> = row.forms.iter().map(|(media_type, _)| *media_type).collect();
        // A single media type needs no choice: generated code reads the body whatever its media type.
        let chosen = if declared.len() == 1 { Some(0) } else { raw.alternative(&declared).ok() };
        chosen.and_then(|chosen| row.forms.get(chosen)).is_some_and(|(_, streams)| *streams)
    }
}

/// A response read by its status.
#[derive(Debug)]
pub enum Reading<S, F> {
    /// A declared success.
    Success(S),
    /// A declared error.
    Failure(F),
    /// An undeclared status.
    Undocumented,
}

/// A successful response; it dereferences to the body.
#[derive(Clone, Debug)]
pub struct ResponseValue<T> {
    raw: Raw,
    value: T,
}

impl<T> ResponseValue<T> {
    pub(super) fn new(raw: Raw, value: T) -> Self {
        Self { raw, value }
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.raw.status
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.raw.headers
    }

    /// Reads the headers that the document declares: `response.typed_headers::<DownloadFileOkHeaders>()`.
    pub fn typed_headers<H: TypedHeaders>(&self) -> Result<H, HeaderError> {
        H::read(&self.raw.headers)
    }

    /// Returns the response as it was received. Its body is empty if the value is a stream.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Returns the body only.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for ResponseValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for ResponseValue<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, HeaderMap, Raw, StatusCode, Streamed, closest, header};

    #[test]
    fn the_closest_media_type_wins() {
        let declared = ["*/*", "image/*", "image/png", "application/json"];
        for (found, place) in
            [("image/png", 2), ("image/gif", 1), ("application/problem+json", 3), ("text/plain", 0)]
        {
            assert_eq!(closest(found, &declared), Some(place), "{found}");
        }
        assert_eq!(closest("text/plain", &["application/json"]), None);
    }

    #[test]
    fn bodies_stream_where_status_and_media_type_say_so() {
        let table = [
            Streamed { statuses: (200, 200), forms: &[("application/json", false), ("*/*", true)] },
            Streamed { statuses: (201, 299), forms: &[("image/*", true)] },
        ];
        for (status, media_type, streams) in [
            (200, "application/json; charset=utf-8", false),
            (200, "video/mp4", true),
            (204, "text/plain", true),
            (404, "video/mp4", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, media_type.parse().unwrap())]);
            let raw = Raw { status: StatusCode::from_u16(status).unwrap(), headers, body: Bytes::new() };
            assert_eq!(Streamed::applies(&table, &raw), streams, "{status} {media_type}");
        }
    }
}
