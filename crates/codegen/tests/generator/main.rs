//! The generator from outside: what it refuses and how it says so, what it makes, and what a change of a
//! document changes.
//!
//! Fixtures are folders of `tests/fixtures`: `err/<code>` are documents with the diagnostics they cause,
//! `ok/<name>` are documents with the crates made from them. Those crates are members of the workspace, so a
//! build compiles them, and `tests/generator/main.rs` calls them over a socket. This binary depends on none
//! of them: it can renew them when they do not compile.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod branches;
mod declarations;
mod diagnostics;
mod duplicates;
mod emitted;
mod error_sets;
mod evolution;
mod examples;
mod fixtures;
mod golden;
mod interface;
mod javascript;
mod kept;
mod lengths;
mod lowering;
mod names;
mod operations;
mod prose;
mod routes;
mod seeds;
mod sizes;
mod sound;
mod tolerance;
mod variants;
mod versions;
