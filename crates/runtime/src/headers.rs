//! [`WithHeaders`] and [`TypedHeaders`]: the headers of a response, beside its body.

use crate::codec::{self, Param};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    error,
    fmt::{self, Display},
    ops::{Deref, DerefMut},
    str::FromStr,
};

/// The content of a declared response: the body, and the headers that it was received with, or is sent with.
///
/// It has one shape whether the document declares headers or not, and wherever it declares the response, so
/// that code is not affected if a header is documented or the response is moved to the components.
/// [`TypedHeaders`] gives the declared headers their types. It dereferences to the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WithHeaders<T> {
    /// The body; `()` if there is none.
    pub body: T,
    /// All headers. Boxed because enumerations of errors would be large with them.
    pub headers: Box<HeaderMap>,
}

impl<T> WithHeaders<T> {
    /// Adds headers to a body.
    pub fn new(body: T, headers: HeaderMap) -> Self {
        Self { body, headers: Box::new(headers) }
    }

    /// Adds the headers that the document declares to a body.
    pub fn typed(body: T, headers: &impl TypedHeaders) -> Self {
        let mut map = HeaderMap::new();
        headers.write(&mut map);
        Self::new(body, map)
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Reads the headers that the document declares: `error.typed_headers::<RateLimitedHeaders>()`.
    pub fn typed_headers<H: TypedHeaders>(&self) -> Result<H, HeaderError> {
        H::read(&self.headers)
    }
}

impl<T> From<T> for WithHeaders<T> {
    fn from(body: T) -> Self {
        Self::new(body, HeaderMap::new())
    }
}

impl<T> Deref for WithHeaders<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T> DerefMut for WithHeaders<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.body
    }
}

/// The headers that a document declares for a response. Generated types implement it.
pub trait TypedHeaders: Sized {
    /// Reads the headers of a response. An optional header that does not fit its declaration counts as
    /// absent.
    fn read(headers: &HeaderMap) -> Result<Self, HeaderError>;

    /// Adds the headers to those of a response. A value that HTTP does not allow is left out, and a server
    /// logs it.
    fn write(&self, headers: &mut HeaderMap);
}

/// A header that is missing or does not fit its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderError {
    name: String,
    reason: String,
}

impl HeaderError {
    fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), reason: reason.into() }
    }

    /// Returns the name of the header.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Display for HeaderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the header {} {}", self.name, self.reason)
    }
}

impl error::Error for HeaderError {}

/// Reads a required header.
pub fn required<T: FromStr>(headers: &HeaderMap, name: &str) -> Result<T, HeaderError> {
    optional(headers, name).ok_or_else(|| HeaderError::new(name, "is missing or not readable"))
}

/// Reads an optional header; an invalid one counts as absent.
pub fn optional<T: FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// Reads a required header with a list, an object or JSON.
pub fn required_value<T: DeserializeOwned>(headers: &HeaderMap, param: Param) -> Result<T, HeaderError> {
    optional_value(headers, param).ok_or_else(|| HeaderError::new(param.name, "is missing or not readable"))
}

/// Reads an optional header with a list, an object or JSON; an invalid one counts as absent.
pub fn optional_value<T: DeserializeOwned>(headers: &HeaderMap, param: Param) -> Option<T> {
    let lines: Vec<&str> = headers.get_all(param.name).iter().filter_map(|line| line.to_str().ok()).collect();
    if lines.is_empty() {
        return None;
    }
    // Several lines of one header are equivalent to one line with commas (RFC 9110, section 5.3).
    codec::decode(&param, &[(param.name, lines.join(",").trim())]).ok().flatten()
}

/// Sets a header. A value that HTTP does not allow is left out, and a server logs it.
pub fn write(headers: &mut HeaderMap, name: HeaderName, value: &(impl Display + ?Sized)) {
    match HeaderValue::try_from(value.to_string()) {
        Ok(value) => {
            headers.insert(name, value);
        }
        Err(error) => unwritten(&name, &error),
    }
}

/// Sets a header with a list, an object or JSON, encoded as the document declares.
pub fn write_value(headers: &mut HeaderMap, name: HeaderName, param: &Param, value: &impl Serialize) {
    match codec::encode(param, value) {
        Ok(pairs) => {
            if let Some((_, text)) = pairs.into_iter().next() {
                write(headers, name, &text);
            }
        }
        Err(error) => unwritten(&name, &error),
    }
}

#[cfg_attr(not(feature = "server"), expect(unused_variables, reason = "only servers have a log"))]
fn unwritten(name: &HeaderName, error: &dyn Display) {
    #[cfg(feature = "server")]
    tracing::error!(%name, %error, "a response header could not be written");
}

#[cfg(test)]
mod tests {
    use super::{
        HeaderMap, HeaderName, Param, WithHeaders, optional, optional_value, required, write, write_value,
    };

    #[test]
    fn what_is_written_is_read() {
        let mut headers = HeaderMap::new();
        write(&mut headers, HeaderName::from_static("retry-after"), &7);
        write(&mut headers, HeaderName::from_static("broken"), "a\nb");
        let tags = Param::header("tags");
        write_value(&mut headers, HeaderName::from_static("tags"), &tags, &["a", "b"]);
        assert_eq!(required::<i64>(&headers, "retry-after"), Ok(7));
        assert_eq!(optional_value::<Vec<String>>(&headers, tags), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(optional::<String>(&headers, "broken"), None);
        let error = required::<i64>(&headers, "broken").unwrap_err();
        assert_eq!(error.to_string(), "the header broken is missing or not readable");
    }

    #[test]
    fn a_body_is_reached_through_its_headers() {
        let answer: WithHeaders<String> = "gone".to_owned().into();
        assert_eq!((answer.len(), answer.headers.len()), (4, 0));
    }
}
