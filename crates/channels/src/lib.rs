//! The protocols of mail servers and messengers: what they send becomes values, and messages are sent to
//! them.
//!
//! - [`smtp`] writes an e-mail and hands it to a mail server;
//! - [`imap`] fetches new e-mails of a mailbox;
//! - [`telegram`] is the Bot API;
//! - [`meta`] is the WhatsApp Cloud API and the Messenger Platform.
//!
//! Nothing here knows threads, contacts or accounts, and nothing is stored. The hosts are named by customers,
//! so all connections go through the guarded client ([`Outbound`](frontdesk_outbound::Outbound)). Errors are
//! for people and contain no secrets.
//!
//! Reading order: `secret`, `message` (what all messengers have in common), `failure` (what became of an
//! attempt to send), `file`, `text`, then one file for each protocol.

mod failure;
mod file;
pub mod imap;
mod message;
pub mod meta;
mod secret;
pub mod smtp;
pub mod telegram;
mod text;

pub use failure::SendFailure;
pub use file::OutgoingFile;
pub use message::{DeliveryReport, DeliveryStatus, Inbound, Media, Sender};
pub use secret::Secret;
pub use text::{one_line, pieces};

/// Ports of mail servers: SMTP (25, 2525), submission (587), submission over TLS (465), IMAP (143) and IMAP
/// over TLS (993).
pub const MAIL_PORTS: [u16; 6] = [25, 465, 587, 2525, 143, 993];
