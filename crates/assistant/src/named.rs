//! Enumerations whose values have fixed names in the interface and in storage.

/// A name that is none of the values of its enumeration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a value of {expected}")]
pub struct UnknownName {
    /// The enumeration.
    pub expected: &'static str,
    /// The name.
    pub found: String,
}

/// Declares an enumeration with the name of each value.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Returns the name of the value in the interface and in storage.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::named::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::named::UnknownName { expected: stringify!($name), found: text.to_owned() }),
                }
            }
        }
    };
}

pub(crate) use named;
