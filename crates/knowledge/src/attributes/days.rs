//! Days of the week in questions and texts.

use std::sync::LazyLock;

use super::calendar;
use crate::words::Words;

/// A set of days of the week.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Days(u8);

/// The words for Monday to Sunday: full names, then abbreviations. A word ending in `*` also begins longer
/// words.
const NAMES: [&[&str]; 7] = [
    &[
        "monday*",
        "montag*",
        "lundi*",
        "lunes",
        "lunedi",
        "maandag*",
        "segunda",
        "poniedzial*",
        "mon",
        "lun",
        "mo",
        "pon",
    ],
    &[
        "tuesday*",
        "dienstag*",
        "mardi*",
        "martes",
        "martedi",
        "dinsdag*",
        "terca",
        "wtorek",
        "wtorki",
        "tue",
        "tues",
        "mar",
        "di",
        "wt",
    ],
    &[
        "wednesday*",
        "mittwoch*",
        "mercredi*",
        "miercoles",
        "mercoledi",
        "woensdag*",
        "quarta",
        "srod*",
        "wed",
        "mer",
        "mie",
        "mi",
        "wo",
        "sr",
    ],
    &[
        "thursday*",
        "donnerstag*",
        "jeudi*",
        "jueves",
        "giovedi",
        "donderdag*",
        "quinta",
        "czwart*",
        "thu",
        "thur",
        "thurs",
        "jeu",
        "jue",
        "gio",
        "do",
        "czw",
    ],
    &[
        "friday*",
        "freitag*",
        "vendredi*",
        "viernes",
        "venerdi",
        "vrijdag*",
        "sexta",
        "piatek",
        "piatki",
        "fri",
        "ven",
        "vie",
        "fr",
        "vr",
        "pt",
    ],
    &[
        "saturday*",
        "samstag*",
        "sonnabend*",
        "samedi*",
        "sabado*",
        "sabato",
        "zaterdag*",
        "sobot*",
        "sat",
        "sam",
        "sab",
        "sa",
        "za",
        "sob",
    ],
    &[
        "sunday*",
        "sonntag*",
        "dimanche*",
        "domingo*",
        "domenica",
        "zondag*",
        "niedziel*",
        "sun",
        "dim",
        "dom",
        "so",
        "zo",
        "nd",
        "niedz",
    ],
];

/// Words for Saturday and Sunday together, for Monday to Friday, and for every day.
const WEEKEND: &[&str] = &["weekend*", "wochenende*", "week-end", "fine", "fin", "fins", "weekeinde"];
const WEEKDAYS: &[&str] = &["weekday*", "werktag*", "wochentag*", "doordeweeks", "entresemana", "feriali"];
const DAILY: &[&str] =
    &["daily", "taglich", "everyday", "diario", "dagelijks", "diariamente", "codziennie", "quotidien"];

/// Abbreviations that are also common words: they only count beside another day or a time.
const AMBIGUOUS: &[&str] = &[
    "mo", "di", "mi", "do", "fr", "sa", "so", "mar", "mer", "dom", "dim", "sun", "sat", "wo", "za", "zo",
    "vr", "pt", "sr", "wt", "nd", "fin", "fine", "fins", "segunda", "terca", "quarta", "quinta", "sexta",
    "sam", "jue", "vie", "mie", "lun", "ven", "gio", "sab", "pon", "mon", "wed",
];

impl Days {
    /// No days.
    pub const NONE: Self = Self(0);
    const WORKING: u8 = 0b001_1111;
    const FREE: u8 = 0b110_0000;
    const ALL: u8 = 0b111_1111;

    /// Returns whether there are no days.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether every day of `other` is in this set.
    pub fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns the days in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the days in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the days that a question names. Short forms that are also other words do not count.
    /// The day in the name of a feast, as in "Easter Monday", is not one.
    pub(super) fn of_question(words: &Words) -> Self {
        let mut all = 0;
        let mut place = 0;
        while let Some(word) = words.get(place) {
            let feast = calendar::feast_length(words, place);
            if feast == 0 && names_day(word) {
                all |= bits(word);
            }
            place += feast.max(1);
        }
        Self(all)
    }

    /// Returns the days that a text names, with ranges such as `Tue – Sat`. `words` are those of the text.
    ///
    /// `has_time` says whether the text has a time of day, beside which short forms count.
    pub(super) fn of_words(text: &str, words: &Words, has_time: bool) -> Self {
        let all_words = words;
        let words: Vec<&str> = words.iter().collect();
        let separators = separators(text);
        let mut all = 0;
        let mut previous: Option<(usize, u8)> = None;
        for (place, word) in words.iter().enumerate() {
            let bits = bits(word);
            if bits == 0 || (AMBIGUOUS.contains(word) && !has_time) || is_in_feast(all_words, place) {
                continue;
            }
            if let Some((before, start)) = previous
                && start.is_power_of_two()
                && bits.is_power_of_two()
                && is_range(&words[before + 1..place], separators.get(before).copied().unwrap_or(' '))
            {
                all |= range(start, bits);
            }
            all |= bits;
            previous = Some((place, bits));
        }
        Self(all)
    }
}

/// Every name with its days, by the first byte of the name: few words of a text begin like one of them.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<(&str, u8)>>> = LazyLock::new(|| {
    let days = NAMES.iter().enumerate().map(|(day, names)| (*names, 1 << day));
    let further = [(WEEKEND, Days::FREE), (WEEKDAYS, Days::WORKING), (DAILY, Days::ALL)];
    let mut names = vec![Vec::new(); 256];
    for (name, bits) in
        days.chain(further).flat_map(|(names, bits)| names.iter().map(move |name| (*name, bits)))
    {
        names[usize::from(name.as_bytes()[0])].push((name, bits));
    }
    names
});

fn bits(word: &str) -> u8 {
    let Some(first) = word.as_bytes().first() else { return 0 };
    let named = BY_FIRST_BYTE[usize::from(*first)].iter().find(|(name, _)| match name.strip_suffix('*') {
        Some(prefix) => word.starts_with(prefix),
        None => word == *name,
    });
    named.map_or(0, |(_, bits)| *bits)
}

/// Returns whether the word at a place belongs to the name of a feast, such as "Easter Monday".
fn is_in_feast(words: &Words, place: usize) -> bool {
    (place.saturating_sub(2)..=place).any(|start| start + calendar::feast_length(words, start) > place)
}

/// Returns whether a word names a day and nothing else.
pub(super) fn names_day(word: &str) -> bool {
    bits(word) != 0 && !AMBIGUOUS.contains(&word)
}

/// Returns whether two days with these words between them are the ends of a range.
fn is_range(between: &[&str], separator: char) -> bool {
    const THROUGH: [&str; 12] =
        ["to", "through", "till", "until", "bis", "au", "a", "al", "tot", "ate", "do", "thru"];
    match between {
        [] => matches!(separator, '-' | '–' | '—' | '‐' | '‑'),
        [word] => THROUGH.contains(word),
        _ => false,
    }
}

/// Returns, for each word, the character after it that best shows how it is joined to the next one.
fn separators(text: &str) -> Vec<char> {
    let mut separators = Vec::new();
    let mut in_word = false;
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || character == '\'' || character == '\u{2019}';
        if is_word {
            in_word = true;
        } else if in_word {
            separators.push(character);
            in_word = false;
        } else if let Some(last) = separators.last_mut()
            && last.is_whitespace()
        {
            *last = character;
        }
    }
    separators
}

fn range(start: u8, end: u8) -> u8 {
    let (mut day, mut all) = (start, start | end);
    while day != end {
        day = if day == 1 << 6 { 1 } else { day << 1 };
        all |= day;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str, has_time: bool) -> Days {
        Days::of_words(text, &Words::of(text), has_time)
    }

    fn of_question(text: &str) -> Days {
        Days::of_question(&Words::of(text))
    }

    const TUE_TO_SAT: Days = Days(0b011_1110);
    const SUNDAY: Days = Days(0b100_0000);

    #[test]
    fn ranges_cover_the_days_between() {
        for text in [
            "Tuesday – Saturday: 9:00",
            "Tue-Sat 9:00",
            "Di–Sa 9 Uhr",
            "martes a sábado de 9:00",
            "du mardi au samedi",
        ] {
            assert_eq!(of_text(text, true), TUE_TO_SAT, "{text}");
        }
        assert_eq!(of_text("Sat to Mon 10:00", true), Days(0b110_0001));
        assert_eq!(of_text("Monday, Wednesday 10:00", true), Days(0b000_0101));
        assert_eq!(of_text("on Easter Monday and on Sunday from 10:00", true), SUNDAY);
    }

    #[test]
    fn short_forms_need_a_time() {
        assert_eq!(of_text("so we do it", false), Days::NONE);
        assert_eq!(of_text("So: 10 Uhr", true), SUNDAY);
        assert_eq!(of_question("do you open so early on sunday?"), SUNDAY);
        assert_eq!(of_question("Habt ihr am Wochenende offen?"), Days(0b110_0000));
        assert_eq!(of_question("Are you open on Easter Monday?"), Days::NONE);
    }
}
