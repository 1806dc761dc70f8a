//! From bytes to an [`Email`]: checks, repairs, and the order of the steps.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use mail_parser::MessageParser;

use crate::{
    attachment, body,
    email::Email,
    headers::{self, Fields},
    limits::Limits,
    nature, plain, quote, subject,
    unreadable::Unreadable,
};

/// Reads a message. Never panics, and takes time in proportion to the size.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Email, Unreadable> {
    let bytes = with_line_feeds(without_envelope(bytes));
    let bytes = bytes.as_ref();
    check(bytes, limits)?;
    // The parser of MIME is another project's. A fault in it costs one message and not the process.
    catch_unwind(AssertUnwindSafe(|| read_checked(bytes, limits))).unwrap_or(Err(Unreadable::Damaged))
}

fn read_checked(bytes: &[u8], limits: &Limits) -> Result<Email, Unreadable> {
    let bytes = with_utf8_headers(bytes);
    let message = MessageParser::default().parse(bytes.as_ref()).ok_or(Unreadable::NotAMessage)?;
    if message.parts.len() > limits.parts {
        return Err(Unreadable::TooManyParts { parts: message.parts.len(), limit: limits.parts });
    }
    let fields = Fields::of(&message);
    if !["From", "Sender", "Date", "Subject", "Message-ID"].into_iter().any(|name| fields.has(name)) {
        return Err(Unreadable::NotAMessage);
    }
    let from = headers::sender(&message, &fields).ok_or(Unreadable::NoSender)?;
    let mut files = attachment::read(&message, limits);
    let body = body::read(&message, files.body.take(), limits);
    let subject = subject::one_line(message.subject().unwrap_or_default());
    let nature = nature::of(&message, &fields, &from, &subject, &body.text);
    let reply =
        if subject::is_forward(&subject) { body.text.clone() } else { quote::without_quotes(&body.text) };
    Ok(Email {
        message_id: headers::ids(&fields, "Message-ID").into_iter().next(),
        in_reply_to: headers::ids(&fields, "In-Reply-To"),
        references: headers::ids(&fields, "References"),
        reply_to: headers::mailboxes(message.reply_to()),
        to: headers::mailboxes(message.to()),
        cc: headers::mailboxes(message.cc()),
        date: headers::date(&message),
        reply,
        text: body.text,
        html: body.html,
        is_truncated: body.is_truncated,
        attachments: files.attachments,
        skipped_attachments: files.skipped,
        suppresses_responses: nature::suppresses_responses(&fields),
        origin: fields.get(crate::ORIGIN_HEADER).map(|value| plain::clean_line(&value)),
        hops: fields.count("Received"),
        from,
        subject,
        nature,
    })
}

/// Removes what mailbox files and web forms put before a message: a byte order mark, blank lines, and the line `From …` of mbox.
fn without_envelope(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if bytes.starts_with(b"From ") || bytes.starts_with(b">From ") {
        return memchr::memchr(b'\n', bytes).map_or(&[], |end| &bytes[end + 1..]);
    }
    bytes
}

/// Returns the message with line feeds, if it has carriage returns only.
fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', bytes).is_some() || memchr::memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect())
}

/// Refuses what would take the parser much memory or time. Each part costs it a search of the rest, and a nested message a level of its
/// stack.
fn check(bytes: &[u8], limits: &Limits) -> Result<(), Unreadable> {
    if bytes.trim_ascii().is_empty() {
        return Err(Unreadable::Empty);
    }
    if bytes.len() > limits.bytes {
        return Err(Unreadable::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let header_bytes = headers_end(bytes);
    if header_bytes > limits.header_bytes {
        return Err(Unreadable::HeadersTooLarge { bytes: header_bytes, limit: limits.header_bytes });
    }
    let parts = memchr::memchr_iter(b':', bytes).filter(|colon| names_type(&bytes[..*colon])).count();
    if parts > limits.parts {
        return Err(Unreadable::TooManyParts { parts, limit: limits.parts });
    }
    Ok(())
}

/// Returns whether bytes end in `Content-Type`, as the parser reads names: in any case, and with spaces anywhere.
fn names_type(bytes: &[u8]) -> bool {
    let mut letters = bytes.iter().rev().filter(|byte| !byte.is_ascii_whitespace());
    b"content-type"
        .iter()
        .rev()
        .all(|wanted| letters.next().is_some_and(|byte| byte.eq_ignore_ascii_case(wanted)))
}

/// Returns where the header fields of a message end.
fn headers_end(bytes: &[u8]) -> usize {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if bytes[start..end].trim_ascii().is_empty() {
            return start;
        }
        start = end + 1;
    }
    bytes.len()
}

/// Returns the message with header fields in UTF-8. Old programs write them in the encoding of their country, which RFC 5322 forbids.
fn with_utf8_headers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let end = headers_end(bytes);
    let (head, rest) = bytes.split_at(end);
    if std::str::from_utf8(head).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let encoding = charset_in(head).unwrap_or(encoding_rs::WINDOWS_1252);
    let mut message = encoding.decode_without_bom_handling(head).0.into_owned().into_bytes();
    message.extend_from_slice(rest);
    Cow::Owned(message)
}

/// Returns the encoding that the field `Content-Type` names, unless it is UTF-8, which the fields are not in.
fn charset_in(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let lower = head.to_ascii_lowercase();
    let start = memchr::memmem::find(&lower, b"charset=")? + b"charset=".len();
    let value = lower[start..].strip_prefix(b"\"").unwrap_or(&lower[start..]);
    let end = value
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:".contains(byte))
        .unwrap_or(value.len());
    encoding_rs::Encoding::for_label(&value[..end]).filter(|encoding| *encoding != encoding_rs::UTF_8)
}
