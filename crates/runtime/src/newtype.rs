//! [`newtype!`](crate::newtype!): a list or a map with a type name of its own.

/// Implements `Serialize`, `Deserialize` and the conversions of a tuple struct with one field. Its JSON is
/// that of the field.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Tree(Vec<Tree>);
///
/// frontdesk_runtime::newtype! { Tree(Vec<Tree>) }
///
/// assert_eq!(serde_json::from_str::<Tree>("[[]]").unwrap(), Tree(vec![Tree(vec![])]));
/// ```
#[macro_export]
macro_rules! newtype {
    ($name:ident($inner:ty)) => {
        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::macros::serde::Deserialize::deserialize(deserializer).map(Self)
            }
        }

        impl $crate::macros::serde::Serialize for $name {
            fn serialize<S: $crate::macros::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::macros::serde::Serialize::serialize(&self.0, serializer)
            }
        }
    };
}
