//! Sets of JSON types that a schema allows, without `null`.

use serde_json::Value;

/// A set of types. Integers and fractional numbers are separate bits, so `number` contains `integer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

const NAMES: [(u8, &str); 6] =
    [(1, "boolean"), (6, "number"), (2, "integer"), (8, "string"), (16, "array"), (32, "object")];

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(63);
    pub(super) const BOOLEAN: Self = Self(1);
    pub(super) const INTEGER: Self = Self(2);
    pub(super) const NUMBER: Self = Self(6);
    pub(super) const STRING: Self = Self(8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const SCALAR: Self = Self(15);

    /// Returns the types of a `type` keyword; an unknown one allows all types.
    pub(super) fn named(name: &str) -> Self {
        NAMES.iter().find(|(_, known)| *known == name).map_or(Self::ALL, |(bits, _)| Self(*bits))
    }

    /// Returns the type of a value; the empty set for `null`.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NONE,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => {
                Self::INTEGER
            }
            Value::Number(_) => Self(4),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the types that a text can be decoded as: a string may be any scalar.
    pub(super) fn as_text(self) -> Self {
        if self.has(Self::STRING) { self.or(Self::SCALAR) } else { self }
    }

    /// Renders the types for messages.
    pub(super) fn describe(self) -> String {
        if self == Self::ALL {
            return "any type".to_owned();
        }
        let mut left = self;
        let mut names = Vec::new();
        for (bits, name) in NAMES {
            if left.0 & bits == bits {
                names.push(name);
                left = left.without(Self(bits));
            }
        }
        if left.has(Self(4)) {
            names.push("fraction");
        }
        if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_contain_integers_and_texts_contain_scalars() {
        assert!(Kinds::INTEGER.without(Kinds::NUMBER).is_empty());
        assert!(!Kinds::NUMBER.without(Kinds::INTEGER).is_empty());
        assert!(Kinds::NUMBER.without(Kinds::STRING.as_text()).is_empty());
        assert_eq!(Kinds::NUMBER.describe(), "number");
        assert_eq!(Kinds::named("string").or(Kinds::INTEGER).describe(), "integer or string");
    }
}
