//! iCalendar feeds (RFC 5545) of activities.
//!
//! Every activity is a `VEVENT`, also a task or a deadline: Google Calendar and Outlook ignore `VTODO` in
//! calendars that are subscribed to. What needs no time of its own is `TRANSPARENT`, so it does not make its
//! owner look busy. All times are UTC, so a feed needs no `VTIMEZONE`, and the `UID` of an activity never
//! changes, so calendars update an entry and do not add another one.

use icalendar::{Calendar, Component, Event, Property, ValueType};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use uuid::Uuid;

/// The length of an entry whose activity has no duration.
const DEFAULT_MINUTES: u32 = 30;

/// The entry of one activity.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Identifies the entry for ever.
    pub(crate) id: Uuid,
    /// The title.
    pub(crate) summary: String,
    /// Further text; may be empty.
    pub(crate) description: String,
    /// When it begins.
    pub(crate) starts_at: Timestamp,
    /// Its length.
    pub(crate) minutes: Option<u32>,
    /// Whether its owner has no time for anything else.
    pub(crate) is_busy: bool,
    /// Whether it takes place no more.
    pub(crate) is_cancelled: bool,
    /// When it was last changed.
    pub(crate) updated_at: Timestamp,
}

/// Writes a feed with this name.
pub(crate) fn feed(name: &str, entries: impl IntoIterator<Item = Entry>) -> String {
    let mut calendar = Calendar::empty();
    calendar.append_property(("VERSION", "2.0"));
    calendar.append_property(("PRODID", "-//Frontdesk//Deal activities//EN"));
    calendar.append_property(("CALSCALE", "GREGORIAN"));
    calendar.append_property(("METHOD", "PUBLISH"));
    for key in ["NAME", "X-WR-CALNAME"] {
        calendar.append_property(text(key, name));
    }
    calendar.append_property(("X-PUBLISHED-TTL", "PT1H"));
    for entry in entries {
        calendar.push(event(&entry));
    }
    calendar.to_string()
}

fn event(entry: &Entry) -> Event {
    let minutes = entry.minutes.unwrap_or(DEFAULT_MINUTES);
    let ends_at = entry.starts_at.checked_add(SignedDuration::from_mins(i64::from(minutes)));
    let mut event = Event::new();
    event
        .uid(&entry.id.to_string())
        .add_property("DTSTAMP", utc(entry.updated_at))
        .add_property("LAST-MODIFIED", utc(entry.updated_at))
        .add_property("DTSTART", utc(entry.starts_at))
        .add_property("DTEND", utc(ends_at.unwrap_or(entry.starts_at)))
        .add_property("TRANSP", if entry.is_busy { "OPAQUE" } else { "TRANSPARENT" })
        .append_property(text("SUMMARY", &entry.summary))
        .status(if entry.is_cancelled {
            icalendar::EventStatus::Cancelled
        } else {
            icalendar::EventStatus::Confirmed
        });
    if !entry.description.is_empty() {
        event.append_property(text("DESCRIPTION", &entry.description));
    }
    event.done()
}

/// Returns a property with a text of people. The library escapes the values of properties that it knows to be
/// texts, and `NAME` (RFC 7986) is not among them.
fn text(key: &str, value: &str) -> Property {
    let value = printable(value);
    let property = Property::new(key, &value);
    if property.value_type() == Some(ValueType::Text) {
        return property;
    }
    let escaped = value.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n");
    Property::new(key, escaped)
}

/// A moment as the format writes it, in whole seconds.
fn utc(moment: Timestamp) -> String {
    moment.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Returns a text without the control characters that the format has no way to write. Lines end with LF.
fn printable(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(summary: &str, description: &str) -> Entry {
        Entry {
            id: Uuid::from_u128(7),
            summary: summary.to_owned(),
            description: description.to_owned(),
            starts_at: "2026-11-24T09:30:00.5Z".parse().unwrap(),
            minutes: Some(45),
            is_busy: true,
            is_cancelled: false,
            updated_at: "2026-11-20T16:20:41Z".parse().unwrap(),
        }
    }

    /// Joins folded lines, as readers do.
    fn unfolded(feed: &str) -> Vec<String> {
        // Many readers take a lone CR or LF for the end of a line.
        assert!(!feed.replace("\r\n", "").contains(char::is_control), "{feed:?}");
        feed.replace("\r\n ", "").split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn an_entry_has_what_calendars_need() {
        let feed = feed("Acme", [entry("Call Ann", "")]);
        assert!(feed.starts_with("BEGIN:VCALENDAR\r\n") && feed.ends_with("END:VCALENDAR\r\n"), "{feed}");
        let lines = unfolded(&feed);
        for expected in [
            "VERSION:2.0",
            "BEGIN:VEVENT",
            "UID:00000000-0000-0000-0000-000000000007",
            "DTSTAMP:20261120T162041Z",
            "DTSTART:20261124T093000Z",
            "DTEND:20261124T101500Z",
            "SUMMARY:Call Ann",
            "STATUS:CONFIRMED",
            "TRANSP:OPAQUE",
        ] {
            assert_eq!(lines.iter().filter(|line| *line == expected).count(), 1, "{expected} in {feed}");
        }
        assert!(lines.iter().filter(|line| line.starts_with("PRODID:")).count() == 1);
        // The same activity has the same entry.
        assert_eq!(super::feed("Acme", [entry("Call Ann", "")]), feed);
    }

    #[test]
    fn texts_cannot_begin_another_line() {
        let feed = feed(
            "A\r\nX-EVIL:1",
            [entry("a,b;c\\d\r\nATTENDEE:mailto:x@evil.example", "line\u{7}\nEND:VEVENT")],
        );
        let lines = unfolded(&feed);
        assert!(lines.contains(&r"SUMMARY:a\,b\;c\\d\nATTENDEE:mailto:x@evil.example".to_owned()), "{feed}");
        assert!(lines.contains(&r"DESCRIPTION:line\nEND:VEVENT".to_owned()), "{feed}");
        assert!(
            !lines.iter().any(|line| line.starts_with("ATTENDEE") || line.starts_with("X-EVIL")),
            "{feed}"
        );
        assert_eq!(lines.iter().filter(|line| *line == "END:VEVENT").count(), 1);
    }

    #[test]
    fn every_property_with_a_text_is_escaped() {
        let texts = [
            "a,b;c\\d",
            "two\nlines",
            "two\r\nlines",
            "two\rlines",
            "a:b\"c\"",
            "\u{0}\u{8}\u{85}\u{7f}x",
            "\\n",
            "\\,",
            ";VALUE=x:y",
            " ",
        ];
        for text in texts {
            let feed = feed(text, [entry(text, text)]);
            let lines = unfolded(&feed);
            let expected = printable(text)
                .replace('\\', "\\\\")
                .replace(',', "\\,")
                .replace(';', "\\;")
                .replace('\n', "\\n");
            for key in ["NAME", "X-WR-CALNAME", "SUMMARY", "DESCRIPTION"] {
                let line = format!("{key}:{expected}");
                assert!(lines.contains(&line), "{line} is not in {lines:?}");
            }
            // Nothing has become a line of its own.
            assert_eq!(lines.len(), unfolded(&super::feed("x", [entry("x", "x")])).len(), "{lines:?}");
        }
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let title = "Größe prüfen 🪴 ".repeat(20);
        let feed = feed(&title, [entry(&title, &title)]);
        for line in feed.split("\r\n") {
            assert!(line.len() <= 75, "{} octets: {line}", line.len());
        }
        for key in ["NAME", "X-WR-CALNAME", "SUMMARY", "DESCRIPTION"] {
            assert!(unfolded(&feed).contains(&format!("{key}:{title}")), "{feed}");
        }
    }

    #[test]
    fn a_cancelled_entry_says_so() {
        let feed = feed("Acme", [Entry { is_cancelled: true, is_busy: false, ..entry("Call", "") }]);
        assert!(feed.contains("STATUS:CANCELLED") && feed.contains("TRANSP:TRANSPARENT"));
    }
}
