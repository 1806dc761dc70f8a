//! Owns values as text: scalars, and trees of them that a style joins or takes apart.

mod percent;
mod read;
mod write;

pub(super) use self::{
    percent::{percent_decode, percent_encode},
    read::{Node, Problem, Reader, Shape},
    write::{Tree, tree},
};

use serde::{
    Serialize,
    de::{DeserializeOwned, DeserializeSeed},
};
use std::{borrow::Cow, marker::PhantomData};

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
    from_scalar_with(text, PhantomData::<T>, |_| true)
}

/// The same, where a seed says what is read. The first reading that `fits` is taken, and where none does, the most literal one.
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
