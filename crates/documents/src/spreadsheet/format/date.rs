//! Sections that show dates, times and durations.

use calamine::{ExcelDateTime, ExcelDateTimeType};
use frontdesk_knowledge::Language;

use super::names;
use super::sign::Sign;

const SECONDS_PER_DAY: f64 = 86_400.0;
/// The first serial number after 9999-12-31.
const END_OF_TIME: f64 = 2_958_466.0;

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DatePart {
    Literal(String),
    /// A component and how often its letter is written.
    Component(Component, usize),
    /// A component that counts beyond a day.
    Elapsed(Component, usize),
    /// Decimals of the second.
    Fraction(usize),
    /// `AM/PM` or `A/P`; whether it is short.
    HalfDay(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

/// How dates are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// In the format of the computer, which a file does not state.
    pub(super) is_system: bool,
}

/// Returns whether the section shows a date, a time or a duration.
pub(super) fn is_date(signs: &[Sign]) -> bool {
    let letters: String = signs
        .iter()
        .filter_map(|sign| match sign {
            Sign::Code(character) => Some(character.to_ascii_lowercase()),
            _ => None,
        })
        .collect();
    signs.iter().any(|sign| matches!(sign, Sign::Elapsed(..)))
        || (letters.contains(['y', 'm', 'd', 'h', 's']) && !letters.contains("general"))
}

/// Returns the parts, or `None` if the section is not understood.
pub(super) fn parse(signs: &[Sign]) -> Option<Vec<DatePart>> {
    let code = |index: usize| match signs.get(index) {
        Some(Sign::Code(character)) => Some(character.to_ascii_lowercase()),
        _ => None,
    };
    let follows = |index: usize, text: &str| {
        text.chars().enumerate().all(|(offset, character)| code(index + offset) == Some(character))
    };
    let mut parts = Vec::new();
    let mut index = 0;
    while let Some(sign) = signs.get(index) {
        let character = match sign {
            Sign::Literal(text) => {
                parts.push(DatePart::Literal(text.clone()));
                index += 1;
                continue;
            }
            Sign::Elapsed(unit, count) => {
                parts.push(DatePart::Elapsed(component(*unit)?, *count));
                index += 1;
                continue;
            }
            Sign::Code(character) => *character,
        };
        let lower = character.to_ascii_lowercase();
        if follows(index, "am/pm") || follows(index, "a/p") {
            let is_short = !follows(index, "am/pm");
            parts.push(DatePart::HalfDay(is_short));
            index += if is_short { 3 } else { 5 };
        } else if let Some(component) = component(lower) {
            let count = (index..signs.len()).take_while(|at| code(*at) == Some(lower)).count();
            parts.push(DatePart::Component(component, count));
            index += count;
        } else if lower == '.' && code(index + 1) == Some('0') {
            let count = (index + 1..signs.len()).take_while(|at| code(*at) == Some('0')).count();
            parts.push(DatePart::Fraction(count.min(3)));
            index += 1 + count;
        } else if character.is_ascii_alphabetic() || matches!(character, '#' | '?' | '0' | '%' | '@') {
            return None;
        } else {
            parts.push(DatePart::Literal(character.to_string()));
            index += 1;
        }
    }
    distinguish_minutes(&mut parts);
    Some(parts)
}

const fn component(letter: char) -> Option<Component> {
    match letter {
        'y' => Some(Component::Year),
        'm' => Some(Component::Month),
        'd' => Some(Component::Day),
        'h' => Some(Component::Hour),
        's' => Some(Component::Second),
        _ => None,
    }
}

/// One or two `m` after hours or before seconds are minutes; so is `[m]`.
fn distinguish_minutes(parts: &mut [DatePart]) {
    let components: Vec<(usize, Component)> = parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| match part {
            DatePart::Component(component, _) | DatePart::Elapsed(component, _) => Some((index, *component)),
            _ => None,
        })
        .collect();
    for (place, (index, component)) in components.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| components.get(place)).map(|(_, it)| *it);
        let after = components.get(place + 1).map(|(_, it)| *it);
        let is_in_time = before == Some(Component::Hour) || after == Some(Component::Second);
        match &mut parts[*index] {
            DatePart::Elapsed(it, _) if *component == Component::Month => *it = Component::Minute,
            DatePart::Component(it, 1 | 2) if *component == Component::Month && is_in_time => {
                *it = Component::Minute;
            }
            _ => {}
        }
    }
}

/// Returns a number of days as a date, a time or a duration; `None` if there is no such day.
pub(super) fn shown(
    parts: &[DatePart],
    value: f64,
    is_1904: bool,
    language: Language,
    style: Style,
) -> Option<String> {
    let is_duration = parts.iter().any(|part| matches!(part, DatePart::Elapsed(..)));
    if (value < 0.0 && !is_duration) || value.abs() >= END_OF_TIME {
        return None;
    }
    let decimals = parts.iter().find_map(|part| match part {
        DatePart::Fraction(count) => Some(*count),
        _ => None,
    });
    let precision = 10_f64.powi(i32::try_from(decimals.unwrap_or_default()).ok()?);
    // Eight o'clock is stored as a third of a day, which is not quite eight o'clock.
    let seconds = (value.abs() * SECONDS_PER_DAY * precision).round() / precision;
    let moment = Moment::of(seconds, is_1904);
    if style.is_system {
        return Some(moment.iso(parts));
    }
    let half_days = parts.iter().any(|part| matches!(part, DatePart::HalfDay(_)));
    let mut text = String::new();
    if value < 0.0 && seconds > 0.0 {
        text.push('-');
    }
    for part in parts {
        match part {
            DatePart::Literal(literal) => text.push_str(literal),
            DatePart::Component(component, count) => {
                text.push_str(&moment.component(*component, *count, half_days, language));
            }
            DatePart::Elapsed(component, count) => {
                let width = *count;
                text.push_str(&format!("{:0width$}", elapsed(seconds, *component)));
            }
            DatePart::Fraction(count) => {
                let width = *count;
                text.push_str(&format!(".{:0width$}", whole((seconds.fract() * precision).round())));
            }
            DatePart::HalfDay(is_short) => {
                let name = if moment.hour < 12 { "AM" } else { "PM" };
                text.push_str(if *is_short { &name[..1] } else { name });
            }
        }
    }
    Some(text)
}

fn elapsed(seconds: f64, unit: Component) -> u64 {
    let seconds = whole(seconds.floor());
    match unit {
        Component::Hour => seconds / 3_600,
        Component::Minute => seconds / 60,
        _ => seconds,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is a count below 10^12"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

/// A date with a time.
struct Moment {
    year: u16,
    month: u8,
    day: u8,
    /// Days since Monday.
    weekday: u8,
    hour: u8,
    minute: u8,
    second: u8,
}

impl Moment {
    fn of(seconds: f64, is_1904: bool) -> Self {
        let value = seconds / SECONDS_PER_DAY;
        let (year, month, day, ..) =
            ExcelDateTime::new(value.floor(), ExcelDateTimeType::DateTime, is_1904).to_ymd_hms_milli();
        let of_day = whole(seconds.floor()) % 86_400;
        let days = whole(value.floor()) + if is_1904 { 1_462 } else { 0 };
        let small = |value: u64| u8::try_from(value).unwrap_or_default();
        Self {
            year,
            month,
            day,
            // Day 2 is Monday, 2 January 1900.
            weekday: small((days + 5) % 7),
            hour: small(of_day / 3_600),
            minute: small(of_day / 60 % 60),
            second: small(of_day % 60),
        }
    }

    fn component(&self, component: Component, count: usize, half_days: bool, language: Language) -> String {
        let number = |value: u8| if count >= 2 { format!("{value:02}") } else { value.to_string() };
        let named = |(name, short): (&str, &str)| match count {
            3 => short.to_owned(),
            5 => name.chars().take(1).collect(),
            _ => name.to_owned(),
        };
        match component {
            Component::Year if count <= 2 => format!("{:02}", self.year % 100),
            Component::Year => format!("{:04}", self.year),
            Component::Month if count >= 3 => named(names::month(language, self.month)),
            Component::Month => number(self.month),
            Component::Day if count >= 3 => named(names::day(language, self.weekday)),
            Component::Day => number(self.day),
            Component::Hour if half_days => number(match self.hour % 12 {
                0 => 12,
                hour => hour,
            }),
            Component::Hour => number(self.hour),
            Component::Minute => number(self.minute),
            Component::Second => number(self.second),
        }
    }

    /// Returns the date and the time, as far as the format shows them.
    fn iso(&self, parts: &[DatePart]) -> String {
        let shows = |wanted: &[Component]| {
            parts.iter().any(|part| matches!(part, DatePart::Component(it, _) if wanted.contains(it)))
        };
        let mut text = Vec::new();
        if shows(&[Component::Year, Component::Month, Component::Day]) {
            text.push(format!("{:04}-{:02}-{:02}", self.year, self.month, self.day));
        }
        if shows(&[Component::Hour, Component::Minute]) {
            text.push(format!("{:02}:{:02}", self.hour, self.minute));
        }
        text.join(" ")
    }
}
