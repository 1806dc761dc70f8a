//! Owns [`Parameter`]: types that a path, query or header parameter can have.

use super::Validate;
use crate::{Secret, StringEnum, Timestamp, Uuid};

/// A type that one piece of text in a path, a query or a header can give.
pub trait Parameter: Validate {
    /// The value, or the rule that the text breaks.
    fn from_text(text: &str) -> Result<Self, String>;
}

macro_rules! by_parse {
    ($($type:ty: $rule:literal),+ $(,)?) => {
        $(impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| concat!("must be ", $rule).to_owned())
            }
        })+
    };
}

by_parse! {
    bool: "true or false",
    i32: "an integer between -2147483648 and 2147483647",
    i64: "an integer of 64 bits",
    u32: "an integer between 0 and 4294967295",
    u64: "an unsigned integer of 64 bits",
    f32: "a number",
    f64: "a number",
    Uuid: "a UUID such as 0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f",
    Timestamp: "an RFC 3339 timestamp such as 2026-01-31T09:30:00Z",
}

impl Parameter for String {
    fn from_text(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl Parameter for Secret {
    fn from_text(text: &str) -> Result<Self, String> {
        Ok(text.into())
    }
}

/// A list of values, written with commas between them (`style: form` or `simple` without `explode`).
impl<T: Parameter> Parameter for Vec<T> {
    fn from_text(text: &str) -> Result<Self, String> {
        text.split(',').filter(|part| !part.is_empty()).map(T::from_text).collect()
    }
}

/// What [`open_enum!`](crate::open_enum) and [`closed_enum!`](crate::closed_enum) call to read a parameter.
#[doc(hidden)]
pub fn enum_from_text<T: StringEnum + serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(text))
        .map_err(|_| crate::UnknownValue { allowed: T::KNOWN }.to_string())
}
