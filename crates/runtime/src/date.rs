//! [`Date`]: `format: date`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A day of the Gregorian calendar, in the years 0 to 9999 (RFC 3339, section 5.6: `full-date`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(jiff::civil::Date);

/// The text is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateError;

impl fmt::Display for DateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be a date such as 2026-01-31")
    }
}

impl std::error::Error for DateError {}

impl Date {
    /// Makes a date; months and days count from 1. `None` if the calendar has no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        jiff::civil::Date::new(i16::try_from(year).ok()?, month, day).ok().map(Self)
    }

    /// Returns the year.
    pub fn year(self) -> u16 {
        self.0.year().unsigned_abs()
    }

    /// Returns the month, from 1 to 12.
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// Returns the day of the month, from 1.
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let number = |part: &str| {
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten()
        };
        let mut parts = text.split('-');
        let (year, month, day) = match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(year), Some(month), Some(day), None)
                if (year.len(), month.len(), day.len()) == (4, 2, 2) =>
            {
                (number(year), number(month), number(day))
            }
            _ => return Err(DateError),
        };
        let small = |number: Option<u16>| number.and_then(|number| u8::try_from(number).ok());
        year.zip(small(month))
            .zip(small(day))
            .and_then(|((year, month), day)| Self::new(year, month, day))
            .ok_or(DateError)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year(), self.month(), self.day())
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Date;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a date such as 2026-01-31")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Date, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn days_are_read_and_written_alike() {
        for text in ["2026-01-31", "2024-02-29", "0000-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        assert_eq!(Date::new(2026, 1, 31), "2026-01-31".parse().ok());
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "2026-02-30",
            "2026-1-31",
            "20260131",
            "2026-01-31T00:00:00Z",
            "-2026-01-31",
            "2026-+1-31",
            "2026-00-10",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert_eq!(Date::new(2025, 2, 29), None);
    }
}
