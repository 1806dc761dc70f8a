//! [`Date`]: `format: date`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A day of the Gregorian calendar, in the years 0 to 9999 (RFC 3339, section 5.6: `full-date`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(jiff::civil::Date);

/// The text is not a date. It says why, where the text has the form of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateError(Problem);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Form,
    Month(u8),
    Day { year: u16, month: u8, day: u8 },
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl DateError {
    /// Returns the problem of a text that has the form of a date: `February 2026 has 28 days, not 30`.
    pub(crate) fn reason(self) -> Option<String> {
        match self.0 {
            Problem::Form => None,
            Problem::Month(month) => Some(format!("there is no month {month:02}")),
            Problem::Day { day: 0, .. } => Some("there is no day 00".to_owned()),
            Problem::Day { year, month, day } => {
                let first = Date::new(year, month, 1)?;
                let name = MONTHS.get(usize::from(month).checked_sub(1)?)?;
                Some(format!("{name} {year:04} has {} days, not {day}", first.0.days_in_month()))
            }
        }
    }
}

impl fmt::Display for DateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be a date such as 2026-01-31")?;
        self.reason().map_or(Ok(()), |reason| write!(formatter, ": {reason}"))
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

impl Date {
    /// Returns the days since 1970-01-01; negative before.
    pub(crate) fn days_since_epoch(self) -> i64 {
        // Both are days of the calendar, whose distance has no months.
        self.0.since(jiff::civil::date(1970, 1, 1)).map_or(0, |span| span.get_days().into())
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
            _ => return Err(DateError(Problem::Form)),
        };
        let small = |number: Option<u16>| number.and_then(|number| u8::try_from(number).ok());
        let Some(((year, month), day)) = year.zip(small(month)).zip(small(day)) else {
            return Err(DateError(Problem::Form));
        };
        if !(1..=12).contains(&month) {
            return Err(DateError(Problem::Month(month)));
        }
        Self::new(year, month, day).ok_or(DateError(Problem::Day { year, month, day }))
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

    #[test]
    fn a_day_that_does_not_exist_is_told_by_what_is_wrong_with_it() {
        for (text, reason) in [
            ("2026-02-30", "must be a date such as 2026-01-31: February 2026 has 28 days, not 30"),
            ("2024-02-30", "must be a date such as 2026-01-31: February 2024 has 29 days, not 30"),
            ("0026-04-31", "must be a date such as 2026-01-31: April 0026 has 30 days, not 31"),
            ("2026-13-01", "must be a date such as 2026-01-31: there is no month 13"),
            ("2026-00-10", "must be a date such as 2026-01-31: there is no month 00"),
            ("2026-01-00", "must be a date such as 2026-01-31: there is no day 00"),
            ("31.01.2026", "must be a date such as 2026-01-31"),
        ] {
            assert_eq!(text.parse::<Date>().unwrap_err().to_string(), reason);
        }
    }
}
