//! The running service, seen from outside: over sockets, and through the `frontdesk` binary.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is all there is to say")]

mod administration;
mod demo;
mod harness;
mod judgement;
mod listening;
mod networks;
mod observability;
mod process;
mod streams;
