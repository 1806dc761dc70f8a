//! Owns [`Incoming`]: the head of a request whose operation is known, decoded only where somebody asks.

use super::template::{Capture, Captures, percent_decoded};
use crate::Operation;
use http::{HeaderMap, header, request::Parts};
use std::sync::OnceLock;

/// A request whose operation is known and whose body has not been read.
#[derive(Debug)]
pub struct Incoming {
    operation: &'static Operation,
    /// Boxed, for it is large, and moves through every future on its way to the handler.
    head: Box<Head>,
}

#[derive(Debug)]
struct Head {
    parts: Parts,
    captures: Captures,
    /// The query, decoded by the first that asks for a parameter in it.
    query: OnceLock<Vec<(String, String)>>,
}

impl Incoming {
    pub(super) fn new(operation: &'static Operation, parts: Parts, captures: Captures) -> Self {
        Self { operation, head: Box::new(Head { parts, captures, query: OnceLock::new() }) }
    }

    /// The operation that is called.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The request's headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.parts.headers
    }

    /// The request's head: method, address, headers, and what layers before the router left in its extensions.
    pub fn parts(&self) -> &Parts {
        &self.head.parts
    }

    /// A path parameter as text, percent-decoded.
    pub fn path_text(&self, name: &str) -> Option<&str> {
        self.capture(name).map(|capture| capture.text(self.head.parts.uri.path()))
    }

    /// A path parameter as it came, still percent-encoded.
    pub fn raw_path_text(&self, name: &str) -> Option<&str> {
        self.capture(name).map(|capture| capture.raw(self.head.parts.uri.path()))
    }

    fn capture(&self, name: &str) -> Option<&Capture> {
        self.head.captures.iter().find(|capture| capture.name == name)
    }

    /// The first value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query_values(name).next()
    }

    /// Every value of a query parameter, in order.
    pub fn query_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query().iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a value of this query parameter is no text in UTF-8; what is none of it is replaced in
    /// [`query_values`](Self::query_values).
    pub(super) fn has_broken_query_value(&self, name: &str) -> bool {
        self.query_values(name).any(|value| value.contains(char::REPLACEMENT_CHARACTER))
            && self.raw_query().any(|(key, raw)| {
                percent_decoded(&key.replace('+', " ")).is_some_and(|key| key == name)
                    && percent_decoded(raw).is_none()
            })
    }

    fn query(&self) -> &[(String, String)] {
        self.head.query.get_or_init(|| match self.head.parts.uri.query() {
            Some(query) => url::form_urlencoded::parse(query.as_bytes())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            None => Vec::new(),
        })
    }

    /// The names and values of the query as they came, still percent-encoded.
    pub fn raw_query(&self) -> impl Iterator<Item = (&str, &str)> {
        let query = self.head.parts.uri.query().unwrap_or_default();
        query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// The names and values of the cookies as they came (RFC 6265, section 5.4).
    pub fn cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head
            .parts
            .headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
    }

    /// The first cookie of this name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}
