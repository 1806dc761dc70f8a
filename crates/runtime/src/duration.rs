//! [`Duration`]: `format: duration`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A duration in ISO 8601 form, such as `P1Y2M` or `PT1H30M` (RFC 3339, appendix A).
///
/// It keeps its text: `PT60S` remains `PT60S`, and is not equal to `PT1M`. A leading sign and a fraction in
/// the last number are accepted, because many services send them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(Box<str>);

/// The text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationError;

impl fmt::Display for DurationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be an ISO 8601 duration such as P1DT12H")
    }
}

impl std::error::Error for DurationError {}

impl Duration {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts the duration to seconds, truncated to nanoseconds, with days of 24 hours. `None` for a
    /// negative duration, for one with years or months, whose length depends on the calendar, and for one
    /// that is too long.
    pub fn to_std(&self) -> Option<std::time::Duration> {
        let mut total = std::time::Duration::ZERO;
        for (number, unit) in components(&self.0)? {
            let seconds: u64 = match unit {
                Unit::Years | Unit::Months => {
                    if number.bytes().all(|byte| matches!(byte, b'0' | b'.' | b',')) {
                        continue;
                    }
                    return None;
                }
                Unit::Weeks => 7 * 86_400,
                Unit::Days => 86_400,
                Unit::Hours => 3_600,
                Unit::Minutes => 60,
                Unit::Seconds => 1,
            };
            let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, ""));
            let whole = whole.parse::<u64>().ok()?.checked_mul(seconds)?;
            // Nine digits are nanoseconds; further digits are truncated.
            let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
            let nanoseconds = digits.parse::<u64>().ok()?.checked_mul(seconds)?;
            total = total
                .checked_add(std::time::Duration::from_secs(whole))?
                .checked_add(std::time::Duration::from_nanos(nanoseconds))?;
        }
        if self.0.starts_with('-') && !total.is_zero() { None } else { Some(total) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Years,
    Months,
    Weeks,
    Days,
    Hours,
    Minutes,
    Seconds,
}

/// Parses the numbers with their units; `None` for text that is not a duration.
fn components(text: &str) -> Option<Vec<(&str, Unit)>> {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut rest = text.strip_prefix('P')?;
    let mut found: Vec<(&str, Unit)> = Vec::new();
    let mut time = false;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('T') {
            if time || behind.is_empty() {
                return None;
            }
            (time, rest) = (true, behind);
        }
        let end = rest.find(|character: char| character.is_ascii_uppercase())?;
        let (number, unit) = (&rest[..end], rest.as_bytes()[end]);
        let unit = match (unit, time) {
            (b'Y', false) => Unit::Years,
            (b'M', false) => Unit::Months,
            (b'W', false) => Unit::Weeks,
            (b'D', false) => Unit::Days,
            (b'H', true) => Unit::Hours,
            (b'M', true) => Unit::Minutes,
            (b'S', true) => Unit::Seconds,
            _ => return None,
        };
        let ordered = found.last().is_none_or(|(_, last)| *last < unit);
        // Only the last number may have a fraction.
        let whole = found.last().is_none_or(|(last, _)| last.bytes().all(|byte| byte.is_ascii_digit()));
        let (integer, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !ordered || !whole || !digits(integer) || !digits(fraction) {
            return None;
        }
        found.push((number, unit));
        rest = &rest[end + 1..];
    }
    (!found.is_empty()).then_some(found)
}

impl From<std::time::Duration> for Duration {
    fn from(length: std::time::Duration) -> Self {
        let (seconds, nanoseconds) = (length.as_secs(), length.subsec_nanos());
        let text = if nanoseconds == 0 {
            format!("PT{seconds}S")
        } else {
            let fraction = format!("{nanoseconds:09}");
            format!("PT{seconds}.{}S", fraction.trim_end_matches('0'))
        };
        Self(text.into())
    }
}

impl FromStr for Duration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        components(text).map(|_| Self(text.into())).ok_or(DurationError)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Duration;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an ISO 8601 duration such as P1DT12H")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::Duration;
    use std::time;

    #[test]
    fn the_text_stays_and_the_length_is_known() {
        for (text, milliseconds) in [
            ("PT60S", Some(60_000)),
            ("P1DT12H", Some(129_600_000)),
            ("P2W", Some(1_209_600_000)),
            ("PT0.25S", Some(250)),
            ("PT1,5H", Some(5_400_000)),
            ("-PT0S", Some(0)),
            ("-PT1S", None),
            ("P1M", None),
            ("P0YT1S", Some(1_000)),
            ("PT99999999999999999999S", None),
        ] {
            let duration: Duration = text.parse().unwrap();
            assert_eq!(duration.to_string(), text);
            assert_eq!(duration.to_std(), milliseconds.map(time::Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn lengths_become_text() {
        for (length, text) in
            [(time::Duration::ZERO, "PT0S"), (time::Duration::from_millis(90_250), "PT90.25S")]
        {
            let duration = Duration::from(length);
            assert_eq!(duration.as_str(), text);
            assert_eq!(text.parse::<Duration>().unwrap().to_std(), Some(length));
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1DT", "PT1M1H", "PT.5S", "PT1.S", "PT1.5M2S", "p1d",
            "P1S",
        ] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }
}
