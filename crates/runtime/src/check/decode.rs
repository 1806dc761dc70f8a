//! [`decode`]: a JSON text decoded into its type while looking for duplicate members.
//!
//! Objects read by [`object!`](crate::object!) detect duplicate members themselves. Maps keep the last of
//! two, and nothing inspects values that a type skips or keeps as raw text. Therefore this deserializer
//! records the names of every object that does not inspect them itself, and notes values that it could not
//! inspect. Only if there may be a duplicate is the text read again, to find its location: see
//! [`duplicates`](super::duplicates).

mod names;

pub(super) use self::names::Names;

use self::names::NameOf;
use crate::object::OBJECT;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// Decodes a JSON text, and records in `names` whether one of its objects may have a duplicate member.
#[inline]
pub(super) fn decode<T: DeserializeOwned>(text: &str, names: &Names) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // A large value is passed on directly, because unwrapping and wrapping it again would copy it.
    let value = T::deserialize(Inspected { inner: &mut reader, names });
    if value.is_ok() {
        reader.end()?;
    }
    value
}

/// A deserializer, or the seed of a value, that inspects objects.
struct Inspected<'w, D> {
    inner: D,
    names: &'w Names,
}

/// Values that cannot contain an object go directly to the deserializer.
macro_rules! scalars {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Inspected<'_, D> {
    type Error = D::Error;

    scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_unit
        deserialize_identifier
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Inside::of(visitor, self.names))
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Inside::of(visitor, self.names))
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_seq(Inside::of(visitor, self.names))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple(length, Inside::of(visitor, self.names))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple_struct(name, length, Inside::of(visitor, self.names))
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Inside::of(visitor, self.names))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let inspects_itself = name == OBJECT;
        self.inner.deserialize_struct(
            name,
            fields,
            Inside { inner: visitor, names: self.names, inspects_itself },
        )
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        // `RawValue` requests its text this way.
        if name.starts_with('$') {
            self.names.doubt();
        }
        self.inner.deserialize_newtype_struct(name, Inside::of(visitor, self.names))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.names.doubt();
        self.inner.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_bytes(Inside::of(visitor, self.names))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_byte_buf(Inside::of(visitor, self.names))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.names.doubt();
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Inspected<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Inspected { inner: deserializer, names: self.names })
    }
}

/// A visitor of the contents of an inspected value.
struct Inside<'w, V> {
    inner: V,
    names: &'w Names,
    /// Whether the visitor refuses duplicate members.
    inspects_itself: bool,
}

impl<'w, V> Inside<'w, V> {
    #[inline]
    fn of(inner: V, names: &'w Names) -> Self {
        Self { inner, names, inspects_itself: false }
    }
}

/// Values without contents go directly to the visitor.
macro_rules! scalars {
    ($($method:ident($type:ty))*) => {
        $(#[inline]
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Inside<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    scalars! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32)
        visit_f64(f64) visit_char(char) visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Inspected { inner: deserializer, names: self.names })
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Inspected { inner: deserializer, names: self.names })
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Inspected { inner: entries, names: self.names })
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        let (names, inspects) = (self.names, !self.inspects_itself);
        let before = if inspects { names.count() } else { 0 };
        let value = self.inner.visit_map(InspectedMembers { inner: members, names, inspects });
        if inspects {
            names.end_object(before);
        }
        value
    }

    fn visit_enum<A: EnumAccess<'de>>(self, form: A) -> Result<V::Value, A::Error> {
        self.names.doubt();
        self.inner.visit_enum(form)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Inspected<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Inspected { inner: seed, names: self.names })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The members of an object, whose names are recorded unless the visitor inspects them itself.
struct InspectedMembers<'w, A> {
    inner: A,
    names: &'w Names,
    inspects: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for InspectedMembers<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        if self.inspects {
            self.inner.next_key_seed(NameOf { inner: seed, names: self.names })
        } else {
            self.inner.next_key_seed(seed)
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Inspected { inner: seed, names: self.names })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, decode};
    use crate::{
        check::{BodyError, check_json},
        object,
    };
    use serde::de::DeserializeOwned;
    use serde_json::{Value, value::RawValue};
    use std::collections::BTreeMap;

    type Map<T> = BTreeMap<String, T>;

    #[derive(Debug)]
    struct Note {
        text: String,
        about: Option<Value>,
        labels: Option<Map<Vec<i64>>>,
    }

    object! {
        Note {
            text: required "text",
            about: optional "about",
            labels: optional "labels",
        }
    }

    impl crate::check::Validate for Note {}

    fn is_doubtful<T: DeserializeOwned>(text: &str) -> bool {
        let names = Names::default();
        decode::<T>(text, &names).unwrap();
        names.may_have_duplicates()
    }

    #[test]
    fn names_are_looked_at_wherever_a_type_takes_the_last_of_two() {
        assert!(!is_doubtful::<Map<i64>>(r#"{"b": 1, "a": 2, "c": 3}"#));
        assert!(is_doubtful::<Map<i64>>(r#"{"b": 1, "a": 2, "b": 3}"#));
        assert!(is_doubtful::<Map<i64>>(r#"{"a": 1, "\u0061": 2}"#), "escapes are read first");
        assert!(!is_doubtful::<Value>(r#"{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": {"a": 1}}"#));
        assert!(is_doubtful::<Value>(r#"{"a": [{"b": null, "b": 1}]}"#));
        assert!(is_doubtful::<Option<Vec<Map<Map<bool>>>>>(r#"[{"a": {"x": true, "x": false}}]"#));
        assert!(!is_doubtful::<Note>(
            r#"{"labels": {"b": [1], "a": []}, "text": "t", "about": {"text": 1}}"#
        ));
        assert!(is_doubtful::<Note>(r#"{"text": "t", "about": {"a": 1, "a": 1}}"#));
    }

    #[test]
    fn what_no_type_looks_at_is_doubtful() {
        assert!(is_doubtful::<Note>(r#"{"text": "t", "more": 1}"#));
        assert!(is_doubtful::<Map<Box<RawValue>>>(r#"{"a": {}}"#));
        assert!(is_doubtful::<BTreeMap<u8, bool>>(r#"{"1": true}"#), "these names are not read as text");
    }

    #[test]
    fn places_are_told_of_members_that_were_skipped_or_kept() {
        for (body, expected) in [
            (r#"{"text": "t", "more": {"x": 1, "x": 2}}"#, "more.x: must not occur twice"),
            (r#"{"text": "t", "labels": {"x": [], "a": [], "x": []}}"#, "labels.x: must not occur twice"),
            (r#"{"text": "t", "more": 1, "more": 2}"#, "more: must not occur twice"),
        ] {
            let error = check_json::<Note>(body.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{body}");
        }
        assert!(check_json::<Note>(br#"{"text": "t", "more": {"x": 1}}"#).is_ok());
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_no_json() {
        for body in
            [&b"{\"text\": \"\xff\"}"[..], b"{\"text\": \"t\", \"more\": \"\xff\"}", b"{\"text\": \xff}"]
        {
            assert!(matches!(check_json::<Note>(body), Err(BodyError::Malformed(_))));
        }
    }
}
