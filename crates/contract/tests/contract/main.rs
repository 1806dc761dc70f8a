//! Tests of the meaning of documents. They are one program: each further one would take seconds to compile
//! and link.
//!
//! - `compat`: the comparison of two documents.
//! - `corpus`, `fixtures`, `seeds`: instances of schemas.
//! - `lint`, `lint_corpus`: the rules of style, on documents made for them and on real ones.
//! - `oracle`: the validation of instances where the specification leaves questions open.
//! - `release`: what is checked before a release.
//! - `round_trip`: generated types against their schemas.

mod compat;
mod corpus;
mod fixtures;
mod folder;
mod keywords;
mod lint;
mod lint_corpus;
mod oracle;
mod release;
mod round_trip;
mod seeds;
