//! [`Patch`]: a field that may be absent, `null` or a value.

use crate::Secret;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An optional field whose `null` has another meaning than its absence.
///
/// A field of the kind `patch` in [`object!`](crate::object!) distinguishes absence and `null` on the wire.
/// Outside of an object, both are `null`.
///
/// Setters of requests take a value or a `Patch`, and not an `Option`, whose `None` could mean either: say
/// which with [`or_absent`](Self::or_absent) or [`or_null`](Self::or_null).
///
/// ```compile_fail,E0277
/// use frontdesk_runtime::Patch;
/// let _: Patch<u8> = None.into();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Patch<T> {
    /// The field is not sent; an update keeps the stored value.
    #[default]
    Absent,
    /// The field is sent as `null`; an update clears the stored value.
    Null,
    /// The field is sent with a value; an update replaces the stored value.
    Value(T),
}

impl<T> Patch<T> {
    /// Converts `None` to a field that is not sent, so that an update keeps the stored value.
    pub fn or_absent(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Value)
    }

    /// Converts `None` to `null`, so that an update clears the stored value.
    pub fn or_null(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }

    /// Whether the field is not sent.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns the value if one is sent.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Returns the value if one is sent; absence and `null` both become `None`.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Returns the field with a reference to its value.
    pub const fn as_ref(&self) -> Patch<&T> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(value),
        }
    }

    /// Converts the value if one is sent; absence and `null` stay what they are.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(convert(value)),
        }
    }

    /// Applies an update to a stored value: keeps, clears or replaces it.
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

impl From<&str> for Patch<Secret> {
    fn from(value: &str) -> Self {
        Self::Value(value.into())
    }
}

impl From<String> for Patch<Secret> {
    fn from(value: String) -> Self {
        Self::Value(value.into())
    }
}

/// A value for a field of a response: a value, a [`Patch`], or an [`Option`], whose `None` is `null`.
///
/// In a response, `null` states that there is no value. Only setters of types that no request carries take
/// it: an `Option` in a request would clear the stored value by accident. It is a trait of its own because a
/// conversion into `Patch` that depends on a Cargo feature would exist for clients too as soon as any crate
/// of the build enables the feature.
pub trait ResponseField<T> {
    /// Converts the value to the field.
    fn into_field(self) -> Patch<T>;
}

impl<T> ResponseField<T> for T {
    fn into_field(self) -> Patch<T> {
        Patch::Value(self)
    }
}

impl<T> ResponseField<T> for Patch<T> {
    fn into_field(self) -> Self {
        self
    }
}

impl<T> ResponseField<T> for Option<T> {
    fn into_field(self) -> Patch<T> {
        Patch::or_null(self)
    }
}

impl ResponseField<String> for &str {
    fn into_field(self) -> Patch<String> {
        self.into()
    }
}

impl ResponseField<Secret> for &str {
    fn into_field(self) -> Patch<Secret> {
        self.into()
    }
}

impl ResponseField<Secret> for String {
    fn into_field(self) -> Patch<Secret> {
        self.into()
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
        Option::<T>::deserialize(deserializer).map(Self::or_null)
    }
}

#[cfg(test)]
mod tests {
    use super::{Patch, ResponseField};
    use crate::{Secret, object};

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
    fn a_secret_is_made_of_text() {
        let secret = Patch::Value(Secret::from("a"));
        assert_eq!(Patch::from("a"), secret);
        assert_eq!(Patch::from("a".to_owned()), secret);
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
    fn only_a_value_is_converted() {
        let patch = Patch::from("ab").map(|text: &str| text.len());
        assert_eq!(patch.as_ref().map(|length| length + 1), Patch::Value(3));
        assert_eq!(Patch::<u8>::Null.map(u16::from), Patch::Null);
        assert_eq!(Patch::<u8>::Absent.map(u16::from), Patch::Absent);
    }

    /// Two impls for a type make the trait's parameter ambiguous, so it compiles only if there is one.
    #[test]
    fn an_option_is_no_patch_whichever_features_are_enabled() {
        trait OnlyOne<Impl> {
            fn exists() -> bool {
                true
            }
        }
        impl<T> OnlyOne<()> for T {}
        impl<T: From<Option<u8>>> OnlyOne<u8> for T {}
        assert!(<Patch<u8> as OnlyOne<_>>::exists());
    }

    #[test]
    fn in_a_response_no_value_is_null() {
        let field: Patch<String> = ResponseField::into_field(None);
        assert_eq!(field, Patch::Null);
        let fields: [Patch<String>; 3] =
            ["a".into_field(), Some("a".to_owned()).into_field(), Patch::from("a").into_field()];
        assert!(fields.iter().all(|field| *field == Patch::from("a")));
    }

    #[test]
    fn what_no_value_means_is_said() {
        assert_eq!((Patch::<u8>::or_absent(None), Patch::<u8>::or_null(None)), (Patch::Absent, Patch::Null));
        assert_eq!((Patch::or_absent(Some(1)), Patch::or_null(Some(1))), (Patch::Value(1), Patch::Value(1)));
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
