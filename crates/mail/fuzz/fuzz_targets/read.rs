//! Whole messages.
#![no_main]

use frontdesk_mail::{Limits, Unreadable, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match read(bytes, &Limits::default()) {
    Ok(email) => assert_eq!(email.reply.is_empty(), email.text.is_empty()),
    Err(error) => assert_ne!(error, Unreadable::Damaged),
});
