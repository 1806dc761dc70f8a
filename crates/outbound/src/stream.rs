//! Connections for other protocols than HTTP, such as those of mail servers, with the same checks.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::Resolve;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use crate::client::{Outbound, log_refusal};
use crate::error::{OutboundError, Stage};

impl Outbound {
    /// Resolves a host and returns its addresses, all of which may be connected to. Connect to exactly these, and not to the name, whose
    /// addresses may have changed then.
    pub async fn addresses(
        &self,
        host: &str,
        port: u16,
        limit: Duration,
    ) -> Result<Vec<SocketAddr>, OutboundError> {
        let timeout = OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit };
        let found = tokio::time::timeout(limit, self.checked_addresses(host, port)).await;
        found.unwrap_or(Err(timeout)).inspect_err(log_refusal)
    }

    /// Opens a connection without encryption.
    pub async fn connect(&self, host: &str, port: u16, limit: Duration) -> Result<TcpStream, OutboundError> {
        let opened = async {
            let mut reason = String::new();
            for address in self.checked_addresses(host, port).await.inspect_err(log_refusal)? {
                match TcpStream::connect(address).await {
                    Ok(stream) => return Ok(stream),
                    Err(error) => reason = error.to_string(),
                }
            }
            Err(OutboundError::Connect { host: host.to_owned(), reason })
        };
        let timeout = OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit };
        tokio::time::timeout(limit, opened).await.unwrap_or(Err(timeout))
    }

    /// Encrypts a connection to a host, whose certificate is verified.
    pub async fn encrypt(
        &self,
        stream: TcpStream,
        host: &str,
        limit: Duration,
    ) -> Result<TlsStream<TcpStream>, OutboundError> {
        let tls = |reason: String| OutboundError::Tls { host: host.to_owned(), reason };
        let name = ServerName::try_from(host.to_owned()).map_err(|error| tls(error.to_string()))?;
        let connector = TlsConnector::from(Arc::new(self.tls().clone()));
        let timeout = OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit };
        match tokio::time::timeout(limit, connector.connect(name, stream)).await {
            Ok(encrypted) => encrypted.map_err(|error| tls(error.to_string())),
            Err(_) => Err(timeout),
        }
    }

    async fn checked_addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, OutboundError> {
        let bad = OutboundError::BadUrl { reason: "the host is neither a name nor an address" };
        let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let parsed = match literal {
            Some(IpAddr::V4(address)) => Host::Ipv4(address),
            Some(IpAddr::V6(address)) => Host::Ipv6(address),
            None => Host::Domain(host),
        };
        let reach = self.admit_host(&parsed, port, host.to_owned())?;
        if let Some(address) = literal {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        // Some forms of numbers are addresses to the system although they have not the usual form.
        let Ok(Host::Domain(domain)) = Host::parse(host) else { return Err(bad) };
        let name = domain.parse().map_err(|_| bad)?;
        let addresses = self.resolver(reach).resolve(name).await.map_err(|error| {
            error.downcast::<OutboundError>().map_or_else(
                |error| OutboundError::Dns { host: host.to_owned(), reason: error.to_string() },
                |error| *error,
            )
        })?;
        Ok(addresses.map(|address| SocketAddr::new(address.ip(), port)).collect())
    }
}
