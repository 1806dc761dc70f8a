//! The hand-written engine that generated crates call.
//!
//! Generated code holds what is particular to one document: types, names, limits, routes. Whatever two generated
//! functions would otherwise share lives here, once, with tests of its own.
//!
//! In reading order:
//!
//! - [`Patch`], [`Timestamp`], [`Date`], [`Duration`], [`Decimal`], [`Base64`], [`Secret`]: field types that the standard library does not have.
//! - [`open_enum!`] and [`closed_enum!`]: string enumerations.
//! - [`object!`], [`union!`] and [`newtype!`]: structs and enumerations as JSON.
//! - [`Operation`]: what a document says of one operation, as a constant.
//! - [`codec`]: parameters, forms, multipart bodies and streams as text and bytes, and back.
//! - [`check`]: request bodies checked, with the path of every failing field.
//! - [`server`] (feature `server`): routing, authentication, reading requests, writing responses.
//! - [`client`] (feature `client`): sending requests, retries, reading answers.
//! - [`webhook`] (feature `webhooks`): events signed by the sender, verified by the receiver.

mod base64;
mod date;
mod decimal;
mod duration;
mod enums;
mod newtype;
mod object;
mod operation;
mod outcome;
mod patch;
mod secret;
mod timestamp;
mod union;

pub mod check;
pub mod codec;

#[cfg(feature = "server")]
pub mod server;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "webhooks")]
pub mod webhook;

pub use crate::{
    base64::{Base64, Base64Error},
    codec::File,
    date::{Date, DateError},
    decimal::{Decimal, DecimalError, DecimalText},
    duration::{Duration, DurationError},
    enums::{StringEnum, UnknownValue, deserialize_closed, deserialize_open, inspect_enum},
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
    pub use crate::{
        object::{Members, Object, Writer, read},
        union::{Matches, Union, UnionForm, UnionKind, inspect_union, no_form, read_union, write_tagged},
    };
    pub use serde;
    pub use serde_json::Error as JsonError;
}
