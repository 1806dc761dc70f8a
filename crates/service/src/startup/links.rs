//! Addresses of the service in the links that it prints.

use std::net::SocketAddr;

pub(crate) use crate::edge::links::to_console;
use crate::platform::config::Config;

/// Returns the address on which the service listens, as browsers write it.
pub(crate) fn listening(config: &Config, address: SocketAddr) -> String {
    let scheme = if config.http.tls_certificate.is_some() { "https" } else { "http" };
    format!("{scheme}://{address}")
}

/// Returns the address of the service for people: the public one, or that on which it listens.
pub(crate) fn base(config: &Config, address: SocketAddr) -> String {
    config.mail.public_url.as_ref().map_or_else(|| listening(config, address), ToString::to_string)
}
