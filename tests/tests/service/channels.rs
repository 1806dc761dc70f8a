//! Channels of the inbox with the other side: a real mail server, and stand-ins for messengers.

mod dovecot;
mod encrypted_mail;
mod mail;
mod messengers;
pub(crate) mod posting;
mod privacy;
pub(crate) mod stand_in;
mod thousand_mails;
mod week;
mod whole_mails;

pub(crate) use dovecot::{Dovecot, smtp_server};
pub(crate) use stand_in::{telegram, update};
