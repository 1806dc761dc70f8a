//! Enumerations that are stored and shown under a fixed name.

/// A stored or given name is not one of the values of its enumeration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is not a {what}; expected one of {expected}")]
pub struct UnknownName {
    /// What the name was read as, such as `plan`.
    pub what: &'static str,
    /// The name that was found.
    pub value: String,
    /// The accepted names, separated by commas.
    pub expected: String,
}

/// Declares an enumeration together with its names: `as_str`, `ALL`, `Display` and `FromStr`.
macro_rules! named_values {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident as $what:literal {
            $( $(#[$variant_meta:meta])* $Variant:ident = $text:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $Name {
            $( $(#[$variant_meta])* $Variant, )+
        }

        impl $Name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$( Self::$Variant, )+];

            /// The name under which the value is stored and shown.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$Variant => $text, )+
                }
            }
        }

        impl $crate::sql::record::Column for $Name {
            fn read(row: &::sqlx::any::AnyRow, name: &str) -> ::sqlx::Result<Self> {
                $crate::sql::record::present(<Option<Self> as $crate::sql::record::Column>::read(row, name)?, name)
            }
        }

        impl $crate::sql::record::Column for Option<$Name> {
            fn read(row: &::sqlx::any::AnyRow, name: &str) -> ::sqlx::Result<Self> {
                $crate::sql::record::parsed(row, name)
            }
        }

        impl ::std::fmt::Display for $Name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $Name {
            type Err = $crate::sql::named::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $( $text => Ok(Self::$Variant), )+
                    _ => Err($crate::sql::named::UnknownName {
                        what: $what,
                        value: name.to_owned(),
                        expected: Self::ALL.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(", "),
                    }),
                }
            }
        }
    };
}
