//! [`Timestamp`]: `format: date-time`.

use crate::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A point in time, read with any RFC 3339 offset and written in UTC with `Z`.
///
/// Its precision is nanoseconds; a leap second counts as the second before it. It reaches from the first to
/// the last second of the years -9999 to 9999, in UTC.
///
/// RFC 3339, section 5.6: a full date, `T` (or `t`, or a space), a time with seconds, and `Z` or a numeric
/// offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z, rounded down. `jiff::Timestamp` ends 26 hours before the last
    /// second of the year 9999, which many services write for "never".
    seconds: i64,
    nanoseconds: u32,
}

/// The seconds from -9999-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
const SECONDS: std::ops::RangeInclusive<i64> = -377_705_116_800..=253_402_300_799;

const DAY: i64 = 24 * 60 * 60;

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
    if offset.is_empty() {
        return Some("the offset is missing: end it with Z, or with one such as +01:00".to_owned());
    }
    let is_last = text.starts_with("9999-12-31") && offset.starts_with('-');
    is_last.then(|| "it is after the year 9999 in UTC".to_owned())
}

impl std::error::Error for TimestampError {}

impl Timestamp {
    /// Returns the current time of the system clock, in whole microseconds.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn now() -> Self {
        Self::from_microseconds(jiff::Timestamp::now().as_microsecond())
            .unwrap_or(Self { seconds: 0, nanoseconds: 0 })
    }

    /// Makes a timestamp from the microseconds since 1970-01-01T00:00:00Z; `None` outside of the years -9999
    /// to 9999.
    pub fn from_microseconds(microseconds: i64) -> Option<Self> {
        let fraction = u32::try_from(microseconds.rem_euclid(1_000_000)).ok()?;
        Self::new(microseconds.div_euclid(1_000_000), fraction * 1000)
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z, truncated.
    pub fn as_microseconds(self) -> i64 {
        let (mut seconds, mut nanoseconds) = (self.seconds, i64::from(self.nanoseconds));
        // Towards zero, as in every conversion that cuts digits off.
        if seconds < 0 && nanoseconds > 0 {
            (seconds, nanoseconds) = (seconds + 1, nanoseconds - 1_000_000_000);
        }
        seconds * 1_000_000 + nanoseconds / 1000
    }

    fn new(seconds: i64, nanoseconds: u32) -> Option<Self> {
        (SECONDS.contains(&seconds) && nanoseconds < 1_000_000_000).then_some(Self { seconds, nanoseconds })
    }
}

/// The time of the system is as exact as the system keeps it.
impl From<Timestamp> for SystemTime {
    fn from(timestamp: Timestamp) -> Self {
        let fraction = Duration::from_nanos(timestamp.nanoseconds.into());
        let whole = Duration::from_secs(timestamp.seconds.unsigned_abs());
        if timestamp.seconds < 0 { UNIX_EPOCH - whole + fraction } else { UNIX_EPOCH + whole + fraction }
    }
}

impl TryFrom<SystemTime> for Timestamp {
    type Error = TimestampError;

    /// Fails outside of the years -9999 to 9999.
    fn try_from(time: SystemTime) -> Result<Self, TimestampError> {
        let timestamp = match time.duration_since(UNIX_EPOCH) {
            Ok(since) => {
                i64::try_from(since.as_secs()).ok().and_then(|whole| Self::new(whole, since.subsec_nanos()))
            }
            Err(before) => {
                let until = before.duration();
                let borrowed = until.subsec_nanos() > 0;
                let fraction = if borrowed { 1_000_000_000 - until.subsec_nanos() } else { 0 };
                i64::try_from(until.as_secs())
                    .ok()
                    .and_then(|whole| Self::new(-whole - i64::from(borrowed), fraction))
            }
        };
        timestamp.ok_or(TimestampError::UNKNOWN)
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(timestamp: jiff::Timestamp) -> Self {
        // Both parts have the sign of the whole.
        let fraction = timestamp.subsec_nanosecond();
        let seconds = timestamp.as_second() - i64::from(fraction < 0);
        Self { seconds, nanoseconds: fraction.rem_euclid(1_000_000_000).unsigned_abs() }
    }
}

/// The last day of the year 9999 and the first one of the year -9999 are beyond `jiff::Timestamp`; times
/// there become its greatest and its least one.
#[cfg(feature = "jiff")]
impl From<Timestamp> for jiff::Timestamp {
    fn from(timestamp: Timestamp) -> Self {
        let nanoseconds = i32::try_from(timestamp.nanoseconds).unwrap_or_default();
        Self::new(timestamp.seconds, nanoseconds).unwrap_or(if timestamp.seconds < 0 {
            Self::MIN
        } else {
            Self::MAX
        })
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
        let parsed = is_rfc_3339(text.as_bytes()).then(|| parse(text)).flatten();
        parsed.ok_or_else(|| TimestampError::of(text))
    }
}

/// Reads a text of which the form is known.
fn parse(text: &str) -> Option<Timestamp> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let date: Date = text.get(..10)?.parse().ok()?;
    let (hour, minute) = (number(11..13)?, number(14..16)?);
    // A leap second has no place in the time of the system.
    let second = number(17..19).filter(|second| *second <= 60)?.min(59);
    let rest = text.get(19..)?;
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    // Digits beyond nanoseconds are valid and truncated.
    let nanoseconds: u32 = format!("{:0<9}", fraction.get(..digits.min(9))?).parse().ok()?;
    let zone = rest.get(if digits > 0 { digits + 1 } else { 0 }..)?;
    let offset = match zone.get(1..).filter(|offset| !offset.is_empty()) {
        Some(offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            let (hours, minutes) = (hours.parse::<i64>().ok()?, minutes.parse::<i64>().ok()?);
            let length = (hours * 60 + minutes) * 60;
            let valid = hours <= 25 && minutes <= 59;
            valid.then_some(if zone.starts_with('-') { -length } else { length })?
        }
        None => 0,
    };
    if hour > 23 || minute > 59 {
        return None;
    }
    let local = date.days_since_epoch() * DAY + (hour * 60 + minute) * 60 + second;
    Timestamp::new(local - offset, nanoseconds)
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
        let day = jiff::civil::date(1970, 1, 1)
            .checked_add(jiff::Span::new().days(self.seconds.div_euclid(DAY)))
            .map_err(|_| fmt::Error)?;
        let second = self.seconds.rem_euclid(DAY);
        write!(formatter, "{day}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)?;
        if self.nanoseconds > 0 {
            write!(formatter, ".{}", format!("{:09}", self.nanoseconds).trim_end_matches('0'))?;
        }
        formatter.write_str("Z")
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
    fn every_second_of_the_year_9999_is_a_moment() {
        for text in [
            "9999-12-31T23:59:59.999999Z",
            "9999-12-30T22:00:01Z",
            "1969-12-31T23:59:58.75Z",
            "0001-01-01T00:00:00Z",
        ] {
            let timestamp: Timestamp = text.parse().unwrap();
            assert_eq!(Timestamp::from_microseconds(timestamp.as_microseconds()), Some(timestamp), "{text}");
            assert_eq!(Timestamp::try_from(std::time::SystemTime::from(timestamp)), Ok(timestamp), "{text}");
        }
        let last: Timestamp = "9999-12-31T23:59:59Z".parse().unwrap();
        assert!(last > "9999-12-30T22:00:00Z".parse().unwrap());
        assert_eq!(Timestamp::from_microseconds(last.as_microseconds() + 1_000_000), None);
        let beyond = "9999-12-31T23:59:59-00:01".parse::<Timestamp>().unwrap_err().to_string();
        assert!(beyond.ends_with(": it is after the year 9999 in UTC"), "{beyond}");
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn what_jiff_does_not_have_is_its_greatest_time() {
        for text in ["2026-01-31T09:30:00.5Z", "1969-12-31T23:59:59.25Z"] {
            let timestamp: Timestamp = text.parse().unwrap();
            let jiff = jiff::Timestamp::from(timestamp);
            assert_eq!(jiff.to_string(), text);
            assert_eq!(Timestamp::from(jiff), timestamp);
        }
        let last: Timestamp = "9999-12-31T23:59:59Z".parse().unwrap();
        assert_eq!(jiff::Timestamp::from(last), jiff::Timestamp::MAX);
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
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
            ("9999-12-31T23:59:59+14:00", "9999-12-31T09:59:59Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.25Z"),
            ("1582-10-15T00:00:00.000001-23:59", "1582-10-15T23:59:00.000001Z"),
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
