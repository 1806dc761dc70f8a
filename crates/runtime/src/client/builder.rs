//! [`Builder`]: configuration of a client.

use super::{
    Document, Middleware, RetryPolicy, Serve, Server, Token, Transport,
    credentials::{Credentials, Given, Purpose},
    network::network,
    transport::{Engine, Shared},
};
use crate::{Scheme, Secret};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::{env::VarError, error, fmt, marker::PhantomData, sync::Arc, time::Duration};
use url::Url;

/// Configuration of a client. A generated crate wraps it with [`client_builder!`](crate::client_builder!),
/// and adds a method for each security scheme of its document.
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
    deadline: Option<Duration>,
    retry: RetryPolicy,
    response_limit: usize,
    stream_idle_timeout: Duration,
    /// The first setting that cannot be used.
    problem: Option<BuildError>,
    client: PhantomData<fn() -> C>,
}

/// Why a client could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The base URL is not an absolute `http` or `https` URL.
    BaseUrl(String),
    /// The HTTP engine could not start, for example without root certificates.
    Engine(Box<dyn error::Error + Send + Sync>),
    /// The base URL begins with `https`, and the crate was compiled without TLS.
    NoTls,
    /// No scheme of the document uses this credential, so it would never be sent.
    UnusedCredential(String),
    /// The name or the value of this header cannot be sent.
    Header(String),
    /// This environment variable is not set, or is not text in UTF-8.
    Environment(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BaseUrl(text) => {
                write!(formatter, "`{text}` is not a base URL such as https://api.example.com")
            }
            Self::Engine(error) => write!(formatter, "the HTTP engine could not start: {error}"),
            Self::NoTls => formatter.write_str(
                "an https URL needs TLS: enable the feature `rustls` or `native-tls` of the crate, or pass an HTTP client",
            ),
            Self::UnusedCredential(credential) => {
                write!(
                    formatter,
                    "no security scheme of the document uses {credential}, so it would never be sent"
                )
            }
            Self::Header(header) => write!(formatter, "{header} cannot be sent"),
            Self::Environment(name) => {
                write!(formatter, "the environment variable `{name}` must be set to text in UTF-8")
            }
        }
    }
}

impl error::Error for BuildError {}

/// Returns the value of an environment variable; `None` if it is not set or empty.
///
/// # Errors
///
/// [`BuildError::Environment`] if it is not text in UTF-8.
pub fn environment(name: &str) -> Result<Option<String>, BuildError> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(BuildError::Environment(name.to_owned())),
    }
}

/// Returns the value of an environment variable that is needed.
///
/// # Errors
///
/// [`BuildError::Environment`] if it is not set, or not text in UTF-8.
pub fn required_environment(name: &str) -> Result<String, BuildError> {
    environment(name)?.ok_or_else(|| BuildError::Environment(name.to_owned()))
}

impl<C: Document> Builder<C> {
    /// Configures a client of the service at this URL, which may have a path that precedes those of all
    /// operations.
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
            deadline: None,
            retry: RetryPolicy::default(),
            response_limit: 64 << 20,
            stream_idle_timeout: Duration::from_mins(5),
            problem: None,
            client: PhantomData,
        }
    }

    /// Configures a client of the service at one of its document's servers, with the default values of its
    /// variables.
    ///
    /// Only such a client sends operations to servers of their own, if the document has such. A client with a
    /// custom URL, given to [`new`](Self::new), sends all operations there.
    pub fn at(server: &Server) -> Self {
        Self { documented: true, ..Self::new(server.url()) }
    }

    /// Adds middleware, after the middleware that was added before.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Sends requests to a service in this process instead of the network: an axum `Router`, such as that of
    /// the generated server, or any tower service. Tests of callers then need no socket.
    ///
    /// The base URL is only visible in the requests; it may be any, such as `http://localhost`.
    pub fn service<S: Serve<B>, B>(mut self, service: S) -> Self {
        self.engine = Some(Engine::service(service));
        self
    }

    /// Sends requests with this client of reqwest, which then determines proxies, certificates, TLS,
    /// redirects and the time limit of connecting. [`http_client_builder`](super::http_client_builder)
    /// returns the settings of the client that is used otherwise.
    ///
    /// It should not follow redirects to other hosts, which would get the credentials.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.engine = Some(Engine::Network(client));
        self
    }

    /// Sets the token for all operations that require a bearer token. It is sent to no others.
    pub fn bearer(self, token: impl Into<Token>) -> Self {
        self.credential(Purpose::Bearer, Given::Token(token.into()))
    }

    /// Sets user name and password for all operations that require basic authentication.
    pub fn basic(self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
        self.credential(Purpose::Basic, Given::Password(user.into(), password.into()))
    }

    /// Sets the key for all operations that require one in a header, query parameter or cookie of this name.
    pub fn key(self, name: impl Into<String>, key: impl Into<Token>) -> Self {
        self.credential(Purpose::Key(name.into()), Given::Token(key.into()))
    }

    /// Sets the token or key for one scheme of the document.
    pub fn token(self, scheme: &Scheme, token: impl Into<Token>) -> Self {
        self.credential(Purpose::Scheme(scheme.name), Given::Token(token.into()))
    }

    /// Sets user name and password for one scheme of the document.
    pub fn password(self, scheme: &Scheme, user: impl Into<String>, password: impl Into<Secret>) -> Self {
        self.credential(Purpose::Scheme(scheme.name), Given::Password(user.into(), password.into()))
    }

    fn credential(mut self, purpose: Purpose, given: Given) -> Self {
        self.credentials.set(purpose, given);
        self
    }

    /// Adds a header to every request.
    pub fn header(mut self, name: impl TryInto<HeaderName>, value: impl TryInto<HeaderValue>) -> Self {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            (Ok(name), Err(_)) => {
                self.problem.get_or_insert(BuildError::Header(format!("the value of the header `{name}`")));
            }
            (Err(_), _) => {
                self.problem.get_or_insert(BuildError::Header("the name of a header".to_owned()));
            }
        }
        self
    }

    /// Sets the header `User-Agent`; the default is the name and version of the generated crate.
    pub fn user_agent(self, text: impl AsRef<str>) -> Self {
        self.header(header::USER_AGENT, text.as_ref())
    }

    /// Limits the time of one attempt, from connecting to the last byte of the response; the default is 60
    /// seconds. For a response with a streamed body, the limit applies until the headers arrive.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Limits the time of a whole call, with all retries and the delays between them; there is no limit by
    /// default. A call that would exceed it while it waits ends with the last response. For a response with a
    /// streamed body, the limit applies until the headers arrive.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
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

    /// Limits the size of a response's body, in bytes; the default is 64 MiB. A longer one is
    /// [`Error::Unreadable`](super::Error::Unreadable). Streamed bodies have no limit.
    pub fn response_limit(mut self, bytes: usize) -> Self {
        self.response_limit = bytes;
        self
    }

    /// Limits the time between two pieces of a streamed body, which ends with an error after it; the default
    /// is 5 minutes.
    pub fn stream_idle_timeout(mut self, timeout: Duration) -> Self {
        self.stream_idle_timeout = timeout;
        self
    }

    /// Builds the client.
    pub fn build(self) -> Result<C, BuildError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if C::DESCRIBES_CREDENTIALS
            && let Some(credential) = self.credentials.unused(C::SCHEMES)
        {
            return Err(BuildError::UnusedCredential(credential));
        }
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
            None => Engine::Network(network(&base_url, self.connect_timeout)?),
        };
        let mut headers = self.headers;
        // In a browser, the header would cost a further request (CORS).
        if cfg!(not(target_arch = "wasm32")) && !C::USER_AGENT.is_empty() {
            headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(C::USER_AGENT));
        }
        let shared = Shared {
            engine,
            middleware: self.middleware.into(),
            base_url,
            documented: self.documented,
            describes_credentials: C::DESCRIBES_CREDENTIALS,
            schemes: C::SCHEMES,
            headers,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry,
            response_limit: self.response_limit,
            stream_idle_timeout: self.stream_idle_timeout,
        };
        Ok(C::from(Transport::new(shared, self.credentials)))
    }
}

/// Defines the type that configures the client of a generated crate, over
/// [`client::Builder`](crate::client::Builder).
///
/// The crate adds a method for each security scheme of its document, which only the crate that defines a type
/// can.
#[macro_export]
macro_rules! client_builder {
    ($builder:ident for $client:ident) => {
        /// Configuration of a client.
        #[derive(Debug)]
        #[must_use = "it configures a client, which `build` makes"]
        pub struct $builder($crate::client::Builder<$client>);

        impl $builder {
            /// Configures a client of the service at this URL, which may have a path that precedes those of
            /// all operations.
            pub fn new(base_url: impl Into<String>) -> Self {
                Self($crate::client::Builder::new(base_url))
            }

            /// Configures a client of the service at one of its document's servers, with the default values
            /// of its variables.
            ///
            /// Only such a client sends operations to servers of their own, if the document has such.
            pub fn at(server: &$crate::client::Server) -> Self {
                Self($crate::client::Builder::at(server))
            }

            /// Sets the token for all operations that require a bearer token. It is sent to no others.
            pub fn bearer(self, token: impl Into<$crate::client::Token>) -> Self {
                Self(self.0.bearer(token))
            }

            /// Sets user name and password for all operations that require basic authentication.
            pub fn basic(self, user: impl Into<String>, password: impl Into<$crate::Secret>) -> Self {
                Self(self.0.basic(user, password))
            }

            /// Sets the key for all operations that require one in a header, query parameter or cookie of
            /// this name.
            pub fn key(self, name: impl Into<String>, key: impl Into<$crate::client::Token>) -> Self {
                Self(self.0.key(name, key))
            }

            /// Adds middleware, after the middleware that was added before.
            pub fn middleware(self, middleware: impl $crate::client::Middleware) -> Self {
                Self(self.0.middleware(middleware))
            }

            /// Sends requests with this client of reqwest, which then determines proxies, certificates, TLS,
            /// redirects and the time limit of connecting.
            ///
            /// It should not follow redirects to other hosts, which would get the credentials.
            pub fn http_client(self, client: $crate::client::reqwest::Client) -> Self {
                Self(self.0.http_client(client))
            }

            /// Sends requests to a service in this process instead of the network: an axum `Router`, such as
            /// that of the generated server, or any tower service. Tests of callers then need no socket.
            ///
            /// The base URL is only visible in the requests; it may be any, such as `http://localhost`.
            pub fn service<S: $crate::client::Serve<B>, B>(self, service: S) -> Self {
                Self(self.0.service(service))
            }

            /// Adds a header to every request. A name or value that HTTP does not allow is an error of
            /// [`build`](Self::build).
            pub fn header(
                self,
                name: impl TryInto<$crate::HeaderName>,
                value: impl TryInto<$crate::HeaderValue>,
            ) -> Self {
                Self(self.0.header(name, value))
            }

            /// Sets the header `User-Agent`; the default is the name and version of this crate.
            pub fn user_agent(self, text: impl AsRef<str>) -> Self {
                Self(self.0.user_agent(text))
            }

            /// Limits the time of one attempt, from connecting to the last byte of the response; the default
            /// is 60 seconds. For a response with a streamed body, the limit applies until the headers
            /// arrive.
            pub fn timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.timeout(timeout))
            }

            /// Limits the time of a whole call, with all retries and the delays between them; there is no
            /// limit by default. A call that would exceed it while it waits ends with the last response. For
            /// a response with a streamed body, the limit applies until the headers arrive.
            pub fn deadline(self, limit: std::time::Duration) -> Self {
                Self(self.0.deadline(limit))
            }

            /// Limits the time of connecting; the default is 10 seconds.
            pub fn connect_timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.connect_timeout(timeout))
            }

            /// Sets the retry policy.
            pub fn retry(self, policy: $crate::client::RetryPolicy) -> Self {
                Self(self.0.retry(policy))
            }

            /// Limits the size of a response's body, in bytes; the default is 64 MiB. A longer one is
            /// `Error::Unreadable`. Streamed bodies have no limit.
            pub fn response_limit(self, bytes: usize) -> Self {
                Self(self.0.response_limit(bytes))
            }

            /// Limits the time between two pieces of a streamed body, such as server-sent events, which ends
            /// with an error after it; the default is 5 minutes.
            pub fn stream_idle_timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.stream_idle_timeout(timeout))
            }

            /// Builds the client.
            ///
            /// # Errors
            ///
            /// The base URL or a header is invalid, no scheme of the document uses a credential, or the HTTP
            /// engine could not start.
            pub fn build(self) -> Result<$client, $crate::client::BuildError> {
                self.0.build()
            }
        }
    };
}
