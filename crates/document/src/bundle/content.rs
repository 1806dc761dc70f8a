//! The values of a bundle: owned, in order, each with the place it came from.

use crate::convert::{Value, View};
use crate::source::Place;

/// A value of the bundle.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) content: Content,
}

/// The content of a value. Numbers are texts in the grammar of JSON.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Item>),
    Object(Vec<(String, Item)>),
}

impl Item {
    pub(crate) fn new(place: Place, content: Content) -> Self {
        Self { place, content }
    }

    /// Returns the member of an object with this key.
    pub(crate) fn member(&self, key: &str) -> Option<&Item> {
        match &self.content {
            Content::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, item)| item),
            _ => None,
        }
    }

    /// Returns the text of an object's `$ref`.
    pub(crate) fn reference(&self) -> Option<&str> {
        match &self.member("$ref")?.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the member of an object with this key, to be changed.
    pub(crate) fn member_mut(&mut self, key: &str) -> Option<&mut Item> {
        match &mut self.content {
            Content::Object(members) => {
                members.iter_mut().find(|(name, _)| name == key).map(|(_, item)| item)
            }
            _ => None,
        }
    }

    /// Returns the members of an object.
    pub(crate) fn members_mut(&mut self) -> Option<&mut Vec<(String, Item)>> {
        match &mut self.content {
            Content::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Appends the value as JSON, indented by two spaces a level.
    pub(crate) fn write_json(&self, text: &mut String, level: usize) {
        match &self.content {
            Content::Null => text.push_str("null"),
            Content::Bool(true) => text.push_str("true"),
            Content::Bool(false) => text.push_str("false"),
            Content::Number(number) => text.push_str(number),
            Content::String(string) => push_string(text, string),
            Content::Array(items) if items.is_empty() => text.push_str("[]"),
            Content::Object(members) if members.is_empty() => text.push_str("{}"),
            Content::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    push_line(text, index, level + 1);
                    item.write_json(text, level + 1);
                }
                push_line(text, 0, level);
                text.push(']');
            }
            Content::Object(members) => {
                text.push('{');
                for (index, (key, member)) in members.iter().enumerate() {
                    push_line(text, index, level + 1);
                    push_string(text, key);
                    text.push_str(": ");
                    member.write_json(text, level + 1);
                }
                push_line(text, 0, level);
                text.push('}');
            }
        }
    }
}

/// Starts the line of an entry, after a comma if it is not the first.
fn push_line(text: &mut String, index: usize, level: usize) {
    if index > 0 {
        text.push(',');
    }
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", level));
}

fn push_string(text: &mut String, string: &str) {
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if string.bytes().all(plain) {
        text.push('"');
        text.push_str(string);
        text.push('"');
    } else {
        text.push_str(&serde_json::Value::from(string).to_string());
    }
}

impl<'b> Value<'b> for &'b Item {
    fn view(self) -> View<'b, Self> {
        match &self.content {
            Content::Null => View::Null,
            Content::Bool(value) => View::Bool(*value),
            Content::Number(text) => View::Number(text),
            Content::String(text) => View::String(text),
            Content::Array(items) => View::Array(items.iter().collect()),
            Content::Object(members) => {
                View::Object(members.iter().map(|(key, item)| (key.as_str(), item)).collect())
            }
        }
    }

    fn place(self) -> Place {
        self.place
    }
}
