//! The crates that the generator makes of its fixtures, called over a socket: what a client sends is what a
//! server gets, what a server refuses is what the document says, and what a client makes of any answer.
//!
//! The documents are in `tests/fixtures/ok`. That the committed crates are the generator's is held by its own
//! tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "generator/access.rs"]
mod access;
#[path = "generator/answers.rs"]
mod answers;
#[path = "generator/bodies.rs"]
mod bodies;
#[path = "generator/bodies_service.rs"]
mod bodies_service;
#[path = "generator/body_refusals.rs"]
mod body_refusals;
#[path = "generator/events_calls.rs"]
mod events_calls;
#[path = "generator/events_pages.rs"]
mod events_pages;
#[path = "generator/events_service.rs"]
mod events_service;
#[path = "generator/events_webhooks.rs"]
mod events_webhooks;
#[path = "generator/minimal.rs"]
mod minimal;
#[path = "generator/parameters.rs"]
mod parameters;
#[path = "generator/parameters_service.rs"]
mod parameters_service;
#[path = "generator/refusals.rs"]
mod refusals;
#[path = "generator/retries.rs"]
mod retries;
#[path = "generator/round_trip.rs"]
mod round_trip;
#[path = "generator/schemas_refusals.rs"]
mod schemas_refusals;
#[path = "generator/schemas_service.rs"]
mod schemas_service;
#[path = "generator/schemas_values.rs"]
mod schemas_values;
#[path = "generator/script.rs"]
mod script;
#[path = "generator/service.rs"]
mod service;
#[path = "generator/socket.rs"]
mod socket;
#[path = "generator/types.rs"]
mod types;
