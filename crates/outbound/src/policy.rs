//! Policies of operators ([`Policy`]) and limits of callers ([`Limits`], [`ExchangeLimits`]).

use std::time::Duration;

use ipnet::IpNet;

/// Where the requests of one client may go. The operator decides this.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Networks that requests may go to although they are not public, such as an intranet to crawl. All other
    /// networks that are not public are blocked.
    pub allow: Vec<IpNet>,
    /// The `User-Agent` of every request. Site owners see it in their logs, so it should name the product and
    /// a page that explains it.
    pub user_agent: String,
    /// Ports that requests to public addresses may use. Requests to [`allow`](Self::allow) may use every
    /// port.
    pub ports: Vec<u16>,
}

impl Policy {
    /// Returns the policy for the public internet: no private networks, ports 80 and 443.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self { allow: Vec::new(), user_agent: user_agent.into(), ports: vec![80, 443] }
    }
}

/// Upper bounds for one call, including redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time for the whole call: name resolution, connections, redirects and the body up to its last byte.
    /// This also stops servers that send one byte per second.
    pub total: Duration,
    /// Time for name resolution, connection and TLS handshake of each hop.
    pub connect: Duration,
    /// Size of the body in bytes after decompression. A larger body is an error; it is not truncated.
    pub max_bytes: u64,
    /// Number of redirects to follow. With 0 the redirect response itself is returned.
    pub max_redirects: usize,
}

impl Default for Limits {
    /// Returns limits for web pages: 15 s in total, 5 s to connect, 5 MiB and 5 redirects.
    fn default() -> Self {
        Self {
            total: Duration::from_secs(15),
            connect: Duration::from_secs(5),
            max_bytes: 5 * 1024 * 1024,
            max_redirects: 5,
        }
    }
}

/// Upper bounds for one exchange by another protocol than HTTP, from the resolution of the name to the last
/// byte. The bytes are those on the wire, encryption included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeLimits {
    /// Time for the whole exchange. This stops servers that send one byte per second.
    pub total: Duration,
    /// Time for name resolution and connection, and again for the TLS handshake.
    pub connect: Duration,
    /// Time in which at least one byte has to move while the exchange waits for the server.
    pub idle: Duration,
    /// Bytes that are read. More are an error.
    pub read_bytes: u64,
    /// Bytes that are written. More are an error.
    pub written_bytes: u64,
}
