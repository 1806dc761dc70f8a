//! Mail servers and messengers, real ones where they are installed, and stand-ins otherwise.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod hostile_mail_servers;
mod hostile_mailboxes;
mod imap;
mod meta;
mod numbered_mailboxes;
mod smtp;
mod stand_in;
mod telegram;

use std::time::Duration;

use frontdesk_outbound::{Outbound, Policy};

/// Time for requests of tests that do not wait for its end.
const PATIENCE: Duration = Duration::from_secs(30);

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
