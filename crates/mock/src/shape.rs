//! [`Shape`]: the kind of value that text is decoded into, derived from a schema.

use frontdesk_document::{NodeRef, schema_parts};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::{collections::BTreeMap, fmt};

/// Schemas nested more deeply than this are decoded as [`Shape::Any`].
const DEEPEST: usize = 8;

/// The kind of a value, as far as it affects how text is decoded. The oracle checks all other rules.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Any value; the text decides.
    Any,
    Bool,
    /// A signed 64-bit integer.
    Integer,
    /// An unsigned 64-bit integer.
    Unsigned,
    Number,
    Text,
    /// Bytes, carried unchanged by a part of a multipart body.
    Bytes,
    List(Box<Shape>),
    Object {
        members: BTreeMap<&'static str, Shape>,
        /// The shape of members that are not named; `None` if the schema does not mention them.
        further: Option<Box<Shape>>,
    },
}

impl Shape {
    /// Returns the shape of a schema's values.
    pub(crate) fn of(schema: NodeRef<'static>) -> Self {
        Self::within(schema, 0)
    }

    fn within(schema: NodeRef<'static>, depth: usize) -> Self {
        if depth > DEEPEST {
            return Self::Any;
        }
        let parts = schema_parts(schema);
        let each = |keyword: &'static str| parts.iter().filter_map(move |part| part.get(keyword));
        let mut members = BTreeMap::new();
        for (key, member) in each("properties").flat_map(NodeRef::entries) {
            members.entry(key.text).or_insert_with(|| Self::within(member, depth + 1));
        }
        let further = each("additionalProperties").find_map(|further| {
            let any = further.as_bool() == Some(true);
            if further.is_object() {
                Some(Box::new(Self::within(further, depth + 1)))
            } else {
                any.then(|| Box::new(Self::Any))
            }
        });
        if !members.is_empty() || further.is_some() {
            return Self::Object { members, further };
        }
        if let Some(items) = each("items").next() {
            return Self::List(Box::new(Self::within(items, depth + 1)));
        }
        let format = each("format").find_map(NodeRef::as_str);
        match each("type").find_map(NodeRef::as_str) {
            Some("boolean") => Self::Bool,
            Some("integer") if matches!(format, Some("uint64" | "uint")) => Self::Unsigned,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("string") if format == Some("binary") => Self::Bytes,
            Some("string") => Self::Text,
            Some("array") => Self::List(Box::new(Self::Any)),
            Some("object") => Self::Object { members, further: Some(Box::new(Self::Any)) },
            _ => Self::of_values(each("enum").flat_map(NodeRef::items))
                .or_else(|| Self::of_branches(&parts, depth))
                .unwrap_or(Self::Any),
        }
    }

    /// Returns the shape that all values of an enumeration share.
    fn of_values(values: impl Iterator<Item = NodeRef<'static>>) -> Option<Self> {
        let mut shapes = values.map(|value| match value.to_json() {
            Value::String(_) => Self::Text,
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_i64() => Self::Integer,
            Value::Number(_) => Self::Number,
            _ => Self::Any,
        });
        let first = shapes.next()?;
        Some(if shapes.all(|shape| shape == first) { first } else { Self::Any })
    }

    /// Returns the shape that all branches of a union share.
    fn of_branches(parts: &[NodeRef<'static>], depth: usize) -> Option<Self> {
        let unions = parts.iter().flat_map(|part| [part.get("oneOf"), part.get("anyOf")]).flatten();
        let mut shapes = unions.flat_map(NodeRef::items).map(|branch| Self::within(branch, depth + 1));
        let first = shapes.next()?;
        Some(if shapes.all(|shape| shape == first) { first } else { Self::Any })
    }

    /// Returns whether the value is a single piece of text.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Self::Any | Self::List(_) | Self::Object { .. })
    }

    /// Returns whether the value is nested, so that no parameter style but `deepObject` can express it.
    pub(crate) fn is_nested(&self) -> bool {
        let composed = |shape: &Self| matches!(shape, Self::List(_) | Self::Object { .. });
        let object = |shape: &Self| matches!(shape, Self::Object { .. });
        match self {
            Self::List(items) => composed(items),
            Self::Object { members, further } => members.values().chain(further.as_deref()).any(object),
            _ => false,
        }
    }

    /// Returns the shape of a member.
    pub(crate) fn member(&self, name: &str) -> &Self {
        match self {
            Self::Object { members, further } => {
                members.get(name).or(further.as_deref()).unwrap_or(&Self::Any)
            }
            _ => &Self::Any,
        }
    }

    /// Returns the members that the schema declares.
    pub(crate) fn members(&self) -> Vec<&'static str> {
        match self {
            Self::Object { members, .. } => members.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether the schema declares this member.
    pub(crate) fn declares(&self, name: &str) -> bool {
        matches!(self, Self::Object { members, .. } if members.contains_key(name))
    }
}

/// Decodes a value of a shape from text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeDecoder<'s> {
    pub(crate) shape: &'s Shape,
    /// Whether members of other parameters may occur among its own, so that unknown ones are ignored.
    pub(crate) among_others: bool,
}

impl<'s> ShapeDecoder<'s> {
    /// Decodes a value that is not mixed with others.
    pub(crate) fn of(shape: &'s Shape) -> Self {
        Self { shape, among_others: false }
    }
}

impl<'de> DeserializeSeed<'de> for ShapeDecoder<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.shape {
            Shape::Any => deserializer.deserialize_any(self),
            Shape::Bool => deserializer.deserialize_bool(self),
            Shape::Integer => deserializer.deserialize_i64(self),
            Shape::Unsigned => deserializer.deserialize_u64(self),
            Shape::Number => deserializer.deserialize_f64(self),
            Shape::Text | Shape::Bytes => deserializer.deserialize_str(self),
            Shape::List(_) => deserializer.deserialize_seq(self),
            // JSON in a member of a form may be `null`.
            Shape::Object { .. } => deserializer.deserialize_option(self),
        }
    }
}

impl<'de> Visitor<'de> for ShapeDecoder<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.shape {
            Shape::Any => "a value",
            Shape::Bool => "true or false",
            Shape::Integer | Shape::Unsigned => "an integer",
            Shape::Number => "a number",
            Shape::Text | Shape::Bytes => "text",
            Shape::List(_) => "a list",
            Shape::Object { .. } => "an object",
        })
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("must be a finite number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let shape = match self.shape {
            Shape::List(entry) => entry,
            _ => &Shape::Any,
        };
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(ShapeDecoder::of(shape))? {
            list.push(entry);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let foreign = matches!(self.shape, Shape::Object { members, further: None }
                if self.among_others && !members.contains_key(name.as_str()));
            if foreign {
                entries.next_value::<IgnoredAny>()?;
            } else {
                let value = entries.next_value_seed(ShapeDecoder::of(self.shape.member(&name)))?;
                if object.insert(name, value).is_some() {
                    return Err(A::Error::custom("must not have a member twice"));
                }
            }
        }
        Ok(Value::Object(object))
    }
}
