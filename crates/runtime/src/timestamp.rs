//! [`Timestamp`]: `format: date-time`.

use crate::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A point in time, read with any RFC 3339 offset and written in UTC with `Z`.
///
/// Its precision is nanoseconds; a leap second counts as the second before it.
///
/// RFC 3339, section 5.6: a full date, `T` (or `t`, or a space), a time with seconds, and `Z` or a numeric
/// offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// The text is not an RFC 3339 timestamp. It says why, where the text comes near.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampError {
    reason: Option<String>,
}

impl TimestampError {
    const UNKNOWN: Self = Self { reason: None };

    /// Returns the problem of a text that is not a timestamp.
    fn of(text: &str) -> Self {
        Self { reason: reason(text) }
    }
}

impl fmt::Display for TimestampError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be an RFC 3339 timestamp such as 2026-01-31T09:30:00Z")?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(formatter, ": {reason}"))
    }
}

/// Returns the first thing that is wrong with a text that begins like a timestamp.
fn reason(text: &str) -> Option<String> {
    let date = text.get(..10)?;
    if let Err(error) = date.parse::<Date>() {
        return error.reason();
    }
    let Some(time) = text.get(11..).filter(|_| matches!(text.as_bytes()[10], b'T' | b't' | b' ')) else {
        return (text.len() == 10).then(|| "the time of day is missing".to_owned());
    };
    let number = |range: std::ops::Range<usize>| {
        time.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<u8>().ok()
    };
    let has_colon = |at: usize| time.as_bytes().get(at) == Some(&b':');
    let (hour, minute) = (number(0..2)?, number(3..5).filter(|_| has_colon(2))?);
    let second = number(6..8).filter(|_| has_colon(5));
    for (value, most, unit) in
        [(Some(hour), 23, "hour"), (Some(minute), 59, "minute"), (second, 60, "second")]
    {
        if let Some(value) = value.filter(|value| *value > most) {
            return Some(format!("there is no {unit} {value}"));
        }
    }
    if second.is_none() {
        return Some("the seconds are missing".to_owned());
    }
    let rest = &time[8..];
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    let offset = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    offset.is_empty().then(|| "the offset is missing: end it with Z, or with one such as +01:00".to_owned())
}

impl std::error::Error for TimestampError {}

impl Timestamp {
    /// Returns the current time of the system clock, in whole microseconds.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn now() -> Self {
        Self::from_microseconds(jiff::Timestamp::now().as_microsecond())
            .unwrap_or(Self(jiff::Timestamp::UNIX_EPOCH))
    }

    /// Makes a timestamp from the microseconds since 1970-01-01T00:00:00Z; `None` outside of the years -9999
    /// to 9999.
    pub fn from_microseconds(microseconds: i64) -> Option<Self> {
        jiff::Timestamp::from_microsecond(microseconds).ok().map(Self)
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z, truncated.
    pub fn as_microseconds(self) -> i64 {
        self.0.as_microsecond()
    }
}

impl From<Timestamp> for std::time::SystemTime {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0.into()
    }
}

impl TryFrom<std::time::SystemTime> for Timestamp {
    type Error = TimestampError;

    /// Fails outside of the years -9999 to 9999.
    fn try_from(time: std::time::SystemTime) -> Result<Self, TimestampError> {
        jiff::Timestamp::try_from(time).map(Self).map_err(|_| TimestampError::UNKNOWN)
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(timestamp: jiff::Timestamp) -> Self {
        Self(timestamp)
    }
}

#[cfg(feature = "jiff")]
impl From<Timestamp> for jiff::Timestamp {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0
    }
}

#[cfg(feature = "chrono")]
impl From<Timestamp> for chrono::DateTime<chrono::Utc> {
    fn from(timestamp: Timestamp) -> Self {
        std::time::SystemTime::from(timestamp).into()
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> TryFrom<chrono::DateTime<Z>> for Timestamp {
    type Error = TimestampError;

    /// Fails outside of the years -9999 to 9999.
    fn try_from(time: chrono::DateTime<Z>) -> Result<Self, TimestampError> {
        std::time::SystemTime::from(time).try_into()
    }
}

#[cfg(feature = "time")]
impl From<Timestamp> for time::OffsetDateTime {
    fn from(timestamp: Timestamp) -> Self {
        std::time::SystemTime::from(timestamp).into()
    }
}

#[cfg(feature = "time")]
impl TryFrom<time::OffsetDateTime> for Timestamp {
    type Error = TimestampError;

    /// Fails outside of the years -9999 to 9999.
    fn try_from(time: time::OffsetDateTime) -> Result<Self, TimestampError> {
        std::time::SystemTime::from(time).try_into()
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        if !is_rfc_3339(text.as_bytes()) {
            return Err(TimestampError::of(text));
        }
        // Digits beyond nanoseconds are valid and truncated.
        let digits = text.get(20..).unwrap_or_default().bytes().take_while(u8::is_ascii_digit).count();
        let parsed = match (digits > 9).then(|| text.get(..29).zip(text.get(20 + digits..))).flatten() {
            Some((kept, offset)) => format!("{kept}{offset}").parse(),
            None => text.parse(),
        };
        parsed.map(Self).map_err(|_| TimestampError::of(text))
    }
}

/// Whether the text has the form of RFC 3339. The parser also accepts forms of ISO 8601 and RFC 9557 that RFC
/// 3339 does not have.
fn is_rfc_3339(text: &[u8]) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let is = |at: usize, any: &[u8]| text.get(at).is_some_and(|byte| any.contains(byte));
    let time = digits(0..4)
        && is(4, b"-")
        && digits(5..7)
        && is(7, b"-")
        && digits(8..10)
        && is(10, b"Tt ")
        && digits(11..13)
        && is(13, b":")
        && digits(14..16)
        && is(16, b":")
        && digits(17..19);
    if !time {
        return false;
    }
    let mut at = 19;
    if is(at, b".") {
        let fraction = text[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if fraction == 0 {
            return false;
        }
        at = 20 + fraction;
    }
    match text.get(at..) {
        Some(b"Z" | b"z") => true,
        Some([b'+' | b'-', hours @ ..]) => {
            matches!(hours, [a, b, b':', c, d] if [a, b, c, d].into_iter().all(u8::is_ascii_digit))
        }
        _ => false,
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Timestamp;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an RFC 3339 timestamp")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_time_of_the_system_is_the_same_moment() {
        let timestamp: Timestamp = "2026-01-31T09:30:00.123456789Z".parse().unwrap();
        let time = std::time::SystemTime::from(timestamp);
        assert_eq!(time.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos(), 1_769_851_800_123_456_789);
        assert_eq!(Timestamp::try_from(time), Ok(timestamp));
        #[cfg(feature = "chrono")]
        assert_eq!(Timestamp::try_from(chrono::DateTime::from(timestamp)), Ok(timestamp));
        #[cfg(feature = "time")]
        assert_eq!(Timestamp::try_from(time::OffsetDateTime::from(timestamp)), Ok(timestamp));
    }

    #[test]
    fn offsets_are_read_and_utc_is_written() {
        for (text, written) in [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00Z"),
            ("2026-01-31t09:30:00.5z", "2026-01-31T09:30:00.5Z"),
            ("2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00Z"),
            ("2026-01-31 09:30:00.123456-00:30", "2026-01-31T10:00:00.123456Z"),
            ("2026-01-31T09:30:00.1234567891234-00:00", "2026-01-31T09:30:00.123456789Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("2016-12-31T15:59:60.5-08:00", "2016-12-31T23:59:59.5Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), written);
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T09:30:00",
            "2026-02-30T00:00:00Z",
            "20260131T093000Z",
            "2026-01-31T09:30Z",
            "2026-01-31T09:30:00Z[UTC]",
            "2026-01-31T09:30:00+0200",
            "1769851800",
            "2026-01-31T09:30:00.Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_a_text_comes_near() {
        let rule = "must be an RFC 3339 timestamp such as 2026-01-31T09:30:00Z";
        for (text, reason) in [
            ("2026-02-30T00:00:00Z", ": February 2026 has 28 days, not 30"),
            ("2026-13-01T00:00:00Z", ": there is no month 13"),
            ("2026-01-31", ": the time of day is missing"),
            ("2026-01-31T24:00:00Z", ": there is no hour 24"),
            ("2026-01-31T09:60:00Z", ": there is no minute 60"),
            ("2026-01-31T09:30:61Z", ": there is no second 61"),
            ("2026-01-31T09:30Z", ": the seconds are missing"),
            ("2026-01-31T09:30:00", ": the offset is missing: end it with Z, or with one such as +01:00"),
            ("2026-01-31T09:30:00.5", ": the offset is missing: end it with Z, or with one such as +01:00"),
            ("tomorrow", ""),
            ("2026-01-3é", ""),
            ("2026-01-31T", ""),
            ("2026-01-31T09:30:00Z[UTC]", ""),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap_err().to_string(), format!("{rule}{reason}"));
        }
    }
}
