//! Tests of the comparison of two documents.
//!
//! - `cases`: pairs of documents, with what other tools find.
//! - `code`: changes of generated code, and the findings that explain them.
//! - `corpus`: real documents, each compared with itself.
//! - `gate`: pairs of documents for the finer rules.
//! - `keywords`: keywords of JSON Schema 2020-12, which generated code does not check.
//! - `model`: every edit that the object model allows is reported, or exempt.
//! - `lifecycle`: stability levels, sunsets and the parts by which clients follow pages.
//! - `oracle`: edits at random, which no value may refute.
//! - `rules`: the effect of each kind of change.
//! - `versions`: a document of OpenAPI 3.0 beside the same one of 3.1.
//! - `witnesses`: each proves its own finding, and no other.

mod cases;
mod code;
mod corpus;
mod gate;
mod keywords;
mod lifecycle;
mod model;
mod oracle;
mod rules;
mod versions;
mod witnesses;
