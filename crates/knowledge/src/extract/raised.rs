//! Raised and lowered numbers, which would run into the number before them, and struck-out text.

use super::dom::{self, NodeRef};
use super::prices;

/// The digits, raised.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Returns whether text is struck out: a price or a date that is not valid any more.
pub(super) fn is_struck_out(node: &NodeRef<'_>) -> bool {
    let is_styled = || {
        let style = dom::attribute(node, "style").unwrap_or_default().to_ascii_lowercase();
        style.contains("line-through")
    };
    matches!(dom::name(node), "s" | "del" | "strike") || is_styled()
}

/// The digits, lowered.
const LOWERED: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];

/// Minutes that opening hours have.
const MINUTES: [&str; 4] = ["00", "15", "30", "45"];

/// Returns what a reader sees of a raised or lowered number after the text `before`: cents of a price, the
/// minutes of a time, a part of a fraction, or an exponent; also fractions and powers of formulas. `None` if
/// the element is read like any other.
pub(super) fn number(before: &str, node: &NodeRef<'_>) -> Option<String> {
    match dom::name(node) {
        "sup" | "sub" if before.ends_with(|last: char| last.is_ascii_digit()) => beside_digit(before, node),
        "mfrac" => {
            let [upper, lower] = parts(node)?;
            let gap = if before.ends_with(|last: char| last.is_ascii_digit()) { " " } else { "" };
            Some(format!("{gap}{upper}/{lower}"))
        }
        "msup" => {
            let [base, power] = parts(node)?;
            Some(format!("{base}{}", with_digits(&power, &RAISED)?))
        }
        _ => None,
    }
}

/// Reads an element that follows a digit immediately.
fn beside_digit(before: &str, node: &NodeRef<'_>) -> Option<String> {
    let digits = digits(node)?;
    let is_raised = dom::name(node) == "sup";
    let after = node.next_sibling().and_then(|next| Some(next.value().as_text()?.trim_start().to_owned()));
    let after = after.unwrap_or_default();
    if is_raised && after.starts_with(['/', '\u{2044}', '\u{2215}']) {
        return Some(format!(" {digits}"));
    }
    // A fraction whose line the style sheet draws.
    let lowered = node.next_sibling().filter(|next| dom::name(next) == "sub");
    if is_raised && lowered.as_ref().and_then(self::digits).is_some() {
        return Some(format!(" {digits}/"));
    }
    let amount = before.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = &before[amount.len()..];
    let is_whole = !amount.ends_with(['.', ',', '/']);
    if is_whole && digits.len() == 2 {
        let is_price =
            amount.trim_end().ends_with(prices::is_currency) || after.starts_with(prices::is_currency);
        if is_price {
            return Some(format!(".{digits}"));
        }
        if is_raised && is_time(number, &digits, &after) {
            return Some(format!(":{digits}"));
        }
        // Exponents of this size are rare except those of ten.
        if digits.as_str() >= "60" && number != "10" {
            return Some(format!(".{digits}"));
        }
    }
    with_digits(&digits, if is_raised { &RAISED } else { &LOWERED })
}

/// Returns whether raised digits are the minutes of a time: `9<sup>00</sup> Uhr`.
fn is_time(hour: &str, minutes: &str, after: &str) -> bool {
    let is_hour = hour.len() <= 2 && hour.parse::<u8>().is_ok_and(|hour| hour <= 24);
    // 10 to the power of 15 is a number, too.
    let is_power = hour == "10" && minutes != "00";
    let says_so = ["uhr", "h", "am", "pm", "a.m", "p.m", "–", "-", "bis", "to"];
    let after = after.to_lowercase();
    is_hour && MINUTES.contains(&minutes) && (!is_power || says_so.iter().any(|word| after.starts_with(word)))
}

/// Returns the text of an element that has up to four digits and nothing else.
fn digits(node: &NodeRef<'_>) -> Option<String> {
    let text = dom::text(node);
    let digits = text.trim();
    let is_number =
        !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.to_owned())
}

/// Returns the short texts of the two parts of a fraction or a power.
fn parts(node: &NodeRef<'_>) -> Option<[String; 2]> {
    const MAX_CHARS: usize = 8;
    let mut parts = node
        .children()
        .filter(|child| child.value().is_element())
        .map(|child| dom::text(&child).trim().to_owned());
    let (first, second) = (parts.next()?, parts.next()?);
    let is_short = |part: &String| !part.is_empty() && part.chars().count() <= MAX_CHARS;
    (parts.next().is_none() && is_short(&first) && is_short(&second)).then_some([first, second])
}

fn with_digits(digits: &str, shapes: &[char; 10]) -> Option<String> {
    digits.chars().map(|digit| shapes.get(usize::try_from(digit.to_digit(10)?).ok()?).copied()).collect()
}
