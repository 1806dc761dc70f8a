//! An OpenAPI document of version 3.0 or 3.1: YAML and JSON, one file or several, every value with its file,
//! line and column, references resolved across files, and the whole as one file.
//!
//! Reading never panics and never stops at the first problem it can go past: it gives a [`Document`], or the
//! [`Diagnostics`] that say why there is none. Files come through a [`Loader`], so this crate touches neither
//! disk nor network. It knows where OpenAPI allows references, and leaves the meaning of everything else to
//! its users.
//!
//! ```
//! use frontdesk_document::{Document, MemoryLoader};
//!
//! let loader = MemoryLoader::new()
//!     .with(
//!         "v1/openapi.yaml",
//!         "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\n\
//!          paths: {/pets: {$ref: 'pets.yaml#/paths/~1pets'}}\n",
//!     )
//!     .with("v1/pets.yaml", "paths:\n  /pets:\n    get:\n      responses: {'204': {description: None}}\n");
//! let (document, diagnostics) = Document::read("v1/openapi.yaml", &loader);
//! let document = document.unwrap_or_else(|| panic!("{}", diagnostics.render(diagnostics.sources(), false)));
//!
//! let path = document.root().get("paths").and_then(|paths| paths.get("/pets")).expect("the path is there");
//! let get = path.resolve()?.get("get").expect("the operation is there");
//! assert_eq!((get.file(), get.pointer().as_str()), ("v1/pets.yaml", "#/paths/~1pets/get"));
//! assert_eq!(get.key_span().start.to_string(), "3:5");
//! assert!(document.bundle().conforms().is_ok());
//! # Ok::<(), Box<frontdesk_document::Diagnostic>>(())
//! ```
//!
//! In reading order: `loader` and `limits` say where texts come from and what they may cost; `source` and
//! `diagnostic` are places and problems; `tree` is the arena of a file, which `builder` fills from `yaml` and
//! `json`; `forest` holds all files and goes from a `reference` to its target; `role` says where references
//! are allowed, `keywords` what becomes of each keyword of a schema, `root` what every document needs; `read`
//! loads all files and records in `broken` the places that it cannot read as written; `repair` removes
//! references that lead nowhere, and `normalize` rewrites schemas in the forms of OpenAPI 3.0, both with
//! `edit`; `document`, `node` and `defect` are the types for users, and `closed`, `security` and
//! `whole_event` readings that they share; `pipeline` runs the stages in order; `bundle` and `render` write.

mod broken;
mod builder;
mod bundle;
mod closed;
pub mod codes;
mod convert;
mod defect;
mod diagnostic;
mod document;
mod edit;
mod field_kinds;
mod forest;
mod json;
mod keywords;
mod limits;
mod loader;
mod node;
mod normalize;
mod operations;
mod pipeline;
mod read;
mod reference;
mod references;
mod render;
mod repair;
mod role;
mod root;
mod scalar;
mod security;
mod source;
mod tree;
mod unresolved;
mod version;
mod whole_event;
mod yaml;

pub use crate::bundle::{Bundle, Unread};
pub use crate::closed::{closed_members, part_members, schema_parts};
pub use crate::codes::{CODES, Explanation, FORMER_CODES, current_code, explain};
pub use crate::defect::Defect;
pub use crate::diagnostic::{Counts, Diagnostic, Diagnostics, Label, Severity};
pub use crate::document::Document;
pub use crate::forest::NodeId;
pub use crate::keywords::{Fate, KEYWORDS, Keyword, keyword};
pub use crate::limits::Limits;
pub use crate::loader::{LoadError, Loader, MemoryLoader};
pub use crate::node::{Key, Kind, NodeRef};
pub use crate::operations::{Callback, Listing, Operation, Parameter, PathItem, methods};
pub use crate::role::METHODS;
pub use crate::security::{Credential, RequiredScheme, Requirement, Security};
pub use crate::source::{FileId, Position, SourceFile, Sources, Span};
pub use crate::version::Version;
pub use crate::whole_event::{event_data, is_union_of_events};
