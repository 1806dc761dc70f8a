//! Owns the small functions that generated `#[serde(...)]` attributes name.

use serde::{Deserialize, Deserializer};

/// Reads an optional field that must not be `null` where it is sent.
///
/// Plain `Option` would take `null` for absence, which a document allows only with `nullable: true`.
pub fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a required field that may be `null`, and refuses its absence.
///
/// Plain `Option` would take absence for `null`; naming any function here makes serde ask for the field.
pub fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
