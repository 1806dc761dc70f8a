//! Opening hours of structured data, written by weekday.

use serde_json::Value;

use super::labels::{Label, Words};
use super::values::{strings, text};

/// Weekdays as the standard names and abbreviates them.
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The position of public holidays after the weekdays.
const HOLIDAYS: usize = 7;

/// Most lines of one business.
const MAX_LINES: usize = 50;

/// Returns one line for each entry of `openingHours` and `openingHoursSpecification`.
pub(super) fn lines(business: &Value, words: Words) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in strings(&business["openingHours"]) {
        lines.extend(entry.split([';', '\n']).flat_map(groups).filter_map(|group| short_form(&group, words)));
    }
    for key in ["openingHoursSpecification", "specialOpeningHoursSpecification", "hoursAvailable"] {
        let entries = match &business[key] {
            Value::Array(entries) => entries.as_slice(),
            Value::Null => &[],
            entry => std::slice::from_ref(entry),
        };
        lines.extend(entries.iter().take(MAX_LINES).filter_map(|entry| specification(entry, words)));
    }
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    lines.truncate(MAX_LINES);
    lines
}

/// Splits `Mo-Fr 9:00-17:00, Sa 10:00-12:00` into its parts, and keeps `Mo, Tu 9:00-12:00, 13:00-17:00`
/// together.
fn groups(entry: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for part in entry.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let begins_with_day = part.starts_with(|character: char| character.is_alphabetic());
        match groups.last_mut() {
            // Days follow days, and times follow anything.
            Some(last)
                if !begins_with_day || !last.contains(|character: char| character.is_ascii_digit()) =>
            {
                last.push_str(", ");
                last.push_str(part);
            }
            _ => groups.push(part.to_owned()),
        }
    }
    groups
}

/// Writes `Mo-Fr 09:00-17:00` with the names of the days.
fn short_form(group: &str, words: Words) -> Option<String> {
    let split = group.find(|character: char| character.is_ascii_digit());
    let (days, times) = match split {
        Some(start) => group.split_at(start),
        None => group.rsplit_once(' ').unwrap_or((group, "")),
    };
    let mut found = Vec::new();
    for range in days.split([',', ' ']).filter(|range| !range.trim_matches([':', '-']).is_empty()) {
        let mut ends = range.trim_matches(':').split(['-', '–']);
        let first = day(ends.next()?)?;
        match ends.next() {
            Some(last) => {
                let last = day(last)?;
                // A range may go over the end of the week.
                let length = (last + DAYS.len() - first) % DAYS.len();
                found.extend((0..=length).map(|offset| (first + offset) % DAYS.len()));
            }
            None => found.push(first),
        }
    }
    let times = times.trim();
    let is_closed = matches!(times.to_ascii_lowercase().as_str(), "closed" | "off");
    let times = match times {
        _ if is_closed => words.label(Label::Closed).to_owned(),
        "" => return None,
        times => times.to_owned(),
    };
    if found.is_empty() {
        return Some(times);
    }
    Some(format!("{}: {times}", names(&found, words)))
}

fn specification(entry: &Value, words: Words) -> Option<String> {
    let days: Vec<usize> = strings(&entry["dayOfWeek"]).iter().filter_map(|name| day(name)).collect();
    let date =
        |key: &str| text(&entry[key]).map(|date| date.split('T').next().unwrap_or_default().to_owned());
    let dates = match (date("validFrom"), date("validThrough")) {
        (Some(from), Some(through)) if from != through => {
            Some(format!("{from} {} {through}", words.label(Label::To)))
        }
        (Some(from), _) => Some(from),
        (None, through) => through,
    };
    let when = match (days.is_empty(), dates) {
        (false, Some(dates)) => format!("{} ({dates})", names(&days, words)),
        (false, None) => names(&days, words),
        (true, Some(dates)) => dates,
        (true, None) => return None,
    };
    let time = |key: &str| text(&entry[key]).map(|time| without_seconds(&time));
    let times = match (time("opens"), time("closes")) {
        (Some(opens), Some(closes)) if opens == closes => words.label(Label::Closed).to_owned(),
        (Some(opens), Some(closes)) => format!("{opens}-{closes}"),
        _ => words.label(Label::Closed).to_owned(),
    };
    Some(format!("{when}: {times}"))
}

fn without_seconds(time: &str) -> String {
    let time = time.trim().trim_start_matches('T').split(['+', 'Z']).next().unwrap_or_default();
    if time.matches(':').count() == 2 { time.rsplit_once(':').map_or(time, |(time, _)| time) } else { time }
        .to_owned()
}

/// Returns the position of a day that is named in full, as an address, or by two letters or more.
fn day(name: &str) -> Option<usize> {
    let name = name
        .rsplit(['/', '#', ':'])
        .next()
        .unwrap_or_default()
        .trim()
        .trim_end_matches('.')
        .to_ascii_lowercase();
    if matches!(name.as_str(), "publicholidays" | "ph") {
        return Some(HOLIDAYS);
    }
    (name.len() >= 2).then(|| DAYS.iter().position(|day| day.starts_with(&name))).flatten()
}

/// Writes days, with three or more in a row as a range.
fn names(days: &[usize], words: Words) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut index = 0;
    while index < days.len() {
        let mut end = index;
        let follows = |last: usize, next: usize| last < HOLIDAYS && next == (last + 1) % DAYS.len();
        while end + 1 < days.len() && follows(days[end], days[end + 1]) {
            end += 1;
        }
        if end >= index + 2 {
            parts.push(format!(
                "{} {} {}",
                words.day(days[index]),
                words.label(Label::To),
                words.day(days[end])
            ));
        } else {
            parts.extend(days[index..=end].iter().map(|day| words.day(*day).to_owned()));
        }
        index = end + 1;
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_written_out() {
        for (entry, expected) in [
            ("Mo-Fr 09:00-17:00", vec!["Monday to Friday: 09:00-17:00"]),
            ("Mo,Tu 9:00-12:00, 13:00-17:00", vec!["Monday, Tuesday: 9:00-12:00, 13:00-17:00"]),
            ("Mo-We 8:00-9:00, Sa closed", vec!["Monday to Wednesday: 8:00-9:00", "Saturday: closed"]),
            ("Sa-Mo 10:00-12:00; PH off", vec!["Saturday to Monday: 10:00-12:00", "public holidays: closed"]),
            ("Sa-Su 10:00-12:00", vec!["Saturday, Sunday: 10:00-12:00"]),
            ("nonsense", vec![]),
            ("", vec![]),
        ] {
            let business = serde_json::json!({ "openingHours": entry });
            assert_eq!(lines(&business, Words::of(None)), expected, "{entry}");
        }
    }
}
