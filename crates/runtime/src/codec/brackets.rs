//! Names with brackets: `filter[size][gt]=3`, `tags[]=a`, `rows[0][id]=1`.

use super::text::{Node, Problem, Shape, Tree, percent_decode, percent_encode};
use std::{borrow::Cow, collections::BTreeMap};

/// The maximum nesting depth, which protects the reader from exhaustion.
const DEEPEST: usize = 32;

/// The values of a name, and the values under its brackets.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    values: Vec<String>,
    inner: BTreeMap<String, Branch>,
}

impl Branch {
    /// Adds one value under these names.
    pub(super) fn insert(&mut self, names: &[String], value: String) -> Result<(), Problem> {
        if names.len() > DEEPEST {
            return Err(Problem::rule(format!("must not be nested deeper than {DEEPEST} levels")));
        }
        let mut branch = self;
        for name in names {
            branch = branch.inner.entry(name.clone()).or_default();
        }
        branch.values.push(value);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.inner.is_empty()
    }

    pub(super) fn shape(&self) -> Shape {
        if self.inner.is_empty() && self.values.len() == 1 {
            Shape::Text
        } else if self.inner.keys().all(|name| name.bytes().all(|byte| byte.is_ascii_digit())) {
            Shape::List
        } else {
            Shape::Object
        }
    }

    pub(super) fn text(mut self) -> Result<String, Problem> {
        if !self.inner.is_empty() {
            return Err(Problem::rule("must be a scalar, not an object or a list"));
        }
        match (self.values.pop(), self.values.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(Problem::rule("must be given once")),
        }
    }

    /// Returns the entries: values of the name itself, then those of `[]`, then those with an index, ordered by it.
    pub(super) fn list<'a>(self) -> Result<Vec<Node<'a>>, Problem> {
        let mut entries: Vec<Node<'a>> =
            self.values.into_iter().map(|value| Node::Text(value.into())).collect();
        let mut placed = Vec::new();
        for (name, mut branch) in self.inner {
            if name.is_empty() {
                let values = std::mem::take(&mut branch.values);
                entries.extend(values.into_iter().map(|value| Node::Text(value.into())));
                if !branch.inner.is_empty() {
                    entries.push(Node::Branch(branch));
                }
            } else {
                let position: u64 = name.parse().map_err(|_| Problem::rule("must be a list"))?;
                placed.push((position, branch));
            }
        }
        placed.sort_by_key(|(position, _)| *position);
        entries.extend(placed.into_iter().map(|(_, branch)| Node::Branch(branch)));
        Ok(entries)
    }

    pub(super) fn object<'a>(self) -> Result<Vec<(String, Node<'a>)>, Problem> {
        if self.values.iter().any(|value| !value.is_empty()) {
            return Err(Problem::rule("must be an object"));
        }
        Ok(self.inner.into_iter().map(|(name, branch)| (name, Node::Branch(branch))).collect())
    }
}

/// Splits a name into the part before the brackets and the names inside; `None` if the brackets are malformed.
///
/// Encoded brackets count only if the name has no literal ones, so that a name may contain brackets itself.
pub(super) fn names(raw: &str) -> Result<Option<Vec<String>>, Problem> {
    let decode = |text: &str| percent_decode(text, true).map_err(Problem::rule);
    let (text, encoded) =
        if raw.contains('[') { (Cow::Borrowed(raw), true) } else { (Cow::Owned(decode(raw)?), false) };
    let part = |text: &str| if encoded { decode(text) } else { Ok(text.to_owned()) };
    let Some((first, mut rest)) = text.split_once('[') else { return Ok(Some(vec![part(&text)?])) };
    let mut names = vec![part(first)?];
    loop {
        let Some((name, behind)) = rest.split_once(']') else { return Ok(None) };
        names.push(part(name)?);
        if behind.is_empty() {
            return Ok(Some(names));
        }
        match behind.strip_prefix('[') {
            Some(next) => rest = next,
            None => return Ok(None),
        }
    }
}

/// Writes a value with brackets after the name, which is already encoded.
pub(super) fn write(name: &str, value: &Tree, reserved: bool, out: &mut Vec<(String, String)>) {
    match value {
        Tree::Null => out.push((name.to_owned(), String::new())),
        Tree::Text(text) => out.push((name.to_owned(), percent_encode(text, reserved))),
        Tree::List(entries) => {
            let flat = entries.iter().all(|entry| matches!(entry, Tree::Text(_) | Tree::Null));
            for (index, entry) in entries.iter().enumerate() {
                let name = if flat { format!("{name}[]") } else { format!("{name}[{index}]") };
                write(&name, entry, reserved, out);
            }
        }
        Tree::Object(members) => {
            for (member, value) in members {
                write(&format!("{name}[{}]", percent_encode(member, false)), value, reserved, out);
            }
        }
    }
}
