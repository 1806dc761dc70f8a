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
    nature, plain, quote, repair, subject,
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
    let bytes = repair::with_utf8_headers(bytes);
    let bytes = repair::with_last_boundaries(&bytes);
    let message = MessageParser::default().parse(bytes.as_ref()).ok_or(Unreadable::NotAMessage)?;
    if message.parts.len() > limits.parts {
        return Err(Unreadable::TooManyParts { parts: message.parts.len(), limit: limits.parts });
    }
    let fields = Fields::of(&message);
    if !["From", "Sender", "Date", "Subject", "Message-ID"].into_iter().any(|name| fields.has(name)) {
        return Err(Unreadable::NotAMessage);
    }
    let from = headers::sender(&message, &fields).ok_or(Unreadable::NoSender)?;
    let mut body = body::read(&message, limits);
    let mut files = attachment::read(&message, &body.parts, limits);
    body.complete(&message, files.wrapped.take(), limits);
    let subject = subject::one_line(message.subject().unwrap_or_default());
    let nature = nature::of(&message, &fields, &from, &subject, &body.text);
    let quote::Split { reply, folded } = if is_reply(&fields, &subject) {
        quote::split(&body.text)
    } else {
        quote::Split { reply: body.text.clone(), folded: None }
    };
    Ok(Email {
        message_id: headers::ids(&fields, "Message-ID").into_iter().next(),
        in_reply_to: headers::ids(&fields, "In-Reply-To"),
        references: headers::ids(&fields, "References"),
        reply_to: headers::mailboxes(message.reply_to()),
        to: headers::mailboxes(message.to()),
        cc: headers::mailboxes(message.cc()),
        date: headers::date(&message),
        reply,
        folded,
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

/// Returns whether a message responds to another one, so that it may quote it. What looks like a quote in a
/// first message, or in one that passes another on, is what the sender wants to say.
fn is_reply(fields: &Fields<'_>, subject: &str) -> bool {
    let names_another = ["In-Reply-To", "References"]
        .into_iter()
        .any(|name| fields.all(name).any(|value| !value.trim().is_empty()));
    !subject::is_forward(subject) && (names_another || subject::is_reply(subject))
}

/// Removes what mailbox files and web forms put before a message: a byte order mark, blank lines, and the
/// line `From …` of mbox.
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

/// Refuses what would take the parser much memory or time. Each part costs it a search of the rest, and a
/// nested message a level of its stack.
fn check(bytes: &[u8], limits: &Limits) -> Result<(), Unreadable> {
    if bytes.trim_ascii().is_empty() {
        return Err(Unreadable::Empty);
    }
    if bytes.len() > limits.bytes {
        return Err(Unreadable::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let header_bytes = repair::headers_end(bytes);
    if header_bytes > limits.header_bytes {
        return Err(Unreadable::HeadersTooLarge { bytes: header_bytes, limit: limits.header_bytes });
    }
    let parts = memchr::memchr_iter(b':', bytes).filter(|colon| names_type(&bytes[..*colon])).count();
    if parts > limits.parts {
        return Err(Unreadable::TooManyParts { parts, limit: limits.parts });
    }
    Ok(())
}

/// Returns whether bytes end in `Content-Type`, as the parser reads names: in any case, and with spaces
/// anywhere.
fn names_type(bytes: &[u8]) -> bool {
    let mut letters = bytes.iter().rev().filter(|byte| !byte.is_ascii_whitespace());
    b"content-type"
        .iter()
        .rev()
        .all(|wanted| letters.next().is_some_and(|byte| byte.eq_ignore_ascii_case(wanted)))
}
