//! Channels of the inbox with the other side: a real mail server, and stand-ins for messengers.

mod dovecot;
mod encrypted_mail;
mod mail;
mod messengers;
mod privacy;
mod thousand_mails;
mod week;
mod whole_mails;

pub(crate) use dovecot::{Dovecot, smtp_server};
pub(crate) use messengers::{telegram, update};
