//! Values as text: scalars, and trees of text that a parameter style joins or splits.

mod branch;
mod percent;
mod problem;
mod read;
mod write;

pub(super) use self::{
    branch::Branch,
    percent::{percent_decode, percent_encode},
    problem::Problem,
    read::{Node, Reader},
    write::{Tree, tree},
};

use serde::{
    Serialize,
    de::{DeserializeOwned, DeserializeSeed},
};
use std::{borrow::Cow, marker::PhantomData};

/// Returns a scalar as text, or `None` for a list or an object. `null` becomes empty text.
pub(super) fn scalar<T: Serialize + ?Sized>(value: &T) -> Result<Option<String>, String> {
    match tree(value)? {
        Tree::Null => Ok(Some(String::new())),
        Tree::Text(text) => Ok(Some(text)),
        Tree::List(_) | Tree::Object(_) => Ok(None),
    }
}

/// Parses a scalar; the error is the rule that the text violates.
pub(super) fn from_scalar<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    from_scalar_with(text, PhantomData::<T>, |_| true)
}

/// Like [`from_scalar`], with a deserialization seed. Returns the first interpretation that `fits`, or else
/// the most literal one.
pub(super) fn from_scalar_with<T, S>(text: &str, seed: S, fits: impl Fn(&T) -> bool) -> Result<T, String>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let read = |guess| seed.deserialize(Reader::new(Node::Text(Cow::Borrowed(text)), guess));
    match read(false) {
        Ok(value) if fits(&value) => Ok(value),
        Ok(value) => Ok(read(true).ok().filter(fits).unwrap_or(value)),
        Err(problem) => read(true).map_err(|_| problem.to_string()),
    }
}
