//! Character decoding of a page: byte order mark, header, `<meta>`, then a guess between UTF-8 and
//! windows-1252.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How many bytes of the document are searched for `<meta charset>`. The HTML standard says 1024; real pages
/// exceed it.
const PRESCAN_BYTES: usize = 4_096;

/// Returns the text of `body`. Never fails: bytes that cannot be decoded become U+FFFD.
pub(super) fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding.decode_with_bom_removal(body).0;
    }
    let stated = content_type.and_then(from_content_type).or_else(|| from_meta(body));
    let encoding = match stated {
        // Servers state Latin-1 by default. Text that is valid multi-byte UTF-8 is practically never Latin-1.
        Some(encoding) if encoding == WINDOWS_1252 && is_multibyte_utf8(body) => UTF_8,
        Some(encoding) if encoding == UTF_8 => guess(body),
        Some(encoding) => encoding,
        None => guess(body),
    };
    encoding.decode_without_bom_handling(body).0
}

/// Returns UTF-8 unless no multi-byte sequence is valid: one damaged byte does not make a page Latin-1.
fn guess(body: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Ok(_) => UTF_8,
        Err(_) if has_multibyte_sequence(body) => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

fn is_multibyte_utf8(body: &[u8]) -> bool {
    !body.is_ascii() && std::str::from_utf8(body).is_ok()
}

fn has_multibyte_sequence(body: &[u8]) -> bool {
    body.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

fn from_content_type(value: &str) -> Option<&'static Encoding> {
    let label = value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })?;
    Encoding::for_label(label.as_bytes())
}

/// Returns the first `charset=` inside a `<meta …>` tag of the prefix.
fn from_meta(body: &[u8]) -> Option<&'static Encoding> {
    let prefix = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let label = prefix.split("<meta").skip(1).find_map(|rest| {
        let tag = rest.split('>').next()?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', ';', '/', ' ']).unwrap_or(value.len());
        Some(value[..end].to_owned())
    })?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A document whose `<meta>` can be read as ASCII is not UTF-16, even if it claims to be.
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decode_to_text() {
        let latin = b"<p>caf\xe9 \x80 5</p>";
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"plain", None, "plain"),
            ("café".as_bytes(), None, "café"),
            ("café".as_bytes(), Some("text/html; charset=utf-8"), "café"),
            (latin, None, "<p>café € 5</p>"),
            (latin, Some("text/html; charset=ISO-8859-1"), "<p>café € 5</p>"),
            (latin, Some("text/html; charset=utf-8"), "<p>café € 5</p>"),
            ("café".as_bytes(), Some("text/html; charset=iso-8859-1"), "café"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/html; charset=iso-8859-1"), "café"),
            (b"\xff\xfec\0a\0f\0\xe9\0", None, "café"),
            (b"<meta charset=\"shift_jis\">\x93\xfa\x96\x7b", None, "<meta charset=\"shift_jis\">日本"),
            (
                b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>\xd0\xd2\xc9",
                None,
                "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>при",
            ),
            (b"<meta charset=utf-16>caf\xc3\xa9", None, "<meta charset=utf-16>café"),
            ("caf\u{e9} \u{fffd}".as_bytes(), None, "café \u{fffd}"),
            (b"caf\xc3\xa9 bad \xff byte", Some("text/html; charset=utf-8"), "café bad \u{fffd} byte"),
            (b"x", Some("text/html; charset=no-such-thing"), "x"),
            (b"x", Some("text/html; charset=\"UTF-8\""), "x"),
        ];
        for (body, content_type, expected) in cases {
            assert_eq!(decode(body, *content_type), *expected, "{content_type:?}");
        }
    }
}
