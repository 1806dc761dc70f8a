//! The one guarded client for every outbound HTTP request.
//!
//! Everything this system fetches is named by somebody else: a tenant types a start page, a sitemap lists
//! links, a server answers with a redirect. Each of those can point inwards, at a metadata service or a
//! database on the private network (server-side request forgery). This crate is therefore the only place that
//! opens outbound connections, and it decides **where** a request may go before it decides anything else:
//!
//! - only `http` and `https`, only the ports of the [`Policy`], never credentials in the URL;
//! - a host name is resolved once, refused if *any* of its addresses is not public, and connected to at
//!   exactly the addresses that were checked, so a second, different DNS answer is never used unchecked;
//! - redirects are followed by hand, each hop checked like the first, and caller headers stay with the origin
//!   they were meant for;
//! - time, decompressed size and header size are bounded by [`Limits`] for hostile servers;
//! - proxies from the environment are ignored, because a proxy would connect in our place without checking.
//!
//! ```
//! use std::time::Duration;
//! use frontdesk_outbound::{Limits, Outbound, Policy};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let outbound = Outbound::new(Policy::new("Frontdesk/1.0"))?;
//! let limits = Limits { total: Duration::from_secs(20), ..Limits::default() };
//! let page = outbound.get(&"https://docs.acme.example/".parse()?, &[], &limits).await?;
//! assert!(page.status.is_success());
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: [`policy`](Policy) (what is asked for), `address` (which addresses are public), `lookup`
//! (names to checked addresses), `client` (requests, bodies and limits), `redirect` (from hop to hop),
//! `error` (what went wrong, in words for a site owner).

mod address;
mod client;
mod error;
mod lookup;
mod policy;
mod redirect;

pub use address::AddressClass;
pub use client::{Builder, Fetched, Outbound};
pub use error::{OutboundError, Stage};
pub use lookup::{Lookup, Lookups};
pub use policy::{Limits, Policy};
