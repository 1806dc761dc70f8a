//! Sections that show numbers: digits, separators, percent, exponents.

use super::{decimal::Decimal, fraction, section::Sign};

/// Most digits that a format can ask for; more are a mistake or an attack.
const MAX_PLACES: usize = 64;

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NumberPart {
    Literal(String),
    /// A place for a digit: `0`, `#` or `?`.
    Place(char),
    Point,
    Comma,
    Percent,
    /// `E+` or `E-`; whether a positive exponent has a sign.
    Exponent(bool),
    Slash,
    /// `General`: the number as it is.
    General,
    /// `@`.
    TextPlace,
}

impl NumberPart {
    /// Returns `None` for a section that is not understood.
    pub(super) fn parse(signs: &[Sign]) -> Option<Vec<Self>> {
        let mut parts = Vec::with_capacity(signs.len());
        let mut index = 0;
        while let Some(sign) = signs.get(index) {
            index += 1;
            let character = match sign {
                Sign::Literal(text) => {
                    parts.push(Self::Literal(text.clone()));
                    continue;
                }
                Sign::Elapsed(..) => return None,
                Sign::Code(character) => *character,
            };
            let after_slash = parts.contains(&Self::Slash);
            parts.push(match character {
                '0' | '#' | '?' => Self::Place(character),
                '1'..='9' if after_slash => Self::Place(character),
                '.' => Self::Point,
                ',' => Self::Comma,
                '%' => Self::Percent,
                '@' => Self::TextPlace,
                '/' if parts.iter().any(|part| matches!(part, Self::Place(_))) => Self::Slash,
                'E' | 'e' => match signs.get(index) {
                    Some(Sign::Code(sign @ ('+' | '-'))) => {
                        index += 1;
                        Self::Exponent(*sign == '+')
                    }
                    _ => return None,
                },
                'G' | 'g' => {
                    const REST: &str = "eneral";
                    let rest: String = signs[index..]
                        .iter()
                        .take(REST.len())
                        .map_while(|sign| match sign {
                            Sign::Code(character) => Some(character.to_ascii_lowercase()),
                            _ => None,
                        })
                        .collect();
                    if rest != REST {
                        return None;
                    }
                    index += REST.len();
                    Self::General
                }
                character if character.is_ascii_alphabetic() => return None,
                character => Self::Literal(character.to_string()),
            });
        }
        let places = parts.iter().filter(|part| matches!(part, Self::Place(_))).count();
        let once = |part: &Self| parts.iter().filter(|other| *other == part).count() <= 1;
        (places <= MAX_PLACES && once(&Self::Point) && once(&Self::Slash)).then_some(parts)
    }
}

/// Returns a number in a section, or `None` if the section has no form for numbers.
pub(super) fn shown(parts: &[NumberPart], value: f64) -> Option<String> {
    let has = |wanted: &NumberPart| parts.contains(wanted);
    if has(&NumberPart::General) || has(&NumberPart::TextPlace) {
        let number = super::decimal::plain(value);
        return Some(join(parts, &number));
    }
    if !parts.iter().any(|part| matches!(part, NumberPart::Place(_))) {
        // Only words: they stand for the number. An empty section hides it.
        return Some(join(parts, ""));
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

/// Returns a text in a section.
pub(super) fn with_text(parts: &[NumberPart], text: &str) -> String {
    let mut shown = String::new();
    for part in parts {
        match part {
            NumberPart::Literal(literal) => shown.push_str(literal),
            NumberPart::TextPlace => shown.push_str(text),
            _ => {}
        }
    }
    shown.trim().to_owned()
}

fn join(parts: &[NumberPart], number: &str) -> String {
    let mut shown = String::new();
    for part in parts {
        match part {
            NumberPart::Literal(text) => shown.push_str(text),
            NumberPart::General | NumberPart::TextPlace => shown.push_str(number),
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

/// Writes the digits of a number that is rounded already into the places of a section.
pub(super) fn digits(parts: &[NumberPart], number: &Decimal) -> String {
    let point = parts.iter().position(|part| *part == NumberPart::Point).unwrap_or(parts.len());
    let (before, after) = parts.split_at(point);
    format!("{}{}", whole(before, number), behind(after, number))
}

/// Writes the part before the decimal point, from the right.
fn whole(parts: &[NumberPart], number: &Decimal) -> String {
    let digits = number.whole();
    let places: Vec<usize> = positions(parts).collect();
    let first = places.first().copied();
    let has_thousands = parts.iter().enumerate().any(|(index, part)| {
        *part == NumberPart::Comma && first < Some(index) && Some(index) < places.last().copied()
    });
    let mut left = digits.chars().rev().peekable();
    let mut written = 0;
    let mut reversed: Vec<char> = Vec::new();
    let mut push = |reversed: &mut Vec<char>, digit: char| {
        if has_thousands && written > 0 && written % 3 == 0 {
            reversed.push(',');
        }
        reversed.push(digit);
        written += 1;
    };
    for (index, part) in parts.iter().enumerate().rev() {
        match part {
            NumberPart::Literal(text) => reversed.extend(text.chars().rev()),
            NumberPart::Percent => reversed.push('%'),
            NumberPart::Place(place) => {
                match left.next() {
                    Some(digit) => push(&mut reversed, digit),
                    None if *place == '0' => push(&mut reversed, '0'),
                    None => {}
                }
                if Some(index) == first {
                    for digit in left.by_ref() {
                        push(&mut reversed, digit);
                    }
                }
            }
            _ => {}
        }
    }
    reversed.iter().rev().collect()
}

/// Writes the part from the decimal point on.
fn behind(parts: &[NumberPart], number: &Decimal) -> String {
    let digits: Vec<char> = number.decimals(positions(parts).count()).chars().collect();
    let needed = digits.iter().rposition(|digit| *digit != '0').map_or(0, |last| last + 1);
    let mut shown = String::new();
    let mut place_index = 0;
    for part in parts {
        match part {
            NumberPart::Point => shown.push('.'),
            NumberPart::Literal(text) => shown.push_str(text),
            NumberPart::Percent => shown.push('%'),
            NumberPart::Place(place) => {
                if *place == '0' || place_index < needed {
                    shown.push(digits[place_index]);
                }
                place_index += 1;
            }
            _ => {}
        }
    }
    shown
}

fn positions(parts: &[NumberPart]) -> impl Iterator<Item = usize> + '_ {
    parts.iter().enumerate().filter(|(_, part)| matches!(part, NumberPart::Place(_))).map(|(index, _)| index)
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
