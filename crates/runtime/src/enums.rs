//! Macros for string enumerations: open ones keep unknown values, closed ones refuse them.

use std::cell::Cell;

/// Defines a string enumeration that keeps unknown values, which later versions of the document may add.
///
/// An unknown value becomes `Unknown` and is serialized unchanged.
///
/// ```
/// frontdesk_runtime::open_enum! {
///     /// Training state.
///     pub enum Status {
///         /// Content is being fetched.
///         Training = "training",
///         /// Answers can be given.
///         Ready = "ready",
///     }
/// }
///
/// assert_eq!(Status::from("ready"), Status::Ready);
/// assert_eq!(Status::from("paused").as_str(), "paused");
/// ```
#[macro_export]
macro_rules! open_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A value that this version does not know.
            Unknown(String),
        }

        impl $name {
            /// Every value that this version knows, in the document's order.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the value as it is written on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(text) => text,
                }
            }
        }

        impl<T: AsRef<str> + Into<String>> From<T> for $name {
            fn from(text: T) -> Self {
                match text.as_ref() {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown(text.into()),
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownValue;

            /// Never fails; the error is that of closed enumerations, because one of them may become open.
            fn from_str(text: &str) -> Result<Self, $crate::UnknownValue> {
                Ok(Self::from(text))
            }
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::deserialize_open(deserializer)
            }
        }

        $crate::string_enum!($name);
    };
}

/// Defines a string enumeration that refuses all other values.
///
/// Requests carry such enumerations. Once a response carries one as well, it has to be open: so without the
/// feature `server` of the crate that defines it, a closed enumeration promises no more than an open one
/// does: it is neither `Copy` nor matched completely.
///
/// ```
/// frontdesk_runtime::closed_enum! {
///     /// How long answers are.
///     pub enum Length {
///         /// One sentence.
///         Short = "short",
///         /// Four sentences.
///         Long = "long",
///     }
/// }
///
/// assert_eq!("short".parse(), Ok(Length::Short));
/// assert!("tiny".parse::<Length>().is_err());
/// ```
#[macro_export]
macro_rules! closed_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "server", derive(Copy))]
        #[cfg_attr(not(feature = "server"), non_exhaustive)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// Every value, in the document's order.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the value as it is written on the wire.
            pub const fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownValue;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownValue> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownValue { allowed: Self::KNOWN }),
                }
            }
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::deserialize_closed(deserializer)
            }
        }

        $crate::string_enum!($name);
    };
}

/// The parts that both kinds of enumeration share.
#[doc(hidden)]
#[macro_export]
macro_rules! string_enum {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl $crate::macros::serde::Serialize for $name {
            fn serialize<S: $crate::macros::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::check::Validate for $name {
            fn inspect(
                value: &$crate::Value,
                at: &$crate::check::Path<'_>,
                report: &mut $crate::check::Report,
            ) {
                $crate::inspect_enum::<Self>(value, at, report);
            }
        }

        impl $crate::check::Parameter for $name {
            fn from_text(text: &str) -> Result<Self, String> {
                $crate::check::enum_from_text(text)
            }
        }

        impl $crate::StringEnum for $name {
            const KNOWN: &'static [&'static str] = Self::KNOWN;

            fn text(&self) -> &str {
                self.as_str()
            }
        }
    };
}

/// An enumeration defined by [`open_enum!`](crate::open_enum) or [`closed_enum!`](crate::closed_enum).
pub trait StringEnum {
    /// Every value in the document.
    const KNOWN: &'static [&'static str];

    /// Returns the value as it is written on the wire.
    fn text(&self) -> &str;
}

/// Checks raw JSON, for [`open_enum!`](crate::open_enum) and [`closed_enum!`](crate::closed_enum).
#[doc(hidden)]
pub fn inspect_enum<T: StringEnum + serde::de::DeserializeOwned>(
    value: &serde_json::Value,
    at: &crate::check::Path<'_>,
    report: &mut crate::check::Report,
) {
    if T::deserialize(value).is_err() {
        report.push(at, UnknownValue { allowed: T::KNOWN }.to_string());
    }
}

/// The error for a value that a closed enumeration does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    /// The values of the enumeration.
    pub allowed: &'static [&'static str],
}

impl std::fmt::Display for UnknownValue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "must be one of: {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownValue {}

/// Reads a value without allocating, for [`closed_enum!`](crate::closed_enum).
#[doc(hidden)]
pub fn deserialize_closed<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: std::str::FromStr<Err = UnknownValue>,
    D: serde::Deserializer<'de>,
{
    deserializer.deserialize_str(Text(str::parse::<T>))
}

/// Reads a value, for [`open_enum!`](crate::open_enum). Only an unknown value allocates.
#[doc(hidden)]
pub fn deserialize_open<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: for<'t> From<&'t str> + StringEnum,
    D: serde::Deserializer<'de>,
{
    deserializer.deserialize_str(Text(|text: &str| {
        if text.is_empty() && !T::KNOWN.contains(&text) {
            UNKNOWN.set(true);
        }
        Ok::<T, UnknownValue>(T::from(text))
    }))
}

thread_local! {
    /// Whether an open enumeration was read from an empty text that is none of its values.
    static UNKNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read` on an empty text, and returns whether it read an unknown value of an open enumeration.
pub(crate) fn reads_unknown<R>(read: impl FnOnce() -> R) -> (R, bool) {
    UNKNOWN.set(false);
    let result = read();
    (result, UNKNOWN.get())
}

/// Reads text and converts it with a function.
struct Text<F>(F);

impl<T, F: FnOnce(&str) -> Result<T, UnknownValue>> serde::de::Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        self.0(text).map_err(E::custom)
    }
}
