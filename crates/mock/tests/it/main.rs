//! The mock over a socket: called by generated clients, and by requests as bytes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bodies;
mod common_errors;
mod frontdesk;
mod paging;
mod parameters;
mod requests;
mod responses;
mod socket;
mod unions;
mod unwritten;
