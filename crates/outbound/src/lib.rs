//! The guarded client for all outbound HTTP requests.
//!
//! Other people name the URLs that this system requests: a tenant enters a start page, a sitemap lists links,
//! a server responds with a redirect. Each of them can point to a metadata service or a database on the
//! private network (server-side request forgery). Therefore only this crate opens outbound connections, and
//! it first decides **where** a request may go:
//!
//! - only `http` and `https`, only the ports of the [`Policy`], never credentials in the URL;
//! - a host name is resolved once and refused if *any* of its addresses is not public; the connection goes to
//!   exactly the addresses that were checked, so a second DNS response cannot replace them;
//! - every hop of a redirect is checked like the first, and the caller's headers are sent only to the origin
//!   they were meant for;
//! - [`Limits`] bound the time, the decompressed size and the size of the headers; [`ExchangeLimits`] bound
//!   the time and the bytes of other protocols, and are a part of the connection;
//! - proxies from the environment are ignored, because a proxy would connect without these checks.
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
//! Parts of the system that must not reach each other's networks use clients with separate policies.
//!
//! Reading order: [`policy`](Policy) (what is allowed), `address` (which addresses are public), `lookup`
//! (resolution of names), `client` (requests and limits), `form` (bodies with files), `handover` (the moment
//! from which a message may have arrived), `body` (responses, whole or in parts), `redirect` (from hop to
//! hop), `stream` (connections for other protocols than HTTP), `error` (failures, in words for site owners).

mod address;
mod body;
mod client;
mod error;
mod form;
mod handover;
mod lookup;
mod policy;
mod redirect;
mod stream;

pub use address::AddressClass;
pub use body::{Fetched, Streamed};
pub use client::{Builder, Outbound};
pub use error::{OutboundError, Stage};
pub use form::{Form, FormFile};
pub use handover::{Handover, HandoverError, PostError};
pub use lookup::{Lookup, Lookups};
pub use policy::{ExchangeLimits, Limits, Policy};
pub use stream::GuardedStream;
