//! Owns [`Raw`], [`Received`] and [`Answer`]: what came back.

use crate::codec::{self, ByteStream, EventStream, Member, Multipart, Param};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode, header};
use serde::de::{DeserializeOwned, Error as _};
use std::{
    ops::{Deref, DerefMut},
    str::FromStr,
};

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; empty where it was handed on as a stream.
    pub body: Bytes,
}

impl Raw {
    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }

    /// The body as text in UTF-8.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        String::from_utf8(self.body.to_vec())
            .map_err(|_| serde_json::Error::custom("the body is not text in UTF-8"))
    }

    /// The body as a form (`application/x-www-form-urlencoded`).
    pub fn form<T: DeserializeOwned>(&self, members: &[Member]) -> Result<T, serde_json::Error> {
        codec::decode_form(&self.text()?, members).map_err(|problems| {
            let problems: Vec<String> =
                problems.into_iter().map(|(member, rule)| format!("`{member}` {rule}")).collect();
            serde_json::Error::custom(problems.join(", "))
        })
    }

    /// A header that the document says is always there.
    pub fn header<T: FromStr>(&self, name: &HeaderName) -> Result<T, serde_json::Error> {
        self.optional_header(name)
            .ok_or_else(|| serde_json::Error::custom(format!("the header {name} is missing or not readable")))
    }

    /// A header that may be missing; one that cannot be read counts as missing.
    pub fn optional_header<T: FromStr>(&self, name: &HeaderName) -> Option<T> {
        self.headers.get(name)?.to_str().ok()?.trim().parse().ok()
    }

    /// A header with a list, an object or JSON, which the document says is always there.
    pub fn header_value<T: DeserializeOwned>(&self, param: Param) -> Result<T, serde_json::Error> {
        self.optional_header_value(param).ok_or_else(|| {
            serde_json::Error::custom(format!("the header {} is missing or not readable", param.name))
        })
    }

    /// A header with a list, an object or JSON, which may be missing; one that cannot be read counts as missing.
    pub fn optional_header_value<T: DeserializeOwned>(&self, param: Param) -> Option<T> {
        let lines: Vec<&str> =
            self.headers.get_all(param.name).iter().filter_map(|line| line.to_str().ok()).collect();
        if lines.is_empty() {
            return None;
        }
        // Several lines of one header mean the same as one line with commas (RFC 9110, section 5.3).
        codec::decode(&param, &[(param.name, lines.join(",").trim())]).ok().flatten()
    }

    /// The media type without its parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let text = self.headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        Some(text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// The place of the answer's media type among those that the document declares: the closest fit, so that `image/png`
    /// goes before `image/*` and `*/*`. An answer that does not tell its media type is taken for the first.
    pub fn alternative(&self, media_types: &[&str]) -> Result<usize, serde_json::Error> {
        let Some(found) = self.media_type() else { return Ok(0) };
        closest(&found, media_types).ok_or_else(|| {
            serde_json::Error::custom(format!("the document declares no body of the type {found}"))
        })
    }
}

/// The declared media type that says most about this one.
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

/// An answer that generated code reads: whole, or with a body that streams.
#[derive(Debug)]
pub struct Received {
    pub(super) raw: Raw,
    pub(super) stream: Option<ByteStream>,
}

impl Received {
    /// The body as bytes that stream.
    pub fn bytes(&mut self) -> ByteStream {
        self.stream.take().unwrap_or_else(|| self.raw.body.clone().into())
    }

    /// The body as events that hold JSON.
    pub fn events<T: DeserializeOwned + Send + 'static>(&mut self) -> EventStream<T> {
        super::codings::events(self.bytes())
    }

    /// The body as events that hold text.
    pub fn text_events(&mut self) -> EventStream<String> {
        super::codings::text_events(self.bytes())
    }

    /// The body as a multipart body.
    pub fn multipart<T: Multipart>(&self) -> Result<T, serde_json::Error> {
        super::codings::read_multipart(&self.raw)
    }
}

/// An answer that came whole, such as one that a test has kept.
impl From<Raw> for Received {
    fn from(raw: Raw) -> Self {
        Self { raw, stream: None }
    }
}

impl Deref for Received {
    type Target = Raw;

    fn deref(&self) -> &Raw {
        &self.raw
    }
}

/// Which answers of an operation have a body that streams.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// The statuses, from the first to the last.
    pub statuses: (u16, u16),
    /// The media types that the document declares for them, and whether each streams.
    pub forms: &'static [(&'static str, bool)],
}

impl Streamed {
    /// Whether the body of an answer is to be handed on as a stream.
    pub(super) fn applies(table: &[Self], raw: &Raw) -> bool {
        let status = raw.status.as_u16();
        let Some(row) = table.iter().find(|row| (row.statuses.0..=row.statuses.1).contains(&status)) else {
            return false;
        };
        let declared: Vec<&str> = row.forms.iter().map(|(media_type, _)| *media_type).collect();
        // A single form needs no choice: generated code reads it whatever its media type.
        let chosen = if declared.len() == 1 { Some(0) } else { raw.alternative(&declared).ok() };
        chosen.and_then(|chosen| row.forms.get(chosen)).is_some_and(|(_, streams)| *streams)
    }
}

/// An answer read by its status.
#[derive(Debug)]
pub enum Reading<S, F> {
    /// A success that the document declares.
    Success(S),
    /// An error that the document declares.
    Failure(F),
    /// A status that it does not declare.
    Undocumented,
}

/// A successful answer; it derefs to the body.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    raw: Raw,
    value: T,
}

impl<T> Answer<T> {
    pub(super) fn new(raw: Raw, value: T) -> Self {
        Self { raw, value }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.raw.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.raw.headers
    }

    /// The answer as it came. Where its value streams, its body is empty here.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// The body alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Answer<T> {
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
