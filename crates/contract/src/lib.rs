//! What an OpenAPI document means, beyond the code that is made of it.
//!
//! - [`mod@places`]: the schemas whose values travel: components, request bodies, answers.
//! - [`oracle`]: a judge of instances that shares no code with the generator, so that it can disagree with it.
//! - [`changelog`]: the changelog of an interface, as the rules of compatibility and release read it.
//! - [`compat`]: what changed between two documents, and whom it breaks.
//! - [`release`]: what is frozen, and what stands in the way of the next version.
//! - [`lint`](mod@lint): the rules that a document is written by.
//! - [`instance`]: random instances of a schema, valid ones and ones that break a single keyword.
//! - [`meaning`]: whether two values say the same, however they are written.
//!
//! ```
//! use frontdesk_contract::{Instances, Oracle, Side, places};
//! use frontdesk_document::{Document, MemoryLoader};
//!
//! let text = "
//! openapi: 3.0.3
//! info: {title: Pets, version: '1'}
//! paths: {}
//! components:
//!   schemas:
//!     Pet: {type: object, required: [name], properties: {name: {type: string, minLength: 1}}}
//! ";
//! let (document, _) = Document::read("pets.yaml", &MemoryLoader::new().with("pets.yaml", text));
//! let document = document.expect("the document is valid");
//! let place = &places(&document)[0];
//! let oracle = Oracle::new([place.schema], Side::Request)?;
//!
//! let instances = Instances::new(&oracle);
//! let pet = instances.valid(place.schema, 1).expect("there are pets");
//! assert!(oracle.is_valid(place.schema, &pet));
//! for mutant in instances.invalid(place.schema, &pet, 1, 100) {
//!     assert!(!oracle.is_valid(place.schema, &mutant.value), "{} at {}", mutant.keyword, mutant.pointer);
//! }
//! # Ok::<(), frontdesk_contract::OracleError>(())
//! ```

pub mod changelog;
pub mod compat;
mod github;
pub mod instance;
pub mod lint;
pub mod meaning;
pub mod oracle;
pub mod places;
pub mod release;

pub use crate::instance::{GivenUp, Instances, Mutant};
pub use crate::oracle::{Oracle, OracleError};
pub use crate::places::{Place, Side, places};
