//! Failures of requests, with messages for site owners and stable codes for programs.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use crate::address::AddressClass;

/// The reason why a request was refused or failed.
///
/// Messages contain the host but never the path or query of a URL, which may contain secrets. The messages of
/// blocked addresses contain the resolved address, so they are for the log and not for customers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The host is or resolves to an address that is neither public nor allowed.
    #[error("{}; only public addresses may be contacted", blocked(host, *address, *class))]
    BlockedAddress {
        /// Host of the URL.
        host: String,
        /// The first refused address.
        address: IpAddr,
        /// Why it is not public.
        class: AddressClass,
    },
    /// The port is not in the policy, and the address is not in an allowed network.
    #[error("port {port} of {host} is not open to requests; use the standard port of http or https")]
    BlockedPort {
        /// Host of the URL.
        host: String,
        /// The refused port.
        port: u16,
    },
    /// The URL cannot be requested.
    #[error("the URL cannot be fetched: {reason}")]
    BadUrl {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The host name could not be resolved.
    #[error("the name {host} could not be resolved: {reason}")]
    Dns {
        /// Host of the URL.
        host: String,
        /// Message of the resolver.
        reason: String,
    },
    /// No connection could be opened.
    #[error("could not connect to {host}: {reason}")]
    Connect {
        /// Host of the URL.
        host: String,
        /// Message of the operating system.
        reason: String,
    },
    /// The TLS handshake failed, for example because the certificate is not trusted.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// Host of the URL.
        host: String,
        /// Message of the TLS library.
        reason: String,
    },
    /// A time limit was exceeded.
    #[error("{host} did not {stage} within {}", seconds(*limit))]
    Timeout {
        /// Host of the current hop.
        host: String,
        /// What the host had to do.
        stage: Stage,
        /// The limit.
        limit: Duration,
    },
    /// The decompressed body is larger than the limit.
    #[error("{host} sent more than {limit} bytes")]
    TooLarge {
        /// Host of the last hop.
        host: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// There are more redirects than the limit.
    #[error("{host} redirects again after {limit} redirects")]
    TooManyRedirects {
        /// Host of the last redirect.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// A redirect leads to a URL that was already visited in the same call.
    #[error("{host} redirects in a loop; the page may require cookies or be misconfigured")]
    RedirectLoop {
        /// Host of the last redirect.
        host: String,
    },
    /// A redirect has no valid target.
    #[error("{host} sent a redirect that cannot be followed: {reason}")]
    InvalidRedirect {
        /// Host of the redirect.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The response is not valid HTTP, is incomplete, or could not be decompressed.
    #[error("{host} sent a response that cannot be read: {reason}")]
    Protocol {
        /// Host of the hop.
        host: String,
        /// What is wrong with the response.
        reason: String,
    },
    /// The client could not be built because a setting is invalid.
    #[error("the outbound client cannot be set up: {reason}")]
    Setup {
        /// What is wrong.
        reason: String,
    },
}

/// What a server had to do when a time limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Accept the connection, including name resolution and TLS handshake.
    Connect,
    /// Send the whole response.
    Respond,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "accept a connection",
            Self::Respond => "finish its response",
        })
    }
}

impl OutboundError {
    /// Returns a stable name of the failure, for reports and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BlockedAddress { .. } => "blocked_address",
            Self::BlockedPort { .. } => "blocked_port",
            Self::BadUrl { .. } => "bad_url",
            Self::Dns { .. } => "dns",
            Self::Connect { .. } => "connect",
            Self::Tls { .. } => "tls",
            Self::Timeout { .. } => "timeout",
            Self::TooLarge { .. } => "too_large",
            Self::TooManyRedirects { .. } => "too_many_redirects",
            Self::RedirectLoop { .. } => "redirect_loop",
            Self::InvalidRedirect { .. } => "invalid_redirect",
            Self::Protocol { .. } => "protocol",
            Self::Setup { .. } => "setup",
        }
    }

    /// Finds the failure among the causes of an error, such as one of a library that speaks a protocol over a
    /// guarded connection.
    pub fn within<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        find(error)
    }

    /// Converts an error of the HTTP library.
    pub(crate) fn from_reqwest(error: &reqwest::Error, host: &str, connect: Duration) -> Self {
        let host = host.to_owned();
        if let Some(refusal) = find::<Self>(error) {
            return refusal.clone();
        }
        if let Some(tls) = find::<rustls::Error>(error) {
            return Self::Tls { host, reason: tls.to_string() };
        }
        if error.is_timeout() {
            return Self::Timeout { host, stage: Stage::Connect, limit: connect };
        }
        let reason = root_cause(error);
        if error.is_connect() { Self::Connect { host, reason } } else { Self::Protocol { host, reason } }
    }
}

/// Returns the host of a URL, as errors name it.
pub(crate) fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// Describes a refused address. A literal address does not resolve to itself.
fn blocked(host: &str, address: IpAddr, class: AddressClass) -> String {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if literal.parse() == Ok(address) {
        format!("{host} is {class}")
    } else {
        format!("{host} resolves to {address}, {class}")
    }
}

/// Returns the cause of an error. An I/O error hides the error that it wraps from `source`, so it is
/// unwrapped here.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    }
}

/// Finds an error of a type in the chain of causes.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    std::iter::successors(Some(error), |error| cause(*error)).find_map(|error| error.downcast_ref())
}

/// Returns the message of the innermost cause, without the wrapping of the HTTP library.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| cause(*error))
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Formats a time limit in whole seconds, or in milliseconds below one second.
fn seconds(limit: Duration) -> String {
    match limit.as_millis().div_ceil(1000) {
        0 | 1 if limit.as_millis() < 1000 => format!("{} ms", limit.as_millis()),
        1 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_address_is_explained() {
        let address = "10.0.0.5".parse().unwrap();
        let class = AddressClass::Private;
        let named = OutboundError::BlockedAddress { host: "docs.acme.example".into(), address, class };
        assert_eq!(
            named.to_string(),
            "docs.acme.example resolves to 10.0.0.5, a private address; only public addresses may be contacted"
        );
        let literal = OutboundError::BlockedAddress { host: "10.0.0.5".into(), address, class };
        assert_eq!(
            literal.to_string(),
            "10.0.0.5 is a private address; only public addresses may be contacted"
        );
        let literal = OutboundError::BlockedAddress {
            host: "[::1]".into(),
            address: "::1".parse().unwrap(),
            class: AddressClass::Loopback,
        };
        assert_eq!(
            literal.to_string(),
            "[::1] is a loopback address; only public addresses may be contacted"
        );
    }

    #[test]
    fn causes_are_found_behind_wrapping_io_errors() {
        let inner = OutboundError::BadUrl { reason: "it has no host" };
        let wrapped = io::Error::other(io::Error::other(inner.clone()));
        assert_eq!(find::<OutboundError>(&wrapped), Some(&inner));
        assert_eq!(root_cause(&wrapped), inner.to_string());
        assert!(find::<rustls::Error>(&wrapped).is_none());
    }
}
