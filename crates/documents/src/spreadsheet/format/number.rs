//! Sections that show numbers: digits, separators, percent, exponents.

use super::{
    decimal::{self, Decimal},
    digits::{digits, positions},
    fraction,
    number_part::NumberPart,
};

/// Returns a number in a section, or `None` if the section has no form for numbers.
pub(super) fn shown(parts: &[NumberPart], value: f64) -> Option<String> {
    let has = |wanted: &NumberPart| parts.contains(wanted);
    if has(&NumberPart::General) || has(&NumberPart::TextPlace) {
        return Some(with_value(parts, &decimal::plain(value)));
    }
    if !parts.iter().any(|part| matches!(part, NumberPart::Place(_))) {
        // Only words: they stand for the number. An empty section hides it.
        return Some(with_value(parts, ""));
    }
    let shown = if has(&NumberPart::Slash) {
        fraction::shown(parts, value.abs())?
    } else if let Some(at) = parts.iter().position(|part| matches!(part, NumberPart::Exponent(_))) {
        scientific(parts, at, value)?
    } else {
        let mut number = Decimal::of(value);
        number.shift(scale(parts));
        number.round(decimals(parts));
        if number.is_zero() {
            return Some(digits(parts, &number));
        }
        digits(parts, &number)
    };
    Some(if value < 0.0 { format!("-{shown}") } else { shown })
}

/// Returns a section with a value, a text or a plain number, in the place for it.
pub(super) fn with_value(parts: &[NumberPart], value: &str) -> String {
    let mut shown = String::new();
    for part in parts {
        match part {
            NumberPart::Literal(text) => shown.push_str(text),
            NumberPart::General | NumberPart::TextPlace => shown.push_str(value),
            NumberPart::Percent => shown.push('%'),
            _ => {}
        }
    }
    shown
}

/// Returns by how many places the point moves: to the right for percent, and to the left for commas behind
/// the last digit.
fn scale(parts: &[NumberPart]) -> i32 {
    let mut places = 0;
    let last = parts.iter().rposition(|part| matches!(part, NumberPart::Place(_)));
    let end = parts.iter().position(|part| *part == NumberPart::Point).unwrap_or(parts.len());
    let last_whole = parts[..end].iter().rposition(|part| matches!(part, NumberPart::Place(_)));
    for (index, part) in parts.iter().enumerate() {
        match part {
            NumberPart::Percent => places += 2,
            NumberPart::Comma if Some(index) > last || (index < end && Some(index) > last_whole) => {
                places -= 3;
            }
            _ => {}
        }
    }
    places
}

fn decimals(parts: &[NumberPart]) -> usize {
    let after = parts.iter().skip_while(|part| **part != NumberPart::Point);
    after
        .take_while(|part| !matches!(part, NumberPart::Exponent(_)))
        .filter(|part| matches!(part, NumberPart::Place(_)))
        .count()
}

/// Writes a number with an exponent.
fn scientific(parts: &[NumberPart], at: usize, value: f64) -> Option<String> {
    let NumberPart::Exponent(has_plus) = parts.get(at)? else { return None };
    let (mantissa, power) = (&parts[..at], &parts[at + 1..]);
    let point = mantissa.iter().position(|part| *part == NumberPart::Point).unwrap_or(mantissa.len());
    let step = i32::try_from(positions(&mantissa[..point]).count()).ok()?.max(1);
    let mut number = Decimal::of(value);
    let exponent = |number: &Decimal| {
        if number.is_zero() { 0 } else { (number.point() - 1).div_euclid(step) * step }
    };
    let mut raised = exponent(&number);
    number.shift(-raised);
    number.round(decimals(mantissa));
    // Rounding can make one more digit.
    let more = exponent(&number);
    number.shift(-more);
    raised += more;
    let sign = if raised < 0 {
        "-"
    } else if *has_plus {
        "+"
    } else {
        ""
    };
    let places = positions(power).count();
    let suffix: String = power
        .iter()
        .filter_map(|part| match part {
            NumberPart::Literal(text) => Some(text.as_str()),
            NumberPart::Percent => Some("%"),
            _ => None,
        })
        .collect();
    let size = raised.unsigned_abs();
    Some(format!("{}E{sign}{size:0places$}{suffix}", digits(mantissa, &number)))
}
