//! Owns [`Parameter`]: types that a path, query or header parameter can have.

use super::{Validate, validate::Leaf};
use crate::{Secret, StringEnum, Timestamp, Uuid};

/// A type that one piece of text in a path, a query or a header can give.
pub trait Parameter: Validate {
    /// The value, or the rule that the text breaks.
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

by_parse!(bool, i32, i64, u32, u64, Uuid, Timestamp);

macro_rules! finite {
    ($($type:ty),+) => {
        $(impl Parameter for $type {
            fn from_text(text: &str) -> Result<Self, String> {
                // Rust also reads `inf` and `nan`, which no number of a document can be.
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
