//! [`Transport`]: the connection that all calls of a client share.

use super::{
    Body, BoxFuture, Middleware, Next, Request, Response, RetryPolicy, SendError, Token,
    credentials::{Credentials, Given, Obtained, Purpose, Unmet},
};
use crate::{Operation, Scheme, Secret, codec::ByteStream};
use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
#[cfg(not(target_arch = "wasm32"))]
use http::{Method, header};
use std::{
    error, fmt,
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use url::Url;

/// The connection that all calls of a client share; cheap to clone.
#[derive(Clone, Debug)]
pub struct Transport {
    shared: Arc<Shared>,
    credentials: Arc<Credentials>,
}

/// The configuration from a [`Builder`](super::Builder).
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) middleware: Arc<[Arc<dyn Middleware>]>,
    pub(super) base_url: Url,
    /// Whether the base URL is one of the document's servers, so that operations with servers of their own
    /// use those.
    pub(super) documented: bool,
    /// Whether the document describes credentials.
    pub(super) describes_credentials: bool,
    /// The security schemes that operations use.
    pub(super) schemes: &'static [Scheme],
    pub(super) headers: HeaderMap,
    pub(super) timeout: Duration,
    pub(super) deadline: Option<Duration>,
    pub(super) retry: RetryPolicy,
    /// The maximum size of a response's body, in bytes.
    pub(super) response_limit: usize,
    /// The maximum time between two pieces of a streamed body.
    pub(super) stream_idle_timeout: Duration,
}

impl Transport {
    pub(super) fn new(shared: Shared, credentials: Credentials) -> Self {
        Self { shared: Arc::new(shared), credentials: Arc::new(credentials) }
    }

    fn with(&self, purpose: Purpose, given: Given) -> Self {
        let mut credentials = Credentials::clone(&self.credentials);
        credentials.set(purpose, given);
        Self { shared: Arc::clone(&self.shared), credentials: Arc::new(credentials) }
    }

    /// Returns the same connection with another token for all schemes with a bearer token.
    #[must_use]
    pub fn with_bearer(&self, token: impl Into<Token>) -> Self {
        self.with(Purpose::Bearer, Given::Token(token.into()))
    }

    /// Returns the same connection with another token or key for one scheme.
    #[must_use]
    pub fn with_token(&self, scheme: &Scheme, token: impl Into<Token>) -> Self {
        self.with(Purpose::Scheme(scheme.name), Given::Token(token.into()))
    }

    /// Returns the same connection with another user name and password for one scheme.
    #[must_use]
    pub fn with_password(
        &self,
        scheme: &Scheme,
        user: impl Into<String>,
        password: impl Into<Secret>,
    ) -> Self {
        self.with(Purpose::Scheme(scheme.name), Given::Password(user.into(), password.into()))
    }

    pub(super) fn timeout(&self) -> Duration {
        self.shared.timeout
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.shared.deadline
    }

    pub(super) fn retry(&self) -> &RetryPolicy {
        &self.shared.retry
    }

    pub(super) fn response_limit(&self) -> usize {
        self.shared.response_limit
    }

    pub(super) fn stream_idle_timeout(&self) -> Duration {
        self.shared.stream_idle_timeout
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.shared.headers
    }

    /// Returns the URL of a path that begins with a slash and is already percent-encoded. `server` is the
    /// operation's own server, if it has one.
    pub(super) fn address(&self, server: Option<&str>, path: &str) -> Result<Url, url::ParseError> {
        let base = match server.filter(|_| self.shared.documented) {
            Some(server) => self.shared.base_url.join(server)?,
            None => self.shared.base_url.clone(),
        };
        Url::parse(&format!("{}{path}", base.as_str().trim_end_matches('/')))
    }

    /// Adds the credentials of the first requirement that this client can meet; every credential if the
    /// document does not describe the operation, or no credentials.
    pub(super) async fn authorize(
        &self,
        operation: &'static Operation,
        described: bool,
        url: &mut Url,
        headers: &mut HeaderMap,
    ) -> Result<(Obtained, Option<Unmet>), SendError> {
        let Shared { describes_credentials, schemes, .. } = *self.shared;
        if !described && describes_credentials {
            return Ok((self.credentials.present_known(schemes, url, headers).await?, None));
        }
        self.credentials.authorize(operation, describes_credentials, url, headers).await
    }

    /// Sends a request through the middleware.
    pub(super) fn send(&self, request: Request) -> BoxFuture<Result<Response, SendError>> {
        Next::new(self.shared.engine.clone(), self.shared.middleware.clone()).run(request)
    }
}

/// A tower service that responds to requests in this process, such as an axum `Router`. Every such service
/// implements it.
pub trait Serve<B>: Clone + Send + 'static {
    /// Responds to one request.
    fn serve(self, request: Request) -> BoxFuture<Result<Response, SendError>>;
}

impl<S, B> Serve<B> for S
where
    S: tower_service::Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<Box<dyn error::Error + Send + Sync>>,
    S::Future: Send + 'static,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn error::Error + Send + Sync>>,
{
    fn serve(mut self, request: Request) -> BoxFuture<Result<Response, SendError>> {
        Box::pin(async move {
            poll_fn(|context| self.poll_ready(context)).await.map_err(SendError::unsent)?;
            let response = self.call(request).await.map_err(SendError::from_service)?;
            Ok(response.map(|body| Body::from(stream_of(body))))
        })
    }
}

type Handle = dyn Fn(Request) -> BoxFuture<Result<Response, SendError>> + Send + Sync;

/// The destination of requests.
#[derive(Clone)]
pub(super) enum Engine {
    /// The network.
    Network(reqwest::Client),
    /// A service in the same process.
    Service(Arc<Handle>),
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(_) => formatter.write_str("Network"),
            Self::Service(_) => formatter.write_str("Service"),
        }
    }
}

impl Engine {
    /// A service in the same process.
    pub(super) fn service<S: Serve<B>, B>(service: S) -> Self {
        let service = Mutex::new(service);
        Self::Service(Arc::new(move |request| {
            // Each request uses a clone, because tower ties readiness to one clone.
            service.lock().unwrap_or_else(PoisonError::into_inner).clone().serve(request)
        }))
    }

    pub(super) fn send(&self, request: Request) -> BoxFuture<Result<Response, SendError>> {
        match self {
            Self::Network(client) => Box::pin(over_network(client.clone(), request)),
            Self::Service(handle) => handle(request),
        }
    }
}

async fn over_network(client: reqwest::Client, request: Request) -> Result<Response, SendError> {
    let (parts, body) = request.into_parts();
    let url = Url::parse(&parts.uri.to_string()).map_err(SendError::other)?;
    let mut request = reqwest::Request::new(parts.method, url);
    *request.headers_mut() = parts.headers;
    // For these methods a body is usual, so its absence is stated (RFC 9110, section 8.6).
    #[cfg(not(target_arch = "wasm32"))]
    if matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH)
        && body.as_bytes().is_some_and(Bytes::is_empty)
    {
        request.headers_mut().insert(header::CONTENT_LENGTH, 0.into());
    }
    // A stream does not report its length, and would be sent with chunked encoding.
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(length) = body.length().filter(|_| body.as_bytes().is_none()) {
        request.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    #[cfg(not(target_arch = "wasm32"))]
    let body = match body.as_bytes() {
        Some(bytes) if bytes.is_empty() => None,
        Some(bytes) => Some(bytes.clone().into()),
        None => Some(reqwest::Body::wrap_stream(body.into_stream())),
    };
    // Browsers do not support streamed request bodies.
    #[cfg(target_arch = "wasm32")]
    let body = Some(body.collect().await?.into());
    *request.body_mut() = body;
    let mut received = client.execute(request).await?;
    let mut response = http::Response::new(Body::empty());
    *response.status_mut() = received.status();
    std::mem::swap(response.headers_mut(), received.headers_mut());
    *response.body_mut() = ByteStream::new(received.bytes_stream()).into();
    Ok(response)
}

fn stream_of<B>(body: B) -> ByteStream
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn error::Error + Send + Sync>>,
{
    ByteStream::new(stream::unfold(Box::pin(body), |mut body| async move {
        loop {
            match poll_fn(|context| body.as_mut().poll_frame(context)).await? {
                Ok(frame) => {
                    // Trailers are ignored, because documents do not describe them.
                    if let Ok(data) = frame.into_data() {
                        return Some((Ok(data), body));
                    }
                }
                Err(error) => return Some((Err(error), body)),
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::{Bytes, stream_of};
    use futures_util::FutureExt;
    use std::{
        pin::Pin,
        task::{Context, Poll},
    };

    /// A body that fails.
    struct Gone;

    impl http_body::Body for Gone {
        type Data = Bytes;
        type Error = &'static str;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<http_body::Frame<Bytes>, &'static str>>> {
            Poll::Ready(Some(Err("gone")))
        }
    }

    #[test]
    fn a_failure_of_a_body_is_told_once() {
        let error = stream_of(Gone).next().now_or_never().unwrap().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the stream broke off: gone");
    }
}
