//! Notices: e-mail to the people of accounts, such as that a visitor waits for them.
//!
//! A notice is written to the database in the transaction of what it reports, and sent by a recurring job. It
//! is sent at most once: it is marked just before the mail server gets its text, and what happens to a marked
//! notice in a crash is not known, so it stays as it is.
//!
//! - `smtp` hands a text to the mail server; replies of the inbox use it, too.
//! - `text` says what notices say.
//! - `job` sends what is due.

mod job;
mod smtp;
mod text;

pub use self::smtp::MailError;
pub(crate) use self::{
    job::SendNotices,
    smtp::{Attached, Mail, Mailer, SendError},
};
