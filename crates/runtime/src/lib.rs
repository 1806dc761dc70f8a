//! Runtime library of the generated crates.
//!
//! Generated code contains what is specific to one document: types, names, limits, routes. Code that all
//! generated crates share lives here, with tests of its own.
//!
//! Modules in reading order:
//!
//! - [`Patch`], [`Timestamp`], [`Date`], [`Duration`], [`Decimal`], [`Base64`], [`Secret`]: field types that
//!   the standard library lacks.
//! - [`open_enum!`] and [`closed_enum!`]: string enumerations.
//! - [`id!`]: UUIDs with a type for each kind of thing.
//! - [`object!`], [`union!`] and [`newtype!`]: structs and enumerations as JSON.
//! - [`required!`]: objects made of their required members.
//! - [`errors!`]: the errors that operations declare.
//! - [`Operation`]: the facts of an operation, as a constant.
//! - [`Refused`] and [`FromRefusal`]: refusals, which a server sends without asking a handler.
//! - [`codec`]: encoding and decoding of parameters, forms, multipart bodies and streams.
//! - [`headers`]: the declared headers of responses.
//! - [`check`]: validation of request bodies, with the path of every invalid field.
//! - `server` (feature `server`): routing, authentication, authorization, reading requests, writing
//!   responses.
//! - `client` (feature `client`): sending requests, retries, reading responses.
//! - `webhook` (feature `webhooks`): events signed by the sender, verified by the receiver.

mod base64;
mod date;
mod decimal;
mod duration;
mod enums;
mod errors;
mod id;
mod newtype;
mod object;
mod operation;
mod outcome;
mod patch;
mod refused;
mod required;
mod secret;
mod timestamp;
mod union;
mod whole_numbers;

pub mod check;
pub mod codec;
pub mod headers;

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
    headers::{HeaderError, TypedHeaders, WithHeaders},
    id::IdError,
    operation::{Credential, Example, Extension, Operation, Requirement, Scheme, Stability},
    outcome::{Failure, Fault},
    patch::{Patch, ResponseField},
    refused::{FromRefusal, Refused},
    secret::Secret,
    timestamp::{Timestamp, TimestampError},
};
pub use bytes::{self, Bytes};
pub use futures_util::Stream;
pub use http::{self, HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
pub use serde_json::Value;
pub use uuid::Uuid;

/// Implementation details of this crate's macros; not a public interface.
#[doc(hidden)]
pub mod macros {
    #[cfg(feature = "test-util")]
    pub use crate::operation::read_example;
    pub use crate::{
        errors::status,
        object::{Members, Object, Writer, read},
        union::{
            Matches, Union, UnionKind, UnionVariant, inspect_union, no_variant, read_union, write_tagged,
        },
    };
    pub use serde;
    pub use serde_json::Error as JsonError;
}
