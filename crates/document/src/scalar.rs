//! The core schema of YAML 1.2 (section 10.3.2): the meaning of plain scalars.
//!
//! `on`, `yes`, `no` and `off` are strings here, as are dates and `1_000`: they were special in YAML 1.1
//! only.

/// The meaning of a plain scalar. Number texts are rewritten to the grammar of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Null,
    Bool(bool),
    Integer(String),
    Number(String),
    /// An infinity, "not a number", or a number that a double cannot hold.
    NotJson,
    String,
}

/// Resolves a plain scalar.
pub(crate) fn resolve(text: &str) -> Meaning {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Meaning::Null,
        "true" | "True" | "TRUE" => return Meaning::Bool(true),
        "false" | "False" | "FALSE" => return Meaning::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Meaning::NotJson,
        _ => {}
    }
    let first = text.as_bytes()[0];
    if !first.is_ascii_digit() && !matches!(first, b'+' | b'-' | b'.') {
        return Meaning::String;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let (negative, unsigned) = match first {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Meaning::NotJson;
    }
    decimal(negative, unsigned)
}

fn radix(digits: &str, base: u32) -> Meaning {
    // `from_str_radix` accepts a sign, which the schema does not allow after the prefix.
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Meaning::String;
    }
    u128::from_str_radix(digits, base).map_or(Meaning::NotJson, |value| Meaning::Integer(value.to_string()))
}

fn decimal(negative: bool, unsigned: &str) -> Meaning {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = &unsigned[..digits(unsigned)];
    let mut rest = &unsigned[whole.len()..];
    let mut fraction = "";
    let mut dotted = false;
    if let Some(after) = rest.strip_prefix('.') {
        dotted = true;
        fraction = &after[..digits(after)];
        rest = &after[fraction.len()..];
    }
    if whole.is_empty() && fraction.is_empty() {
        return Meaning::String;
    }
    let mut exponent = "";
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let sign = usize::from(after.starts_with(['+', '-']));
        let length = digits(&after[sign..]);
        if length == 0 {
            return Meaning::String;
        }
        exponent = &after[..sign + length];
        rest = &after[sign + length..];
    }
    if !rest.is_empty() {
        return Meaning::String;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    let sign = if negative { "-" } else { "" };
    if !dotted && exponent.is_empty() {
        let text = format!("{sign}{whole}");
        return if fits_double(&text) { Meaning::Integer(text) } else { Meaning::NotJson };
    }
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let marker = if exponent.is_empty() { "" } else { "e" };
    let text = format!("{sign}{whole}.{fraction}{marker}{exponent}");
    if fits_double(&text) { Meaning::Number(text) } else { Meaning::NotJson }
}

/// Returns whether a number is finite as a double, the type with which most readers of JSON read it.
pub(crate) fn fits_double(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let integer = |text: &str| Meaning::Integer(text.into());
        let number = |text: &str| Meaning::Number(text.into());
        for (text, meaning) in [
            ("", Meaning::Null),
            ("~", Meaning::Null),
            ("NULL", Meaning::Null),
            ("nUll", Meaning::String),
            ("True", Meaning::Bool(true)),
            ("tRue", Meaning::String),
            ("on", Meaning::String),
            ("yes", Meaning::String),
            ("n", Meaning::String),
            ("0", integer("0")),
            ("-0", integer("-0")),
            ("+12", integer("12")),
            ("007", integer("7")),
            ("0o17", integer("15")),
            ("0xFf", integer("255")),
            ("0x", Meaning::String),
            ("0x+1", Meaning::String),
            ("-0x1", Meaning::String),
            ("1_000", Meaning::String),
            ("9223372036854775808", integer("9223372036854775808")),
            ("1.", number("1.0")),
            (".5", number("0.5")),
            ("-.5e-3", number("-0.5e-3")),
            ("1e3", number("1.0e3")),
            ("1e", Meaning::String),
            ("1.2.3", Meaning::String),
            (".", Meaning::String),
            ("-", Meaning::String),
            ("...", Meaning::String),
            ("1:30", Meaning::String),
            ("2024-01-31", Meaning::String),
            (".inf", Meaning::NotJson),
            ("-.INF", Meaning::NotJson),
            (".NaN", Meaning::NotJson),
            ("-.nan", Meaning::String),
            ("1e999", Meaning::NotJson),
            ("été", Meaning::String),
        ] {
            assert_eq!(resolve(text), meaning, "{text:?}");
        }
    }
}
