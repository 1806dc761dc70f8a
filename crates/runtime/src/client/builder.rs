//! Owns [`Builder`]: how a client is set up.

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

/// Sets up a client.
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

/// Why a client could not be set up.
#[derive(Debug)]
pub enum BuildError {
    /// The base URL is no absolute `http` or `https` address.
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
    /// A client of the service at this address, which may end in a path that stands before every operation's own.
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

    /// A client of the service at one of the addresses that its document gives, with the variables at their defaults.
    ///
    /// Only such a client sends an operation to a server of its own where the document gives it one; an address of the
    /// user's, given to [`new`](Self::new), serves every operation.
    pub fn at(server: &Server) -> Self {
        Self { documented: true, ..Self::new(server.url()) }
    }

    /// Adds what sees every request and its answer, behind the middleware that was added before.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Sends requests to a service in this process in place of the network: an axum `Router`, such as that of the
    /// generated server, or any tower service. Tests of callers then need no socket.
    ///
    /// The base URL only shows in the requests; any, such as `http://localhost`, will do.
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

    /// The token for operations that ask for a bearer. It is sent to no others.
    pub fn bearer(mut self, token: impl Into<Secret>) -> Self {
        self.credentials.bearer = Some(token.into());
        self
    }

    /// User name and password for operations that ask for basic authentication.
    pub fn basic(mut self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
        self.credentials.basic = Some((user.into(), password.into()));
        self
    }

    /// The key for operations that ask for one in a header, the query or a cookie of this name.
    pub fn key(mut self, name: impl Into<String>, key: impl Into<Secret>) -> Self {
        self.credentials.keys.push((name.into(), key.into()));
        self
    }

    /// A header sent with every request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The time that one attempt may take, from connecting to the last byte of the answer; 60 seconds unless set. Where an
    /// answer streams, it ends with the headers of the answer.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The time that connecting may take; 10 seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// When requests are repeated.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// The client.
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
    // Whoever set a provider for the process before keeps it.
    drop(rustls::crypto::ring::default_provider().install_default());
    // A redirect could carry the credentials elsewhere, and a document would declare it as an answer.
    let redirect = reqwest::redirect::Policy::none();
    reqwest::Client::builder().connect_timeout(connect_timeout).redirect(redirect).build()
}

#[cfg(target_arch = "wasm32")]
fn network(_connect_timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder().build()
}
