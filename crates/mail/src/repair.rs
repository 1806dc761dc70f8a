//! Repairs of messages before they are parsed: header fields in other encodings, encoded words that split a
//! character, and multiparts without their last boundary.

use std::{borrow::Cow, collections::HashMap};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    charset::{self, Charset},
    transfer,
};

/// Longest text of an encoded word that is looked at, in bytes. RFC 2047 allows 75.
const MAX_WORD: usize = 8_192;

/// Most boundaries that are closed: those of the outermost multiparts.
const MAX_BOUNDARIES: usize = 50;

/// Returns where the header fields of a message end.
pub(crate) fn headers_end(bytes: &[u8]) -> usize {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if bytes[start..end].trim_ascii().is_empty() {
            return start;
        }
        start = end + 1;
    }
    bytes.len()
}

/// Returns the message with header fields in UTF-8, which old programs write in the encoding of their
/// country, and with encoded words in UTF-8, one for each run of words: programs break words within a
/// character, and state encodings that they do not use.
pub(crate) fn with_utf8_headers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (head, rest) = bytes.split_at(headers_end(bytes));
    let text = match std::str::from_utf8(head) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let stated = charset::stated_in(head).filter(|charset| *charset != charset::UTF8);
            Cow::Owned(charset::decode(head, stated))
        }
    };
    let words = with_joined_words(&text);
    if let (Cow::Borrowed(_), Cow::Borrowed(_)) = (&text, &words) {
        return Cow::Borrowed(bytes);
    }
    let mut message = words.into_owned().into_bytes();
    message.extend_from_slice(rest);
    Cow::Owned(message)
}

/// An encoded word: `=?ENCODING?B?TEXT?=`.
struct Word {
    charset: Charset,
    bytes: Vec<u8>,
    /// Where it ends.
    end: usize,
}

/// Writes each run of encoded words with the same encoding as one word in UTF-8.
fn with_joined_words(head: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(found) = head[from..].find("=?") {
        let start = from + found;
        let Some(mut word) = word_at(head, start) else {
            from = start + 2;
            continue;
        };
        let mut end = word.end;
        let mut is_first = true;
        out.push_str(&head[copied..start]);
        loop {
            let after = head[end..].trim_start_matches([' ', '\t', '\r', '\n']);
            let next = word_at(head, head.len() - after.len());
            match next {
                Some(next) if next.charset == word.charset => {
                    word.bytes.extend(next.bytes);
                    end = next.end;
                }
                next => {
                    if !is_first {
                        out.push(' ');
                    }
                    is_first = false;
                    let text = charset::decode(&word.bytes, Some(word.charset));
                    out.push_str(&format!("=?utf-8?B?{}?=", STANDARD.encode(text)));
                    let Some(next) = next else { break };
                    end = next.end;
                    word = next;
                }
            }
        }
        (copied, from) = (end, end);
    }
    if copied == 0 {
        return Cow::Borrowed(head);
    }
    out.push_str(&head[copied..]);
    Cow::Owned(out)
}

/// Returns the encoded word that begins at a place. `None` if there is none, or if its encoding is not known.
fn word_at(head: &str, start: usize) -> Option<Word> {
    let rest = head.get(start..)?.strip_prefix("=?")?;
    let (name, rest) = rest.get(..rest.floor_char_boundary(100)).and_then(|near| {
        let end = near.find('?')?;
        Some((&rest[..end], &rest[end + 1..]))
    })?;
    let is_base64 = match rest.get(..2)? {
        "B?" | "b?" => true,
        "Q?" | "q?" => false,
        _ => return None,
    };
    let text = &rest[2..rest.floor_char_boundary(2 + MAX_WORD)];
    let text = &text[..text.find("?=")?];
    // A word ends before the next field begins.
    let is_one_field = text.split('\n').skip(1).all(|line| line.starts_with([' ', '\t']));
    let charset = charset::named(name).filter(|_| is_one_field && !name.is_empty())?;
    let bytes = if is_base64 { transfer::base64(text.as_bytes()) } else { transfer::q_word(text.as_bytes()) };
    let end = head.len() - rest.len() + 2 + text.len() + 2;
    Some(Word { charset, bytes, end })
}

/// Returns the message with the last boundary of each multipart, which is missing where a connection ended or
/// a program forgot it: the parser would take the last part for an attachment.
pub(crate) fn with_last_boundaries(bytes: &[u8]) -> Cow<'_, [u8]> {
    let boundaries = boundaries(bytes);
    // For each boundary the place where its last one belongs: before the next delimiter of an enclosing
    // multipart, else at the end.
    let mut missing: Vec<(usize, usize)> = uses(bytes, &boundaries)
        .into_iter()
        .enumerate()
        .filter(|(_, used)| used.is_open)
        .map(|(index, used)| (used.enclosing.unwrap_or(bytes.len()), index))
        .collect();
    if missing.is_empty() {
        return Cow::Borrowed(bytes);
    }
    // Inner ones come before outer ones at the same place.
    missing.sort_by_key(|(at, index)| (*at, usize::MAX - index));
    let mut out = Vec::with_capacity(bytes.len() + missing.len() * 80);
    let mut copied = 0;
    for (at, index) in missing {
        out.extend_from_slice(&bytes[copied..at]);
        copied = at;
        if !out.ends_with(b"\n") {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"--");
        out.extend_from_slice(boundaries[index]);
        out.extend_from_slice(b"--\r\n");
    }
    out.extend_from_slice(&bytes[copied..]);
    Cow::Owned(out)
}

/// How a boundary is used.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Whether it has begun a part, and its final line has not been found yet.
    is_open: bool,
    /// The position of the next line of an enclosing multipart.
    enclosing: Option<usize>,
}

/// Returns the boundaries that a message states, in their order: an enclosing one comes before those within.
fn boundaries(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found: Vec<&[u8]> = Vec::new();
    for equals in memchr::memchr_iter(b'=', bytes) {
        let name = &bytes[equals.saturating_sub(8)..equals];
        if !name.eq_ignore_ascii_case(b"boundary") || found.len() >= MAX_BOUNDARIES {
            continue;
        }
        let value = &bytes[equals + 1..(equals + 80).min(bytes.len())];
        let value = match value.strip_prefix(b"\"") {
            Some(quoted) => quoted.split(|byte| matches!(byte, b'"' | b'\r' | b'\n')).next(),
            None => value.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next(),
        };
        match value {
            Some(value) if !value.is_empty() && value.len() <= 70 && !found.contains(&value) => {
                found.push(value);
            }
            _ => {}
        }
    }
    found
}

fn uses(bytes: &[u8], boundaries: &[&[u8]]) -> Vec<Use> {
    let mut uses = vec![Use::default(); boundaries.len()];
    if boundaries.is_empty() {
        return uses;
    }
    let known: HashMap<&[u8], usize> =
        boundaries.iter().enumerate().map(|(index, boundary)| (*boundary, index)).collect();
    for dashes in memchr::memmem::find_iter(bytes, b"--") {
        if dashes > 0 && bytes[dashes - 1] != b'\n' {
            continue;
        }
        let rest = &bytes[dashes + 2..];
        let rest = &rest[..rest.len().min(100)];
        let line = rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())].trim_ascii_end();
        let (index, is_last) =
            match (known.get(line), line.strip_suffix(b"--").and_then(|line| known.get(line))) {
                (Some(index), _) => (*index, false),
                (None, Some(index)) => (*index, true),
                (None, None) => continue,
            };
        uses[index] = Use { is_open: !is_last, enclosing: None };
        for within in uses[index + 1..].iter_mut().filter(|within| within.is_open) {
            within.enclosing = within.enclosing.or(Some(dashes));
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::{with_joined_words, with_last_boundaries};

    #[test]
    fn missing_boundaries_are_added_where_they_belong() {
        let text =
            |bytes: &str| String::from_utf8(with_last_boundaries(bytes.as_bytes()).into_owned()).unwrap();
        let head = "Content-Type: multipart/mixed; boundary=\"out\"\r\n\r\n--out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n\r\nText";
        assert_eq!(text(head), format!("{head}\r\n--in--\r\n--out--\r\n"));
        let inner = format!("{head}\r\n--out\r\n\r\nMore\r\n--out--\r\n");
        assert_eq!(text(&inner), format!("{head}\r\n--in--\r\n--out\r\n\r\nMore\r\n--out--\r\n"));
        let whole = format!("{head}\r\n--in--\r\n--out--\r\n");
        assert_eq!(text(&whole), whole);
        assert_eq!(text("Subject: boundary=b\r\n\r\nNo part"), "Subject: boundary=b\r\n\r\nNo part");
    }

    #[test]
    fn encoded_words_of_a_run_are_joined() {
        for (head, expected) in [
            ("Subject: plain", "Subject: plain"),
            (
                "Subject: =?utf-8?B?ww==?=\r\n =?utf-8?B?lmZmbnVuZw==?=\r\n",
                "Subject: =?utf-8?B?w5ZmZm51bmc=?=\r\n",
            ),
            ("Subject: =?UTF-8?Q?=C3?= =?utf-8?q?=96ffnung?= x", "Subject: =?utf-8?B?w5ZmZm51bmc=?= x"),
            ("Subject: =?iso-8859-1?Q?=C3=96l?=", "Subject: =?utf-8?B?w5Zs?="),
            ("Subject: =?x-unknown?Q?a?=", "Subject: =?x-unknown?Q?a?="),
            ("Subject: =?utf-8?Q?a\r\nTo: b?=", "Subject: =?utf-8?Q?a\r\nTo: b?="),
            ("Subject: =?=?utf-8?Q?a", "Subject: =?=?utf-8?Q?a"),
        ] {
            assert_eq!(with_joined_words(head), expected);
        }
    }
}
