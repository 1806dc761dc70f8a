//! Numbers as a spreadsheet's number format shows them: decimals, percent, thousands and currencies.

/// Returns a number in a number format of Office Open XML. A format that is not understood gives the plain
/// number.
pub(super) fn shown(value: f64, format: &str) -> String {
    let section = format.split(';').next().unwrap_or_default();
    match Pattern::parse(section) {
        Some(pattern) => pattern.apply(value),
        None => plain(value),
    }
}

/// Returns a number with the 15 significant digits that spreadsheets have.
fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// One section of a number format.
#[derive(Debug, Default)]
struct Pattern {
    prefix: String,
    suffix: String,
    decimals: usize,
    has_thousands: bool,
    is_percent: bool,
}

impl Pattern {
    /// Returns `None` for formats of text, fractions and exponents, and for the general one.
    fn parse(section: &str) -> Option<Self> {
        let mut pattern = Self::default();
        let (mut seen_digits, mut in_decimals) = (false, false);
        let mut characters = section.chars().peekable();
        while let Some(character) = characters.next() {
            let literal = match character {
                '0' | '#' | '?' => {
                    if !pattern.suffix.is_empty() {
                        return None;
                    }
                    seen_digits = true;
                    // Optional decimals are left to the number itself.
                    pattern.decimals += usize::from(in_decimals && character == '0');
                    continue;
                }
                '.' => {
                    in_decimals = true;
                    continue;
                }
                ',' => {
                    pattern.has_thousands |= matches!(characters.peek(), Some('0' | '#' | '?'));
                    continue;
                }
                '%' => {
                    pattern.is_percent = true;
                    "%".to_owned()
                }
                '"' => characters.by_ref().take_while(|character| *character != '"').collect(),
                '\\' => characters.next()?.to_string(),
                // The width of a character, and a character that fills the cell.
                '_' | '*' => {
                    characters.next();
                    continue;
                }
                '[' => {
                    let inner: String =
                        characters.by_ref().take_while(|character| *character != ']').collect();
                    // [$€-407] is a currency; [Red] and [>100] are for the screen.
                    match inner.strip_prefix('$') {
                        Some(currency) => currency.split('-').next().unwrap_or_default().to_owned(),
                        None => continue,
                    }
                }
                ' ' | '\u{a0}' | '$' | '€' | '£' | '¥' => character.to_string(),
                _ => return None,
            };
            if seen_digits { &mut pattern.suffix } else { &mut pattern.prefix }.push_str(&literal);
        }
        seen_digits.then_some(pattern)
    }

    fn apply(&self, value: f64) -> String {
        let value = if self.is_percent { value * 100.0 } else { value };
        let digits = if self.decimals > 0 || value.fract() == 0.0 || self.has_thousands {
            format!("{:.*}", self.decimals, value.abs())
        } else {
            plain((value.abs() * 100.0).round() / 100.0)
        };
        let digits = if self.has_thousands { with_thousands(&digits) } else { digits };
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}{}{digits}{}", self.prefix, self.suffix).trim().to_owned()
    }
}

fn with_thousands(digits: &str) -> String {
    let (whole, decimals) =
        digits.split_once('.').map_or((digits, None), |(whole, decimals)| (whole, Some(decimals)));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    decimals.map_or_else(|| grouped.clone(), |decimals| format!("{grouped}.{decimals}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_their_format() {
        for (value, format, expected) in [
            (3.5, "General", "3.5"),
            (0.1 + 0.2, "General", "0.3"),
            (12.0, "General", "12"),
            (3.5, "0.00", "3.50"),
            (0.15, "0%", "15%"),
            (0.155, "0.0%", "15.5%"),
            (1234.5, "#,##0.00", "1,234.50"),
            (3.5, "#,##0.00\\ \"€\"", "3.50 €"),
            (3.5, "[$€-407]#,##0.00", "€3.50"),
            (3.5, "#,##0.00\\ [$€-407];[Red]\\-#,##0.00", "3.50 €"),
            (-3.5, "\"$\"#,##0.00_);(\"$\"#,##0.00)", "-$3.50"),
            (1.5, "# ?/?", "1.5"),
            (1.5e10, "0.00E+00", "15000000000"),
            (7.0, "@", "7"),
        ] {
            assert_eq!(shown(value, format), expected, "{format}");
        }
    }
}
