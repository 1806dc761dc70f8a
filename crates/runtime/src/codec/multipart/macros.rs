//! [`multipart!`](crate::multipart): conversion of a struct to and from the parts of a body.

/// Implements [`Multipart`](crate::codec::Multipart) for a struct, with one line for each field.
///
/// Each line is `field: presence [list or whole] kind "name" [as "media/type"]`:
///
/// - `presence` is `required` (the plain type), `optional` or `nullable` (an [`Option`]) or `patch` (a
///   [`Patch`](crate::Patch)). A part cannot be `null`, so `null` is written as absence.
/// - `list` means that the field is a `Vec` and every entry is a part; an empty list has no part. `whole`
///   means that it is a `Vec` in one part with JSON; a part for each entry is read as well.
/// - `kind` is `file` (a [`File`](crate::codec::File)), `text` (a scalar) or `json` (any serde type).
/// - The media type is sent instead of the default of the kind, unless the file states one. A list or a range
///   such as `image/png, image/*` is not sent. A part that is received must have such a type, or none.
///
/// A last `..field` holds all other parts: a map or a [`Value`](crate::Value). Without it they are skipped;
/// with `closed` in front of the name, a server refuses them, but for those in `except [...]`.
///
/// ```
/// use frontdesk_runtime::codec::File;
///
/// pub struct Upload {
///     pub file: File,
///     pub note: Option<String>,
///     pub tags: Option<Vec<String>>,
/// }
///
/// frontdesk_runtime::multipart! {
///     Upload {
///         file: required file "file" as "image/png",
///         note: optional text "note",
///         tags: optional list text "tags",
///     }
/// }
/// ```
#[macro_export]
macro_rules! multipart {
    (@impl [$($closed:ident [$($skipped:literal),*])?] [$(#[$attribute:meta])*] $name:ident {
        $($field:ident: $presence:ident $($kind:ident)+ $wire:literal $(as $media:literal)?),* $(,)?
        $(.. $rest:ident)?
    }) => {
        $(#[$attribute])*
        impl $crate::codec::Multipart for $name {
            fn write(self, parts: &mut $crate::codec::PartsWriter) {
                $($crate::multipart!(
                    @write parts, self.$field, $wire, ($crate::multipart!(@media $($media)?)), $presence $($kind)+
                );)*
                $($crate::codec::Multipart::write(self.$rest, parts);)?
            }

            fn read(
                parts: &mut $crate::codec::Parts,
            ) -> ::core::result::Result<Self, $crate::codec::PartError> {
                $(let $field = $crate::multipart!(
                    @read parts, $wire, ($crate::multipart!(@media $($media)?)), $presence $($kind)+
                );)*
                $(let $rest = $crate::codec::Multipart::read(parts)?;)?
                $(parts.$closed(&[$($skipped),*]);)?
                ::core::result::Result::Ok(Self {
                    $($field: $field?,)*
                    $($rest,)?
                })
            }
        }
    };
    ($(#[$attribute:meta])* closed except [$($skipped:literal),+] $name:ident { $($fields:tt)* }) => {
        $crate::multipart! { @impl [closed [$($skipped),+]] [$(#[$attribute])*] $name { $($fields)* } }
    };
    ($(#[$attribute:meta])* closed $name:ident { $($fields:tt)* }) => {
        $crate::multipart! { @impl [closed []] [$(#[$attribute])*] $name { $($fields)* } }
    };
    ($(#[$attribute:meta])* $name:ident { $($fields:tt)* }) => {
        $crate::multipart! { @impl [] [$(#[$attribute])*] $name { $($fields)* } }
    };

    (@media) => { ::core::option::Option::None };
    (@media $media:literal) => { ::core::option::Option::Some($media) };

    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, $presence:ident whole $kind:ident) => {
        $crate::multipart!(@write $parts, $value, $wire, $media, $presence $kind)
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, required list $kind:ident) => {
        for entry in $value {
            $parts.$kind($wire, $media, entry);
        }
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, patch list $kind:ident) => {
        for entry in $value.into_value().into_iter().flatten() {
            $parts.$kind($wire, $media, entry);
        }
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, $option:ident list $kind:ident) => {
        for entry in $value.into_iter().flatten() {
            $parts.$kind($wire, $media, entry);
        }
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, required $kind:ident) => {
        $parts.$kind($wire, $media, $value)
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, patch $kind:ident) => {
        if let ::core::option::Option::Some(value) = $value.into_value() {
            $parts.$kind($wire, $media, value);
        }
    };
    (@write $parts:ident, $value:expr, $wire:literal, $media:tt, $option:ident $kind:ident) => {
        if let ::core::option::Option::Some(value) = $value {
            $parts.$kind($wire, $media, value);
        }
    };

    (@read $parts:ident, $wire:literal, $media:tt, required whole $kind:ident) => {
        $parts.sent_as($media).take_list_required($wire)
    };
    (@read $parts:ident, $wire:literal, $media:tt, patch whole $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take_list($wire).map_or($crate::Patch::Absent, $crate::Patch::Value),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, $option:ident whole $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take_list($wire),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, required list $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take_all($wire, $crate::codec::Part::$kind).unwrap_or_default(),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, patch list $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts
                .sent_as($media)
                .take_all($wire, $crate::codec::Part::$kind)
                .map_or($crate::Patch::Absent, $crate::Patch::Value),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, $option:ident list $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take_all($wire, $crate::codec::Part::$kind),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, required $kind:ident) => {
        $parts.sent_as($media).take_required($wire, $crate::codec::Part::$kind)
    };
    (@read $parts:ident, $wire:literal, $media:tt, patch $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take($wire, $crate::codec::Part::$kind).map_or($crate::Patch::Absent, $crate::Patch::Value),
        )
    };
    (@read $parts:ident, $wire:literal, $media:tt, $option:ident $kind:ident) => {
        ::core::result::Result::Ok::<_, $crate::codec::PartError>(
            $parts.sent_as($media).take($wire, $crate::codec::Part::$kind),
        )
    };
}
