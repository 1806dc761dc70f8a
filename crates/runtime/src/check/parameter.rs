//! [`Parameter`]: types of path, query and header parameters.

use super::{Validate, validate::Leaf};
use crate::{Secret, StringEnum, Timestamp, TimestampError, Uuid, whole_numbers};

/// A type that can be parsed from the text of a path, query or header parameter.
pub trait Parameter: Validate {
    /// Parses the text; the error is the rule that the text violates.
    fn from_text(text: &str) -> Result<Self, String>;
}

macro_rules! by_parse {
    ($($type:ty),+) => {
        $(impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| rule::<Self>())
            }
        })+
    };
}

by_parse!(bool, Uuid);

macro_rules! integers {
    ($($type:ty),+) => {
        $(impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                whole_numbers::parse(text).ok_or_else(rule::<Self>)
            }
        })+
    };
}

integers!(i32, i64, u32, u64);

impl Parameter for Timestamp {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: TimestampError| error.to_string())
    }
}

macro_rules! finite {
    ($($type:ty),+) => {
        $(impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                // Rust also parses `inf` and `nan`, which are not numbers in JSON.
                text.parse().ok().filter(|number: &Self| number.is_finite()).ok_or_else(rule::<Self>)
            }
        })+
    };
}

finite!(f32, f64);

fn rule<T: Leaf>() -> String {
    format!("must be {}", T::EXPECTED)
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

/// A list of values, separated by commas (`style: form` or `simple` without `explode`).
impl<T: Parameter> Parameter for Vec<T> {
    fn from_text(text: &str) -> Result<Self, String> {
        text.split(',').filter(|part| !part.is_empty()).map(T::from_text).collect()
    }
}

/// Parses a parameter, for [`open_enum!`](crate::open_enum) and [`closed_enum!`](crate::closed_enum).
#[doc(hidden)]
pub fn enum_from_text<T: StringEnum + serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(text))
        .map_err(|_| crate::UnknownValue { allowed: T::KNOWN }.to_string())
}
