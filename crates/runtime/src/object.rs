//! [`object!`](crate::object!): structs as JSON objects.
//!
//! A document's model has hundreds of structs. `#[derive(Serialize, Deserialize)]` generates several types
//! and functions for each, and takes three times as long to compile as this macro, which generates one loop
//! of calls into this module.

use crate::Patch;
use serde::{
    Deserialize, Serialize,
    de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};
use std::{cell::Cell, collections::BTreeMap, fmt, marker::PhantomData};

/// Implements `Serialize` and `Deserialize` for a struct that represents a JSON object.
///
/// Each field is listed, with the meaning of its absence and its name on the wire where these differ from
/// `required` and its own name:
///
/// - `required`: must be present. Its type decides about `null`.
/// - `nullable`: an `Option` that is always written, as `null` if there is no value. A server refuses its
///   absence; for a client it counts as `null`, because a service that leaves out what it does not have must
///   not break its clients.
/// - `optional`: an `Option` that may be absent. A server refuses `null`; for a client it counts as absence,
///   because a service that sends `null` for nothing must not break its clients.
/// - `lenient`: an `Option` that may be absent; `null` counts as absence.
/// - `any`: an `Option` that may be absent; `null` is a value.
/// - `patch`: a [`Patch`]: absent, `null` or a value.
///
/// A last `..name` names the map that keeps all other members. Without it they are skipped; with `closed` in
/// front of the struct a server refuses them, `except` for the listed names. These are skipped, and are not
/// kept by a map either: members that only the other side sends. A repeated member is an error. Attributes
/// in front of the struct apply to both impls.
///
/// ```
/// struct Note {
///     text: String,
///     tag: Option<String>,
/// }
///
/// frontdesk_runtime::object! {
///     Note { text, tag: optional }
/// }
///
/// let note: Note = serde_json::from_str(r#"{"text": "a", "more": 1}"#).unwrap();
/// assert_eq!(serde_json::to_string(&note).unwrap(), r#"{"text":"a"}"#);
/// let note: Note = serde_json::from_str(r#"{"text": "a", "tag": null}"#).unwrap();
/// assert_eq!(note.tag, None);
/// ```
#[macro_export]
macro_rules! object {
    ($(#[$meta:meta])* $name:ident { $($field:ident $(: $kind:ident $($wire:literal)?)?),* $(,)? }) => {
        $crate::object! { @impl [$(#[$meta])*] $name [$($field [$($kind)?] [$($($wire)?)?])*] [] [] skip }
    };
    ($(#[$meta:meta])* closed $name:ident { $($field:ident $(: $kind:ident $($wire:literal)?)?),* $(,)? }) => {
        $crate::object! { @impl [$(#[$meta])*] $name [$($field [$($kind)?] [$($($wire)?)?])*] [] [] closed }
    };
    ($(#[$meta:meta])* closed except [$($skipped:literal),+] $name:ident { $($field:ident $(: $kind:ident $($wire:literal)?)?),* $(,)? }) => {
        $crate::object! { @impl [$(#[$meta])*] $name [$($field [$($kind)?] [$($($wire)?)?])*] [] [$($skipped)+] closed }
    };
    ($(#[$meta:meta])* $name:ident { $($field:ident $(: $kind:ident $($wire:literal)?)?,)* ..$extra:ident }) => {
        $crate::object! { @impl [$(#[$meta])*] $name [$($field [$($kind)?] [$($($wire)?)?])*] [$extra] [] keep }
    };
    ($(#[$meta:meta])* except [$($skipped:literal),+] $name:ident { $($field:ident $(: $kind:ident $($wire:literal)?)?,)* ..$extra:ident }) => {
        $crate::object! { @impl [$(#[$meta])*] $name [$($field [$($kind)?] [$($($wire)?)?])*] [$extra] [$($skipped)+] keep }
    };
    (@impl [$($meta:tt)*] $name:ident [$($field:ident [$($kind:ident)?] [$($wire:literal)?])*] [$($extra:ident)?] [$($skipped:literal)*] $others:ident) => {
        $($meta)*
        impl<'de> $crate::macros::Object<'de> for $name {
            const NAMES: &'static [&'static str] = &[$($crate::object!(@wire $field $($wire)?)),*];
            const SKIPPED: &'static [&'static str] = &[$($skipped),*];

            fn read<A: $crate::macros::serde::de::MapAccess<'de>>(
                mut members: $crate::macros::Members<A>,
            ) -> Result<Self, A::Error> {
                $(let mut $field = None;)*
                $(let mut $extra = std::collections::BTreeMap::new();)?
                while let Some(_index) = members.next()? {
                    let _at = 0;
                    $(if _index == _at {
                        members.fill(&mut $field)?;
                        continue;
                    }
                    let _at = _at + 1;)*
                    members.$others($(&mut $extra)?)?;
                }
                Ok(Self {
                    $($field: $crate::object!(@take members $field [$($kind)?] [$($wire)?]),)*
                    $($extra)?
                })
            }
        }

        impl<'de> $crate::macros::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::macros::read(deserializer)
            }
        }

        $($meta)*
        impl $crate::macros::serde::Serialize for $name {
            fn serialize<S: $crate::macros::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let writer = $crate::macros::Writer::new(serializer)?;
                $(let writer = $crate::object!(@write writer self $field [$($kind)?] [$($wire)?]);)*
                $(let writer = writer.keep(&self.$extra)?;)?
                writer.end()
            }
        }
    };
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident $wire:literal) => { $wire };
    (@write $writer:ident $this:ident $field:ident [] []) => {
        $writer.required(stringify!($field), &$this.$field)?
    };
    (@write $writer:ident $this:ident $field:ident [$kind:ident] []) => {
        $writer.$kind(stringify!($field), &$this.$field)?
    };
    (@write $writer:ident $this:ident $field:ident [$kind:ident] [$wire:literal]) => {
        $writer.$kind($wire, &$this.$field)?
    };
    (@take $members:ident $field:ident [] []) => { $members.required(stringify!($field), $field)? };
    (@take $members:ident $field:ident [$kind:ident] []) => {
        $crate::object!(@take $members $field $kind stringify!($field))
    };
    (@take $members:ident $field:ident [$kind:ident] [$wire:literal]) => {
        $crate::object!(@take $members $field $kind $wire)
    };
    (@take $members:ident $field:ident required $wire:expr) => { $members.required($wire, $field)? };
    (@take $members:ident $field:ident nullable $wire:expr) => { $members.nullable($wire, $field)? };
    (@take $members:ident $field:ident optional $wire:expr) => { $members.optional($wire, $field)? };
    (@take $members:ident $field:ident any $wire:expr) => { $field };
    (@take $members:ident $field:ident lenient $wire:expr) => { $field.flatten() };
    (@take $members:ident $field:ident patch $wire:expr) => { $field.unwrap_or_default() };
}

/// A struct that represents a JSON object; implemented by [`object!`](crate::object!).
pub trait Object<'de>: Sized {
    /// The known members, in the order of the fields.
    const NAMES: &'static [&'static str];
    /// Members that are skipped although others are refused or kept.
    const SKIPPED: &'static [&'static str];

    /// Reads every member.
    fn read<A: MapAccess<'de>>(members: Members<A>) -> Result<Self, A::Error>;
}

/// Reads a struct from an object; any other value is an error.
pub fn read<'de, T: Object<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct ObjectVisitor<T>(PhantomData<T>);

    impl<'de, T: Object<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::read(Members { map, names: T::NAMES, skipped: T::SKIPPED, expected: 0, unknown: None })
        }
    }

    // The names let a query assign members to nested objects.
    deserializer.deserialize_struct(OBJECT, T::NAMES, ObjectVisitor(PhantomData))
}

/// The name that [`object!`](crate::object!) passes to deserializers, which then know that it detects
/// duplicate members itself.
pub(crate) const OBJECT: &str = "$frontdesk_runtime::Object";

/// The members of an object that is being read.
#[derive(Debug)]
pub struct Members<A> {
    map: A,
    names: &'static [&'static str],
    skipped: &'static [&'static str],
    /// The expected next name if members come in the order of the fields.
    expected: usize,
    /// The last name that is not in `names`.
    unknown: Option<String>,
}

impl<'de, A: MapAccess<'de>> Members<A> {
    /// Returns the position of the next member's name; the number of names for a member that the struct does
    /// not have.
    #[expect(clippy::should_implement_trait, reason = "an iterator gives no errors")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<usize>, A::Error> {
        let names = self.names;
        let key = Key { names, expected: self.expected, unknown: &mut self.unknown };
        let Some(index) = self.map.next_key_seed(key)? else { return Ok(None) };
        // After an unknown member, the expected name stays the same.
        if index < names.len() {
            self.expected = index + 1;
        }
        Ok(Some(index))
    }

    /// Reads the value of the current member.
    #[inline]
    pub fn fill<T: Deserialize<'de>>(&mut self, slot: &mut Option<T>) -> Result<(), A::Error> {
        if slot.is_some() {
            return Err(A::Error::duplicate_field(self.names[self.expected - 1]));
        }
        *slot = Some(self.map.next_value()?);
        Ok(())
    }

    /// Skips a member that the struct does not have.
    pub fn skip(&mut self) -> Result<(), A::Error> {
        SKIPPED.set(SKIPPED.get() + 1);
        self.map.next_value::<IgnoredAny>().map(drop)
    }

    /// Skips a member that a closed struct does not have, or refuses it on a server.
    pub fn closed(&mut self) -> Result<(), A::Error> {
        match self.unknown.take() {
            Some(name) if self.skipped.contains(&name.as_str()) => {
                self.map.next_value::<IgnoredAny>().map(drop)
            }
            Some(name) if REFUSING.get() => {
                Err(A::Error::custom(format_args!("the member `{name}` is not known")))
            }
            _ => self.skip(),
        }
    }

    /// Keeps a member that the struct does not have, by name.
    pub fn keep<T: Deserialize<'de>>(&mut self, kept: &mut BTreeMap<String, T>) -> Result<(), A::Error> {
        let name = self.unknown.take().unwrap_or_default();
        if self.skipped.contains(&name.as_str()) {
            return self.map.next_value::<IgnoredAny>().map(drop);
        }
        if kept.contains_key(&name) {
            return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
        }
        kept.insert(name, self.map.next_value()?);
        Ok(())
    }

    /// Unwraps a required member.
    #[inline]
    pub fn required<T>(&self, name: &'static str, value: Option<T>) -> Result<T, A::Error> {
        value.ok_or_else(|| A::Error::missing_field(name))
    }

    /// Unwraps a required member that may be `null`, whose absence a server refuses.
    #[inline]
    pub fn nullable<T>(&self, name: &'static str, value: Option<Option<T>>) -> Result<Option<T>, A::Error> {
        match value {
            None if REFUSING.get() => Err(A::Error::missing_field(name)),
            value => Ok(value.flatten()),
        }
    }

    /// Unwraps an optional member, whose `null` a server refuses.
    #[inline]
    pub fn optional<T>(&self, name: &'static str, value: Option<Option<T>>) -> Result<Option<T>, A::Error> {
        match value {
            Some(None) if REFUSING.get() => {
                Err(A::Error::custom(format_args!("the member `{name}` must not be null")))
            }
            value => Ok(value.flatten()),
        }
    }
}

/// Finds a name in a list.
struct Key<'k> {
    names: &'static [&'static str],
    expected: usize,
    unknown: &'k mut Option<String>,
}

impl Key<'_> {
    #[inline]
    fn position(&self, name: &str) -> Option<usize> {
        if self.names.get(self.expected).is_some_and(|expected| is_same(expected, name)) {
            return Some(self.expected);
        }
        self.names.iter().position(|known| is_same(known, name))
    }
}

/// Compares two names. Names are short, so this is faster than calling the system's comparison.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    // The last chunks overlap those before, so that no remainder is left.
    match (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        (Some(end), Some(other_end)) => {
            let mut pieces = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
            end == other_end && pieces.all(|(piece, other)| piece == other)
        }
        _ => match (one.last_chunk::<4>(), other.last_chunk::<4>()) {
            (Some(end), Some(other_end)) => {
                end == other_end && one.first_chunk::<4>() == other.first_chunk::<4>()
            }
            _ => one.iter().zip(other).all(|(byte, other)| byte == other),
        },
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    #[inline]
    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        Ok(self.position(name).unwrap_or_else(|| {
            *self.unknown = Some(name.to_owned());
            self.names.len()
        }))
    }

    fn visit_string<E: Error>(self, name: String) -> Result<usize, E> {
        Ok(self.position(&name).unwrap_or_else(|| {
            *self.unknown = Some(name);
            self.names.len()
        }))
    }
}

/// Writer of the members of an object.
#[derive(Debug)]
pub struct Writer<M>(M);

impl<M: SerializeMap> Writer<M> {
    /// Begins an object.
    pub fn new<S>(serializer: S) -> Result<Self, S::Error>
    where
        S: serde::Serializer<SerializeMap = M>,
    {
        serializer.serialize_map(None).map(Self)
    }

    /// Writes a required member.
    pub fn required<T: Serialize>(mut self, name: &'static str, value: &T) -> Result<Self, M::Error> {
        self.0.serialize_entry(name, value)?;
        Ok(self)
    }

    /// Writes a required member that may be `null`.
    pub fn nullable<T: Serialize>(self, name: &'static str, value: &Option<T>) -> Result<Self, M::Error> {
        self.required(name, value)
    }

    /// Writes an optional member.
    pub fn optional<T: Serialize>(self, name: &'static str, value: &Option<T>) -> Result<Self, M::Error> {
        match value {
            Some(value) => self.required(name, value),
            None => Ok(self),
        }
    }

    /// Writes an optional member.
    pub fn any<T: Serialize>(self, name: &'static str, value: &Option<T>) -> Result<Self, M::Error> {
        self.optional(name, value)
    }

    /// Writes an optional member.
    pub fn lenient<T: Serialize>(self, name: &'static str, value: &Option<T>) -> Result<Self, M::Error> {
        self.optional(name, value)
    }

    /// Writes a member that may be absent or `null`.
    pub fn patch<T: Serialize>(self, name: &'static str, value: &Patch<T>) -> Result<Self, M::Error> {
        if value.is_absent() { Ok(self) } else { self.required(name, value) }
    }

    /// Writes all further members.
    pub fn keep<T: Serialize>(mut self, kept: &BTreeMap<String, T>) -> Result<Self, M::Error> {
        for (name, value) in kept {
            self.0.serialize_entry(name, value)?;
        }
        Ok(self)
    }

    /// Ends the object.
    pub fn end(self) -> Result<M::Ok, M::Error> {
        self.0.end()
    }
}

thread_local! {
    /// Whether this thread is reading for a server.
    static REFUSING: Cell<bool> = const { Cell::new(false) };
    /// The number of members that objects of this thread have skipped.
    static SKIPPED: Cell<u64> = const { Cell::new(0) };
}

/// Runs `read` in server mode: `closed` objects refuse unknown members, and unions refuse values that match
/// no variant.
///
/// A client must accept members that a later version adds. Client and server read the same types, perhaps in
/// the same program, and deserializers have no parameter for such a mode.
#[inline]
pub(crate) fn refusing<T>(read: impl FnOnce() -> T) -> T {
    struct Restore(bool);

    impl Drop for Restore {
        fn drop(&mut self) {
            REFUSING.set(self.0);
        }
    }

    let _restore = Restore(REFUSING.replace(true));
    read()
}

/// Whether the current thread reads in server mode, in which unknown members and variants are refused.
pub(crate) fn is_refusing() -> bool {
    REFUSING.get()
}

/// Runs `read` and returns how many members it skipped, without adding them to the total. Deserializers have
/// no other way to report what a type does not keep.
pub(crate) fn skipping<T>(read: impl FnOnce() -> T) -> (T, u64) {
    let before = SKIPPED.get();
    let value = read();
    (value, SKIPPED.replace(before) - before)
}

/// Adds the members that the final result skipped to the total.
pub(crate) fn add_skipped(members: u64) {
    SKIPPED.set(SKIPPED.get() + members);
}

#[cfg(test)]
mod tests {
    use super::{is_same, refusing};
    use crate::{Patch, Value};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq)]
    struct Everything {
        id: i64,
        parent: Option<i64>,
        tag: Option<String>,
        seen: Option<bool>,
        phone: Patch<String>,
        free: Option<Value>,
        more: BTreeMap<String, Value>,
    }

    object! {
        Everything {
            id: required "id",
            parent: nullable "parent-id",
            tag: optional "tag",
            seen: lenient "seen",
            phone: patch "phone",
            free: any "free",
            ..more
        }
    }

    #[derive(Debug, PartialEq)]
    struct Closed {
        left: Option<i64>,
        inside: Vec<Closed>,
    }

    object! {
        closed Closed {
            left: optional "left",
            inside: required "inside",
        }
    }

    #[derive(Debug, PartialEq)]
    struct Sent {
        name: String,
    }

    object! {
        closed except ["id", "made at"] Sent {
            name: required "name",
        }
    }

    #[derive(Debug, PartialEq)]
    struct SentMore {
        name: String,
        more: BTreeMap<String, String>,
    }

    object! {
        except ["id"] SentMore {
            name: required "name",
            ..more
        }
    }

    #[derive(Debug, PartialEq)]
    struct Nothing {}

    object! {
        Nothing {}
    }

    fn error<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        serde_json::from_str::<T>(text).unwrap_err().to_string()
    }

    #[test]
    fn members_are_read_in_any_order_and_written_in_that_of_the_fields() {
        let all: Everything = serde_json::from_str(
            r#"{"x": [1], "phone": null, "tag": "a", "id": 7, "parent-id": null, "seen": null}"#,
        )
        .unwrap();
        assert_eq!((all.id, all.parent, all.seen), (7, None, None));
        assert_eq!(all.phone, Patch::Null);
        let text = r#"{"id":7,"parent-id":null,"tag":"a","phone":null,"x":[1]}"#;
        assert_eq!(serde_json::to_string(&all).unwrap(), text);
        assert_eq!(serde_json::from_str::<Everything>(text).unwrap(), all);
        assert_eq!(serde_json::from_value::<Everything>(serde_json::to_value(&all).unwrap()).unwrap(), all);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (text, expected) in [
            (r#"{"parent-id": 1}"#, "missing field `id`"),
            (r#"{"id": null, "parent-id": 1}"#, "invalid type: null, expected i64"),
            (r#"{"id": 1, "parent-id": 1, "id": 1}"#, "duplicate field `id`"),
            (r#"{"id": 1, "parent-id": null, "parent-id": 1}"#, "duplicate field `parent-id`"),
            (r#"{"id": 1, "parent-id": 1, "x": 1, "x": 1}"#, "duplicate field `x`"),
            ("[1, 2]", "invalid type: sequence, expected an object"),
        ] {
            let found = error::<Everything>(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn members_that_only_the_other_side_sends_are_skipped() {
        let text = r#"{"id": 7, "name": "a", "made at": null}"#;
        let sent = refusing(|| serde_json::from_str::<Sent>(text));
        assert_eq!(sent.unwrap(), Sent { name: "a".to_owned() });
        let found = refusing(|| error::<Sent>(r#"{"name": "a", "other": 1}"#));
        assert!(found.starts_with("the member `other` is not known"), "{found}");
        let more: SentMore = serde_json::from_str(r#"{"id": 7, "name": "a", "x": "y"}"#).unwrap();
        assert_eq!(more.more, BTreeMap::from([("x".to_owned(), "y".to_owned())]));
    }

    #[test]
    fn only_servers_refuse_null_for_an_optional_member() {
        let text = r#"{"id": 1, "parent-id": 1, "tag": null, "free": null}"#;
        let all: Everything = serde_json::from_str(text).unwrap();
        assert_eq!((all.tag, all.free), (None, Some(Value::Null)));
        let found = refusing(|| error::<Everything>(text));
        assert!(found.starts_with("the member `tag` must not be null"), "{found}");
    }

    #[test]
    fn only_servers_refuse_the_absence_of_a_member_that_may_be_null() {
        let text = r#"{"id": 1}"#;
        let all: Everything = serde_json::from_str(text).unwrap();
        assert_eq!(all.parent, None);
        assert_eq!(serde_json::to_string(&all).unwrap(), r#"{"id":1,"parent-id":null}"#);
        let found = refusing(|| error::<Everything>(text));
        assert!(found.starts_with("missing field `parent-id`"), "{found}");
    }

    #[test]
    fn only_servers_refuse_what_a_closed_object_does_not_have() {
        let text = r#"{"inside": [{"inside": [], "x": 1}], "left": 2}"#;
        assert_eq!(serde_json::from_str::<Closed>(text).unwrap().left, Some(2));
        let found = refusing(|| error::<Closed>(text));
        assert!(found.starts_with("the member `x` is not known"), "{found}");
        assert!(serde_json::from_str::<Closed>(text).is_ok());
    }

    #[test]
    fn names_differ_by_any_byte_and_by_length() {
        let name = "abcdefghijklmnopqrstuvwxyz";
        for length in 0..name.len() {
            let one = &name[..length];
            assert!(is_same(one, String::from(one).as_str()));
            assert!(!is_same(one, &name[..=length]));
            for at in 0..length {
                let other = format!("{}-{}", &one[..at], &one[at + 1..]);
                assert!(!is_same(one, &other), "{one} {other}");
            }
        }
    }

    #[test]
    fn an_object_without_members_is_an_object() {
        assert_eq!(serde_json::from_str::<Nothing>(r#"{"a": {"b": 1}}"#).unwrap(), Nothing {});
        assert_eq!(serde_json::to_string(&Nothing {}).unwrap(), "{}");
        assert!(serde_json::from_str::<Nothing>("[]").is_err());
    }
}
