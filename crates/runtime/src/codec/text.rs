//! Owns values as text: scalars, and trees of them that a style joins or takes apart.

mod percent;
mod read;
mod write;

pub(super) use self::{
    percent::{percent_decode, percent_encode},
    read::{Node, Problem, Reader, Shape},
    write::{Tree, tree},
};

use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;

/// The value as text, if it is a scalar. `null` is text without a character.
pub(super) fn scalar<T: Serialize + ?Sized>(value: &T) -> Result<Option<String>, String> {
    match tree(value)? {
        Tree::Null => Ok(Some(String::new())),
        Tree::Text(text) => Ok(Some(text)),
        Tree::List(_) | Tree::Object(_) => Ok(None),
    }
}

/// The scalar that the text says, or the rule that it breaks.
pub(super) fn from_scalar<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let read = |guess| T::deserialize(Reader::new(Node::Text(Cow::Borrowed(text)), guess));
    read(false).or_else(|problem| read(true).map_err(|_| problem)).map_err(|problem| problem.to_string())
}
