//! [`RawCall`]: a request to a path that the document does not describe, with everything that the client is
//! configured with.

use super::{
    Body, BoxFuture, Error, Raw, RetryPolicy, Transport,
    request::{Facts, Parts},
};
use crate::{Operation, Stability};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, header};
use serde::Serialize;
use std::{convert::Infallible, fmt, future::IntoFuture, time::Duration};

/// A request to a path that the document does not describe; `.await` sends it.
///
/// It has the base URL, headers, credentials, middleware, time limits and retries of the client. A response
/// with any status is a success, and its body is read completely. Every credential of the client is sent,
/// because the document does not say which one the path needs; see
/// [`without_credentials`](Self::without_credentials).
#[must_use = "a request is sent by awaiting it"]
pub struct RawCall {
    operation: Option<&'static Operation>,
    parts: Parts,
}

impl fmt::Debug for RawCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.operation.map(|operation| &operation.method);
        formatter
            .debug_struct("RawCall")
            .field("method", &method)
            .field("path", &self.parts.path)
            .finish_non_exhaustive()
    }
}

/// Facts of a request without an operation, one for each method.
static OPERATIONS: [Operation; 7] = [
    undescribed(Method::GET),
    undescribed(Method::HEAD),
    undescribed(Method::POST),
    undescribed(Method::PUT),
    undescribed(Method::PATCH),
    undescribed(Method::DELETE),
    undescribed(Method::OPTIONS),
];

const fn undescribed(method: Method) -> Operation {
    Operation {
        id: "undescribed",
        method,
        path: "",
        tag: "",
        security: &[],
        stability: Stability::Stable,
        deprecated: false,
        statuses: &[],
        extensions: &[],
        example: None,
    }
}

impl RawCall {
    /// Starts a request. The path begins with a slash, is percent-encoded, and follows the base URL of the
    /// client.
    pub fn new(transport: &Transport, method: &Method, path: &str) -> Self {
        let operation = OPERATIONS.iter().find(|operation| operation.method == *method);
        let mut parts = Parts::new(transport, path);
        if operation.is_none() {
            parts.problem = Some(format!("the method {method} is not supported"));
        } else if !path.starts_with('/') {
            parts.problem = Some(format!("the path `{path}` does not begin with a slash"));
        }
        Self { operation, parts }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.parts.add_query(name, &value.to_string());
        self
    }

    /// Sets a header. A name or value that HTTP does not allow is an error of the request.
    pub fn header(mut self, name: impl TryInto<HeaderName>, value: impl TryInto<HeaderValue>) -> Self {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                self.parts.headers.insert(name, value);
            }
            _ => self.parts.problem = Some("a header cannot be sent".to_owned()),
        }
        self
    }

    /// Sets a JSON body.
    pub fn json<T: Serialize + ?Sized>(mut self, body: &T) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body("application/json", Bytes::from(bytes)),
            Err(error) => {
                self.parts.problem = Some(format!("the body cannot be written: {error}"));
                self
            }
        }
    }

    /// Sets a body. Bytes and files on the disk are sent again by retries, other streams are not.
    pub fn body(mut self, media_type: &'static str, body: impl Into<Body>) -> Self {
        self.parts.body = body.into();
        self.parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        self
    }

    /// Sends the request without the client's credentials.
    pub fn without_credentials(mut self) -> Self {
        self.parts.anonymous = true;
        self
    }

    /// Limits the time of the whole request, with all retries and the delays between them.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.parts.deadline = Some(limit);
        self
    }

    /// Limits the time of one attempt.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Sets the retry policy of this request.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.parts.retry = Some(policy);
        self
    }
}

impl IntoFuture for RawCall {
    type Output = Result<Raw, Error<Infallible>>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        // An unknown method is a problem of the parts, so it is never sent as another one.
        let operation = self.operation.unwrap_or(&OPERATIONS[0]);
        let facts = Facts {
            operation,
            described: false,
            accept: "*/*",
            server: None,
            idempotent: false,
            keyed: false,
            streamed: &[],
        };
        Box::pin(async move {
            let received = self.parts.exchange(facts).await.map_err(Error::unsent)?;
            match received.problem {
                Some(error) => Err(Error::Unreadable { raw: Box::new(received.raw), error }),
                None => Ok(received.raw),
            }
        })
    }
}
