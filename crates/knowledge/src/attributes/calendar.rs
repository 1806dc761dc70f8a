//! Dates and parts of the year in questions and texts, such as "25 December" and "from 24 December to 2
//! January".

use std::sync::LazyLock;

use foldhash::{HashMap, HashSet};

use super::feasts::FEASTS;
use super::period::Period;
use crate::words::{Words, fold_text};

/// Names of the months, by their numbers.
const MONTHS: [&str; 12] = [
    "january|januar|janvier|enero|gennaio|januari|janeiro|styczen|stycznia|styczniu|jan",
    "february|februar|fevrier|febrero|febbraio|februari|fevereiro|luty|lutego|lutym|feb",
    "march|marz|mars|marzo|maart|marco|marzec|marca|marcu|mar",
    "april|avril|abril|aprile|kwiecien|kwietnia|kwietniu|apr",
    "may|mai|mayo|maggio|mei|maio|maj|maja|maju",
    "june|juni|juin|junio|giugno|junho|czerwiec|czerwca|czerwcu|jun",
    "july|juli|juillet|julio|luglio|julho|lipiec|lipca|lipcu|jul",
    "august|aout|agosto|augustus|sierpien|sierpnia|sierpniu|aug",
    "september|septembre|septiembre|settembre|setembro|wrzesien|wrzesnia|wrzesniu|sep|sept|set",
    "october|oktober|octobre|octubre|ottobre|outubro|pazdziernik|pazdziernika|pazdzierniku|oct|okt",
    "november|novembre|noviembre|novembro|listopad|listopada|listopadzie|nov",
    "december|dezember|decembre|diciembre|dicembre|dezembro|grudzien|grudnia|grudniu|dec|dez",
];

/// Names of months that are other words as well, and count only beside a number or after a preposition.
const AMBIGUOUS: &str = "may|march|mar|mars|marche|mai|mei|maj|set|jan|dec|marca";

/// Seasons, which count only after a preposition.
const SEASONS: [(&str, Period); 4] = [
    (
        "spring|fruhling|fruhjahr|printemps|primavera|lente|voorjaar|wiosna|wiosne",
        Period::new((3, 1), (5, 31)),
    ),
    ("summer|sommer|ete|verano|estate|zomer|verao|lato|lecie|latem", Period::new((6, 1), (8, 31))),
    (
        "autumn|fall|herbst|automne|otono|autunno|herfst|najaar|outono|jesien|jesienia",
        Period::new((9, 1), (11, 30)),
    ),
    ("winter|hiver|invierno|inverno|zima|zime", Period::new((12, 1), (2, 29))),
];

/// Words before the name of a month or a season.
const IN: &str = "in|during|from|since|until|till|through|to|between|and|every|each|this|next|im|ab|seit|bis|vom|von|zum|und|en|de|du|au|a|\
                  pendant|des|depuis|durante|desde|hasta|nel|da|dal|al|fino|tijdens|vanaf|van|tot|em|no|na|ate|w|od|do";

/// Words between the beginning and the end of a period.
const THROUGH: &str = "through|to|till|until|thru|bis|au|a|al|hasta|fino|tot|ate|do";

/// Words that only stand between others.
const ARTICLES: &str = "the|of|zum|den|dem|de|le|la|el|il|l|dia|op|en|met|m|t|der|am|um|ao";

const BETWEEN: &str = "between|zwischen|entre|tra|fra|tussen|miedzy|pomiedzy";
const AND: &str = "and|und|et|y|e|en|i";

/// Returns the parts of the year that a text names.
pub fn periods(text: &str) -> Vec<Period> {
    let words = Words::of(&prepared(text));
    let named = named(&words);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = named.get(at) {
        at += 1;
        let is = |place: usize, pattern: &str| words.match_length(place, pattern).is_some();
        let joins = |from: usize, to: usize, pattern: &str| {
            to > from
                && to - from <= 3
                && (from..to).any(|place| is(place, pattern))
                && (from..to).all(|place| is(place, pattern) || is(place, ARTICLES))
        };
        let is_between =
            (first.words.start.saturating_sub(3)..first.words.start).any(|place| is(place, BETWEEN));
        let is_joined =
            |from: usize, to: usize| joins(from, to, THROUGH) || (is_between && joins(from, to, AND));
        // "1 to 15 August": the month is only named at the end.
        let start = (first.words.start.saturating_sub(4)..first.words.start).find_map(|place| {
            let day = day(words.get(place)?)?;
            let is_between = (place.saturating_sub(2)..place).any(|place| is(place, BETWEEN));
            let joins = joins(place + 1, first.words.start, THROUGH)
                || (is_between && joins(place + 1, first.words.start, AND));
            (joins && first.has_day && (at < 2 || named[at - 2].words.end <= place)).then_some(day)
        });
        if let Some(day) = start {
            let last = first.period.last();
            found.push(Period::new((first.period.first().0, day), last));
            continue;
        }
        if let Some(next) = named.get(at)
            && is_joined(first.words.end, next.words.start)
        {
            found.push(first.period.through(next.period));
            at += 1;
            continue;
        }
        // "August 1 to 15".
        let end = first.words.end;
        let last = (end + 1..end + 3).find_map(|place| Some((place, day(words.get(place)?)?)));
        if let Some((place, day)) = last
            && first.has_day
            && joins(end, place, THROUGH)
            && named.get(at).is_none_or(|next| next.words.start > place)
        {
            let from = first.period.first();
            found.push(Period::new(from, (from.0, day)));
            continue;
        }
        found.push(first.period);
    }
    found
}

/// Returns whether a text speaks of public holidays in general.
pub fn names_holidays(text: &str) -> bool {
    Words::of(text).has_any(&[
        "public|bank|national|legal|federal|statutory holiday|holidays",
        "on holidays",
        "feiertag|feiertage|feiertagen|feiertags",
        "jour|jours ferie|feries",
        "festivo|festivos|feriado|feriados|festivi",
        "feestdag|feestdagen",
        "swieta|swieto|swiat",
    ])
}

/// Returns whether a word in the form of [`fold_text`] is the name of a month.
pub(super) fn names_month(word: &str) -> bool {
    month(word).is_some()
}

/// Returns whether a word in the form of [`fold_text`] is in the name of a feast.
pub(crate) fn names_feast(word: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> =
        LazyLock::new(|| FEASTS.iter().flat_map(|(pattern, _)| pattern.split([' ', '|', '?'])).collect());
    NAMES.contains(word)
}

/// Returns the number of words of the feast that is named at a place, or 0.
pub(super) fn feast_length(words: &Words, at: usize) -> usize {
    FEASTS.iter().filter_map(|(pattern, _)| words.match_length(at, pattern)).max().unwrap_or(0)
}

/// A day, a month or a feast in the words of a text.
struct Named {
    words: std::ops::Range<usize>,
    period: Period,
    has_day: bool,
}

fn named(words: &Words) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let next = at_word(words, at);
        at = next.as_ref().map_or(at + 1, |next| next.words.end);
        found.extend(next);
    }
    found
}

fn at_word(words: &Words, at: usize) -> Option<Named> {
    let word = words.get(at)?;
    let is = |place: usize, pattern: &str| words.match_length(place, pattern).is_some();
    let feast = FEASTS
        .iter()
        .filter_map(|(pattern, period)| Some((words.match_length(at, pattern)?, *period)))
        .max_by_key(|(length, _)| *length);
    if let Some((length, period)) = feast {
        return Some(Named { words: at..at + length, period, has_day: true });
    }
    if let Some(date) = word.strip_prefix(NUMERIC) {
        let (month, day) = date.split_once('x')?;
        let date = (month.parse().ok()?, day.parse().ok()?);
        return Some(Named { words: at..at + 1, period: Period::new(date, date), has_day: true });
    }
    if let Some(day) = day(word) {
        let place = (at + 1..at + 3).find(|place| !is(*place, ARTICLES))?;
        let month = month(words.get(place)?)?;
        return Some(Named {
            words: at..place + 1,
            period: Period::new((month, day), (month, day)),
            has_day: true,
        });
    }
    let is_placed = at > 0 && (is(at - 1, IN) || (at > 1 && is(at - 1, ARTICLES) && is(at - 2, IN)));
    if let Some(month) = month(word) {
        let place = if is(at + 1, "the") { at + 2 } else { at + 1 };
        let date = words.get(place).and_then(day);
        // "August 1", but not the first of two dates as in "3 August 21 August".
        if let Some(day) = date.filter(|_| words.get(place + 1).and_then(self::month).is_none()) {
            return Some(Named {
                words: at..place + 1,
                period: Period::new((month, day), (month, day)),
                has_day: true,
            });
        }
        let counts = is_placed || !is(at, AMBIGUOUS);
        return counts.then(|| Named { words: at..at + 1, period: Period::month(month), has_day: false });
    }
    let season = SEASONS.iter().find(|(names, _)| is(at, names)).filter(|_| is_placed);
    season.map(|(_, period)| Named { words: at..at + 1, period: *period, has_day: false })
}

fn month(word: &str) -> Option<u16> {
    static NUMBERS: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| {
        let months = (1..).zip(MONTHS);
        months.flat_map(|(number, names)| names.split('|').map(move |name| (name, number))).collect()
    });
    NUMBERS.get(word).copied()
}

/// Returns the day of a month that a word such as `3` or `3rd` names.
fn day(word: &str) -> Option<u16> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let suffix = &word[digits..];
    let is_ordinal = matches!(suffix, "" | "st" | "nd" | "rd" | "th" | "er" | "e" | "o" | "a");
    let day = word[..digits].parse().ok().filter(|day| (1..=31).contains(day));
    day.filter(|_| is_ordinal)
}

/// What a date in digits begins with in a prepared text. The analysis of words never joins digits to such a
/// word otherwise.
const NUMERIC: &str = "numericdate";

/// Returns a text with each date in digits as one word, each dash as the word "through", and without times of
/// day.
fn prepared(text: &str) -> String {
    let text = fold_text(text);
    let mut prepared = String::with_capacity(text.len() + 16);
    let mut rest = text.as_str();
    while let Some(character) = rest.chars().next() {
        let is_inside = prepared.ends_with(|last: char| last.is_alphanumeric());
        if character.is_ascii_digit() && !is_inside {
            let (word, length) = number(rest);
            prepared.push_str(&word);
            rest = &rest[length..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        let is_dash = matches!(character, '-' | '–' | '—' | '\u{2010}' | '\u{2011}');
        // A hyphen inside of a word joins its parts.
        let is_hyphen = prepared.ends_with(char::is_alphabetic) && rest.starts_with(char::is_alphabetic);
        if is_dash && !is_hyphen {
            prepared.push_str(" through ");
        } else {
            prepared.push(character);
        }
    }
    prepared
}

/// Returns what stands for the number that a text begins with, and how many bytes it takes.
fn number(text: &str) -> (String, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let length = digits(text);
    let (own, after) = text.split_at(length);
    let date = |month: &str, day: &str| {
        let (month, day): (u16, u16) = (month.parse().ok()?, day.parse().ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| format!("{NUMERIC}{month}x{day} "))
    };
    if length == 4
        && let Some(rest) = after.strip_prefix('-')
        && digits(rest) == 2
        && let Some(last) = rest[2..].strip_prefix('-')
        && digits(last) == 2
        && let Some(date) = date(&rest[..2], &last[..2])
    {
        return (date, 10);
    }
    let separated = after.strip_prefix(['.', '/']).map(|rest| (rest, rest.trim_start_matches(' ')));
    if let Some((rest, second)) = separated
        && length <= 2
        && (1..=2).contains(&digits(second))
        && (rest.len() == second.len() || after.starts_with('.'))
    {
        let (second, tail) = second.split_at(digits(second));
        let year = |text: &str| matches!(digits(text), 2 | 4);
        let (is_date, end) = match tail.strip_prefix(&after[..1]) {
            Some(rest) if year(rest) => (true, tail.len() - 1 - digits(rest)),
            Some(rest) => (
                after.starts_with('.') && !rest.starts_with(|next: char| next.is_ascii_digit()),
                tail.len() - 1,
            ),
            None => (false, tail.len()),
        };
        let found =
            date(second, own).or_else(|| if after.starts_with('/') { date(own, second) } else { None });
        if is_date && let Some(found) = found {
            return (found, text.len() - end);
        }
    }
    // A time of day is never a day of a month.
    let unit = after.trim_start();
    let is_time = after.starts_with(':')
        || after.strip_prefix('h').is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        || ["uhr", "am ", "pm", "a.m", "p.m", "uur", "heures"].iter().any(|word| unit.starts_with(word));
    if is_time {
        let minutes = after.strip_prefix([':', 'h']).map_or(0, |rest| 1 + digits(rest));
        return ("clock".to_owned(), length + minutes);
    }
    (own.to_owned(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHRISTMAS: Period = Period::new((12, 25), (12, 25));

    fn covers(text: &str, date: Period) -> bool {
        periods(text).into_iter().any(|period| period.overlaps(date))
    }

    #[test]
    fn a_day_is_found_in_every_language_and_spelling() {
        for text in [
            "Are you open on 25 December?",
            "on December 25th",
            "the 25th of December",
            "am 25. Dezember",
            "am 25.12. geschlossen",
            "am 25.12.2026",
            "le 25 décembre",
            "el 25 de diciembre",
            "il 25 dicembre",
            "op 25 december",
            "no dia 25 de dezembro",
            "25 grudnia",
            "2026-12-25",
            "on Christmas Day",
            "à Noël",
        ] {
            assert!(covers(text, CHRISTMAS), "{text}: {:?}", periods(text));
            assert!(!covers(text, Period::new((12, 27), (12, 27))), "{text}: {:?}", periods(text));
        }
    }

    #[test]
    fn a_period_covers_the_days_between() {
        for text in [
            "From 24 December to 2 January we are closed.",
            "24 December – 2 January",
            "24.12. - 2.1.",
            "vom 24. Dezember bis 2. Januar",
            "du 24 décembre au 2 janvier",
            "del 24 de diciembre al 2 de enero",
            "dal 24 dicembre al 2 gennaio",
            "van 24 december tot en met 2 januari",
            "de 24 de dezembro a 2 de janeiro",
            "od 24 grudnia do 2 stycznia",
            "Between Christmas and 6 January the shop has its winter break.",
            "from November to February",
        ] {
            assert!(covers(text, Period::new((12, 28), (12, 28))), "{text}: {:?}", periods(text));
            assert!(covers(text, Period::new((1, 1), (1, 1))), "{text}: {:?}", periods(text));
            assert!(!covers(text, Period::new((3, 28), (3, 28))), "{text}: {:?}", periods(text));
        }
        for text in ["del 1 al 15 de febrero", "1–15 February", "February 1 to 15", "vom 1. bis 15. Februar"]
        {
            assert_eq!(periods(text), [Period::new((2, 1), (2, 15))], "{text}");
        }
        assert_eq!(periods("in July and August"), [Period::month(7), Period::month(8)]);
    }

    #[test]
    fn other_texts_name_no_part_of_the_year() {
        for text in [
            "You may come in.",
            "Monday to Friday: 9:00 - 18:00",
            "Version 1.2 has 40 files",
            "Costs 24.12 and more",
            "We march on.",
            "Open 9.30-18",
            "3 to 5 working days",
            "",
            "-",
            "4-",
            "12.",
            "1/2",
        ] {
            assert!(periods(text).is_empty(), "{text}: {:?}", periods(text));
        }
    }

    #[test]
    fn holidays_are_known_by_name_and_by_date() {
        for text in ["25 December", "New Year's Day", "Easter Monday", "Ostermontag", "lundi de Pâques"] {
            assert!(periods(text)[0].is_public_holiday(), "{text}");
        }
        assert!(!periods("in December")[0].is_public_holiday());
        for text in
            ["public holidays", "an Feiertagen", "les jours fériés", "los festivos", "nei giorni festivi"]
        {
            assert!(names_holidays(text), "{text}");
        }
        assert!(!names_holidays("We are on holiday."));
    }
}
