//! The line before a quoted message, such as `On 3 May 2026, Ada <ada@acme.example> wrote:`.

use crate::{
    lines::is_quoted,
    phrases::WROTE,
    words::{PEOPLE, WEEKDAYS, entries},
};

/// Most lines that the line before a quote is broken into.
const MAX_LINES: usize = 4;

/// Most characters of the line before a quote.
const MAX_CHARS: usize = 300;

/// The line before a quote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attribution {
    /// The number of lines that it is broken into; programs do that at 78 characters.
    pub(crate) lines: usize,
    pub(crate) author: Author,
}

/// Who wrote an attribution. People write "On 3 May your colleague wrote:" as well, and then their own words
/// follow what they repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    Program,
    /// It may be either.
    Unknown,
    Person,
}

/// Returns the attribution with which lines begin.
pub(crate) fn attribution(lines: &[&str]) -> Option<Attribution> {
    let mut joined = String::new();
    for (index, line) in lines.iter().take(MAX_LINES).enumerate() {
        let line = line.trim();
        if line.is_empty() || is_quoted(line) {
            return None;
        }
        if index > 0 {
            joined.push(' ');
        }
        joined.push_str(line);
        if joined.chars().count() > MAX_CHARS {
            return None;
        }
        if line.ends_with([':', '：']) {
            let is_quote_next = lines[index + 1..]
                .iter()
                .find(|line| !line.trim().is_empty())
                .is_some_and(|line| is_quoted(line));
            let is_attribution = is_attribution(&joined) || is_quote_next && is_sender(&joined);
            return is_attribution.then(|| Attribution { lines: index + 1, author: author(&joined) });
        }
        // The first line must already look like one, so that no sentence of the text is taken for its
        // beginning.
        if index == 0 && !begins_attribution(line) {
            return None;
        }
    }
    None
}

/// Returns whether a line has a verb such as "wrote".
pub(crate) fn has_verb(line: &str) -> bool {
    let lower = line.to_lowercase();
    let end = lower.trim_end_matches([':', '：']).trim_end();
    WROTE.iter().any(|verb| {
        end.ends_with(verb) && is_boundary(&end[..end.len() - verb.len()])
            || end.match_indices(verb).any(|(at, _)| {
                is_boundary(&end[..at])
                    && end[at + verb.len()..].starts_with([' ', ':'])
                    && begins_attribution(line)
            })
    })
}

fn is_attribution(line: &str) -> bool {
    has_verb(line) && line.contains(|c: char| c.is_ascii_digit() || c == '@' || c == '<')
}

/// Returns who wrote an attribution. A program names an address in angle brackets or a time of day, and
/// nobody as a person would, as in "your colleague". A whole date may be a person's.
fn author(line: &str) -> Author {
    let has_address = line.split(['<', '[']).skip(1).any(|rest| {
        rest.split(['>', ']']).next().is_some_and(|inner| inner.contains('@') && !inner.contains(' '))
    });
    if has_address {
        return Author::Program;
    }
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if entries(PEOPLE).any(|person| words.contains(&person)) {
        return Author::Person;
    }
    if has_clock_time(&lower) {
        return Author::Program;
    }
    let has_year = words.iter().any(|word| {
        word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && word.parse::<u16>().is_ok()
    });
    let is_dated = has_year && has_weekday(&lower) && !line.starts_with(char::is_lowercase);
    if is_dated { Author::Unknown } else { Author::Person }
}

/// Returns whether a text in lower case names a day of the week.
pub(crate) fn has_weekday(lower: &str) -> bool {
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| entries(WEEKDAYS).any(|day| day == word))
}

/// Returns whether a text in lower case has a time of day to the minute, such as `10:12`, `10h12`, `10.12
/// uhr` or `kl. 10.12`.
pub(crate) fn has_clock_time(lower: &str) -> bool {
    let bytes = lower.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).any(|at| {
        let has_minutes = digit(at - 1) && digit(at + 1) && digit(at + 2) && !digit(at + 3);
        match bytes[at] {
            b':' | b'h' => has_minutes,
            // A date has a point as well.
            b'.' if has_minutes => {
                let hour = if at > 1 && digit(at - 2) { at - 2 } else { at - 1 };
                let before = lower.get(..hour).unwrap_or_default().trim_end();
                let after = lower.get(at + 3..).unwrap_or_default().trim_start();
                ["kl", "kl.", "klo", "ore"].iter().any(|word| before.ends_with(word))
                    || after.starts_with("uhr")
            }
            _ => false,
        }
    })
}

/// Returns whether a line ends with a date and an address, as `вс, 3 мая 2026 г., Ada <ada@acme.example>:`
/// does. Some languages have no verb there.
fn is_sender(line: &str) -> bool {
    let end = line.trim_end_matches([':', '：', ' ']);
    end.ends_with('>') && end.contains('@') && end.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether a word may begin after this text. Languages without spaces have no such place.
fn is_boundary(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| !c.is_alphabetic() || !c.is_ascii() && u32::from(c) > 0x2e80)
}

/// Returns whether a line begins as the line before a quote does: with a date, a weekday, an address, or a
/// word such as `On`.
fn begins_attribution(line: &str) -> bool {
    let lower = line.to_lowercase();
    let starts = [
        "on ",
        "am ",
        "le ",
        "el ",
        "il ",
        "il giorno ",
        "em ",
        "op ",
        "w dniu ",
        "dnia ",
        "dne ",
        "den ",
        "på ",
        "pe ",
        "ke ",
        "ti ",
        "to ",
        "la ",
        "la data",
        "a ",
        "em ",
        "al ",
        "vào ",
    ];
    let has_digit = lower.contains(|c: char| c.is_ascii_digit());
    has_digit
        && (starts.iter().any(|start| lower.starts_with(start))
            || lower.starts_with(|c: char| c.is_ascii_digit()))
        || lower.contains('<') && lower.contains('@')
        || has_digit && lower.contains(['年', '월'])
}

#[cfg(test)]
mod tests {
    use super::{Author, attribution, has_clock_time};

    #[test]
    fn programs_and_people_write_other_lines() {
        for (line, author) in [
            ("On Sun, May 3, 2026 at 10:12 AM Shop <shop@shop.example> wrote:", Author::Program),
            ("On Sun, May 3, 2026 at 10:12 AM Your Shop <shop@shop.example> wrote:", Author::Program),
            ("On Sunday, 3 May 2026, Shop wrote:", Author::Unknown),
            ("Am 03.05.26 um 10:12 schrieb Shop:", Author::Program),
            ("Am 03.05.26 um 10.12 Uhr hat Shop Folgendes geschrieben:", Author::Program),
            ("Le 3 mai 2026 à 10h12, Shop a écrit :", Author::Program),
            ("On 3 May you wrote:", Author::Person),
            ("On Sunday, 3 May 2026, you wrote:", Author::Person),
            ("On 3 May 2026 your colleague Ann wrote:", Author::Person),
            ("Am 3. Mai 2026 um 10:12 schrieb Ihr Kollege:", Author::Person),
            ("am Sonntag, 3. Mai 2026, schrieb Frau Fox:", Author::Person),
            ("Le 3 mai, votre collègue a écrit :", Author::Person),
            ("Am 3. Mai 2026 um 10 Uhr schrieb Bo:", Author::Person),
            ("Am 3. Mai 2026 um 10:12 Uhr schrieb Frau Fox:", Author::Person),
            ("El 3 de mayo ustedes escribieron, escribió:", Author::Person),
            ("Il 3 maggio la Sua collega ha scritto:", Author::Person),
            ("On 3 May, Ann (ann@shop.example) wrote:", Author::Person),
        ] {
            let found = attribution(&[line, "", "When?"]);
            assert_eq!(found.map(|found| found.author), Some(author), "{line}");
        }
        assert_eq!(attribution(&["My colleague wrote:", "Please call."]), None);
    }

    #[test]
    fn times_of_day_are_no_dates() {
        for text in ["at 10:12", "à 10h12", "um 10.12 uhr", "kl. 10.12", "klo 9.05", "16:12:33 mez"] {
            assert!(has_clock_time(text), "{text}");
        }
        for text in
            ["3 december 2026", "12.12.2026", "4 people, 6 bags", "a:12", "2026", "um 10 uhr", "1.12.20"]
        {
            assert!(!has_clock_time(text), "{text}");
        }
    }
}
