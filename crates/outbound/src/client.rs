//! The guarded client: checks every hop and bounds every response.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::time::Instant;
use url::{Host, Url};

use crate::address::{AddressClass, Guard};
use crate::body::{Fetched, Streamed};
use crate::error::{OutboundError, Stage, host_of};
use crate::lookup::{CheckedResolver, Lookup, Reach, System};
use crate::policy::{Limits, Policy};
use crate::redirect;

/// Maximum size of all response headers together, in bytes. Real websites use less than a quarter of it.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// How long the body of a response that nobody needs is read, so that the connection can be used again.
const DRAIN: Duration = Duration::from_secs(1);

/// Maximum number of clients for different connection settings. Callers use a few constant limits; the bound
/// protects against callers that compute them.
const MAX_CLIENTS: usize = 16;

/// The guarded HTTP client. Clones are cheap and share connections.
#[derive(Clone)]
pub struct Outbound {
    inner: Arc<Inner>,
}

struct Inner {
    policy: Policy,
    guard: Arc<Guard>,
    lookup: Arc<dyn Lookup>,
    tls: rustls::ClientConfig,
    /// One client for each pair of connect timeout and reach, because the HTTP library fixes both when it
    /// builds a client.
    clients: Mutex<HashMap<(Duration, Reach), reqwest::Client>>,
}

/// Builder of an [`Outbound`] with other certificates or another resolver.
#[derive(Debug)]
pub struct Builder {
    policy: Policy,
    lookup: Arc<dyn Lookup>,
    roots: Vec<u8>,
}

impl Builder {
    /// Trusts these certificates (one or several in PEM form) in addition to those of the operating system.
    pub fn roots_pem(mut self, pem: &[u8]) -> Self {
        self.roots.extend_from_slice(pem);
        self.roots.push(b'\n');
        self
    }

    /// Resolves names with `lookup` instead of the operating system.
    pub fn lookup(mut self, lookup: impl Lookup) -> Self {
        self.lookup = Arc::new(lookup);
        self
    }

    /// Builds the client.
    pub fn build(self) -> Result<Outbound, OutboundError> {
        let outbound = Outbound {
            inner: Arc::new(Inner {
                guard: Arc::new(Guard::new(self.policy.allow.clone())),
                tls: tls(&self.roots)?,
                lookup: self.lookup,
                policy: self.policy,
                clients: Mutex::default(),
            }),
        };
        // Building one client now reports invalid settings at start instead of at the first request.
        outbound.client(Limits::default().connect, Reach::Anywhere)?;
        Ok(outbound)
    }
}

impl Outbound {
    /// Creates a client for this policy, with the operating system's resolver and certificates.
    pub fn new(policy: Policy) -> Result<Self, OutboundError> {
        Self::builder(policy).build()
    }

    /// Returns a builder of a client with other certificates or another resolver.
    pub fn builder(policy: Policy) -> Builder {
        Builder { policy, lookup: Arc::new(System), roots: Vec::new() }
    }

    /// Fetches a URL and follows up to [`Limits::max_redirects`] redirects. Returns responses of every
    /// status.
    ///
    /// `headers` are sent to the origin of `url`; only `Accept` and `Accept-Language` follow a redirect to
    /// another origin. Setting `Accept-Encoding` or `Range` disables decompression.
    pub async fn get(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        limits: &Limits,
    ) -> Result<Fetched, OutboundError> {
        let mut hop = Hop { url: url.clone(), headers: headers.to_vec() };
        hop.url.set_fragment(None);
        let outcome = tokio::time::timeout(limits.total, self.follow(&mut hop, limits)).await;
        outcome.unwrap_or_else(|_| Err(timeout(&hop.url, limits)))
    }

    /// Posts a JSON body and returns the response. Redirects are returned as well: a body is never sent to a
    /// second URL.
    pub async fn post_json(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: &serde_json::Value,
        limits: &Limits,
    ) -> Result<Fetched, OutboundError> {
        let mut all = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        all.extend_from_slice(headers);
        self.post_and_read(url, &all, Bytes::from(body.to_string()), limits).await
    }

    /// Posts a body as it is, such as a form with files, and returns the response with its body. Redirects
    /// are returned as well: a body is never sent to a second URL.
    pub async fn post_and_read(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
        limits: &Limits,
    ) -> Result<Fetched, OutboundError> {
        self.post_streamed(url, headers, body, limits).await?.rest().await
    }

    /// Posts a body as it is, and returns the response once its headers have arrived. The caller reads the
    /// body in parts, within the limits of the whole call. Redirects are returned as well: a body is never
    /// sent to a second URL.
    pub async fn post_streamed(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: impl Into<Bytes>,
        limits: &Limits,
    ) -> Result<Streamed, OutboundError> {
        self.post_body(url, headers, reqwest::Body::from(body.into()), limits).await
    }

    /// As [`post_streamed`](Self::post_streamed), for any body.
    pub(crate) async fn post_body(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: reqwest::Body,
        limits: &Limits,
    ) -> Result<Streamed, OutboundError> {
        let started = Instant::now();
        let sent = self.send(Method::POST, url, headers, Some(body), limits);
        let outcome = tokio::time::timeout(limits.total, sent).await;
        let response = outcome.unwrap_or_else(|_| Err(timeout(url, limits)))?;
        Streamed::new(response, url.clone(), *limits, started)
    }

    /// Posts a body as it is, and returns the status and the headers of the response once they have arrived;
    /// the body of the response is discarded. Redirects are returned as well: a body is never sent to a
    /// second URL. [`Limits::max_bytes`] bounds what is read of the response so that the connection can be
    /// used again, and is not an error.
    pub async fn post(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
        limits: &Limits,
    ) -> Result<(StatusCode, HeaderMap), OutboundError> {
        let sent = self.send(Method::POST, url, headers, Some(body.into()), limits);
        let mut response = match tokio::time::timeout(limits.total, sent).await {
            Ok(response) => response?,
            Err(_) => return Err(timeout(url, limits)),
        };
        let head = (response.status(), response.headers().clone());
        let mut left = limits.max_bytes;
        let drained = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                match left.checked_sub(chunk.len() as u64) {
                    Some(rest) => left = rest,
                    None => return,
                }
            }
        };
        // The response has been decided; whoever sends its body slowly only loses the connection.
        let _ = tokio::time::timeout(DRAIN, drained).await;
        Ok(head)
    }

    /// Returns why a request to this URL would be refused, as far as that is known before its name is
    /// resolved.
    pub fn check(&self, url: &Url) -> Result<(), OutboundError> {
        self.admit(url).map(drop)
    }

    /// Follows redirects. `hop` belongs to the caller, so that a timeout can name the host of the current
    /// hop.
    async fn follow(&self, hop: &mut Hop, limits: &Limits) -> Result<Fetched, OutboundError> {
        let mut visited = HashSet::new();
        loop {
            visited.insert(hop.url.clone());
            let response = self.send(Method::GET, &hop.url, &hop.headers, None, limits).await?;
            if limits.max_redirects == 0 || !redirect::is_redirect(response.status()) {
                return Streamed::new(response, hop.url.clone(), *limits, Instant::now())?.rest().await;
            }
            let next = redirect::target(&hop.url, response.headers())?;
            if visited.contains(&next) {
                return Err(OutboundError::RedirectLoop { host: host_of(&hop.url) });
            }
            if visited.len() > limits.max_redirects {
                let (host, limit) = (host_of(&hop.url), limits.max_redirects);
                return Err(OutboundError::TooManyRedirects { host, limit });
            }
            redirect::retain_allowed(&mut hop.headers, &hop.url, &next);
            hop.url = next;
        }
    }

    /// Checks the URL, sends one request and returns when the headers of the response have arrived.
    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Option<reqwest::Body>,
        limits: &Limits,
    ) -> Result<reqwest::Response, OutboundError> {
        let reach = self.admit(url).inspect_err(log_refusal)?;
        let client = self.client(limits.connect, reach)?;
        let mut request = client.request(method, url.clone());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let host = host_of(url);
        let response = request
            .send()
            .await
            .map_err(|error| OutboundError::from_reqwest(&error, &host, limits.connect))
            .inspect_err(log_refusal)?;
        let size: usize =
            response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if size > MAX_HEADER_BYTES {
            let reason = format!("its headers are larger than {MAX_HEADER_BYTES} bytes");
            return Err(OutboundError::Protocol { host, reason });
        }
        Ok(response)
    }

    /// Checks a URL before name resolution, and returns the addresses that its connection may reach. The
    /// resolver checks the addresses of names.
    fn admit(&self, url: &Url) -> Result<Reach, OutboundError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutboundError::BadUrl { reason: "only http and https are supported" });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OutboundError::BadUrl { reason: "it contains a user name or password" });
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(OutboundError::BadUrl { reason: "it has no host" });
        };
        self.admit_host(&host, port, host_of(url))
    }

    /// As [`admit`](Self::admit), for a host and a port of any protocol.
    pub(crate) fn admit_host(
        &self,
        host: &Host<&str>,
        port: u16,
        name: String,
    ) -> Result<Reach, OutboundError> {
        let guard = &self.inner.guard;
        let reach =
            if self.inner.policy.ports.contains(&port) { Reach::Anywhere } else { Reach::AllowedOnly(port) };
        match host {
            // The HTTP library connects to literal addresses without the resolver.
            Host::Ipv4(address) => reach.check(guard, &name, IpAddr::V4(*address))?,
            Host::Ipv6(address) => reach.check(guard, &name, IpAddr::V6(*address))?,
            Host::Domain(domain) => {
                let address = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
                if is_localhost(domain) && !guard.allows_any() {
                    let class = AddressClass::Loopback;
                    return Err(OutboundError::BlockedAddress { host: name, address, class });
                }
                if reach != Reach::Anywhere && !guard.allows_any() {
                    return Err(OutboundError::BlockedPort { host: name, port });
                }
            }
        }
        Ok(reach)
    }

    /// Returns what resolves names for connections with this reach.
    pub(crate) fn resolver(&self, reach: Reach) -> CheckedResolver {
        CheckedResolver {
            lookup: Arc::clone(&self.inner.lookup),
            guard: Arc::clone(&self.inner.guard),
            reach,
        }
    }

    /// Returns the configuration of TLS.
    pub(crate) fn tls(&self) -> &rustls::ClientConfig {
        &self.inner.tls
    }

    /// Returns the client for these connection settings, which is built at its first use.
    fn client(&self, connect: Duration, reach: Reach) -> Result<reqwest::Client, OutboundError> {
        let mut clients = self.inner.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&(connect, reach)) {
            return Ok(client.clone());
        }
        let resolver = self.resolver(reach);
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.inner.tls.clone())
            .dns_resolver(resolver)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .user_agent(&self.inner.policy.user_agent)
            .connect_timeout(connect)
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(4)
            .build()
            .map_err(|error| OutboundError::Setup { reason: error.to_string() })?;
        if clients.len() >= MAX_CLIENTS {
            clients.clear();
        }
        clients.insert((connect, reach), client.clone());
        Ok(client)
    }
}

impl fmt::Debug for Outbound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outbound").field("policy", &self.inner.policy).finish_non_exhaustive()
    }
}

/// The current request in a chain of redirects.
struct Hop {
    url: Url,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Returns a TLS configuration with the operating system's certificates and `extra`, without changing
/// process-wide defaults.
fn tls(extra: &[u8]) -> Result<rustls::ClientConfig, OutboundError> {
    let setup = |reason: String| OutboundError::Setup { reason };
    let roots: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(extra)
        .collect::<Result<_, _>>()
        .map_err(|error| setup(format!("an extra root certificate cannot be read: {error}")))?;
    if roots.is_empty() && !extra.is_empty() {
        return Err(setup("the extra root certificates contain no certificate in PEM form".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(roots, Arc::clone(&provider))
        .map_err(|error| setup(format!("the system's root certificates cannot be used: {error}")))?;
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| setup(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// Returns whether a name means this machine by definition (RFC 6761).
fn is_localhost(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    domain == "localhost" || domain.ends_with(".localhost")
}

fn timeout(url: &Url, limits: &Limits) -> OutboundError {
    OutboundError::Timeout { host: host_of(url), stage: Stage::Respond, limit: limits.total }
}

/// Logs refused addresses, which are either a mistake or an attack.
pub(crate) fn log_refusal(error: &OutboundError) {
    if matches!(error, OutboundError::BlockedAddress { .. } | OutboundError::BlockedPort { .. }) {
        tracing::warn!(code = error.code(), %error, "outbound request refused");
    }
}
