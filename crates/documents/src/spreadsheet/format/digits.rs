//! Digits in the places of a section.

use super::{decimal::Decimal, number_part::NumberPart};

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

/// Returns the indexes of the places for digits.
pub(super) fn positions(parts: &[NumberPart]) -> impl Iterator<Item = usize> + '_ {
    parts.iter().enumerate().filter(|(_, part)| matches!(part, NumberPart::Place(_))).map(|(index, _)| index)
}
