//! Channels of the inbox with the other side: a real mail server, and stand-ins for messengers.

mod dovecot;
mod mail;
mod messengers;
mod thousand_mails;
mod week;
mod whole_mails;

pub(crate) use dovecot::Dovecot;
pub(crate) use messengers::telegram;
