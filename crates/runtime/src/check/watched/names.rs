//! Owns [`Names`]: the names of one object's members, and whether one of them stands there twice.

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use std::{collections::HashSet, fmt};

/// The names of an object's members, in the order in which they were read.
#[derive(Default)]
pub(super) struct Names<'de> {
    read: Vec<&'de str>,
    /// Some name is not behind all before it.
    unsorted: bool,
    /// Some name could not be kept: there are escapes in it, or it was read as something else than text.
    unclear: bool,
}

impl<'de> Names<'de> {
    /// The most names that are compared each with each.
    const FEW: usize = 8;

    #[inline]
    fn add(&mut self, name: &'de str) {
        self.unsorted |= self.read.last().is_some_and(|last| *last >= name);
        self.read.push(name);
    }

    /// Whether one of them may stand there twice; always so where a name could not be kept.
    pub(super) fn may_hold_one_twice(self) -> bool {
        if self.unclear || !self.unsorted {
            return self.unclear;
        }
        if self.read.len() <= Self::FEW {
            let mut rest = self.read.as_slice();
            while let [first, others @ ..] = rest {
                if others.contains(first) {
                    return true;
                }
                rest = others;
            }
            return false;
        }
        let mut seen = HashSet::with_capacity(self.read.len());
        !self.read.into_iter().all(|name| seen.insert(name))
    }
}

/// The seed of a name, its deserializer or its visitor, which notes the name.
pub(super) struct Watched<'n, 'de, S> {
    pub(super) inner: S,
    pub(super) names: &'n mut Names<'de>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Watched<'_, 'de, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Watched { inner: deserializer, names: self.names })
    }
}

/// Names that are read as text are noted.
macro_rules! texts {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(Watched { inner: visitor, names: self.names })
        })*
    };
}

/// Names that are read as anything else are not.
macro_rules! others {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.names.unclear = true;
            self.inner.$method($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Watched<'_, 'de, D> {
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

impl<'de, V: Visitor<'de>> Visitor<'de> for Watched<'_, 'de, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<V::Value, E> {
        self.names.add(name);
        self.inner.visit_borrowed_str(name)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.names.unclear = true;
        self.inner.visit_str(name)
    }

    fn visit_string<E: Error>(self, name: String) -> Result<V::Value, E> {
        self.names.unclear = true;
        self.inner.visit_string(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn few_and_many_names_are_told_apart_in_any_order() {
        let many: Vec<String> = (0..20).map(|number| format!("n{}", number * 7 % 20)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let doubled: Vec<&str> = many.iter().copied().chain(["n3"]).collect();
        for (names, expected) in [
            (&[][..], false),
            (&["a"], false),
            (&["a", "b", "c"], false),
            (&["c", "a", "b"], false),
            (&["a", "a"], true),
            (&["b", "a", "b"], true),
            (&many, false),
            (&doubled, true),
        ] {
            let mut read = Names::default();
            names.iter().for_each(|name| read.add(name));
            assert_eq!(read.may_hold_one_twice(), expected, "{names:?}");
        }
    }
}
