//! Exact comparison of decimal numbers in text form.

use std::cmp::Ordering;

/// Compares two numbers in JSON syntax; `None` if one is not such a number.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let (left, right) = (Number::parse(left)?, Number::parse(right)?);
    Some(match (left.negative, right.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => left.cmp_magnitude(&right),
        (true, true) => right.cmp_magnitude(&left),
    })
}

/// Whether a number is a multiple of a step; `None` if one is not a number, or has too many digits to decide.
pub(super) fn is_multiple_of(number: &str, step: &str) -> Option<bool> {
    let (number, step) = (Number::parse(number)?, Number::parse(step)?);
    if step.digits.is_empty() {
        return None;
    }
    if number.digits.is_empty() {
        return Some(true);
    }
    // Both as integers in units of the smaller power of ten.
    let unit = number.unit()?.min(step.unit()?);
    Some(number.scaled(unit)? % step.scaled(unit)? == 0)
}

/// 0.`digits` · 10^`exponent`, without leading or trailing zeros in the digits; zero has no digits and is not
/// negative.
struct Number {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Number {
    fn parse(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = all.trim_start_matches('0');
        let leading = i64::try_from(all.len() - digits.len()).ok()?;
        let digits = digits.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: i64::MIN });
        }
        let point = i64::try_from(whole.len()).ok()?;
        Some(Self { negative, digits, exponent: exponent.checked_add(point - leading)? })
    }

    /// Returns the power of ten of the last digit.
    fn unit(&self) -> Option<i64> {
        self.exponent.checked_sub(i64::try_from(self.digits.len()).ok()?)
    }

    /// Returns the absolute value in units of 10^`unit`.
    fn scaled(&self, unit: i64) -> Option<u128> {
        let power = u32::try_from(self.unit()?.checked_sub(unit)?).ok()?;
        self.digits.parse::<u128>().ok()?.checked_mul(10_u128.checked_pow(power)?)
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits))
    }
}

#[cfg(test)]
mod tests {
    use super::{compare, is_multiple_of};
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[test]
    fn numbers_compare_by_value() {
        for (left, right, order) in [
            ("1", "1.00", Equal),
            ("0", "-0.0", Equal),
            ("0.1", "0.09", Greater),
            ("-0.1", "-0.09", Less),
            ("10", "9", Greater),
            ("1e2", "100", Equal),
            ("1E-3", "0.001", Equal),
            ("99999999999999999999999999999999999999990", "99999999999999999999999999999999999999991", Less),
            ("-1", "1", Less),
            ("0.5", "0", Greater),
        ] {
            assert_eq!(compare(left, right), Some(order), "{left} {right}");
        }
        assert_eq!(compare("a", "1"), None);
    }

    #[test]
    fn multiples_are_told_exactly() {
        for (number, step, holds) in [
            ("19.99", "0.01", Some(true)),
            ("0.3", "0.1", Some(true)),
            ("19.999", "0.01", Some(false)),
            ("1e3", "250", Some(true)),
            ("-7", "2", Some(false)),
            ("0", "5", Some(true)),
            ("1", "0", None),
        ] {
            assert_eq!(is_multiple_of(number, step), holds, "{number} {step}");
        }
    }
}
