//! The crates that the generator makes of its fixtures, called over a socket: what a client sends is what a
//! server gets, what a server refuses is what the document says, and what a client makes of any answer.
//!
//! The documents are in `tests/fixtures/ok`. That the committed crates are the generator's is held by its own
//! tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod access;
mod answers;
mod bodies;
mod bodies_service;
mod body_refusals;
mod environment;
mod events_calls;
mod events_pages;
mod events_service;
mod events_webhooks;
mod javascript;
mod keyed_calls;
mod limits;
mod minimal;
mod parameters;
mod parameters_service;
mod refusals;
mod retries;
mod round_trip;
mod schemas_refusals;
mod schemas_service;
mod schemas_values;
mod script;
mod service;
mod socket;
mod types;
