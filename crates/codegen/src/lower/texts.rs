//! Texts with a form of their own: whether the types of the runtime surely read one.
//!
//! The types themselves are not at hand here. What is read beyond the forms of the standards, such as a UUID
//! in braces, is not known.

use crate::ir::Type;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a type that is text in JSON surely reads this text; `false` for types that are not text.
pub(super) fn is_read(ty: &Type, text: &str) -> bool {
    match ty {
        Type::String | Type::Secret => true,
        Type::Uuid => is_uuid(text),
        Type::Timestamp => is_timestamp(text),
        Type::Date => is_date(text),
        Type::Duration => is_duration(text),
        Type::Base64 => is_base64(text),
        Type::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Type::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        Type::Decimal { text: true } => is_decimal(text),
        _ => false,
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(at, character)| match at {
            8 | 13 | 18 | 23 => character == '-',
            _ => character.is_ascii_hexdigit(),
        })
}

/// A number of so many digits.
fn number(text: &str, length: usize) -> Option<u32> {
    let has_form = text.len() == length && are_digits(text);
    has_form.then(|| text.parse().ok()).flatten()
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day of the calendar, from the year 1 on.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    year >= 1 && (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// A timestamp of RFC 3339, with an offset of less than a day.
fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let Some((time, zone)) = time.split_at_checked(8) else { return false };
    let is_time = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        let limits = [24, 60, 60];
        parts.len() <= 3
            && parts.iter().zip(limits).all(|(part, end)| number(part, 2).is_some_and(|number| number < end))
    };
    let (fraction, zone) = match zone.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len())),
        None => ("0", zone),
    };
    let has_zone = zone == "Z"
        || zone.strip_prefix(['+', '-']).is_some_and(|offset| offset.len() == 5 && is_time(offset));
    is_date(date) && is_time(time) && are_digits(fraction) && has_zone
}

/// A duration of ISO 8601 in whole numbers.
fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else { return false };
    let (days, time) = match text.split_once('T') {
        Some((days, time)) => (days, Some(time)),
        None => (text, None),
    };
    let are_components = |mut text: &str, units: &str| {
        let mut units = units.chars();
        while !text.is_empty() {
            let Some(end) = text.find(|it: char| !it.is_ascii_digit()) else { return false };
            let unit = text[end..].chars().next();
            if end == 0 || !units.any(|known| Some(known) == unit) {
                return false;
            }
            text = &text[end + 1..];
        }
        true
    };
    let has_time = time.is_none_or(|time| !time.is_empty() && are_components(time, "HMS"));
    are_components(days, "YMWD") && has_time && !text.is_empty()
}

/// Base64 with padding (RFC 4648, section 4), whose last letter has no bits that belong to nothing.
fn is_base64(text: &str) -> bool {
    let letters = text.trim_end_matches('=');
    let last: &[u8] = match text.len() - letters.len() {
        0 => b"",
        1 => b"AEIMQUYcgkosw048",
        2 => b"AQgw",
        _ => return false,
    };
    text.len().is_multiple_of(4)
        && letters.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && (last.is_empty() || letters.bytes().last().is_some_and(|letter| last.contains(&letter)))
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction].into_iter().all(|part| part.len() <= 12 && are_digits(part))
}

#[cfg(test)]
mod tests {
    use super::is_read;
    use crate::ir::Type;

    fn check(ty: &Type, read: &[&str], not: &[&str]) {
        for text in read {
            assert!(is_read(ty, text), "{ty:?} reads {text}");
        }
        for text in not {
            assert!(!is_read(ty, text), "{ty:?} does not surely read {text}");
        }
    }

    #[test]
    fn texts_are_recognized_if_they_are_surely_read() {
        check(
            &Type::Uuid,
            &["d3a81f6e-4b27-4c95-8e10-7f2c9d5b6a34"],
            &["d3a81f6e4b27-4c95-8e10-7f2c9d5b6a34-", "deal_1", ""],
        );
        check(
            &Type::Date,
            &["2026-11-30", "2024-02-29", "2000-02-29"],
            &["2026-11-31", "2026-1-3", "today", "1900-02-29", "0000-01-01", "2026-13-01"],
        );
        check(
            &Type::Timestamp,
            &["2026-11-20T16:20:41.123456Z", "2026-11-20T16:20:41Z", "2026-11-20T16:20:41.5+05:30"],
            &[
                "2026-11-20T24:20:41Z",
                "2026-11-20 16:20:41Z",
                "2026-11-20T16:20:41.Z",
                "2026-11-20T16:20Z",
                "2026-11-20T16:20:41",
                "2026-11-20T16:20:41+0530",
                "2026-11-20Täöüäöü",
            ],
        );
        check(
            &Type::Duration,
            &["P1DT12H", "PT90S", "P1Y2M10D", "P2W"],
            &["", "P", "PT", "P1", "1D", "P1D2Y", "PT1D", "P1DT"],
        );
        check(&Type::Base64, &["", "aGVsbG8=", "aGk=", "aA==", "aGVs"], &["aGVsbG8", "aB==", "a===", "ä==="]);
        check(&Type::Decimal { text: true }, &["-12.50", "3"], &["1e3", ".5", ""]);
        check(&Type::Bool, &[], &["true"]);
    }
}
