//! Values under nested names, such as those of `filter[size][gt]=3`.

use super::problem::Problem;
use std::collections::BTreeMap;

/// The apparent shape of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::codec) enum Shape {
    Text,
    List,
    Object,
}

/// The maximum nesting depth, which protects the reader from exhaustion.
const DEEPEST: usize = 32;

/// The values of a name, and the values under its brackets.
#[derive(Clone, Debug, Default)]
pub(in crate::codec) struct Branch {
    values: Vec<String>,
    inner: BTreeMap<String, Branch>,
}

impl Branch {
    /// Adds one value under these names.
    pub(in crate::codec) fn insert(&mut self, names: &[String], value: String) -> Result<(), Problem> {
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

    pub(in crate::codec) fn is_empty(&self) -> bool {
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

    /// Returns the entries of a list. Those of the first part come before those of the second: values of the
    /// name itself and of `[]`; then what has more brackets behind `[]`, and what has an index, ordered by
    /// it.
    pub(super) fn list(self) -> Result<(Vec<String>, Vec<Branch>), Problem> {
        let (mut values, mut nested, mut placed) = (self.values, Vec::new(), Vec::new());
        for (name, mut branch) in self.inner {
            if name.is_empty() {
                values.append(&mut branch.values);
                if !branch.inner.is_empty() {
                    nested.push(branch);
                }
            } else {
                let position: u64 = name.parse().map_err(|_| Problem::rule("must be a list"))?;
                placed.push((position, branch));
            }
        }
        placed.sort_by_key(|(position, _)| *position);
        nested.extend(placed.into_iter().map(|(_, branch)| branch));
        Ok((values, nested))
    }

    /// Returns the members of an object.
    pub(in crate::codec) fn object(self) -> Result<BTreeMap<String, Branch>, Problem> {
        if self.values.iter().any(|value| !value.is_empty()) {
            return Err(Problem::rule("must be an object"));
        }
        Ok(self.inner)
    }
}
