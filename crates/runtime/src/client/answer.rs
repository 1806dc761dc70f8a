//! Owns [`Raw`] and [`Answer`]: what came back.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode};
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
    /// The body.
    pub body: Bytes,
}

impl Raw {
    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
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
    status: StatusCode,
    headers: HeaderMap,
    value: T,
}

impl<T> Answer<T> {
    pub(super) fn new(raw: Raw, value: T) -> Self {
        Self { status: raw.status, headers: raw.headers, value }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
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
