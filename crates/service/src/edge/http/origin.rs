//! Origin of a request: the client's address behind trusted proxies, and whether the client used HTTPS.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use http::header;
use ipnet::IpNet;

use super::{linger::Unread, probes};
use crate::{edge::responses, platform::config::Config};

/// The other end of a connection; the listener adds it to every request.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Its address.
    pub(crate) address: SocketAddr,
    /// Whether the connection is encrypted.
    pub(crate) encrypted: bool,
    /// Whether the connection still holds parts of a request body that nobody will read.
    pub(crate) unread: Unread,
}

/// The client's address: that of the peer, or the one that trusted proxies report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl ClientAddress {
    /// Returns the address by which clients are distinguished: the whole address, or for IPv6 its first 64
    /// bits. A single customer has a network of that size and can change the rest at will.
    pub(crate) fn subscriber(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => IpAddr::V6((u128::from(address) & !u128::from(u64::MAX)).into()),
        }
    }
}

/// Whether the client used HTTPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsedHttps(pub(crate) bool);

const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// Finds out who the client is, and refuses two kinds of requests: those of a proxy that is not declared as
/// trusted, because every client would share the address of the proxy, and those over plain HTTP that others
/// could read.
pub(super) async fn check_origin(
    State(config): State<Arc<Config>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<Peer>().cloned();
    let Some(peer) = peer else {
        tracing::error!("a request reached the application without the address of its peer");
        return responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT);
    };
    let trusted = &config.http.trusted_proxies;
    // Load balancers probe a backend directly, and a probe contains nothing secret.
    let is_probe = probes::is_probe(request.uri().path());
    if let Some(name) = undeclared_proxy(&peer, request.headers(), trusted)
        && !is_probe
    {
        tracing::warn!(
            peer = %peer.address.ip(),
            header = name,
            "refused a request of a proxy that is not listed in http.trusted_proxies"
        );
        return responses::forbidden(&undeclared_proxy_message(name));
    }
    let origin = Origin::find(&peer, request.headers(), trusted);
    let is_public = probes::is_public(request.uri().path());
    if !(origin.secure || origin.local || config.http.allow_plain_http || is_public) {
        return responses::forbidden(responses::HTTPS_ONLY);
    }
    request.extensions_mut().insert(ClientAddress(origin.client));
    request.extensions_mut().insert(UsedHttps(origin.secure));
    let mut response = next.run(request).await;
    if origin.secure {
        let year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response
}

/// Returns the first header of a request that only proxies send, if the peer is not a trusted proxy.
fn undeclared_proxy<'h>(peer: &Peer, headers: &'h HeaderMap, trusted: &[IpNet]) -> Option<&'h str> {
    if contains(trusted, peer.address.ip().to_canonical()) {
        return None;
    }
    let of_proxies =
        |name: &&str| matches!(*name, "forwarded" | "x-real-ip") || name.starts_with("x-forwarded-");
    headers.keys().map(http::HeaderName::as_str).find(of_proxies)
}

/// Names the setting, but not the address of the peer: clients must not learn internal addresses.
fn undeclared_proxy_message(header: &str) -> String {
    format!(
        "The request has the header `{header}` but does not come from a trusted proxy. If a proxy in front of this service \
         adds the header, the operator has to list the proxy's address in the setting http.trusted_proxies \
         (--trusted-proxy). Otherwise send the request without the header."
    )
}

#[derive(Debug, PartialEq, Eq)]
struct Origin {
    client: IpAddr,
    /// The client used HTTPS.
    secure: bool,
    /// The request never left this machine.
    local: bool,
}

impl Origin {
    fn find(peer: &Peer, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        let address = peer.address.ip().to_canonical();
        if !contains(trusted, address) {
            return Self { client: address, secure: peer.encrypted, local: address.is_loopback() };
        }
        // The last value is the one that the proxy itself has added.
        let secure =
            last_value(headers, FORWARDED_PROTO).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        Self { client: behind_proxies(headers, trusted).unwrap_or(address), secure, local: false }
    }
}

/// Returns the right-most address that is not a trusted proxy; everything further left is an unverified claim
/// of the client.
fn behind_proxies(headers: &HeaderMap, trusted: &[IpNet]) -> Option<IpAddr> {
    let lines: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
    let mut furthest = None;
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let Some(address) = parse_hop(hop.trim()) else { break };
        furthest = Some(address);
        if !contains(trusted, address) {
            break;
        }
    }
    furthest
}

/// Parses an address as proxies write it: plain, with a port, or in brackets.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let plain = text.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    plain.or_else(with_port).or_else(bracketed).map(|address: IpAddr| address.to_canonical())
}

fn last_value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next().map(str::trim)
}

pub(super) fn contains(networks: &[IpNet], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted() -> [IpNet; 2] {
        ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()]
    }

    fn peer(address: &str, encrypted: bool) -> Peer {
        let address = SocketAddr::new(address.parse().unwrap(), 50_000);
        Peer { address, encrypted, unread: Unread::default() }
    }

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    fn find(address: &str, encrypted: bool, list: &[(&'static str, &'static str)]) -> Origin {
        Origin::find(&peer(address, encrypted), &headers(list), &trusted())
    }

    #[test]
    fn headers_of_undeclared_proxies_are_recognized() {
        for name in ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip"] {
            let sent = headers(&[("accept", "*/*"), (name, "198.51.100.7")]);
            for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "203.0.113.9"] {
                assert_eq!(
                    undeclared_proxy(&peer(address, false), &sent, &trusted()),
                    Some(name),
                    "{address}"
                );
            }
            assert_eq!(undeclared_proxy(&peer("10.0.0.1", false), &sent, &trusted()), None);
            assert_eq!(undeclared_proxy(&peer("::ffff:10.0.0.1", false), &sent, &trusted()), None);
            assert!(undeclared_proxy_message(name).contains("http.trusted_proxies"));
        }
        let ordinary = headers(&[("accept", "*/*"), ("x-request-id", "7"), ("via", "1.1 somewhere")]);
        assert_eq!(undeclared_proxy(&peer("127.0.0.1", false), &ordinary, &trusted()), None);
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let https = (FORWARDED_PROTO, "https");
        for (peer, headers, client, secure) in [
            ("203.0.113.9", vec![], "203.0.113.9", false),
            ("10.0.0.1", vec![(FORWARDED_FOR, "198.51.100.7"), https], "198.51.100.7", true),
            // Values of the client itself are further left.
            ("10.0.0.1", vec![(FORWARDED_FOR, "127.0.0.1, 198.51.100.7"), https], "198.51.100.7", true),
            (
                "10.0.0.1",
                vec![(FORWARDED_FOR, "127.0.0.1"), (FORWARDED_FOR, "198.51.100.7"), https],
                "198.51.100.7",
                true,
            ),
            (
                "10.0.0.1",
                vec![(FORWARDED_FOR, "9.9.9.9, 198.51.100.7, 10.2.2.2"), https],
                "198.51.100.7",
                true,
            ),
            ("10.0.0.1", vec![(FORWARDED_FOR, "198.51.100.7:1234"), https], "198.51.100.7", true),
            ("10.0.0.1", vec![(FORWARDED_FOR, "[2001:db8::1]:1234"), https], "2001:db8::1", true),
            ("10.0.0.1", vec![(FORWARDED_FOR, "unknown"), https], "10.0.0.1", true),
            ("10.0.0.1", vec![(FORWARDED_FOR, "8.8.8.8, unknown, 10.2.2.2"), https], "10.2.2.2", true),
            ("10.0.0.1", vec![], "10.0.0.1", false),
            ("10.0.0.1", vec![(FORWARDED_PROTO, "http")], "10.0.0.1", false),
            ("10.0.0.1", vec![(FORWARDED_PROTO, "https, http")], "10.0.0.1", false),
            ("10.0.0.1", vec![https, (FORWARDED_PROTO, "http")], "10.0.0.1", false),
            ("::ffff:10.0.0.1", vec![(FORWARDED_FOR, "::ffff:198.51.100.7"), https], "198.51.100.7", true),
            (
                "fd00::1",
                vec![(FORWARDED_FOR, "2001:db8::1"), (FORWARDED_PROTO, "HTTPS")],
                "2001:db8::1",
                true,
            ),
        ] {
            let expected = Origin { client: client.parse().unwrap(), secure, local: false };
            assert_eq!(find(peer, false, &headers), expected, "{peer} {headers:?}");
        }
    }

    #[test]
    fn encryption_and_loopback_are_recognized() {
        assert!(find("203.0.113.9", true, &[]).secure);
        assert!(find("127.0.0.1", false, &[]).local);
        assert!(find("::1", false, &[]).local);
        assert!(find("::ffff:127.0.0.1", false, &[]).local);
        assert!(!find("203.0.113.9", false, &[]).local);
        // The client used plain HTTP towards the proxy, even if the proxy uses HTTPS towards the service.
        assert!(!find("10.0.0.1", true, &[(FORWARDED_PROTO, "http")]).secure);
    }

    #[test]
    fn an_ipv6_customer_is_one_subscriber() {
        let subscriber = |text: &str| ClientAddress(text.parse().unwrap()).subscriber();
        assert_eq!(subscriber("2001:db8:1:2:3::4"), subscriber("2001:db8:1:2:ffff::1"));
        assert_ne!(subscriber("2001:db8:1:2::1"), subscriber("2001:db8:1:3::1"));
        assert_ne!(subscriber("198.51.100.7"), subscriber("198.51.100.8"));
    }
}
