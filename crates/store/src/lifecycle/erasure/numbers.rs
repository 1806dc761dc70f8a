//! Phone numbers in texts that people write: with blanks, brackets and a zero in place of the country code.

/// Characters between the digits of a number.
const BETWEEN: [char; 9] = [' ', '\u{a0}', '\u{202f}', '-', '\u{2011}', '/', '.', '(', ')'];
/// The most of them in a row.
const MOST_BETWEEN: usize = 3;
/// The most stretches of digits in which a number is written.
const MOST_STRETCHES: usize = 10;
/// The fewest digits by which a number without its country code is recognized.
const FEWEST_DIGITS: usize = 6;
/// The most digits of a country code.
const COUNTRY_CODE: usize = 3;

/// A stretch of digits in a text.
struct Stretch<'t> {
    start: usize,
    end: usize,
    digits: &'t str,
    /// Whether it is the zero that is dialed within the country only, as in `+49 (0)40`.
    is_trunk: bool,
}

/// Returns a text in which a number is replaced, however it is written.
pub(super) fn replaced(text: &str, number: &str, by: &str) -> String {
    let known = digits_of(number);
    let stretches = stretches(text);
    let mut written = String::with_capacity(text.len());
    let (mut at, mut first) = (0, 0);
    while first < stretches.len() {
        match longest(text, &stretches[first..], &known) {
            Some(count) => {
                let start = stretches[first].start;
                let opened = ["+", "("].iter().filter(|mark| text[at..start].ends_with(**mark)).count();
                written.push_str(&text[at..start - opened]);
                written.push_str(by);
                at = stretches[first + count - 1].end;
                first += count;
            }
            None => first += 1,
        }
    }
    written.push_str(&text[at..]);
    written
}

/// Returns a pattern of `LIKE` that every text matches in which the number may be found; `None` if it is too
/// short for that.
pub(super) fn pattern(number: &str) -> Option<String> {
    let digits = digits_of(number);
    let last = digits.get(digits.len().checked_sub(FEWEST_DIGITS)?..)?;
    let each: String = last.chars().flat_map(|digit| [digit, '%']).collect();
    Some(format!("%{each}"))
}

/// The digits of a number from its country code on; of one without, those behind its zero.
fn digits_of(number: &str) -> String {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').to_owned()
}

fn stretches(text: &str) -> Vec<Stretch<'_>> {
    let mut found: Vec<Stretch<'_>> = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|it: char| it.is_ascii_digit()).map(|at| rest + at) {
        let end = text[start..].find(|it: char| !it.is_ascii_digit()).map_or(text.len(), |at| start + at);
        let digits = &text[start..end];
        let is_trunk = digits == "0" && text[..start].ends_with('(') && text[end..].starts_with(')');
        found.push(Stretch { start, end, digits, is_trunk });
        rest = end;
    }
    found
}

/// Returns how many of the stretches, from the first on, are the number; the most there are.
fn longest(text: &str, stretches: &[Stretch<'_>], known: &str) -> Option<usize> {
    let first = stretches.first()?;
    // Part of a word or of a longer number.
    if text[..first.start].ends_with(char::is_alphabetic) {
        return None;
    }
    let (mut digits, mut found) = (String::new(), None);
    for (index, stretch) in stretches.iter().take(MOST_STRETCHES).enumerate() {
        if index > 0 {
            let between = &text[stretches[index - 1].end..stretch.start];
            if between.chars().count() > MOST_BETWEEN || !between.chars().all(|it| BETWEEN.contains(&it)) {
                break;
            }
        }
        if !(stretch.is_trunk && index > 0) {
            digits.push_str(stretch.digits);
        }
        let is_word = text[stretch.end..].starts_with(char::is_alphabetic);
        if !is_word && is_same(&digits, known) {
            found = Some(index + 1);
        }
    }
    found
}

/// Whether written digits are those of the number: all of them, or all behind the country code.
fn is_same(written: &str, known: &str) -> bool {
    let written = written.trim_start_matches('0');
    let (longer, shorter) = if written.len() > known.len() { (written, known) } else { (known, written) };
    shorter.len() >= FEWEST_DIGITS
        && longer.ends_with(shorter)
        && longer.len() - shorter.len() <= COUNTRY_CODE
}

#[cfg(test)]
mod tests {
    use super::{pattern, replaced};

    #[test]
    fn a_number_is_found_however_it_is_written() {
        for (text, number, left) in [
            ("Anruf +49 40 9876543 heute", "+49409876543", "Anruf X heute"),
            ("0049 40 987 65 43", "+49409876543", "X"),
            ("(040) 987 65 43, bitte", "+49409876543", "X, bitte"),
            ("040/9876543 um 10 Uhr", "+49409876543", "X um 10 Uhr"),
            ("+49 (0)40 9876543.", "+49409876543", "X."),
            ("040 9876543 10:30", "+49409876543", "X 10:30"),
            ("3 Mower, 0409876543", "+49409876543", "3 Mower, X"),
            ("(212) 555-0123 or +1 212.555.0123", "+12125550123", "X or X"),
            ("0401234567", "040 1234567", "X"),
            ("+49 40 1234567", "040 1234567", "X"),
            // Others.
            ("+49 40 9876544", "+49409876543", "+49 40 9876544"),
            ("order 1234567", "+49409876543", "order 1234567"),
            ("6543", "+49409876543", "6543"),
            ("A9876543B", "+4940 9876543", "A9876543B"),
            ("10409876543", "+33409876543", "10409876543"),
        ] {
            assert_eq!(replaced(text, number, "X"), left, "{text}");
        }
    }

    #[test]
    fn a_pattern_finds_every_form() {
        assert_eq!(pattern("+49 40 9876543").as_deref(), Some("%8%7%6%5%4%3%"));
        assert_eq!(pattern("123"), None);
    }
}
