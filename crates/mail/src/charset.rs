//! From bytes to text: what the sender's program says about their encoding, and what the bytes themselves
//! say.
//!
//! Programs state encodings that they do not use. Bytes that are valid UTF-8 and not ASCII are UTF-8 whatever
//! is stated, because text in another encoding hardly ever looks so. Bytes that are not valid in the stated
//! encoding are not thrown away either.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};

/// Names of encodings that programs use and the WHATWG's list does not have.
const OTHER_NAMES: &[(&str, &Encoding)] = &[
    ("cp932", SHIFT_JIS),
    ("ms932", SHIFT_JIS),
    ("cp936", GBK),
    ("cp949", EUC_KR),
    ("cp950", BIG5),
    ("cp50220", ISO_2022_JP),
    ("cp50221", ISO_2022_JP),
    ("iso-2022-jp-1", ISO_2022_JP),
    ("iso-2022-jp-2", ISO_2022_JP),
    ("iso-2022-jp-3", ISO_2022_JP),
    ("iso-2022-jp-ms", ISO_2022_JP),
    ("utf8mb4", UTF_8),
    ("utf-8-mac", UTF_8),
    ("ansi", WINDOWS_1252),
];

/// Returns the encoding with this name. `None` for names that mean nothing, and for encodings that only the
/// parser of messages knows.
pub(crate) fn named(name: &str) -> Option<&'static Encoding> {
    // `=?utf-8*de?…` names a language as well (RFC 2231).
    let name = name.split('*').next().unwrap_or_default().trim_matches(['"', '\'', ' ', '\t']);
    let lower = name.to_ascii_lowercase().replace(' ', "-");
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, encoding)| *encoding);
    other.or_else(|| Encoding::for_label_no_replacement(lower.as_bytes()))
}

/// Returns the text of bytes. Nothing but a character that was cut off at the end becomes a replacement
/// character.
pub(crate) fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> String {
    if bytes.is_ascii() {
        let is_japanese = has_japanese_escapes(bytes)
            && declared.is_none_or(|declared| declared == UTF_8 || declared == WINDOWS_1252);
        let encoding = if is_japanese { ISO_2022_JP } else { declared.unwrap_or(UTF_8) };
        if encoding == ISO_2022_JP {
            return ISO_2022_JP.decode_without_bom_handling(&without_empty_runs(bytes)).0.into_owned();
        }
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    if let Some(text) = utf8(bytes, declared) {
        return text;
    }
    match declared {
        Some(declared) if declared != UTF_8 => declared.decode_with_bom_removal(bytes).0.into_owned(),
        _ => mixed(bytes),
    }
}

/// Returns the text of bytes that are UTF-8, apart from a character that was cut off at their end.
fn utf8(bytes: &[u8], declared: Option<&'static Encoding>) -> Option<String> {
    let (text, is_cut) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) if error.error_len().is_none() => {
            (std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?, true)
        }
        Err(_) => return None,
    };
    let Some(declared) = declared.filter(|declared| *declared != UTF_8) else {
        return (!text.is_ascii()).then(|| if is_cut { format!("{text}\u{fffd}") } else { text.to_owned() });
    };
    if declared == UTF_16BE || declared == UTF_16LE || text.is_ascii() {
        return None;
    }
    // Two bytes of these can be one character of theirs and one of UTF-8, so only longer ones tell.
    let has_pairs = [BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS].contains(&declared);
    if has_pairs
        && text.chars().all(|character| character < '\u{800}')
        && !declared.decode_without_bom_handling(bytes).1
    {
        return None;
    }
    Some(if is_cut { format!("{text}\u{fffd}") } else { text.to_owned() })
}

/// Returns the text of bytes that are partly UTF-8, as where a server has added a line in its own encoding.
/// The rest is windows-1252, which programs that state nothing use.
fn mixed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        match chunk.invalid() {
            // The beginning of a character of which the rest is missing.
            [_, _, ..] => text.push('\u{fffd}'),
            single => text.push_str(&WINDOWS_1252.decode_without_bom_handling(single).0),
        }
    }
    text
}

/// Returns whether bytes switch to Japanese characters (ISO-2022-JP), which programs send without stating it.
fn has_japanese_escapes(bytes: &[u8]) -> bool {
    [&b"\x1b$B"[..], b"\x1b$@", b"\x1b(J", b"\x1b(I"]
        .iter()
        .any(|escape| memchr::memmem::find(bytes, escape).is_some())
}

/// Removes escapes that are followed by another one at once, as where encoded words were put together. The
/// decoder takes them for an attack.
fn without_empty_runs(bytes: &[u8]) -> Vec<u8> {
    let is_escape = |rest: &[u8]| matches!(rest, [0x1b, b'(' | b'$', _, ..]);
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if is_escape(rest) && is_escape(&rest[3..]) {
            rest = &rest[3..];
        } else {
            kept.push(*first);
            rest = after;
        }
    }
    kept
}

/// Returns the encoding that `charset=` names in header fields or in the head of HTML.
pub(crate) fn stated_in(bytes: &[u8]) -> Option<&'static Encoding> {
    let lower = bytes.to_ascii_lowercase();
    let start = memchr::memmem::find(&lower, b"charset=")? + b"charset=".len();
    let value = lower[start..].strip_prefix(b"\"").unwrap_or(&lower[start..]);
    let end = value
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:".contains(byte))
        .unwrap_or(value.len());
    named(std::str::from_utf8(&value[..end]).ok()?)
}

#[cfg(test)]
mod tests {
    use super::{decode, named};

    #[test]
    fn bytes_say_more_than_what_is_stated() {
        let utf8 = "Hütte kostet 99 €, größer möglich?";
        for name in [
            "iso-8859-1",
            "us-ascii",
            "windows-1252",
            "iso-8859-15",
            "koi8-r",
            "windows-1251",
            "shift_jis",
            "gbk",
            "x-unknown",
            "",
        ] {
            assert_eq!(decode(utf8.as_bytes(), named(name)), utf8, "{name}");
        }
        for (name, bytes, text) in [
            ("iso-8859-1", &b"F\xfcr 5 \x80 \x84so\x93"[..], "Für 5 € „so“"),
            ("us-ascii", b"F\xfcr 5 \x80", "Für 5 €"),
            ("utf-8", b"F\xfcr 5 \x80", "Für 5 €"),
            ("", b"F\xfcr 5 \x80", "Für 5 €"),
            ("iso-8859-15", b"5 \xa4", "5 €"),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
            ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
            ("iso-8859-2", b"\xbf\xf3\xb3w", "żółw"),
            ("iso-2022-jp", b"\x1b$BF|K\\\x1b(B", "日本"),
            ("utf-8", b"\x1b$BF|K\\\x1b(B", "日本"),
            ("us-ascii", b"\x1b$BF|K\\\x1b(B", "日本"),
            ("iso-2022-jp", b"\x1b$BF|\x1b(B\x1b$BK\\\x1b(B", "日本"),
            ("cp932", b"\x93\xfa\x96\x7b", "日本"),
            ("gb2312", b"\xc4\xe3\xba\xc3", "你好"),
            ("big5", b"\xa7A\xa6n", "你好"),
            ("euc-kr", b"\xb4\xe4\xc0\xe5", "답장"),
            ("utf-16le", b"H\0\xfc\0", "Hü"),
            // A server has added a line in another encoding, or has cut the text within a character.
            ("utf-8", b"Gr\xc3\xbc\xc3\x9fe\nGr\xfc\xdfe", "Grüße\nGrüße"),
            ("iso-8859-1", b"Gr\xc3\xbc\xc3\x9fe \xe2\x82", "Grüße \u{fffd}"),
            ("utf-8", b"Gr\xc3\xbc\xc3\x9fe \xe2\x82", "Grüße \u{fffd}"),
        ] {
            assert_eq!(decode(bytes, named(name)), text, "{name}");
        }
    }
}
