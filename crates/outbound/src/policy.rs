//! What an operator allows ([`Policy`]) and what a caller is willing to spend on one request ([`Limits`]).

use std::time::Duration;

use ipnet::IpNet;

/// Where requests may go, decided once by the operator of the system.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Networks that are opened although they are not public, such as an intranet to crawl or a model server
    /// on the same machine. Everything else that is not public stays closed.
    pub allow: Vec<IpNet>,
    /// The `User-Agent` of every request. Site owners find it in their logs, so it should name the product and
    /// a page that explains it.
    pub user_agent: String,
    /// Ports that may be contacted on public addresses. An address in [`allow`](Self::allow) may be contacted
    /// on every port.
    pub ports: Vec<u16>,
}

impl Policy {
    /// The policy for the public internet: no private networks, ports 80 and 443.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self { allow: Vec::new(), user_agent: user_agent.into(), ports: vec![80, 443] }
    }
}

/// Upper bounds for one call, redirects included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time for the whole call: names, connections, every redirect and the last byte of the body. A server that
    /// drips one byte a second runs into this bound like one that never answers.
    pub total: Duration,
    /// Time to resolve a name, connect and finish the TLS handshake, for each hop.
    pub connect: Duration,
    /// Size of the body in bytes after decompression. A longer body is an error, not a truncated answer.
    pub max_bytes: u64,
    /// Redirects followed before giving up. With 0 none is followed and the redirect answer itself is returned.
    pub max_redirects: usize,
}

impl Default for Limits {
    /// 15 s in total, 5 s to connect, 5 MiB and 5 redirects: what a web page may ask for.
    fn default() -> Self {
        Self {
            total: Duration::from_secs(15),
            connect: Duration::from_secs(5),
            max_bytes: 5 * 1024 * 1024,
            max_redirects: 5,
        }
    }
}
