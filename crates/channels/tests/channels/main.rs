//! Mail servers and messengers, real ones where they are installed, and stand-ins otherwise.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod imap;
mod meta;
mod smtp;
mod stand_in;
mod telegram;

use frontdesk_outbound::{Outbound, Policy};

/// A guarded client that may connect to this machine.
fn local() -> Outbound {
    let allow = vec!["127.0.0.0/8".parse().unwrap()];
    Outbound::new(Policy { allow, ..Policy::new("Frontdesk tests") }).unwrap()
}

/// A guarded client that may connect to public addresses only, at the ports of mail servers.
fn guarded() -> Outbound {
    let ports = frontdesk_channels::MAIL_PORTS.to_vec();
    Outbound::new(Policy { ports, ..Policy::new("Frontdesk tests") }).unwrap()
}
