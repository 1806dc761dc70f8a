//! Tests derived from the contract: they read `generated/openapi.json`, so they cover a new operation without
//! an edit.
//!
//! - `contract`: the document as these tests read it.
//! - `references`: fields that hold ids of resources.
//! - `world`: the service under test, its tenants, and their resources, which are created through the
//!   interface.
//! - `exchange`: requests and responses; every response is compared with the document.
//! - `statuses`, `scenarios`, `violations`, `examples`, `tenants`, `agencies`, `pages`, `idempotency`,
//!   `limits`, `visitors`, and `console` for the contract of the console: the tests.

mod agencies;
mod console;
mod contract;
mod examples;
mod exchange;
mod idempotency;
mod limits;
mod pages;
mod references;
mod scenarios;
mod statuses;
mod tenants;
mod violations;
mod visitors;
mod world;
