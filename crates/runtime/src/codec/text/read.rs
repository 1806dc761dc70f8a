//! Deserializer over text. The requested type decides how the text is interpreted.

use super::{
    branch::{Branch, Shape},
    problem::{Problem, Step},
};
use crate::{codec::style::Packed, enums::reads_unknown, whole_numbers};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use std::borrow::Cow;

/// Text before its type is known.
#[derive(Clone, Debug)]
pub(in crate::codec) enum Node<'a> {
    /// A scalar.
    Text(Cow<'a, str>),
    /// A scalar of JSON that is not a text: its type is known.
    Json(serde_json::Value),
    /// Text whose parts are joined by a parameter style.
    Packed(Packed<'a>),
    /// The values of one name that occurs any number of times.
    Repeated(Vec<Node<'a>>),
    /// Names with brackets.
    Branch(Branch),
    /// The entries of a list.
    List(Vec<Node<'a>>),
    /// The members of an object.
    Object(Vec<(String, Node<'a>)>),
    /// `form` with `explode`: the entries have the parameter's name; the members have their own names, among
    /// other parameters.
    Open { own: Vec<Node<'a>>, all: Vec<(String, Node<'a>)> },
}

impl<'a> Node<'a> {
    fn text(self) -> Result<Cow<'a, str>, Problem> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Json(serde_json::Value::Null) => Ok(Cow::Borrowed("")),
            Self::Json(value) => Ok(Cow::Owned(value.to_string())),
            Self::Packed(packed) => packed.text().map(Cow::Owned),
            Self::Branch(branch) => branch.text().map(Cow::Owned),
            Self::Object(_) | Self::List(_) => {
                Err(Problem::rule("must be a scalar, not an object or a list"))
            }
            Self::Open { own, .. } if own.is_empty() => Err(Problem::absent()),
            Self::Open { mut own, .. } | Self::Repeated(mut own) => match (own.pop(), own.is_empty()) {
                (Some(node), true) => node.text(),
                _ => Err(Problem::rule("must be given once")),
            },
        }
    }

    fn list(self, lenient: bool) -> Result<Vec<Node<'a>>, Problem> {
        match self {
            scalar @ (Self::Text(_) | Self::Json(_)) => Ok(vec![scalar]),
            Self::Packed(packed) => packed.list(lenient),
            Self::Branch(branch) => {
                let (values, nested) = branch.list()?;
                let values = values.into_iter().map(|value| Self::Text(value.into()));
                Ok(values.chain(nested.into_iter().map(Self::Branch)).collect())
            }
            Self::Object(_) => Err(Problem::rule("must be a list")),
            Self::List(entries) => Ok(entries),
            Self::Open { own, .. } if own.is_empty() => Err(Problem::absent()),
            Self::Open { own, .. } | Self::Repeated(own) => {
                let mut entries = Vec::with_capacity(own.len());
                for node in own {
                    entries.extend(node.list(lenient)?);
                }
                Ok(entries)
            }
        }
    }

    /// Returns the members of an object. `fields` are the names that a struct declares.
    fn object(self, fields: Option<&[&str]>) -> Result<Vec<(String, Node<'a>)>, Problem> {
        match self {
            Self::Text(text) if text.is_empty() => Ok(Vec::new()),
            Self::Json(serde_json::Value::Null) => Ok(Vec::new()),
            Self::Text(_) | Self::Json(_) | Self::List(_) => Err(Problem::rule("must be an object")),
            Self::Packed(packed) => packed.object(),
            Self::Branch(branch) => {
                Ok(branch.object()?.into_iter().map(|(name, branch)| (name, Self::Branch(branch))).collect())
            }
            Self::Object(members) => Ok(members),
            Self::Open { mut all, .. } => {
                if let Some(fields) = fields {
                    all.retain(|(name, _)| fields.contains(&name.as_str()));
                }
                if all.is_empty() { Err(Problem::absent()) } else { Ok(all) }
            }
            Self::Repeated(mut nodes) => match (nodes.pop(), nodes.is_empty()) {
                (Some(node), true) => node.object(fields),
                _ => Err(Problem::rule("must be given once")),
            },
        }
    }

    /// Returns the shape of the text if the type leaves it open. With `guess`, text that looks like a number
    /// or a list counts as one.
    fn shape(&self, guess: bool) -> Shape {
        match self {
            Self::Object(_) => Shape::Object,
            Self::List(_) => Shape::List,
            Self::Branch(branch) => branch.shape(),
            Self::Open { own, .. } | Self::Repeated(own) if own.len() > 1 => Shape::List,
            Self::Open { own, .. } if own.is_empty() && guess => Shape::Object,
            Self::Open { own, .. } | Self::Repeated(own) => {
                own.first().map_or(Shape::Text, |node| node.shape(guess))
            }
            Self::Packed(packed) if guess && packed.is_joined() => Shape::List,
            Self::Text(_) | Self::Json(_) | Self::Packed(_) => Shape::Text,
        }
    }
}

impl From<serde_json::Value> for Node<'_> {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;

        match value {
            scalar @ (Value::Null | Value::Bool(_) | Value::Number(_)) => Self::Json(scalar),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(entries) => Self::List(entries.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

/// Deserializes a value of any type from text.
#[derive(Debug)]
pub(in crate::codec) struct Reader<'a> {
    node: Node<'a>,
    /// Whether text may be read as a number, and encoded commas as delimiters, if nothing else fits.
    guess: bool,
}

impl<'a> Reader<'a> {
    pub(in crate::codec) const fn new(node: Node<'a>, guess: bool) -> Self {
        Self { node, guess }
    }

    fn number(self, expected: &str) -> Result<Cow<'a, str>, Problem> {
        let text = self.node.text()?;
        // Rust also parses `+1`, `inf` and `nan`, which are not numbers in JSON.
        let digits = text.strip_prefix('-').unwrap_or(&text);
        if digits.starts_with(|first: char| first.is_ascii_digit()) {
            Ok(text)
        } else {
            Err(Problem::rule(format!("must be {expected}")))
        }
    }
}

macro_rules! number {
    ($($method:ident $visit:ident $type:ty: $expected:literal),+ $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
            let text = self.number($expected)?;
            let value: $type =
                whole_numbers::parse(&text).ok_or_else(|| Problem::rule(concat!("must be ", $expected)))?;
            visitor.$visit(value)
        })+
    };
}

macro_rules! float {
    ($($method:ident $visit:ident $type:ty),+ $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
            let text = self.number("a number")?;
            match text.parse::<$type>() {
                Ok(value) if value.is_finite() => visitor.$visit(value),
                _ => Err(Problem::rule("must be a number")),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Problem;

    number! {
        deserialize_i8 visit_i8 i8: "an integer between -128 and 127",
        deserialize_i16 visit_i16 i16: "an integer between -32768 and 32767",
        deserialize_i32 visit_i32 i32: "an integer between -2147483648 and 2147483647",
        deserialize_i64 visit_i64 i64: "an integer of 64 bits",
        deserialize_i128 visit_i128 i128: "an integer of 128 bits",
        deserialize_u8 visit_u8 u8: "an integer between 0 and 255",
        deserialize_u16 visit_u16 u16: "an integer between 0 and 65535",
        deserialize_u32 visit_u32 u32: "an integer between 0 and 4294967295",
        deserialize_u64 visit_u64 u64: "an unsigned integer of 64 bits",
        deserialize_u128 visit_u128 u128: "an unsigned integer of 128 bits",
    }

    float! {
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if let Node::Json(value) = self.node {
            return value.into_deserializer().deserialize_any(visitor).map_err(Problem::custom);
        }
        match self.node.shape(self.guess) {
            Shape::List => self.deserialize_seq(visitor),
            Shape::Object => self.deserialize_map(visitor),
            Shape::Text if !self.guess => self.deserialize_str(visitor),
            Shape::Text => {
                let text = self.node.text()?;
                match serde_json::from_str::<serde_json::Value>(&text) {
                    Ok(value @ (serde_json::Value::Bool(_) | serde_json::Value::Number(_))) => {
                        value.into_deserializer().deserialize_any(visitor).map_err(Problem::custom)
                    }
                    _ => visitor.visit_str(&text),
                }
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &*self.node.text()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(Problem::rule("must be true or false")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_str(&self.node.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_string(self.node.text()?.into_owned())
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_bytes(self.node.text()?.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_byte_buf(self.node.text()?.into_owned().into_bytes())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.node {
            Node::Json(serde_json::Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.node.text()?.is_empty() { visitor.visit_unit() } else { Err(Problem::rule("must be empty")) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        if name == crate::decimal::AS_TEXT {
            return self.deserialize_str(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let entries = self.node.list(self.guess)?;
        let sole = entries.len() == 1;
        visitor.visit_seq(Entries { rest: entries.into_iter(), index: 0, sole, guess: self.guess })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let members = self.node.object(None)?;
        visitor.visit_map(Members { rest: members.into_iter(), next: None, guess: self.guess })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let members = self.node.object(Some(fields))?;
        visitor.visit_map(Members { rest: members.into_iter(), next: None, guess: self.guess })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_enum(Choice(self.node.text()?))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_unit()
    }
}

struct Entries<'a> {
    rest: std::vec::IntoIter<Node<'a>>,
    index: usize,
    /// Whether there is exactly one entry. If it is empty and does not fit the entry type, the list is empty.
    sole: bool,
    guess: bool,
}

impl<'de> SeqAccess<'de> for Entries<'_> {
    type Error = Problem;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        let empty = self.sole && matches!(&node, Node::Text(text) if text.is_empty());
        let index = self.index;
        self.index += 1;
        let read = || seed.deserialize(Reader::new(node, self.guess));
        if empty {
            // An open enumeration keeps what it does not know, so it never fails.
            let (read, is_unknown) = reads_unknown(read);
            return Ok(read.ok().filter(|_| !is_unknown));
        }
        read().map(Some).map_err(|problem| problem.within(Step::Entry(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'a> {
    rest: std::vec::IntoIter<(String, Node<'a>)>,
    next: Option<(String, Node<'a>)>,
    guess: bool,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Problem;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        self.next = self.rest.next();
        let Some((name, _)) = &self.next else { return Ok(None) };
        let name: Cow<'_, str> = Cow::Borrowed(name);
        seed.deserialize(Reader::new(Node::Text(name), false)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Problem> {
        let (name, node) =
            self.next.take().ok_or_else(|| Problem::rule("must have a value for every name"))?;
        seed.deserialize(Reader::new(node, self.guess)).map_err(|problem| problem.within(Step::Member(name)))
    }
}

struct Choice<'a>(Cow<'a, str>);

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Problem;
    type Variant = Unit;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Unit), Problem> {
        Ok((seed.deserialize(Reader::new(Node::Text(self.0), false))?, Unit))
    }
}

struct Unit;

impl<'de> VariantAccess<'de> for Unit {
    type Error = Problem;

    fn unit_variant(self) -> Result<(), Problem> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _seed: S) -> Result<S::Value, Problem> {
        Err(Problem::rule("must be a name without a value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, _visitor: V) -> Result<V::Value, Problem> {
        Err(Problem::rule("must be a name without a value"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Problem> {
        Err(Problem::rule("must be a name without a value"))
    }
}
