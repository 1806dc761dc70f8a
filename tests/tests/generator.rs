//! The crates that the generator makes of its fixtures, called over a socket: what a client sends is what a server gets,
//! what a server refuses is what the document says, and what a client makes of any answer.
//!
//! The documents are in `tests/fixtures/ok`. That the committed crates are the generator's is held by its own tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "generator/access.rs"]
mod access;
#[path = "generator/answers.rs"]
mod answers;
#[path = "generator/minimal.rs"]
mod minimal;
#[path = "generator/refusals.rs"]
mod refusals;
#[path = "generator/retries.rs"]
mod retries;
#[path = "generator/round_trip.rs"]
mod round_trip;
#[path = "generator/script.rs"]
mod script;
#[path = "generator/service.rs"]
mod service;
#[path = "generator/socket.rs"]
mod socket;
