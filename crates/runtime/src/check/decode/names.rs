//! [`Names`]: detection of possibly duplicate member names in one object.

use foldhash::fast::FixedState;
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use std::{
    cell::{Cell, RefCell},
    fmt,
    hash::BuildHasher,
};

/// Hashes of the member names of the objects that are being read. Those of a nested object follow those of
/// the object around it, and are removed when it ends.
///
/// Two names with the same hash only cost a second pass over the body, so the hash function need not be
/// keyed.
#[derive(Default)]
pub(in crate::check) struct Names {
    hashes: RefCell<Vec<u64>>,
    doubt: Cell<bool>,
}

impl Names {
    /// Some members could not be inspected.
    pub(super) fn doubt(&self) {
        self.doubt.set(true);
    }

    /// Whether an object may have a duplicate member.
    pub(in crate::check) fn may_have_duplicates(&self) -> bool {
        self.doubt.get()
    }

    /// Returns the number of names. Taken before an object begins, it separates the object's names from those
    /// of the objects around it.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.hashes.borrow().len()
    }

    /// Compares the names that were added since there were `before`, and removes them.
    pub(super) fn end_object(&self, before: usize) {
        let mut hashes = self.hashes.borrow_mut();
        let own = hashes.get_mut(before..).unwrap_or_default();
        own.sort_unstable();
        if own.array_windows().any(|[one, next]| one == next) {
            self.doubt.set(true);
        }
        hashes.truncate(before);
    }

    #[inline]
    fn add(&self, name: &str) {
        self.hashes.borrow_mut().push(FixedState::default().hash_one(name));
    }
}

/// The seed, deserializer or visitor of a name, which records the name.
pub(super) struct NameOf<'n, S> {
    pub(super) inner: S,
    pub(super) names: &'n Names,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for NameOf<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(NameOf { inner: deserializer, names: self.names })
    }
}

/// Names that are read as text are recorded.
macro_rules! texts {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(NameOf { inner: visitor, names: self.names })
        })*
    };
}

/// Names that are read as anything else are not recorded.
macro_rules! others {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.names.doubt();
            self.inner.$method($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NameOf<'_, D> {
    type Error = D::Error;

    texts! { deserialize_any deserialize_str deserialize_string deserialize_identifier }

    others! {
        deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char() deserialize_bytes()
        deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_seq() deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) deserialize_ignored_any()
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for NameOf<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<V::Value, E> {
        self.names.add(name);
        self.inner.visit_borrowed_str(name)
    }

    #[inline]
    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.names.add(name);
        self.inner.visit_str(name)
    }

    fn visit_string<E: Error>(self, name: String) -> Result<V::Value, E> {
        self.names.add(&name);
        self.inner.visit_string(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_count_in_their_own_object_only() {
        let names = Names::default();
        for name in ["a", "b"] {
            names.add(name);
            let before = names.count();
            for name in ["c", "b", "a"] {
                names.add(name);
            }
            names.end_object(before);
        }
        assert_eq!(names.count(), 2);
        assert!(!names.may_have_duplicates());
        names.add("a");
        names.end_object(0);
        assert!(names.may_have_duplicates());
    }
}
