//! What went wrong, in words for the owner of a site and as a stable code for programs.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::address::AddressClass;

/// Why a request was refused or failed.
///
/// Messages name the host but never the path or query of a URL, where secrets hide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The host is, or resolves to, an address that is not public and was not opened by the operator.
    #[error("{}; only public addresses may be contacted", blocked(host, *address, *class))]
    BlockedAddress {
        /// Host as written in the URL.
        host: String,
        /// The first offending address.
        address: IpAddr,
        /// Why it is not public.
        class: AddressClass,
    },
    /// The port is not one of the policy's and the address is not in an opened network.
    #[error("port {port} of {host} is not open to requests; use the standard port of http or https")]
    BlockedPort {
        /// Host as written in the URL.
        host: String,
        /// The refused port.
        port: u16,
    },
    /// The URL cannot be requested at all, whatever it points at.
    #[error("the URL cannot be fetched: {reason}")]
    BadUrl {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The host name could not be resolved.
    #[error("the name {host} could not be resolved: {reason}")]
    Dns {
        /// Host as written in the URL.
        host: String,
        /// The resolver's words.
        reason: String,
    },
    /// No connection could be opened.
    #[error("could not connect to {host}: {reason}")]
    Connect {
        /// Host as written in the URL.
        host: String,
        /// The operating system's words.
        reason: String,
    },
    /// The server's certificate or the TLS handshake was not acceptable.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// Host as written in the URL.
        host: String,
        /// What the TLS library found.
        reason: String,
    },
    /// A time limit passed.
    #[error("{host} did not {stage} within {}", seconds(*limit))]
    Timeout {
        /// Host of the hop that was under way.
        host: String,
        /// What it was asked to do.
        stage: Stage,
        /// The limit that passed.
        limit: Duration,
    },
    /// The body is larger than the caller accepts, counted after decompression.
    #[error("{host} sent more than {limit} bytes")]
    TooLarge {
        /// Host of the last hop.
        host: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The chain of redirects is longer than the caller accepts.
    #[error("{host} redirects again after {limit} redirects")]
    TooManyRedirects {
        /// Host that sent the redirect too many.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// A redirect points at a URL that was already visited in the same call.
    #[error("{host} redirects in a circle; the page cannot be reached without cookies or not at all")]
    RedirectLoop {
        /// Host that closed the circle.
        host: String,
    },
    /// A redirect without a usable target.
    #[error("{host} sent a redirect that cannot be followed: {reason}")]
    InvalidRedirect {
        /// Host that sent it.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The answer is not well-formed HTTP, broke off, or could not be decompressed.
    #[error("{host} sent an answer that cannot be read: {reason}")]
    Protocol {
        /// Host of the hop.
        host: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The client could not be built; the operator's settings need a change.
    #[error("the outbound client cannot be set up: {reason}")]
    Setup {
        /// What is wrong.
        reason: String,
    },
}

/// What a server was asked to do when a time limit passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Accept the connection, names and TLS included.
    Connect,
    /// Send its whole answer.
    Answer,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "accept a connection",
            Self::Answer => "finish its answer",
        })
    }
}

impl OutboundError {
    /// A stable name of the kind of failure, for reports and metrics.
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

    /// Translates a failure of the HTTP library.
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

/// The subject and reason of a refused address. A literal address is not said to resolve to itself.
fn blocked(host: &str, address: IpAddr, class: AddressClass) -> String {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if literal.parse() == Ok(address) {
        format!("{host} is {class}")
    } else {
        format!("{host} resolves to {address}, {class}")
    }
}

/// The cause behind an error. An I/O error that wraps another one hides it from `source`, so that step is
/// taken by hand.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    }
}

/// Finds an error of one type in the chain of causes.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    std::iter::successors(Some(error), |error| cause(*error)).find_map(|error| error.downcast_ref())
}

/// The words of the innermost cause, which is where the HTTP library's own wrapping ends.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| cause(*error))
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// A time limit as people say it: whole seconds, or milliseconds below one.
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
    fn a_blocked_address_is_explained_to_the_site_owner() {
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
