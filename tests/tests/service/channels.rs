//! Channels of the inbox with the other side: a real mail server, and stand-ins for messengers.

mod dovecot;
mod mail;
mod messengers;
mod week;

pub(crate) use dovecot::Dovecot;
