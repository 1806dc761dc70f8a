//! The meaning of OpenAPI documents, independent of generated code.
//!
//! - [`mod@sent_schemas`]: the schemas whose values are sent: components, request bodies and responses.
//! - [`oracle`]: validation of instances. It shares no code with the generator, so that the two can disagree.
//! - [`changelog`]: parsing of a changelog, for compatibility rules and releases.
//! - [`compat`]: changes between two documents, and whom they break.
//! - [`release`]: frozen bundles, and the problems that prevent the next release.
//! - [`lint`](mod@lint): rules for documents.
//! - [`instance`]: random instances of a schema, valid ones and ones that violate a single keyword.
//! - [`json_equality`]: comparison of JSON values by what they mean.
//!
//! ```
//! use frontdesk_contract::{Direction, Instances, Oracle, sent_schemas};
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
//! let sent = &sent_schemas(&document)[0];
//! let oracle = Oracle::new([sent.schema], Direction::Request)?;
//!
//! let instances = Instances::new(&oracle);
//! let pet = instances.valid(sent.schema, 1).expect("there are pets");
//! assert!(oracle.is_valid(sent.schema, &pet));
//! for mutant in instances.invalid(sent.schema, &pet, 1, 100) {
//!     assert!(!oracle.is_valid(sent.schema, &mutant.value), "{} at {}", mutant.keyword, mutant.pointer);
//! }
//! # Ok::<(), frontdesk_contract::OracleError>(())
//! ```

pub mod changelog;
pub mod compat;
mod github;
pub mod instance;
pub mod json_equality;
pub mod lint;
pub mod oracle;
pub mod release;
pub mod sent_schemas;

pub use crate::instance::{InstanceError, Instances, Mutant};
pub use crate::oracle::{Matches, Oracle, OracleError};
pub use crate::sent_schemas::{Direction, SentSchema, sent_schemas};
