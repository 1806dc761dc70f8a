//! The addresses in an e-mail that is not read any further: it is deleted with the data of each person whom
//! it names.

use std::collections::BTreeSet;

use frontdesk_mail::{Email, Mailbox, Nature};

/// The most addresses of one e-mail.
const MAX: usize = 200;
/// The bytes of an e-mail that are looked through. A report quotes the beginning of what it is about.
const LOOKED_THROUGH: usize = 1 << 20;

/// Returns the addresses of the sender and the recipients, of those that a report is about, and those in the
/// text and the bytes, in lower case.
pub(super) fn of(email: Option<&Email>, bytes: Option<&[u8]>) -> Vec<String> {
    let mut found = BTreeSet::new();
    if let Some(email) = email {
        let named = [std::slice::from_ref(&email.from), &email.reply_to, &email.to, &email.cc];
        found.extend(named.into_iter().flatten().map(|Mailbox { address, .. }| address.to_lowercase()));
        if let Nature::Bounce(bounce) = &email.nature {
            let recipients = bounce.recipients.iter().filter_map(|recipient| recipient.address.as_ref());
            found.extend(recipients.map(|address| address.to_lowercase()));
        }
        in_text(&email.text, &mut found);
    }
    let bytes = bytes.unwrap_or_default();
    in_text(&String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_THROUGH)]), &mut found);
    found.retain(|address| !address.is_empty());
    found.into_iter().take(MAX).collect()
}

fn in_text(text: &str, found: &mut BTreeSet<String>) {
    let is_part = |c: char| c.is_alphanumeric() || "@.!#$%&*+/=?^_`{}~-".contains(c);
    let words = text.split(|c| !is_part(c)).filter(|word| word.contains('@'));
    for word in words {
        if found.len() >= MAX {
            return;
        }
        let address = word.trim_matches(|c: char| !c.is_alphanumeric());
        if let Some((local, domain)) = address.split_once('@')
            && !local.is_empty()
            && domain.contains('.')
        {
            found.insert(address.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_mail::{Limits, read};

    use super::*;

    #[test]
    fn a_report_names_those_whom_it_is_about() {
        let bytes =
            b"From: MAILER-DAEMON@mx.example\r\nTo: info@acme.example\r\nSubject: Undelivered\r\n\r\n\
            <Ann.Baker@Customer.example>: user unknown (ann.baker@customer.example).\r\n";
        let email = read(bytes, &Limits::default()).unwrap();
        let found = of(Some(&email), Some(bytes));
        for address in ["mailer-daemon@mx.example", "info@acme.example", "ann.baker@customer.example"] {
            assert!(found.iter().any(|found| found == address), "{address}: {found:?}");
        }
        assert_eq!(of(None, Some(b"\xff\xfe ann@x.example, @ a@b")), ["ann@x.example"]);
    }
}
