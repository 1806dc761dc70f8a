//! Owns [`decode`]: a JSON text read into its type, by a deserializer that watches for doubled members.
//!
//! Objects read by [`object!`](crate::object) see doubled members themselves. Maps take the last of two, and what a
//! type skips or keeps as raw text is not looked into by anybody. So the deserializer looks at the names of every object
//! that does not look at them itself, and says where it could not look. Only then is the text walked once more, to tell
//! the places: see [`doubled`](super::doubled).

mod names;

use self::names::Names;
use crate::object::OBJECT;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::{cell::Cell, fmt};

/// Reads a JSON text; `true` where a member may stand twice in one of its objects.
pub(super) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<(T, bool), serde_json::Error> {
    let doubt = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = T::deserialize(Watched { inner: &mut reader, doubt: &doubt })?;
    reader.end()?;
    Ok((value, doubt.get()))
}

/// A deserializer, or the seed of a value, whose objects are watched.
struct Watched<'w, D> {
    inner: D,
    doubt: &'w Cell<bool>,
}

/// What cannot hold an object goes to the deserializer as it is.
macro_rules! leaves {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Watched<'_, D> {
    type Error = D::Error;

    leaves! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_unit
        deserialize_identifier
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Inside::of(visitor, self.doubt))
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Inside::of(visitor, self.doubt))
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_seq(Inside::of(visitor, self.doubt))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple(length, Inside::of(visitor, self.doubt))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple_struct(name, length, Inside::of(visitor, self.doubt))
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Inside::of(visitor, self.doubt))
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let looks_itself = name == OBJECT;
        self.inner.deserialize_struct(name, fields, Inside { inner: visitor, doubt: self.doubt, looks_itself })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        // `RawValue` asks for its text in this way.
        if name.starts_with('$') {
            self.doubt.set(true);
        }
        self.inner.deserialize_newtype_struct(name, Inside::of(visitor, self.doubt))
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
        self.doubt.set(true);
        self.inner.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_bytes(Inside::of(visitor, self.doubt))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_byte_buf(Inside::of(visitor, self.doubt))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.doubt.set(true);
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Watched<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Watched { inner: deserializer, doubt: self.doubt })
    }
}

/// A visitor that gets what is inside of a value from a watched deserializer.
struct Inside<'w, V> {
    inner: V,
    doubt: &'w Cell<bool>,
    /// Whether the visitor refuses doubled members.
    looks_itself: bool,
}

impl<'w, V> Inside<'w, V> {
    #[inline]
    fn of(inner: V, doubt: &'w Cell<bool>) -> Self {
        Self { inner, doubt, looks_itself: false }
    }
}

/// What holds nothing goes to the visitor as it is.
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
        self.inner.visit_some(Watched { inner: deserializer, doubt: self.doubt })
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Watched { inner: deserializer, doubt: self.doubt })
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Watched { inner: entries, doubt: self.doubt })
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        let names = if self.looks_itself { None } else { Some(Names::default()) };
        let mut members = WatchedMembers { inner: members, doubt: self.doubt, names };
        let value = self.inner.visit_map(&mut members)?;
        if members.names.is_some_and(Names::may_hold_one_twice) {
            self.doubt.set(true);
        }
        Ok(value)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, form: A) -> Result<V::Value, A::Error> {
        self.doubt.set(true);
        self.inner.visit_enum(form)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Watched<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Watched { inner: seed, doubt: self.doubt })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The members of an object, with their names where the visitor does not look at them itself.
struct WatchedMembers<'w, 'de, A> {
    inner: A,
    doubt: &'w Cell<bool>,
    names: Option<Names<'de>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WatchedMembers<'_, 'de, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        match &mut self.names {
            Some(names) => self.inner.next_key_seed(names::Watched { inner: seed, names }),
            None => self.inner.next_key_seed(seed),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Watched { inner: seed, doubt: self.doubt })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}
