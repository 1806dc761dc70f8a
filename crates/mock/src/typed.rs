//! [`Typed`]: which values the types of a generated server hold. They decide how text is read that has
//! several readings: a server takes the first one that its types hold, and only then looks at the rules.

use crate::shape::Shape;
use frontdesk_contract::Oracle;
use frontdesk_document::{NodeRef, schema_parts};
use serde_json::Value;

/// The formats of texts for which generated servers have a type that holds nothing else. Other formats are
/// rules of a text.
const TYPES: [&str; 10] =
    ["base64", "byte", "date", "date-time", "decimal", "duration", "guid", "ipv4", "ipv6", "uuid"];

/// The type of a generated server for a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typed<'s> {
    pub(crate) schema: NodeRef<'static>,
    pub(crate) shape: &'s Shape,
    pub(crate) oracle: &'s Oracle,
}

impl Typed<'_> {
    /// Returns whether the type holds a value that was decoded for its shape.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match (self.shape, value) {
            (Shape::List(_), Value::Array(items)) => {
                self.item().is_none_or(|item| items.iter().all(|value| item.holds(value)))
            }
            (Shape::Object { .. }, Value::Object(members)) => {
                members.iter().all(|(name, value)| self.member(name).is_none_or(|member| member.holds(value)))
            }
            // Only the schema tells which text is a number.
            (Shape::Any, _) => self.oracle.is_valid(self.schema, value),
            (Shape::Text, _) if self.is_special() => self.oracle.is_valid(self.schema, value),
            _ => true,
        }
    }

    /// Returns the value as a generated server reads it: the empty text for a list is the empty list, unless
    /// it is an item.
    pub(crate) fn interpreted(self, value: Value) -> Value {
        match (self.shape, value) {
            (Shape::List(_), Value::Array(items)) => {
                let Some(item) = self.item() else { return Value::Array(items) };
                let is_nothing = matches!(&items[..], [only] if only == "" && !item.holds(only));
                let items = if is_nothing { Vec::new() } else { items };
                Value::Array(items.into_iter().map(|value| item.interpreted(value)).collect())
            }
            (Shape::Object { .. }, Value::Object(members)) => {
                let read = members.into_iter().map(|(name, value)| {
                    let value = match self.member(&name) {
                        Some(member) => member.interpreted(value),
                        None => value,
                    };
                    (name, value)
                });
                Value::Object(read.collect())
            }
            (_, value) => value,
        }
    }

    /// Returns whether the type holds some texts only.
    fn is_special(self) -> bool {
        let is_closed = |part: &NodeRef<'_>| {
            let lists = part.get("const").is_some() || part.get("enum").is_some_and(|all| !all.is_empty());
            lists && part.get("x-extensible-enum").and_then(NodeRef::as_bool) != Some(true)
        };
        let has_type = |part: &NodeRef<'_>| {
            let format = part.get("format").and_then(NodeRef::as_str);
            format.is_some_and(|format| TYPES.contains(&format))
        };
        schema_parts(self.schema).iter().any(|part| is_closed(part) || has_type(part))
    }

    fn item(self) -> Option<Self> {
        let Shape::List(shape) = self.shape else { return None };
        let schema = schema_parts(self.schema).iter().find_map(|part| part.get("items"))?;
        Some(Self { schema, shape, ..self })
    }

    fn member(self, name: &str) -> Option<Self> {
        let parts = schema_parts(self.schema);
        let declared = || parts.iter().find_map(|part| part.get("properties")?.get(name));
        let further = || parts.iter().find_map(|part| part.get("additionalProperties"));
        let schema = declared().or_else(further).filter(|schema| schema.is_object())?;
        Some(Self { schema, shape: self.shape.member(name), ..self })
    }
}
