//! [`Base64`]: `format: byte`.

use base64::{
    Engine,
    alphabet::STANDARD,
    display::Base64Display,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, ops::Deref, str::FromStr};

/// Decodes text with or without padding.
const READER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes that are base64 on the wire (RFC 4648, section 4).
///
/// They are written with padding. When reading, padding is optional, and line breaks, which MIME adds, are
/// skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base64(Vec<u8>);

/// The text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base64Error;

impl fmt::Display for Base64Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be base64 such as aGVsbG8=")
    }
}

impl std::error::Error for Base64Error {}

impl Base64 {
    /// Returns the owned bytes.
    pub fn into_inner(self) -> Vec<u8> {
        self.0
    }
}

impl<T: Into<Vec<u8>>> From<T> for Base64 {
    fn from(bytes: T) -> Self {
        Self(bytes.into())
    }
}

impl Deref for Base64 {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Base64 {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for Base64 {
    type Err = Base64Error;

    fn from_str(text: &str) -> Result<Self, Base64Error> {
        let bytes = if text.contains(['\r', '\n']) {
            READER.decode(text.replace(['\r', '\n'], ""))
        } else {
            READER.decode(text)
        };
        bytes.map(Self).map_err(|_| Base64Error)
    }
}

impl fmt::Display for Base64 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64Display::new(&self.0, &general_purpose::STANDARD).fmt(formatter)
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Base64;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::Base64;

    #[test]
    fn padding_is_written_and_not_asked_for() {
        for (text, written) in
            [("", ""), ("aGVsbG8=", "aGVsbG8="), ("aGVsbG8", "aGVsbG8="), ("aGVs\r\nbG8=\n", "aGVsbG8=")]
        {
            assert_eq!(text.parse::<Base64>().unwrap().to_string(), written);
        }
        assert_eq!(&*"aGVsbG8".parse::<Base64>().unwrap(), b"hello");
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["a", "aGVsbG8==", "aGVs bG8=", "aGVsbG9-_w==", "ü"] {
            assert!(text.parse::<Base64>().is_err(), "{text}");
        }
    }
}
