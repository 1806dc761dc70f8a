//! Compatibility: what changed between two OpenAPI documents, and whom it breaks.
//!
//! The law: what *requests* may contain must not narrow, what *responses* may contain must not widen. The reverse is safe,
//! what cannot be compared breaks, and what cannot be told is reported as undecided. Around the law stand the rules of the
//! house, a [`Policy`]: how stable something is, and how it is announced to go.
//!
//! Documents are compared by what they mean: references are followed, `allOf` is read as one schema, paths are matched
//! without the names of their parameters, and components may move and change their names.
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
//! In reading order: `effect` and `policy` are the law and the house, `rules` the kinds of changes; `walk` goes through
//! the operations with `parameters`, `bodies`, `responses`, `security` and `servers`; `schema` compares schemas; `lifecycle`
//! judges how things go; `collect` makes findings of it all, `witness` proves them, `code` adds what changes for users of
//! the generated crates, and `report` tells it all.

mod announcements;
mod bodies;
mod change;
pub mod code;
mod collect;
mod effect;
mod finding;
mod lifecycle;
mod parameters;
mod policy;
pub mod report;
mod responses;
mod rules;
mod schema;
mod security;
mod servers;
mod side;
mod walk;
mod witness;

use frontdesk_document::Document;

pub use self::announcements::Announcements;
pub use self::effect::{Bump, Bumps, Effect, Level, Verdict};
pub use self::finding::{CodeBumps, Comparison, Finding, Spot, Use, Witness};
pub use self::policy::{Policy, Stability};
pub use self::rules::{CODES, Manner, RULES, Rule, Source};
use self::walk::Walk;
pub(crate) use self::witness::elided;

/// Compares two documents.
pub fn compare(base: &Document, revision: &Document, policy: &Policy) -> Comparison {
    let mut walk = Walk::new(base, revision, policy);
    walk.run();
    collect::collect(&walk)
}
