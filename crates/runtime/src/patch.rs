//! Owns [`Patch`]: a field that may be absent, `null` or a value.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An optional field whose `null` means something else than its absence.
///
/// A field of the kind `patch` in [`object!`](crate::object!) tells the first two apart on the wire. Alone, both are `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Patch<T> {
    /// The field is not sent; in an update, the stored value stays.
    #[default]
    Absent,
    /// The field is sent as `null`; in an update, the stored value is cleared.
    Null,
    /// The field is sent with a value.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the field is not sent.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, where one is sent.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The value, where one is sent; absence and `null` become `None` alike.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// What an update does to a stored value: keep it, clear it or replace it.
    pub fn apply(self, stored: &mut Option<T>) {
        match self {
            Self::Absent => {}
            Self::Null => *stored = None,
            Self::Value(value) => *stored = Some(value),
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Patch<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// `None` becomes `null`.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<T>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Patch;
    use crate::object;

    #[derive(Debug, PartialEq)]
    struct Form {
        phone: Patch<String>,
    }

    object! {
        Form {
            phone: patch "phone",
        }
    }

    #[test]
    fn absent_null_and_value_survive_a_round_trip() {
        for (text, phone) in [
            ("{}", Patch::Absent),
            (r#"{"phone":null}"#, Patch::Null),
            (r#"{"phone":"1"}"#, Patch::from("1")),
        ] {
            let form: Form = serde_json::from_str(text).unwrap();
            assert_eq!(form, Form { phone });
            assert_eq!(serde_json::to_string(&form).unwrap(), text);
        }
    }

    #[test]
    fn an_update_keeps_clears_or_replaces() {
        let mut stored = Some(1);
        Patch::Absent.apply(&mut stored);
        assert_eq!(stored, Some(1));
        Patch::Value(2).apply(&mut stored);
        assert_eq!(stored, Some(2));
        Patch::Null.apply(&mut stored);
        assert_eq!(stored, None);
    }
}
