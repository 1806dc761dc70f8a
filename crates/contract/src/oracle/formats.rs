//! String formats that JSON Schema does not know in draft 4, and the bounds that numeric formats mean.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

/// Whether a text has a format.
type Check = fn(&str) -> bool;

/// Checks of strings by the name of their format.
pub(super) const CHECKS: &[(&str, Check)] =
    &[("byte", is_base64), ("decimal", is_decimal), ("duration", is_duration), ("uuid", is_uuid)];

/// The formats that are asserted of strings.
pub(super) const ASSERTED: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "decimal",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uri",
    "uuid",
];

/// Whether a text has a format; every text has a format without a meaning.
///
/// Only formats that the generator of instances cannot simply construct are told apart here.
pub(crate) fn is_format(format: &str, text: &str) -> bool {
    CHECKS.iter().find(|(name, _)| *name == format).is_none_or(|(_, check)| check(text))
}

/// The least and the greatest value of an integer format.
pub(crate) fn integer_bounds(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        _ => return None,
    })
}

fn is_base64(text: &str) -> bool {
    STANDARD.decode(text).is_ok() || STANDARD_NO_PAD.decode(text).is_ok()
}

fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    [whole, fraction]
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_duration(text: &str) -> bool {
    text.parse::<jiff::Span>().is_ok() && text.trim_start_matches(['-', '+']).starts_with('P')
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::is_format;

    #[test]
    fn formats_tell_good_from_bad() {
        for (format, good, bad) in [
            ("byte", &["", "aGk=", "/+8="][..], &["a", "aGk!", "a b"][..]),
            ("decimal", &["0", "-1.50", "123456789012345678901234567890"], &["", ".", "1.", "1e3", "NaN"]),
            ("duration", &["P1D", "PT0.5S", "P1Y2M3DT4H5M6S"], &["", "P", "1 day", "PT"]),
            (
                "uuid",
                &["00000000-0000-0000-0000-000000000000"],
                &["", "0000-0000", "g0000000-0000-0000-0000-000000000000"],
            ),
            ("anything", &["", "x"], &[]),
        ] {
            for text in good {
                assert!(is_format(format, text), "{format}: {text:?}");
            }
            for text in bad {
                assert!(!is_format(format, text), "{format}: {text:?}");
            }
        }
    }
}
