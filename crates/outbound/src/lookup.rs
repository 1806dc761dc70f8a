//! From host names to checked addresses.
//!
//! The check sits inside the resolver that the HTTP client itself calls to connect. Checking a name first and
//! letting the client resolve it again would leave a gap in which the answer can change (DNS rebinding).

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::Guard;
use crate::error::OutboundError;

/// The addresses of one name, as a boxed future.
pub type Lookups = BoxFuture<'static, io::Result<Vec<IpAddr>>>;

/// Answers which addresses a host name has. Its answers are checked like everybody else's.
pub trait Lookup: fmt::Debug + Send + Sync + 'static {
    /// All addresses of `host`, in the order to try them.
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

/// Which addresses a client may connect to, beyond the check that they are public or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reach {
    /// Public addresses and networks the operator opened.
    Anywhere,
    /// Only networks the operator opened: the request names this port, which is closed elsewhere.
    Opened(u16),
}

impl Reach {
    /// Refuses an address this client must not connect to.
    pub(crate) fn check(self, guard: &Guard, host: &str, address: IpAddr) -> Result<(), OutboundError> {
        if let Some(class) = guard.refusal(address) {
            return Err(OutboundError::BlockedAddress { host: host.to_owned(), address, class });
        }
        match self {
            Self::Opened(port) if !guard.opens(address) => {
                Err(OutboundError::BlockedPort { host: host.to_owned(), port })
            }
            Self::Opened(_) | Self::Anywhere => Ok(()),
        }
    }
}

/// The resolver handed to the HTTP client: looks up, checks every address, returns those and no others.
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
