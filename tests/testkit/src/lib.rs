//! What the tests of several crates use.
//!
//! - `postgres` and `sqlite_file`: a database for each test, with the empty tables of the store.
//! - `stand_in`: servers on this machine.
//! - `mails`: e-mails of random forms, sound and broken.
//! - `program`: programs that tests write and start.

#![expect(clippy::unwrap_used, reason = "all of it is test code")]

#[cfg(feature = "mails")]
pub mod mails;
#[cfg(feature = "databases")]
mod migrations;
#[cfg(feature = "databases")]
pub mod postgres;
pub mod program;
#[cfg(feature = "databases")]
pub mod sqlite_file;
#[cfg(feature = "servers")]
pub mod stand_in;
