//! [`Call`]: one call of an operation, from its parameters to its response.

use super::{
    Body, BoxFuture, Declared, Endpoint, Error, OptionalBody, Reading, Received, ResponseValue, RetryPolicy,
    Transport,
    request::{Facts, Parts, percent_encode, unwritable},
};
use crate::codec::{self, ByteStream, Member, Multipart, Param};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use serde::Serialize;
use std::{fmt, future::IntoFuture, marker::PhantomData, time::Duration};

/// One call of an operation; `.await` sends it.
///
/// Dropping the awaited future cancels the call. Whether the service processed it is then unknown.
#[must_use = "a call is sent by awaiting it"]
pub struct Call<E> {
    pub(super) parts: Parts,
    endpoint: PhantomData<fn() -> E>,
}

impl<E: Endpoint> fmt::Debug for Call<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Call")
            .field("operation", &E::OPERATION.id)
            .field("path", &self.parts.path)
            .finish_non_exhaustive()
    }
}

impl<E: Endpoint> Call<E> {
    /// Starts a call without parameters.
    pub fn new(transport: &Transport) -> Self {
        Self { parts: Parts::new(transport, E::OPERATION.path), endpoint: PhantomData }
    }

    /// Sets a path parameter.
    pub fn path(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.parts.path_text(name, &percent_encode(&value.to_string()));
        self
    }

    /// Sets a query parameter of the document.
    pub fn query(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.parts.set_query(name, [value.to_string()]);
        self
    }

    /// Sets a query parameter of the document that is repeated for each value.
    pub fn query_list(
        mut self,
        name: &'static str,
        values: impl IntoIterator<Item = impl fmt::Display>,
    ) -> Self {
        self.parts.set_query(name, values.into_iter().map(|value| value.to_string()));
        self
    }

    /// Adds a pair to the query, which may have the name already.
    pub fn with_query(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.parts.add_query(name, &value.to_string());
        self
    }

    /// Sets a header parameter of the document.
    pub fn header_parameter(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.parts.header_text(name, &value.to_string());
        self
    }

    /// Sets a cookie.
    pub fn cookie(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.parts.set_cookie(name, &value.to_string());
        self
    }

    /// Sets a parameter of any location with a list, an object, or a style of its own.
    pub fn parameter(mut self, param: Param, value: impl Serialize) -> Self {
        self.parts.parameter(&param, &value);
        self
    }

    fn body(mut self, content_type: &'static str, body: impl Into<Body>) -> Self {
        self.parts.body = body.into();
        self.content_type(content_type)
    }

    fn unwritable(mut self, problem: impl fmt::Display) -> Self {
        self.parts.problem = Some(unwritable(problem));
        self
    }

    /// Sets a JSON body.
    pub fn json<T: Serialize + ?Sized>(self, body: &T) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body("application/json", Bytes::from(bytes)),
            Err(error) => self.unwritable(error),
        }
    }

    /// Sets a form as the body.
    pub fn form<T: Serialize + ?Sized>(self, body: &T, members: &[Member]) -> Self {
        match codec::encode_form(body, members) {
            Ok(text) => self.body("application/x-www-form-urlencoded", Bytes::from(text)),
            Err(error) => self.unwritable(error),
        }
    }

    /// Sets a multipart body. A request with it is retried unless one of its files can be read only once.
    pub fn multipart<T: Multipart>(mut self, body: T, media_type: &'static str) -> Self {
        self.parts.multipart = Some((codec::write_parts(body), media_type));
        self
    }

    /// Sets a body that may be left out: `set` gets it, if there is one.
    pub fn optional_body<T>(self, body: impl OptionalBody<T>, set: impl FnOnce(Self, &T) -> Self) -> Self {
        body.with(|body| match body {
            Some(body) => set(self, body),
            None => self,
        })
    }

    /// Sets a text body.
    pub fn text(self, body: impl Into<String>) -> Self {
        self.body("text/plain", Bytes::from(body.into()))
    }

    /// Sets a body of bytes. A request with it is retried unless they can be read only once.
    pub fn bytes(self, body: impl Into<ByteStream>) -> Self {
        self.body("application/octet-stream", body.into())
    }

    /// Sets the media type of the body.
    pub fn content_type(mut self, media_type: &'static str) -> Self {
        self.parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        self
    }

    /// Sets a header of this call only. A name or value that HTTP does not allow is an error of the call.
    pub fn header(mut self, name: impl TryInto<HeaderName>, value: impl TryInto<HeaderValue>) -> Self {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                self.parts.headers.insert(name, value);
            }
            (Ok(name), Err(_)) => {
                self.parts.problem =
                    Some(format!("the value of the header `{name}` cannot be sent in a header"));
            }
            (Err(_), _) => self.parts.problem = Some("the name of a header cannot be sent".to_owned()),
        }
        self
    }

    /// Sends the call without the client's credentials, even if the operation requires some.
    pub fn without_credentials(mut self) -> Self {
        self.parts.anonymous = true;
        self
    }

    /// Limits the time of the whole call, with all retries and the delays between them. A call that would
    /// exceed it while it waits ends with the last response. For a response with a streamed body, the limit
    /// applies until the headers arrive.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.parts.deadline = Some(limit);
        self
    }

    /// Limits the time of one attempt of this call. For a response with a streamed body, the limit applies
    /// until the headers arrive.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Sets the retry policy of this call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.parts.retry = Some(policy);
        self
    }

    pub(super) fn facts() -> Facts {
        Facts {
            operation: E::OPERATION,
            described: true,
            accept: E::ACCEPT,
            server: E::SERVER,
            idempotent: E::IDEMPOTENT,
            keyed: E::KEYED,
            streamed: E::STREAMED,
        }
    }

    pub(super) fn read(mut received: Received) -> Result<ResponseValue<E::Success>, Error<E::Failure>> {
        let reading = match received.problem.take() {
            Some(problem) => Err(problem),
            None => E::read(&mut received),
        };
        let raw = received.raw;
        match reading {
            Ok(Reading::Success(value)) => Ok(ResponseValue::new(raw, value)),
            Ok(Reading::Failure(error)) => Err(Error::Declared(Box::new(Declared { error, raw }))),
            Ok(Reading::Undocumented) => Err(Error::Undocumented(Box::new(raw))),
            Err(error) => Err(Error::Unreadable { raw: Box::new(raw), error }),
        }
    }
}

impl<E: Endpoint> IntoFuture for Call<E> {
    type Output = Result<ResponseValue<E::Success>, Error<E::Failure>>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let received = self.parts.exchange(Self::facts()).await.map_err(Error::unsent)?;
            Self::read(received)
        })
    }
}
