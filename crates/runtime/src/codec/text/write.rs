//! Serializer from values to trees of text.

use serde::{
    Serialize,
    ser::{self, Impossible, Serializer},
};
use std::fmt;

/// A value whose leaves are text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::codec) enum Tree {
    Null,
    Text(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Converts a value to a tree.
pub(in crate::codec) fn tree<T: Serialize + ?Sized>(value: &T) -> Result<Tree, String> {
    value.serialize(Writer).map_err(|Refusal(rule)| rule)
}

/// Why a value cannot be written as text, as the end of a sentence.
#[derive(Debug)]
struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl ser::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

struct Writer;

macro_rules! as_text {
    ($($method:ident: $type:ty),+ $(,)?) => {
        $(fn $method(self, value: $type) -> Result<Tree, Refusal> {
            Ok(Tree::Text(value.to_string()))
        })+
    };
}

macro_rules! as_number {
    ($($method:ident: $type:ty),+ $(,)?) => {
        $(fn $method(self, value: $type) -> Result<Tree, Refusal> {
            if !value.is_finite() {
                return Err(Refusal(format!("must be a finite number, not {value}")));
            }
            // `Display` would write hundreds of zeros.
            let plain = value == 0.0 || (1e-7..1e16).contains(&value.abs());
            Ok(Tree::Text(if plain { value.to_string() } else { format!("{value:e}") }))
        })+
    };
}

impl Serializer for Writer {
    type Ok = Tree;
    type Error = Refusal;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = Impossible<Tree, Refusal>;
    type SerializeMap = Object;
    type SerializeStruct = Object;
    type SerializeStructVariant = Impossible<Tree, Refusal>;

    as_text! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_char: char,
        serialize_str: &str,
    }

    as_number! {
        serialize_f32: f32,
        serialize_f64: f64,
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Tree, Refusal> {
        let text = std::str::from_utf8(value).map_err(|_| Refusal("must be text in UTF-8".to_owned()))?;
        self.serialize_str(text)
    }

    fn serialize_none(self) -> Result<Tree, Refusal> {
        Ok(Tree::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Tree, Refusal> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Tree, Refusal> {
        Ok(Tree::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Tree, Refusal> {
        Ok(Tree::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Tree, Refusal> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Tree, Refusal> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Tree, Refusal> {
        Ok(Tree::Object(vec![(variant.to_owned(), value.serialize(self)?)]))
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<List, Refusal> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple(self, _length: usize) -> Result<List, Refusal> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<List, Refusal> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, Refusal> {
        Err(Refusal("must be a scalar, a list or an object".to_owned()))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Object, Refusal> {
        Ok(Object::default())
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Object, Refusal> {
        Ok(Object::default())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, Refusal> {
        Err(Refusal("must be a scalar, a list or an object".to_owned()))
    }
}

struct List(Vec<Tree>);

macro_rules! list {
    ($($kind:ident $method:ident),+) => {
        $(impl ser::$kind for List {
            type Ok = Tree;
            type Error = Refusal;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
                self.0.push(value.serialize(Writer)?);
                Ok(())
            }

            fn end(self) -> Result<Tree, Refusal> {
                Ok(Tree::List(self.0))
            }
        })+
    };
}

list!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field);

#[derive(Default)]
struct Object {
    members: Vec<(String, Tree)>,
    key: String,
}

impl ser::SerializeMap for Object {
    type Ok = Tree;
    type Error = Refusal;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refusal> {
        match key.serialize(Writer)? {
            Tree::Text(key) => self.key = key,
            _ => return Err(Refusal("must have members whose names are text".to_owned())),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        self.members.push((std::mem::take(&mut self.key), value.serialize(Writer)?));
        Ok(())
    }

    fn end(self) -> Result<Tree, Refusal> {
        Ok(Tree::Object(self.members))
    }
}

impl ser::SerializeStruct for Object {
    type Ok = Tree;
    type Error = Refusal;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Refusal> {
        self.members.push((key.to_owned(), value.serialize(Writer)?));
        Ok(())
    }

    fn end(self) -> Result<Tree, Refusal> {
        Ok(Tree::Object(self.members))
    }
}
