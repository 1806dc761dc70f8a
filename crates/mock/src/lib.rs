//! A mock server for any OpenAPI document. It validates requests against the document, and responds with the
//! document's examples or with values generated from its schemas.
//!
//! The crate has no schema rules or parameter styles of its own: `frontdesk_contract` validates values
//! ([`Oracle`]) and generates them ([`Instances`]). `frontdesk_runtime` routes, authenticates and decodes
//! text, as it does for generated servers.
//!
//! - `operation`, `parameter`, `media`, `security` and `address` read the document once, when the mock
//!   starts.
//! - `shape` decides how text becomes a value; `request` validates a request; `violation` reports what is
//!   wrong with it.
//! - `prefer` reads the caller's preferences, `value` chooses a body, `paging` makes it one page of a list,
//!   `write` encodes it, `headers` adds headers, and `response` combines them.
//! - `rejection` makes error responses: the document's own, or problem details (RFC 9457).
//! - `sample` makes the `curl` request that is printed at start.
//! - [`Mock`] turns a document into a router, [`serve`] accepts connections, and [`codes`] names the warnings
//!   that are reported at start.
//!
//! ```
//! use frontdesk_document::{Document, MemoryLoader};
//! use frontdesk_mock::{Mock, Settings};
//!
//! let text = "
//! openapi: 3.0.3
//! info: {title: Pets, version: '1'}
//! paths:
//!   /pets:
//!     get:
//!       responses:
//!         '200':
//!           description: Pets
//!           content: {application/json: {schema: {type: array, items: {type: string}}}}
//! ";
//! let (document, _) = Document::read("pets.yaml", &MemoryLoader::new().with("pets.yaml", text));
//! let mock = Mock::new(document.expect("it is valid"), Settings::default())?;
//! assert_eq!(mock.operations().count(), 1);
//! let router = mock.into_router();
//! # drop(router);
//! # Ok::<(), frontdesk_contract::OracleError>(())
//! ```
//!
//! [`Oracle`]: frontdesk_contract::Oracle
//! [`Instances`]: frontdesk_contract::Instances

mod address;
mod check;
pub mod codes;
mod headers;
mod listen;
mod media;
mod mock;
mod operation;
mod paging;
mod parameter;
mod prefer;
mod rejection;
mod request;
mod response;
mod sample;
mod security;
mod shape;
mod shared;
#[cfg(test)]
mod tests;
mod typed;
mod value;
mod violation;
mod write;

pub use self::{
    codes::CODES,
    listen::serve,
    mock::{Mock, Settings},
};
