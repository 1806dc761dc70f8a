//! The names that senders give to attached files.

use std::borrow::Cow;

use mail_parser::{HeaderName, Message, MessagePart, MimeHeaders};

use crate::{charset, raw_part::raw_part};

/// Most pieces of a name (RFC 2231).
const MAX_PIECES: usize = 100;

/// Returns the name of a part, empty if it has none.
pub(crate) fn of(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let fields = [(HeaderName::ContentDisposition, "filename"), (HeaderName::ContentType, "name")];
    let extended = fields.into_iter().find_map(|(field, parameter)| {
        let header = part.headers.iter().find(|header| header.name == field)?;
        extended(raw_part(message, header.offset_start, header.offset_end), parameter)
    });
    let name = extended.or_else(|| part.attachment_name().map(str::to_owned)).unwrap_or_default();
    // The resources of a file of a Mac come before it, under its name.
    if !name.is_empty() && part.is_content_type("application", "applefile") {
        return format!("{name}.applefile");
    }
    name
}

/// Returns a parameter in the form of RFC 2231 (`filename*=utf-8''%C3%A4.pdf`). It counts more than the one
/// in the older form, which programs write beside it without the characters that it cannot have.
fn extended(field: &[u8], name: &str) -> Option<String> {
    let mut pieces: Vec<(u32, bool, Cow<'_, [u8]>)> = Vec::new();
    for (key, value) in parameters(field) {
        let Some(rest) = key.strip_prefix(name).and_then(|rest| rest.strip_prefix('*')) else { continue };
        let (number, is_encoded) = match rest.strip_suffix('*') {
            Some(number) => (number, true),
            None => (rest, rest.is_empty()),
        };
        let number = if number.is_empty() { Some(0) } else { number.parse().ok() };
        if let Some(number) = number.filter(|_| pieces.len() < MAX_PIECES) {
            pieces.push((number, is_encoded, value));
        }
    }
    pieces.sort_by_key(|(number, _, _)| *number);
    // The whole name is there, or its pieces from the first one on.
    let (first, is_encoded, _) = pieces.first()?;
    if *first != 0 {
        return None;
    }
    let mut charset = None;
    let mut bytes = Vec::new();
    for (index, (_, is_piece_encoded, value)) in pieces.iter().enumerate() {
        let mut value = value.as_ref();
        if index == 0 && *is_encoded {
            // The encoding and the language come first.
            let mut fields = value.splitn(3, |byte| *byte == b'\'');
            if let (Some(stated), Some(_), Some(rest)) = (fields.next(), fields.next(), fields.next()) {
                charset = std::str::from_utf8(stated).ok().and_then(charset::named);
                value = rest;
            }
        }
        if *is_piece_encoded { push_decoded(value, &mut bytes) } else { bytes.extend_from_slice(value) }
    }
    Some(charset::decode(&bytes, charset)).filter(|name| !name.trim().is_empty())
}

/// Returns the parameters of a field, with names in lower case and without quotes.
fn parameters(field: &[u8]) -> Vec<(String, Cow<'_, [u8]>)> {
    let mut found = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, byte) in field.iter().chain(b";").enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted || at == field.len() => {
                let parameter = field[start..at].trim_ascii();
                start = (at + 1).min(field.len());
                let Some(equals) = memchr::memchr(b'=', parameter) else { continue };
                let name = String::from_utf8_lossy(parameter[..equals].trim_ascii()).to_ascii_lowercase();
                found.push((name, unquoted(parameter[equals + 1..].trim_ascii())));
            }
            _ => {}
        }
    }
    found
}

fn unquoted(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = value.strip_prefix(b"\"") else { return Cow::Borrowed(value) };
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    let mut bytes = Vec::with_capacity(inner.len());
    let mut is_escaped = false;
    for byte in inner {
        if *byte == b'\\' && !is_escaped {
            is_escaped = true;
        } else {
            is_escaped = false;
            bytes.push(*byte);
        }
    }
    Cow::Owned(bytes)
}

fn push_decoded(value: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = value;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
}

#[cfg(test)]
mod tests {
    use super::extended;

    #[test]
    fn the_extended_form_is_found_in_any_order() {
        for (field, name) in [
            (
                "attachment; filename=\"r.pdf\"; filename*=UTF-8''Rechnung%20%E2%82%AC.pdf",
                Some("Rechnung €.pdf"),
            ),
            ("attachment; filename*=UTF-8''Rechnung%20%E2%82%AC.pdf; filename=r.pdf", Some("Rechnung €.pdf")),
            ("attachment;\r\n FileName*=iso-8859-1'de'M%E4rz.pdf\r\n", Some("März.pdf")),
            (
                "attachment; filename=a; filename*1*=b%2C; filename*0*=utf-8''%C3%A4; filename*2=c.txt",
                Some("äb,c.txt"),
            ),
            ("attachment; filename*0=\"one; \"; filename*1=\"two.pdf\"", Some("one; two.pdf")),
            ("attachment; filename*=cp850''Stra%E1e", Some("Straße")),
            ("attachment; filename*=utf-8''", None),
            ("attachment; filename*=%41%ZZ", Some("A%ZZ")),
            ("attachment; filename*1=b", None),
            ("attachment; filename=\"a*=b\"", None),
            ("attachment; filename=\"no end; filename*=utf-8''x", None),
            ("", None),
        ] {
            assert_eq!(extended(field.as_bytes(), "filename").as_deref(), name, "{field}");
        }
    }
}
