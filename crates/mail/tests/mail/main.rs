//! Messages of many programs, reports of mail servers, and broken messages.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attachments;
mod automatic;
mod broken;
mod firsts;
mod own_words;
mod parts;
mod replies;
mod structure;
mod threads;

use frontdesk_mail::{Email, Limits};

/// Reads a message that is written with line feeds only.
fn email(text: &str) -> Email {
    frontdesk_mail::read(text.replace('\n', "\r\n").as_bytes(), &Limits::default()).unwrap()
}

/// A message with the usual fields before these.
fn message(rest: &str) -> Email {
    email(&format!(
        "From: Ada <ada@acme.example>\nTo: shop@shop.example\nMessage-ID: <1@acme.example>\n{rest}"
    ))
}
