//! [`Validate`]: types whose values can be checked, decoded or raw.

use super::{Check, Parameter, Path, Report};
use crate::{Patch, Secret, Timestamp, Uuid};
use serde_json::Value;
use std::collections::BTreeMap;

/// A type that can be in a request body.
///
/// Generated structs implement only [`validate`](Self::validate); all other types implement the other two.
pub trait Validate: Sized {
    /// Whether decoded values cannot violate rules of their own type, so that lists of them need no check.
    const IS_LEAF: bool = false;

    /// States every field once, in the document's order.
    fn validate(_check: &mut Check<'_, Self>) {}

    /// Checks a decoded value against the constraints of its own type.
    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        Self::validate(&mut Check::typed(self, *at, report));
    }

    /// Checks raw JSON: its type, and everything in it.
    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        match value {
            Value::Object(object) => Self::validate(&mut Check::raw(object, *at, report)),
            other => mismatch("an object", other, at, report),
        }
    }
}

/// Reports a wrong type.
#[cold]
pub(super) fn mismatch(expected: &str, value: &Value, at: &Path<'_>, report: &mut Report) {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    if expected.ends_with(found) {
        report.push(at, format!("must be {expected}"));
    } else {
        report.push(at, format!("must be {expected}, not {found}"));
    }
}

/// Implements the trait for a type without parts; the text describes its values.
pub(super) trait Leaf {
    const EXPECTED: &'static str;
}

/// Checks a value whose type is written as text. The message about a text in another form states the problem.
pub(super) fn inspect_text<T: Parameter>(expected: &str, value: &Value, at: &Path<'_>, report: &mut Report) {
    match value {
        Value::String(text) => {
            if let Err(rule) = T::from_text(text) {
                report.push(at, rule);
            }
        }
        other => mismatch(expected, other, at, report),
    }
}

macro_rules! text_leaf {
    ($($type:ty: $expected:literal),+ $(,)?) => {
        $(impl Leaf for $type {
            const EXPECTED: &'static str = $expected;
        }

        impl Validate for $type {
            const IS_LEAF: bool = true;

            fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

            fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
                inspect_text::<Self>(Self::EXPECTED, value, at, report);
            }
        })+
    };
}

text_leaf! {
    Uuid: "a UUID such as 0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f",
    Timestamp: "an RFC 3339 timestamp such as 2026-01-31T09:30:00Z",
}

macro_rules! leaf {
    ($($type:ty: $expected:literal),+ $(,)?) => {
        $(impl Leaf for $type {
            const EXPECTED: &'static str = $expected;
        }

        impl Validate for $type {
            const IS_LEAF: bool = true;

            fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

            fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
                if <$type as serde::Deserialize>::deserialize(value).is_err() {
                    mismatch(Self::EXPECTED, value, at, report);
                }
            }
        })+
    };
}

leaf! {
    String: "a string",
    Secret: "a string",
    bool: "true or false",
    i32: "an integer between -2147483648 and 2147483647",
    i64: "an integer of 64 bits",
    u32: "an integer between 0 and 4294967295",
    u64: "an unsigned integer of 64 bits",
    f32: "a number",
    f64: "a number",
}

impl Validate for Value {
    const IS_LEAF: bool = true;

    fn verify(&self, _at: &Path<'_>, _report: &mut Report) {}

    fn inspect(_value: &Value, _at: &Path<'_>, _report: &mut Report) {}
}

impl<T: Validate> Validate for Vec<T> {
    const IS_LEAF: bool = T::IS_LEAF;

    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        if T::IS_LEAF {
            return;
        }
        for (index, entry) in self.iter().enumerate() {
            entry.verify(&at.index(index), report);
        }
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        match value {
            Value::Array(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    T::inspect(entry, &at.index(index), report);
                }
            }
            other => mismatch("an array", other, at, report),
        }
    }
}

impl<T: Validate> Validate for BTreeMap<String, T> {
    const IS_LEAF: bool = T::IS_LEAF;

    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        if T::IS_LEAF {
            return;
        }
        for (name, entry) in self {
            entry.verify(&at.name(name), report);
        }
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        match value {
            Value::Object(entries) => {
                for (name, entry) in entries {
                    T::inspect(entry, &at.name(name), report);
                }
            }
            other => mismatch("an object", other, at, report),
        }
    }
}

impl<T: Validate> Validate for Option<T> {
    const IS_LEAF: bool = T::IS_LEAF;

    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        if let Some(value) = self {
            value.verify(at, report);
        }
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        if !value.is_null() {
            T::inspect(value, at, report);
        }
    }
}

impl<T: Validate> Validate for Patch<T> {
    const IS_LEAF: bool = T::IS_LEAF;

    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        if let Self::Value(value) = self {
            value.verify(at, report);
        }
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        <Option<T> as Validate>::inspect(value, at, report);
    }
}

impl<T: Validate> Validate for Box<T> {
    const IS_LEAF: bool = T::IS_LEAF;

    fn verify(&self, at: &Path<'_>, report: &mut Report) {
        (**self).verify(at, report);
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        T::inspect(value, at, report);
    }
}
