//! [`Decimal`] and [`DecimalText`]: `format: decimal`, as a number and as a string.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use std::{fmt, str::FromStr};

/// A decimal number of up to 28 digits without rounding; a JSON number on the wire.
///
/// It is written with all its digits. JSON parsers read numbers in double precision, which keeps 15 digits;
/// for more, a document uses `type: string` ([`DecimalText`]). Numbers that differ only in trailing zeros are
/// equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(rust_decimal::Decimal);

/// A decimal number of up to 28 digits without rounding; a JSON string on the wire.
///
/// Trailing zeros are kept: `1.10` is written as `1.10`, and equals `1.1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecimalText(rust_decimal::Decimal);

/// The text is not a decimal number of up to 28 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecimalError;

impl fmt::Display for DecimalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be a decimal number of at most 28 digits such as 12.50")
    }
}

impl std::error::Error for DecimalError {}

/// The name by which [`Decimal`] asks a deserializer of text for the text itself, so that no digit of a
/// parameter passes through double precision.
pub(crate) const AS_TEXT: &str = "$frontdesk_runtime::Decimal";

fn parse(text: &str) -> Result<rust_decimal::Decimal, DecimalError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // The parser also accepts `+1`, `.5` and `1_000`, which JSON does not.
    let plain = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'))
        && !digits.contains(".e")
        && !digits.ends_with('.');
    if !plain {
        return Err(DecimalError);
    }
    let number = if digits.contains(['e', 'E']) {
        rust_decimal::Decimal::from_scientific(text)
    } else {
        rust_decimal::Decimal::from_str_exact(text)
    };
    number.map_err(|_| DecimalError)
}

macro_rules! decimal {
    ($($type:ident),+) => {
        $(impl $type {
            /// Returns the number `mantissa` · 10^-`scale`; `None` if it has more than 28 digits.
            pub fn new(mantissa: i128, scale: u32) -> Option<Self> {
                rust_decimal::Decimal::try_from_i128_with_scale(mantissa, scale).ok().map(Self)
            }

            /// Returns the number as an integer, and how many of its digits follow the decimal point.
            pub const fn parts(self) -> (i128, u32) {
                (self.0.mantissa(), self.0.scale())
            }

            /// Returns the nearest number of double precision.
            pub fn to_f64(self) -> f64 {
                self.0.to_string().parse().unwrap_or(f64::NAN)
            }
        }

        impl FromStr for $type {
            type Err = DecimalError;

            fn from_str(text: &str) -> Result<Self, DecimalError> {
                parse(text).map(Self)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        #[cfg(feature = "rust_decimal")]
        impl From<rust_decimal::Decimal> for $type {
            fn from(number: rust_decimal::Decimal) -> Self {
                Self(number)
            }
        }

        #[cfg(feature = "rust_decimal")]
        impl From<$type> for rust_decimal::Decimal {
            fn from(number: $type) -> Self {
                number.0
            }
        }

        impl From<i64> for $type {
            fn from(number: i64) -> Self {
                Self(number.into())
            }
        }

        impl From<i32> for $type {
            fn from(number: i32) -> Self {
                Self(number.into())
            }
        })+
    };
}

decimal!(Decimal, DecimalText);

impl From<Decimal> for DecimalText {
    fn from(number: Decimal) -> Self {
        Self(number.0)
    }
}

impl From<DecimalText> for Decimal {
    fn from(number: DecimalText) -> Self {
        Self(number.0)
    }
}

impl Serialize for DecimalText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DecimalText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = DecimalText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a decimal number in a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<DecimalText, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0.normalize();
        if number.scale() == 0
            && let Ok(integer) = i64::try_from(number.mantissa())
        {
            return serializer.serialize_i64(integer);
        }
        let text = number.to_string();
        let double: f64 = text.parse().map_err(ser::Error::custom)?;
        if parse(&double.to_string()).is_ok_and(|same| same == number) {
            return serializer.serialize_f64(double);
        }
        // The text is used because the number has more digits than double precision.
        serde_json::value::RawValue::from_string(text).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl<'de> de::Visitor<'de> for Number {
            type Value = Decimal;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a decimal number")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Decimal, D::Error> {
                deserializer.deserialize_f64(PlainNumber)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(E::custom)
            }
        }

        struct PlainNumber;

        impl de::Visitor<'_> for PlainNumber {
            type Value = Decimal;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                Number.expecting(formatter)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Decimal, E> {
                Ok(number.into())
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Decimal, E> {
                Ok(Decimal(number.into()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Decimal, E> {
                // The shortest text of a double is the text that was sent, up to 15 digits.
                number.to_string().parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_newtype_struct(AS_TEXT, Number)
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, DecimalText};

    #[test]
    fn numbers_go_through_json_exactly() {
        for text in ["0", "-1", "0.1", "12.5", "123456789012.345", "-0.000000000000001", "9007199254740993"] {
            let number: Decimal = serde_json::from_str(text).unwrap();
            assert_eq!(number, text.parse().unwrap());
            assert_eq!(serde_json::to_string(&number).unwrap().parse::<Decimal>().unwrap(), number);
        }
    }

    #[test]
    fn more_digits_than_a_double_has_are_written() {
        for text in ["1234567890.123456789012345678", "79228162514264337593543950335"] {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }

    #[test]
    fn text_keeps_its_zeros() {
        let number: DecimalText = serde_json::from_str(r#""1.10""#).unwrap();
        assert_eq!(serde_json::to_string(&number).unwrap(), r#""1.10""#);
        assert_eq!(number, "1.1".parse().unwrap());
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "+1",
            ".5",
            "1.",
            "1_000",
            "NaN",
            "inf",
            "1e99",
            "123456789012345678901234567890",
            "0x1",
            "1-2",
            "--1",
        ] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Decimal>(r#""1""#).is_err());
        assert!(serde_json::from_str::<DecimalText>("1").is_err());
    }
}
