//! Whole numbers written with a fraction or an exponent, such as `7.0` and `1e1`.
//!
//! JSON Schema 2020-12, and OpenAPI 3.1 with it, counts every number without a fractional part as an integer,
//! however it is written. serde's integers accept digits only. A value that could not be read is therefore
//! read once more with such numbers written as digits; values that are read at once cost nothing.

use serde_json::{Number, Value};

/// Reads a JSON text, and once more with all whole numbers in digits if that fails.
pub(crate) fn read<T, E>(text: &str, read: impl Fn(&str) -> Result<T, E>) -> Result<T, E> {
    read(text).or_else(|error| in_digits(text).map_or(Err(error), |digits| read(&digits)))
}

/// Parses an integer of a parameter.
pub(crate) fn parse<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok().or_else(|| digits_of(text)?.parse().ok())
}

/// Returns a JSON text with all whole numbers written as digits; `None` if they are already.
pub(crate) fn in_digits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut written = String::new();
    let (mut at, mut kept) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = after_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..].iter().take_while(|byte| is_numeric(**byte)).count();
                if let Some(digits) = digits_of(&text[at..at + length]) {
                    written.push_str(&text[kept..at]);
                    written.push_str(&digits);
                    kept = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    (kept > 0).then(|| written + &text[kept..])
}

/// Returns the position behind the string that begins at `at`.
fn after_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

const fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns the digits of a whole number of JSON that is written in another way. The longest integer type has
/// 20. Anything but a number of JSON stays, so that a text that is not JSON does not become JSON.
fn digits_of(number: &str) -> Option<String> {
    const MOST: i64 = 20;

    let (sign, unsigned) = number.strip_prefix('-').map_or(("", number), |unsigned| ("-", unsigned));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && is_digits(fraction)
        && is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    if !is_number || !unsigned.contains(['.', 'e', 'E']) {
        return None;
    }
    let exponent = exponent.parse::<i64>().ok()?;
    let all = format!("{whole}{fraction}");
    let significant = all.trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    // The value is `significant` with this many zeros behind it.
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let zeros = point.checked_sub(i64::try_from(significant.len()).ok()?)?;
    let digits = significant.trim_start_matches('0');
    if zeros < 0 || zeros + i64::try_from(digits.len()).ok()? > MOST {
        return None;
    }
    Some(format!("{sign}{digits}{}", "0".repeat(usize::try_from(zeros).ok()?)))
}

/// Writes all whole numbers within a value as digits.
pub(crate) fn write_digits(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(whole) = whole(number) {
                *number = whole;
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(write_digits),
        Value::Object(members) => members.values_mut().for_each(write_digits),
        _ => {}
    }
}

/// Returns an integer of 64 bits that is kept as a float.
fn whole(number: &Number) -> Option<Number> {
    let text = number.to_string();
    let digits = digits_of(&text)?;
    digits.parse::<i64>().map(Number::from).ok().or_else(|| digits.parse::<u64>().ok().map(Number::from))
}

#[cfg(test)]
mod tests {
    use super::{digits_of, in_digits, write_digits};
    use crate::check::{Parameter, check_json};
    use serde_json::json;

    #[test]
    fn whole_numbers_become_digits() {
        for (number, digits) in [
            ("7.0", Some("7")),
            ("1e1", Some("10")),
            ("-1.50E+2", Some("-150")),
            ("120e-1", Some("12")),
            ("0.0", Some("0")),
            ("-0e5", Some("0")),
            ("18446744073709551615.0", Some("18446744073709551615")),
            ("7", None),
            ("7.5", None),
            ("1e-1", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("7.", None),
            ("-", None),
            ("1e", None),
            ("1-2", None),
            ("01.0", None),
            ("1e++5", None),
            ("1e+-5", None),
        ] {
            assert_eq!(digits_of(number).as_deref(), digits, "{number}");
        }
    }

    #[test]
    fn integers_of_bodies_and_parameters_are_read_as_they_are_written() {
        assert_eq!(check_json::<Vec<i64>>(b"[7.0, 1e1, -3]").unwrap(), [7, 10, -3]);
        let failures = check_json::<Vec<u8>>(b"[7.0, 1.5, 1e3]").unwrap_err().to_string();
        assert!(
            !failures.contains("0: must") && failures.contains("1: must") && failures.contains("2: must")
        );
        assert_eq!(i64::from_text("1e3"), Ok(1000));
        assert_eq!(u8::from_text("7.0"), Ok(7));
        assert!(i64::from_text("7.5").is_err());
    }

    #[test]
    fn only_numbers_of_a_text_change() {
        let text = r#"{"a 1.0": [1.0, -2e1 , 2.5], "b": "\"3.0", "c": 4}"#;
        let written = r#"{"a 1.0": [1, -20 , 2.5], "b": "\"3.0", "c": 4}"#;
        assert_eq!(in_digits(text).as_deref(), Some(written));
        assert_eq!(in_digits(written), None);
        assert_eq!(in_digits("1.0").as_deref(), Some("1"));
        for broken in ["\"1.0", "\"\\", "é", "1.0.0", "01.0", "1e++5", ""] {
            assert_eq!(in_digits(broken), None, "{broken}");
        }
    }

    #[test]
    fn numbers_of_values_change_at_any_depth() {
        let mut value = json!({ "a": [1.0, { "b": 1e3 }], "c": 0.5, "d": "1.0" });
        write_digits(&mut value);
        assert_eq!(value, json!({ "a": [1, { "b": 1000 }], "c": 0.5, "d": "1.0" }));
    }
}
