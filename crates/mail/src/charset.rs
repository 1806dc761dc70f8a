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

use crate::legacy;

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// One that browsers know.
    Web(&'static Encoding),
    /// A code page of DOS.
    Dos(&'static str),
    /// Code page 858, which is 850 with a euro sign.
    DosEuro,
    /// ISO-2022-KR and ISO-2022-CN.
    Iso2022,
    /// HZ-GB-2312.
    Hz,
    /// UTF-16 of either order of bytes.
    Utf16,
    /// UTF-32 of either order of bytes.
    Utf32,
}

pub(crate) const UTF8: Charset = Charset::Web(UTF_8);

/// Names of encodings that programs use and the WHATWG's list does not have, or has another meaning for.
const OTHER_NAMES: &[(&str, Charset)] = &[
    ("cp50220", Charset::Web(ISO_2022_JP)),
    ("cp50221", Charset::Web(ISO_2022_JP)),
    ("iso-2022-jp-1", Charset::Web(ISO_2022_JP)),
    ("iso-2022-jp-2", Charset::Web(ISO_2022_JP)),
    ("iso-2022-jp-3", Charset::Web(ISO_2022_JP)),
    ("iso-2022-jp-ms", Charset::Web(ISO_2022_JP)),
    ("utf8mb4", UTF8),
    ("utf-8-mac", UTF8),
    ("ansi", Charset::Web(WINDOWS_1252)),
    ("cspc8codepage437", Charset::Dos(legacy::CP437)),
    ("iso-2022-kr", Charset::Iso2022),
    ("csiso2022kr", Charset::Iso2022),
    ("iso-2022-cn", Charset::Iso2022),
    ("iso-2022-cn-ext", Charset::Iso2022),
    ("hz-gb-2312", Charset::Hz),
    ("hz", Charset::Hz),
    ("utf-16", Charset::Utf16),
    ("ucs-2", Charset::Utf16),
    ("iso-10646-ucs-2", Charset::Utf16),
    ("csunicode", Charset::Utf16),
    ("unicode", Charset::Utf16),
    ("utf-32", Charset::Utf32),
    ("utf-32le", Charset::Utf32),
    ("utf-32be", Charset::Utf32),
    ("ucs-4", Charset::Utf32),
    ("iso-10646-ucs-4", Charset::Utf32),
];

/// Words before the number of a code page, as in `x-cp850`, `IBM-437` and `cspc850multilingual`.
const CODE_PAGE_WORDS: &[&str] = &[
    "", "x", "cp", "xcp", "ibm", "xibm", "csibm", "cspc", "cspcp", "csp", "dos", "oem", "pc", "ms",
    "codepage", "ccsid", "windows", "win",
];

/// Returns the encoding with this name. `None` for names that mean nothing, and for encodings that only the
/// parser of messages knows.
pub(crate) fn named(name: &str) -> Option<Charset> {
    // `=?utf-8*de?…` names a language as well (RFC 2231).
    let name = name.split('*').next().unwrap_or_default().trim_matches(['"', '\'', ' ', '\t']);
    let lower = name.to_ascii_lowercase().replace([' ', '_'], "-");
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, charset)| *charset);
    let by_label = |label: &str| Encoding::for_label_no_replacement(label.as_bytes()).map(Charset::Web);
    other
        .or_else(|| by_label(&name.to_ascii_lowercase()))
        .or_else(|| by_label(&lower))
        .or_else(|| of_code_page(code_page_number(&lower)?))
}

fn code_page_number(name: &str) -> Option<u32> {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let (word, number) = letters.split_at(letters.find(|c: char| c.is_ascii_digit())?);
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let (number, rest) = number.split_at(end);
    (CODE_PAGE_WORDS.contains(&word) && matches!(rest, "" | "multilingual")).then(|| number.parse().ok())?
}

/// Returns the encoding of a code page of Windows or DOS.
pub(crate) fn of_code_page(page: u32) -> Option<Charset> {
    let label = match page {
        437 => return Some(Charset::Dos(legacy::CP437)),
        850 => return Some(Charset::Dos(legacy::CP850)),
        852 => return Some(Charset::Dos(legacy::CP852)),
        858 => return Some(Charset::DosEuro),
        1_200 | 1_201 => return Some(Charset::Utf16),
        50_225 => return Some(Charset::Iso2022),
        52_936 => return Some(Charset::Hz),
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 | 51_949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        866 => "ibm866".to_owned(),
        10_000 => "macintosh".to_owned(),
        20_127 => "us-ascii".to_owned(),
        20_866 => "koi8-r".to_owned(),
        21_866 => "koi8-u".to_owned(),
        28_591..=28_606 => format!("iso-8859-{}", page - 28_590),
        50_220..=50_222 => "iso-2022-jp".to_owned(),
        54_936 => "gb18030".to_owned(),
        65_001 => "utf-8".to_owned(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label_no_replacement(label.as_bytes()).map(Charset::Web)
}

/// Returns the text of bytes. Nothing but a character that was cut off at the end becomes a replacement
/// character.
pub(crate) fn decode(bytes: &[u8], declared: Option<Charset>) -> String {
    let web = match declared {
        None => None,
        Some(Charset::Web(encoding)) => Some(encoding),
        // Text that has never been in UTF-16 has no zeros.
        Some(Charset::Utf16) if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() => None,
        Some(Charset::Utf16) => return legacy::utf_16(bytes),
        Some(Charset::Utf32) => return legacy::utf_32(bytes),
        // Text in UTF-8 that is stated to be something else is UTF-8, as below.
        Some(other) => {
            return match other {
                _ if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() => {
                    String::from_utf8_lossy(bytes).into_owned()
                }
                Charset::Iso2022 => legacy::iso_2022(bytes),
                Charset::Hz => legacy::hz(bytes),
                Charset::Dos(table) => legacy::code_page(bytes, table, false),
                _ => legacy::code_page(bytes, legacy::CP850, true),
            };
        }
    };
    decode_web(bytes, web)
}

fn decode_web(bytes: &[u8], declared: Option<&'static Encoding>) -> String {
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
pub(crate) fn stated_in(bytes: &[u8]) -> Option<Charset> {
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
            ("iso-10646-ucs-2", b"\0H\0\xfc", "Hü"),
            ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f", "안녕"),
            ("hz-gb-2312", b"~{Dc:C~}", "你好"),
            ("cp437", b"f\x81r", "für"),
            ("utf-32", b"H\0\0\0\xfc\0\0\0", "Hü"),
            // A server has added a line in another encoding, or has cut the text within a character.
            ("utf-8", b"Gr\xc3\xbc\xc3\x9fe\nGr\xfc\xdfe", "Grüße\nGrüße"),
            ("iso-8859-1", b"Gr\xc3\xbc\xc3\x9fe \xe2\x82", "Grüße \u{fffd}"),
            ("utf-8", b"Gr\xc3\xbc\xc3\x9fe \xe2\x82", "Grüße \u{fffd}"),
        ] {
            assert_eq!(decode(bytes, named(name)), text, "{name}");
        }
    }

    #[test]
    fn a_code_page_has_many_names() {
        for name in [
            "cp850",
            "CP-850",
            "cp_850",
            "cp 850",
            "IBM850",
            "ibm-850",
            "850",
            "x-cp850",
            "dos-850",
            "oem850",
            "cspc850multilingual",
            "\"cp850\"",
        ] {
            assert_eq!(decode(b"Stra\xe1e in M\x81nchen", named(name)), "Straße in München", "{name}");
            // Text that is UTF-8 in truth is read as such.
            assert_eq!(decode("Straße".as_bytes(), named(name)), "Straße", "{name}");
        }
        for (name, bytes, text) in [
            ("cspc8codepage437", &b"\xe1\xa4"[..], "ßñ"),
            ("ibm00858", b"\xd5", "€"),
            ("cp1252", b"\x80", "€"),
            ("win-1251", b"\xcf", "П"),
            ("ibm866", b"\x8f", "П"),
            ("cspcp852", b"\xbe", "ż"),
        ] {
            assert_eq!(decode(bytes, named(name)), text, "{name}");
        }
        for name in ["8bit", "x-unknown", "utf-7", "cp999999999999", "mac-12"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
