//! [`Builder`]: configuration of a client.

use super::{
    Middleware, Request, RetryPolicy, Server, Transport,
    credentials::Credentials,
    transport::{Engine, Shared},
};
use crate::Secret;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{error, fmt, marker::PhantomData, sync::Arc, time::Duration};
use url::Url;

/// Configuration of a client.
#[derive(Debug)]
pub struct Builder<C> {
    base_url: String,
    documented: bool,
    engine: Option<Engine>,
    middleware: Vec<Arc<dyn Middleware>>,
    credentials: Credentials,
    headers: HeaderMap,
    timeout: Duration,
    connect_timeout: Duration,
    retry: RetryPolicy,
    client: PhantomData<fn() -> C>,
}

/// Why a client could not be built.
#[derive(Debug)]
pub enum BuildError {
    /// The base URL is not an absolute `http` or `https` URL.
    BaseUrl(String),
    /// The HTTP engine could not start, for example without root certificates.
    Engine(reqwest::Error),
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BaseUrl(text) => {
                write!(formatter, "`{text}` is not a base URL such as https://api.example.com")
            }
            Self::Engine(error) => write!(formatter, "the HTTP engine could not start: {error}"),
        }
    }
}

impl error::Error for BuildError {}

impl<C: From<Transport>> Builder<C> {
    /// Configures a client of the service at this URL, which may have a path that precedes those of all operations.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            documented: false,
            engine: None,
            middleware: Vec::new(),
            credentials: Credentials::default(),
            headers: HeaderMap::new(),
            timeout: Duration::from_mins(1),
            connect_timeout: Duration::from_secs(10),
            retry: RetryPolicy::default(),
            client: PhantomData,
        }
    }

    /// Configures a client of the service at one of its document's servers, with the default values of its variables.
    ///
    /// Only such a client sends operations to servers of their own, if the document has such. A client with a custom
    /// URL, given to [`new`](Self::new), sends all operations there.
    pub fn at(server: &Server) -> Self {
        Self { documented: true, ..Self::new(server.url()) }
    }

    /// Adds middleware, after the middleware that was added before.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Sends requests to a service in this process instead of the network: an axum `Router`, such as that of the
    /// generated server, or any tower service. Tests of callers then need no socket.
    ///
    /// The base URL is only visible in the requests; it may be any, such as `http://localhost`.
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: tower_service::Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
        S::Error: Into<Box<dyn error::Error + Send + Sync>>,
        S::Future: Send + 'static,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn error::Error + Send + Sync>>,
    {
        self.engine = Some(Engine::service(service));
        self
    }

    /// Sets the token for operations that require a bearer token. It is sent to no others.
    pub fn bearer(mut self, token: impl Into<Secret>) -> Self {
        self.credentials.bearer = Some(token.into());
        self
    }

    /// Sets user name and password for operations that require basic authentication.
    pub fn basic(mut self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
        self.credentials.basic = Some((user.into(), password.into()));
        self
    }

    /// Sets the key for operations that require one in a header, query parameter or cookie of this name.
    pub fn key(mut self, name: impl Into<String>, key: impl Into<Secret>) -> Self {
        self.credentials.keys.push((name.into(), key.into()));
        self
    }

    /// Adds a header to every request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Limits the time of one attempt, from connecting to the last byte of the response; the default is 60 seconds. For
    /// a response with a streamed body, the limit applies until the headers arrive.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Limits the time of connecting; the default is 10 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the retry policy.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Builds the client.
    pub fn build(self) -> Result<C, BuildError> {
        let base_url = Url::parse(&self.base_url)
            .ok()
            .filter(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.host().is_some()
                    && url.query().is_none()
                    && url.fragment().is_none()
            })
            .ok_or(BuildError::BaseUrl(self.base_url))?;
        let engine = match self.engine {
            Some(engine) => engine,
            None => network(self.connect_timeout).map(Engine::Network).map_err(BuildError::Engine)?,
        };
        Ok(C::from(Transport::new(Shared {
            engine,
            middleware: self.middleware.into(),
            base_url,
            documented: self.documented,
            credentials: self.credentials,
            headers: self.headers,
            timeout: self.timeout,
            retry: self.retry,
        })))
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn network(connect_timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // A cryptography provider that the application has installed stays in use.
    drop(rustls::crypto::ring::default_provider().install_default());
    // A redirect could forward credentials to another host. A document declares redirects as responses.
    let redirect = reqwest::redirect::Policy::none();
    reqwest::Client::builder().connect_timeout(connect_timeout).redirect(redirect).build()
}

#[cfg(target_arch = "wasm32")]
fn network(_connect_timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder().build()
}
