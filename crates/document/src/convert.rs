//! Between values with places and Serde: any value can be serialized, and read as a type with located errors.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use crate::source::Place;

/// The outer form of a value. Numbers are texts in the grammar of JSON.
pub(crate) enum View<'v, V> {
    Null,
    Bool(bool),
    Number(&'v str),
    String(&'v str),
    Array(Vec<V>),
    Object(Vec<(&'v str, V)>),
}

/// A value that can be looked at, and knows where it was written.
pub(crate) trait Value<'v>: Copy {
    fn view(self) -> View<'v, Self>;
    fn place(self) -> Place;
}

/// A number as the smallest type that holds it exactly; a double if none does.
enum Exact {
    Signed(i64),
    Unsigned(u64),
    Wide(i128),
    Double(f64),
}

fn exact(text: &str) -> Exact {
    if let Ok(value) = text.parse::<i64>() {
        Exact::Signed(value)
    } else if let Ok(value) = text.parse::<u64>() {
        Exact::Unsigned(value)
    } else if let Ok(value) = text.parse::<i128>() {
        Exact::Wide(value)
    } else {
        // The readers refuse numbers that are not finite doubles.
        Exact::Double(text.parse().unwrap_or_default())
    }
}

/// Returns the integer that a number with a fraction or exponent amounts to.
pub(crate) fn whole(text: &str) -> Option<i128> {
    /// Integers up to here are exact as doubles.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value: f64 = text.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within the exact range")]
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i128)
}

/// Serializes a value with its members in order.
pub(crate) fn serialize<'v, V: Value<'v>, S: Serializer>(value: V, serializer: S) -> Result<S::Ok, S::Error> {
    match value.view() {
        View::Null => serializer.serialize_unit(),
        View::Bool(value) => serializer.serialize_bool(value),
        View::Number(text) => match exact(text) {
            Exact::Signed(value) => serializer.serialize_i64(value),
            Exact::Unsigned(value) => serializer.serialize_u64(value),
            Exact::Wide(value) => serializer.serialize_i128(value),
            Exact::Double(value) => serializer.serialize_f64(value),
        },
        View::String(text) => serializer.serialize_str(text),
        View::Array(items) => {
            let mut sequence = serializer.serialize_seq(Some(items.len()))?;
            for item in items {
                sequence.serialize_element(&Serializable(item, std::marker::PhantomData))?;
            }
            sequence.end()
        }
        View::Object(members) => {
            let mut map = serializer.serialize_map(Some(members.len()))?;
            for (key, member) in members {
                map.serialize_entry(key, &Serializable(member, std::marker::PhantomData))?;
            }
            map.end()
        }
    }
}

struct Serializable<'v, V>(V, std::marker::PhantomData<&'v ()>);

impl<'v, V: Value<'v>> serde::Serialize for Serializable<'v, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

/// Why a value cannot be read as a type, and where, once the innermost value has been left.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), place: None }
    }
}

impl Fault {
    /// The fault with a place, if no inner value has given it one.
    pub(crate) fn at<'v, V: Value<'v>>(mut self, value: V) -> Self {
        self.place.get_or_insert_with(|| value.place());
        self
    }
}

/// Reads a value as a type.
pub(crate) fn typed<'v, V: Value<'v>, T: DeserializeOwned>(value: V) -> Result<T, Fault> {
    T::deserialize(Typed(value, std::marker::PhantomData)).map_err(|fault| fault.at(value))
}

struct Typed<'v, V>(V, std::marker::PhantomData<&'v ()>);

impl<'de, N: Value<'de>> Deserializer<'de> for Typed<'de, N> {
    type Error = Fault;

    fn deserialize_any<T: Visitor<'de>>(self, visitor: T) -> Result<T::Value, Fault> {
        match self.0.view() {
            View::Null => visitor.visit_unit(),
            View::Bool(value) => visitor.visit_bool(value),
            View::Number(text) => match exact(text) {
                Exact::Signed(value) => visitor.visit_i64(value),
                Exact::Unsigned(value) => visitor.visit_u64(value),
                // Serde's buffers for untagged types hold no wider integers.
                Exact::Wide(_) => visitor.visit_f64(text.parse().unwrap_or_default()),
                Exact::Double(value) => visitor.visit_f64(value),
            },
            View::String(text) => visitor.visit_borrowed_str(text),
            View::Array(items) => visitor.visit_seq(Items(items.into_iter(), std::marker::PhantomData)),
            View::Object(members) => visitor.visit_map(Members::new(members)),
        }
    }

    fn deserialize_option<T: Visitor<'de>>(self, visitor: T) -> Result<T::Value, Fault> {
        match self.0.view() {
            View::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<T: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: T,
    ) -> Result<T::Value, Fault> {
        match self.0.view() {
            View::Object(members) => visitor.visit_enum(MapAccessDeserializer::new(Members::new(members))),
            View::String(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<T: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: T,
    ) -> Result<T::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<T: Visitor<'de>>(self, visitor: T) -> Result<T::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

struct Items<'v, V>(std::vec::IntoIter<V>, std::marker::PhantomData<&'v ()>);

impl<'v, V: Value<'v>> SeqAccess<'v> for Items<'v, V> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.0.next() else { return Ok(None) };
        seed.deserialize(Typed(item, std::marker::PhantomData)).map(Some).map_err(|fault| fault.at(item))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members<'v, V> {
    rest: std::vec::IntoIter<(&'v str, V)>,
    value: Option<V>,
}

impl<'v, V> Members<'v, V> {
    fn new(members: Vec<(&'v str, V)>) -> Self {
        Self { rest: members.into_iter(), value: None }
    }
}

impl<'v, V: Value<'v>> MapAccess<'v> for Members<'v, V> {
    type Error = Fault;

    fn next_key_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|fault: Fault| fault.at(value))
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let value = self.value.take().expect("Serde asks for a value only after its key");
        seed.deserialize(Typed(value, std::marker::PhantomData)).map_err(|fault| fault.at(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
