//! A server of any OpenAPI document, before anybody has written one: it judges requests, and answers with what the document
//! gives as examples, or with values made of its schemas.
//!
//! Nothing here knows rules of schemas or styles of parameters by itself. `frontdesk_contract` judges values ([`Oracle`]) and
//! makes them ([`Instances`]); `frontdesk_runtime` routes, authenticates and reads text, as it does for generated servers.
//!
//! - `operation`, `parameter`, `media`, `security`, `address`: what a document says, read once.
//! - `shape`: what text is read as; `request`: a request is judged, `violation`: what is wrong with it.
//! - `prefer`, `value`, `write`, `answer`: what the caller wants, a value for it, its bytes, all together.
//! - `refusal`: the document's own errors, or problems (RFC 9457).
//! - `sample`: a request to begin with.
//! - [`Mock`]: a document becomes a router; [`serve`]: connections; [`codes`]: what is warned of before the first request.
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
//!         '200': {description: Pets, content: {application/json: {schema: {type: array, items: {type: string}}}}}
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
mod answer;
mod check;
pub mod codes;
mod listen;
mod media;
mod mock;
mod operation;
mod parameter;
mod prefer;
mod refusal;
mod request;
mod sample;
mod security;
mod shape;
#[cfg(test)]
mod tests;
mod value;
mod violation;
mod write;

pub use self::{
    codes::CODES,
    listen::serve,
    mock::{Mock, Settings},
};
