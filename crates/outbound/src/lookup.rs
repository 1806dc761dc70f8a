//! Name resolution with a check of every address.
//!
//! The check is part of the resolver that the HTTP client calls when it connects. If the name were resolved
//! once for the check and again for the connection, the addresses could change in between (DNS rebinding).

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::Guard;
use crate::error::OutboundError;

/// A boxed future with the addresses of one name.
pub type Lookups = BoxFuture<'static, io::Result<Vec<IpAddr>>>;

/// Resolves host names. The addresses that it returns are checked.
pub trait Lookup: fmt::Debug + Send + Sync + 'static {
    /// Returns all addresses of `host`, in the order in which to try them.
    fn lookup(&self, host: &str) -> Lookups;
}

/// The operating system's resolver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System;

impl Lookup for System {
    fn lookup(&self, host: &str) -> Lookups {
        let host = host.to_owned();
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((host, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// The addresses that a client may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reach {
    /// Public addresses and allowed networks.
    Anywhere,
    /// Only allowed networks, because the request uses this port, which the policy does not list.
    AllowedOnly(u16),
}

impl Reach {
    /// Returns an error if the client must not connect to the address.
    pub(crate) fn check(self, guard: &Guard, host: &str, address: IpAddr) -> Result<(), OutboundError> {
        if let Some(class) = guard.refusal(address) {
            return Err(OutboundError::BlockedAddress { host: host.to_owned(), address, class });
        }
        match self {
            Self::AllowedOnly(port) if !guard.allows(address) => {
                Err(OutboundError::BlockedPort { host: host.to_owned(), port })
            }
            Self::AllowedOnly(_) | Self::Anywhere => Ok(()),
        }
    }
}

/// The resolver of the HTTP client. It returns an error if any address is refused.
#[derive(Debug)]
pub(crate) struct CheckedResolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) guard: Arc<Guard>,
    pub(crate) reach: Reach,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let addresses = self.lookup.lookup(&host);
        let (guard, reach) = (Arc::clone(&self.guard), self.reach);
        Box::pin(async move {
            let addresses = addresses
                .await
                .map_err(|error| OutboundError::Dns { host: host.clone(), reason: error.to_string() })?;
            if addresses.is_empty() {
                let reason = "the name has no addresses".to_owned();
                return Err(OutboundError::Dns { host, reason }.into());
            }
            for address in &addresses {
                reach.check(&guard, &host, *address)?;
            }
            // Port 0 means "the port of the URL" to the client.
            let checked: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(checked)
        })
    }
}
