//! [`Incoming`]: the head of a request whose operation is known, decoded on demand.

use super::{
    media,
    template::{Capture, Captures, Template, percent_decoded},
};
use crate::Operation;
use axum::{extract::ConnectInfo, response::Response};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, header, request::Parts};
use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// The head of a request: method, address, headers and extensions, without the body.
///
/// The router makes one for each request whose operation it has found. Authorization may add to its
/// [extensions](Self::extensions_mut), and the handler receives it with everything that was added.
#[derive(Clone)]
pub struct Incoming {
    operation: &'static Operation,
    /// Boxed because it is large and moves through every future on its way to the handler.
    head: Box<Head>,
}

#[derive(Clone)]
struct Head {
    parts: Parts,
    captures: Captures,
    /// The decoded query, filled in when the first parameter is read from it.
    query: OnceLock<Vec<(String, String)>>,
    added: AddedHeaders,
}

/// The headers that a handler adds to its response, shared by handler and router.
#[derive(Clone, Default)]
pub(super) struct AddedHeaders(Arc<Mutex<HeaderMap>>);

impl AddedHeaders {
    /// Adds the headers to the response. One that the response has already is replaced.
    pub(super) fn write(&self, mut response: Response) -> Response {
        let added = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        response.headers_mut().extend(added);
        response
    }
}

/// Shows the operation, method and path. Headers and the query may hold credentials and are left out.
impl fmt::Debug for Incoming {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Incoming")
            .field("operation", &self.operation.id)
            .field("method", &self.head.parts.method)
            .field("path", &self.head.parts.uri.path())
            .finish_non_exhaustive()
    }
}

impl Incoming {
    pub(super) fn new(operation: &'static Operation, parts: Parts, captures: Captures) -> Self {
        Self {
            operation,
            head: Box::new(Head { parts, captures, query: OnceLock::new(), added: AddedHeaders::default() }),
        }
    }

    /// Makes the head of a request to an operation without a router, for example in tests of handlers.
    ///
    /// The path parameters are read from the path, which should match the operation's template.
    pub fn from_parts(operation: &'static Operation, parts: Parts) -> Self {
        let captures = Template::parse(operation.path).captures(parts.uri.path()).unwrap_or_default();
        Self::new(operation, parts, captures)
    }

    /// Returns the operation that is called.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// Returns the request's headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.parts.headers
    }

    /// Returns the request's head as the `http` crate represents it: method, address, version, headers and
    /// extensions.
    pub fn parts(&self) -> &Parts {
        &self.head.parts
    }

    /// Returns the values that layers around the router and the authorization have added to the request, by
    /// type.
    pub fn extensions(&self) -> &Extensions {
        &self.head.parts.extensions
    }

    /// Returns the request's extensions for adding values to them, for example the rows that authorization
    /// has loaded.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.head.parts.extensions
    }

    /// Returns the address of the peer, which is a proxy or the caller. It is known if the program serves the
    /// router with `into_make_service_with_connect_info::<SocketAddr>()` of axum.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0)
    }

    /// Adds a header to the response, whatever it will be. It replaces those of this name, added before or
    /// declared by the document.
    pub fn add_response_header(&self, name: HeaderName, value: HeaderValue) {
        self.head.added.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, value);
    }

    pub(super) fn added_headers(&self) -> AddedHeaders {
        self.head.added.clone()
    }

    /// Returns the position of the media type that the caller's `Accept` header prefers among those offered;
    /// the first one if the header accepts none of them.
    pub fn preferred(&self, offered: &[&str]) -> usize {
        media::negotiate(offered, self.headers()).unwrap_or_default()
    }

    /// Returns a path parameter as text, percent-decoded.
    pub fn path_text(&self, name: &str) -> Option<&str> {
        self.capture(name).map(|capture| capture.text(self.head.parts.uri.path()))
    }

    /// Returns a path parameter unchanged, still percent-encoded.
    pub fn raw_path_text(&self, name: &str) -> Option<&str> {
        self.capture(name).map(|capture| capture.raw(self.head.parts.uri.path()))
    }

    fn capture(&self, name: &str) -> Option<&Capture> {
        self.head.captures.iter().find(|capture| capture.name == name)
    }

    /// Returns the first value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query_values(name).next()
    }

    /// Returns every value of a query parameter, in order.
    pub fn query_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query().iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a value of this query parameter is not valid UTF-8. [`query_values`](Self::query_values)
    /// replaces the invalid bytes.
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

    /// Returns the names and values of the query unchanged, still percent-encoded.
    pub fn raw_query(&self) -> impl Iterator<Item = (&str, &str)> {
        let query = self.head.parts.uri.query().unwrap_or_default();
        query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// Returns the names and values of the cookies unchanged (RFC 6265, section 5.4).
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

    /// Returns the value of the first cookie of this name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}
