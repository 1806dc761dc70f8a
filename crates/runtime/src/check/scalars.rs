//! Validation of scalar types: dates, durations, decimals, addresses, short integers.

use super::{
    Parameter, Path, Report, Validate,
    validate::{inspect_text, mismatch},
};
use crate::{Base64, Date, DateError, Decimal, DecimalText, Duration, File, whole_numbers};
use serde::Deserialize;
use serde_json::Value;
use std::net::{Ipv4Addr, Ipv6Addr};

macro_rules! leaf {
    ($($type:ty: $expected:literal),+ $(,)?) => {
        $(impl Validate for $type {
            const IS_LEAF: bool = true;

            fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

            fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
                if <$type>::deserialize(value).is_err() {
                    mismatch($expected, value, at, report);
                }
            }
        }

        impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                whole_numbers::parse(text).ok_or_else(|| concat!("must be ", $expected).to_owned())
            }
        })+
    };
}

leaf! {
    i8: "an integer between -128 and 127",
    i16: "an integer between -32768 and 32767",
    u8: "an integer between 0 and 255",
    u16: "an integer between 0 and 65535",
    Decimal: "a decimal number of at most 28 digits such as 12.50",
}

macro_rules! text_leaf {
    ($($type:ty: $expected:literal),+ $(,)?) => {
        $(impl Validate for $type {
            const IS_LEAF: bool = true;

            fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

            fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
                inspect_text::<Self>($expected, value, at, report);
            }
        }

        impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| concat!("must be ", $expected).to_owned())
            }
        })+
    };
}

text_leaf! {
    Base64: "base64 such as aGVsbG8=",
    DecimalText: "a decimal number of at most 28 digits in a string such as 12.50",
    Duration: "an ISO 8601 duration such as P1DT12H",
    Ipv4Addr: "an IPv4 address such as 192.0.2.1",
    Ipv6Addr: "an IPv6 address such as 2001:db8::1",
}

impl Validate for Date {
    const IS_LEAF: bool = true;

    fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        inspect_text::<Self>("a date such as 2026-01-31", value, at, report);
    }
}

/// The message about a day that does not exist states the number of days of its month.
impl Parameter for Date {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: DateError| error.to_string())
    }
}

/// A file has a part of its own and may have any content.
impl Validate for File {
    const IS_LEAF: bool = true;

    fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

    fn inspect(_value: &Value, _at: &Path<'_>, _report: &mut Report) {}
}

#[cfg(test)]
mod tests {
    use crate::{
        Date, Decimal,
        check::{Parameter, Path, Report, Validate},
    };
    use serde_json::json;
    use std::net::Ipv4Addr;

    #[test]
    fn raw_values_are_told_apart() {
        let mut report = Report::default();
        Date::inspect(&json!("2026-02-30"), &Path::ROOT.name("day"), &mut report);
        Decimal::inspect(&json!(1.5), &Path::ROOT.name("price"), &mut report);
        u8::inspect(&json!(256), &Path::ROOT.name("level"), &mut report);
        Date::inspect(&json!(20_260_131), &Path::ROOT.name("until"), &mut report);
        Ipv4Addr::inspect(&json!("localhost"), &Path::ROOT.name("host"), &mut report);
        let lines: Vec<String> = report.into_failures().iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "day: must be a date such as 2026-01-31: February 2026 has 28 days, not 30",
                "level: must be an integer between 0 and 255, not a number",
                "until: must be a date such as 2026-01-31, not a number",
                "host: must be an IPv4 address such as 192.0.2.1"
            ]
        );
    }

    #[test]
    fn parameters_tell_their_rule() {
        assert_eq!(Ipv4Addr::from_text("192.0.2.1"), Ok(Ipv4Addr::new(192, 0, 2, 1)));
        assert_eq!(i8::from_text("-129"), Err("must be an integer between -128 and 127".to_owned()));
    }
}
