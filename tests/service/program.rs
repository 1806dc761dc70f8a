//! The `frontdesk` program: its commands, its processes, and what it answers to a client that sends exactly
//! the bytes it is given.

mod administration;
mod backups;
mod demo;
mod guide;
mod harness;
mod judgment;
mod listening;
mod networks;
mod observability;
mod process;
mod streams;
