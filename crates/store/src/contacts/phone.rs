//! Phone numbers in the format E.164.
//!
//! Only numbers with their country code are recognized: an account has no country that national numbers could
//! be completed with.

/// The shortest and the longest number of digits, country code included. E.164 allows at most 15; shorter
/// ones than 7 exist only within networks.
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Returns a phone number in the format E.164, or `None` if the text is not a number with its country code.
///
/// A number begins with `+` or `00`. Spaces, hyphens, dots, slashes and brackets are ignored, and so is the
/// `(0)` that some people write after the country code.
///
/// ```
/// use frontdesk_store::phone_number;
///
/// assert_eq!(phone_number("+44 (0)20 7946-0018").as_deref(), Some("+442079460018"));
/// assert_eq!(phone_number("020 7946 0018"), None);
/// ```
pub fn phone_number(text: &str) -> Option<String> {
    let text = text.trim_matches(|it: char| it.is_whitespace() || is_direction(it));
    let text = text.strip_prefix("tel:").unwrap_or(text);
    let international = text.strip_prefix('+').or_else(|| text.strip_prefix("00"))?;
    let mut digits = String::from("+");
    for character in international.replacen("(0)", "", 1).chars() {
        match character {
            '0'..='9' => digits.push(character),
            ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '-' | '\u{2010}' | '\u{2011}' | '\u{2013}' | '.'
            | '/' | '(' | ')' => {}
            mark if is_direction(mark) => {}
            _ => return None,
        }
    }
    let is_number = DIGITS.contains(&(digits.len() - 1)) && !digits.starts_with("+0");
    is_number.then_some(digits)
}

/// Whether a character only says in which direction to write, as those do that phones put around a number
/// that is copied.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::phone_number;

    #[test]
    fn numbers_with_country_codes_have_one_form() {
        for text in [
            "+442079460018",
            " +44 20 7946 0018 ",
            "0044 20 7946 0018",
            "+44 (0) 20/7946.0018",
            "+44\u{a0}20\u{2011}7946\u{2013}0018",
            "tel:+44-20-7946-0018",
            "\u{202a}+44 20 7946\u{a0}0018\u{202c}",
        ] {
            assert_eq!(phone_number(text).as_deref(), Some("+442079460018"), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in [
            "",
            "+",
            "00",
            "020 7946 0018",
            "+0 20 7946",
            "+44 20",
            "+1234567890123456",
            "+44 call me",
            "+44207946001x8",
        ] {
            assert_eq!(phone_number(text), None, "{text}");
        }
    }
}
