//! [`id!`](crate::id!): UUIDs with a type for each kind of thing that they identify.

/// Defines the type of the ids of one kind of thing, so that the id of another kind does not compile in its
/// place. On the wire it is a UUID.
///
/// ```
/// use frontdesk_runtime::Uuid;
///
/// frontdesk_runtime::id! {
///     /// Identifies a deal.
///     pub struct DealId;
/// }
///
/// let id: DealId = "0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f".parse().unwrap();
/// assert_eq!(DealId::from(Uuid::from(id)), id);
/// assert_eq!(serde_json::to_string(&id).unwrap(), r#""0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f""#);
/// ```
#[macro_export]
macro_rules! id {
    ($(#[$meta:meta])* pub struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($crate::Uuid);

        impl $name {
            /// Takes a UUID for an id of this kind, like `From`, in constants too.
            pub const fn new(uuid: $crate::Uuid) -> Self {
                Self(uuid)
            }

            /// Returns the id as a UUID of no particular kind.
            pub const fn uuid(self) -> $crate::Uuid {
                self.0
            }
        }

        impl From<$crate::Uuid> for $name {
            fn from(uuid: $crate::Uuid) -> Self {
                Self(uuid)
            }
        }

        impl From<$name> for $crate::Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::IdError;

            fn from_str(text: &str) -> Result<Self, $crate::IdError> {
                text.parse().map(Self).map_err(|_| $crate::IdError)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        /// The same as `Display`, because an id in a log has to be found by its text.
        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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

        impl $crate::check::Validate for $name {
            const IS_LEAF: bool = true;

            fn verify(&self, _at: &$crate::check::Path<'_>, _report: &mut $crate::check::Report) {}

            fn inspect(
                value: &$crate::Value,
                at: &$crate::check::Path<'_>,
                report: &mut $crate::check::Report,
            ) {
                <$crate::Uuid as $crate::check::Validate>::inspect(value, at, report);
            }
        }

        impl $crate::check::Parameter for $name {
            fn from_text(text: &str) -> Result<Self, String> {
                <$crate::Uuid as $crate::check::Parameter>::from_text(text).map(Self)
            }
        }
    };
}

/// The error for a text that is not a UUID, and so not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdError;

impl std::fmt::Display for IdError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("must be a UUID such as 0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f")
    }
}

impl std::error::Error for IdError {}
