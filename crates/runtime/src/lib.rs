//! The hand-written engine that generated crates call.
//!
//! Generated code holds what is particular to one document: types, names, limits, routes. Whatever two generated
//! functions would otherwise share lives here, once, with tests of its own.
//!
//! In reading order:
//!
//! - [`Patch`], [`Timestamp`], [`Secret`]: field types that the standard library does not have.
//! - [`open_enum!`] and [`closed_enum!`]: string enumerations.
//! - [`Operation`]: what a document says of one operation, as a constant.
//! - [`check`]: request bodies checked, with the path of every failing field.
//! - [`server`] (feature `server`): routing, authentication, reading requests, writing responses.
//! - [`client`] (feature `client`): sending requests, retries, reading answers.

mod enums;
mod operation;
mod outcome;
mod patch;
mod secret;
mod timestamp;
pub mod wire;

pub mod check;

#[cfg(feature = "server")]
pub mod server;

#[cfg(feature = "client")]
pub mod client;

pub use crate::{
    enums::{StringEnum, UnknownValue, deserialize_closed, inspect_enum},
    operation::{Credential, Operation, Requirement, Scheme, Stability},
    outcome::{Failure, Fault},
    patch::Patch,
    secret::Secret,
    timestamp::{Timestamp, TimestampError},
};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
pub use serde_json::Value;
pub use uuid::Uuid;

/// What the macros of this crate expand to; not for use by hand.
#[doc(hidden)]
pub mod macros {
    pub use serde;
}
