//! Compatibility: the changes between two OpenAPI documents, and whom they break.
//!
//! The compatibility rule: the values that *requests* may contain must not narrow, and those that *responses*
//! may contain must not widen. The reverse is safe. Incomparable changes are breaking, and changes whose
//! effect is unknown are reported as undecided. A [`Policy`] adds rules about stability and deprecation.
//!
//! Documents are compared by meaning: references are followed, `allOf` counts as one schema, paths match
//! regardless of parameter names, and components may be moved and renamed.
//!
//! ```
//! use frontdesk_contract::compat::{Level, Policy, compare};
//! use frontdesk_document::{Document, MemoryLoader};
//!
//! let text = |limit: u32| format!("
//! openapi: 3.0.3
//! info: {{title: Pets, version: '1'}}
//! paths:
//!   /pets:
//!     get:
//!       parameters: [{{name: limit, in: query, schema: {{type: integer, maximum: {limit}}}}}]
//!       responses: {{'200': {{description: Pets}}}}
//! ");
//! let read = |limit| {
//!     let loader = MemoryLoader::new().with("pets.yaml", text(limit));
//!     Document::read("pets.yaml", &loader).0.expect("the document is valid")
//! };
//! let today = "2026-11-21".parse()?;
//! let comparison = compare(&read(100), &read(50), &Policy::plain(today));
//! assert!(comparison.is_breaking());
//! let finding = &comparison.findings[0];
//! assert_eq!((finding.rule.id, finding.level), ("maximum", Level::Breaking));
//! assert_eq!(finding.uses[0].operation, "GET /pets");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order: `effect` is the compatibility rule, `policy` the rules around it, and `rules` the kinds
//! of changes. `walk` visits the operations, with `parameters`, `bodies`, `responses`, `pagination`,
//! `security` and `servers`. `schema` compares schemas, and `lifecycle` checks deprecations and removals.
//! `collect` turns changes into findings, `witness` proves them, `code` adds changes of the generated
//! crates, and `report` renders the result.

mod addresses;
mod announcements;
mod bodies;
mod change;
pub mod code;
mod collect;
mod direction;
mod draft;
mod effect;
mod finding;
mod lifecycle;
mod lifecycle_keys;
mod media_types;
mod minimal;
mod pagination;
mod parameters;
mod policy;
pub mod report;
mod responses;
mod rules;
mod schema;
mod security;
mod servers;
mod walk;
mod witness;

use frontdesk_document::Document;

pub use self::announcements::Announcements;
pub use self::effect::{Bump, Bumps, Effect, Level, Verdict};
pub use self::finding::{CodeBumps, Comparison, Finding, Location, Side, Use, Witness};
pub use self::lifecycle_keys::Stability;
pub use self::policy::Policy;
pub use self::rules::{CODES, Manner, RULES, Rule, Source};
use self::walk::Walk;
pub(crate) use self::witness::elided;

/// Compares two documents.
pub fn compare(base: &Document, revision: &Document, policy: &Policy) -> Comparison {
    let mut walk = Walk::new(base, revision, policy);
    walk.run();
    collect::collect(&walk)
}
