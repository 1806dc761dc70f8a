//! A judge of instances: schemas of OpenAPI 3.0 said in JSON Schema (draft 4), and run by the `jsonschema` crate.
//!
//! What the translation decides, where the specification leaves room:
//!
//! - `nullable: true` admits `null` whatever else the schema says, also next to `enum`, `allOf`, `oneOf` and `anyOf`.
//! - A discriminator next to `oneOf` or `anyOf` is a part of each branch: the member must be there and name the branch.
//! - A schema with a discriminator and no union, which components extend by `allOf`, stands for any of those, likewise,
//!   but not for itself. As a part of another `allOf` it is what it says.
//! - So is a schema with a union, as a part of a branch of that union.
//! - Where `type` is left out, it is the one that the other keywords speak of: `properties` make an object.
//! - `const` and `type: 'null'`, which later versions have, mean what they mean there.
//! - A `readOnly` member is not required of a request, nor a `writeOnly` one of an answer. Where it comes all the same,
//!   it must fit.
//! - Numeric formats (`int32`, `uint64` and so on) bound the value. String formats are asserted, those that have a
//!   meaning in OpenAPI or JSON Schema; other words mean nothing.
//! - An enumeration with `x-extensible-enum: true` is open: it takes values that it does not list.
//! - A keyword whose value has the wrong form (`minLength: "3"`) says nothing; refusing it is the generator's task.
//! - Patterns are ECMA 262 and match anywhere.

mod formats;
mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_document::{NodeId, NodeRef};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::places::Side;

pub(crate) use self::formats::{integer_bounds, is_format};
pub(crate) use self::translate::{
    discriminated, family, is_alias, is_open, kind, lists_children, only_nullable, resolve,
};

/// Why there is no judge.
#[derive(Debug, thiserror::Error)]
#[error("the schemas could not be said in JSON Schema: {0}")]
pub struct OracleError(String);

/// A keyword that an instance breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The JSON pointer of the value, within the instance.
    pub pointer: String,
    /// What the judge says of it.
    pub message: String,
    /// Whether all that is wrong is that it, or something within it, fits more than one branch of a `oneOf`.
    pub several: bool,
    /// The member that is missing at the pointer, if that is what is wrong.
    pub missing: Option<String>,
}

/// Judges instances of the schemas it was made for, and of every schema that they contain or refer to.
///
/// All schemas are compiled at once, as members of one object: the engine then compiles each of them once, however
/// they refer to each other. A value is judged as the member of the number of its schema.
#[derive(Debug)]
pub struct Oracle {
    side: Side,
    numbers: HashMap<NodeId, usize>,
    validator: Validator,
}

impl Oracle {
    /// A judge for values of these schemas that travel in this direction.
    pub fn new<'d>(schemas: impl IntoIterator<Item = NodeRef<'d>>, side: Side) -> Result<Self, OracleError> {
        let (numbers, definitions) = translate::definitions(schemas, side);
        let members: Map<String, Value> = definitions
            .keys()
            .map(|number| (number.clone(), json!({ "$ref": format!("#/definitions/{number}") })))
            .collect();
        let schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "definitions": definitions,
            "properties": members,
        });
        let mut options = jsonschema::options()
            .with_draft(Draft::Draft4)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .with_keyword(translate::PATTERN, |_, value, _| {
                Ok(Box::new(Pattern::new(value)) as Box<dyn for<'i> Keyword<'i>>)
            });
        for (name, check) in formats::CHECKS {
            options = options.with_format(*name, *check);
        }
        let validator = options
            .build(&schema)
            .map_err(|error| OracleError(format!("{error} at {}", error.instance_path())))?;
        Ok(Self { side, numbers, validator })
    }

    /// The direction of the values that it judges.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Whether the value is an instance of the schema. A schema that the oracle was not made for has no instances.
    pub fn is_valid(&self, schema: NodeRef<'_>, value: &Value) -> bool {
        self.numbered(schema, value).is_some_and(|(_, value)| self.validator.is_valid(&value))
    }

    /// What the value breaks; inside of a union, that it fits no branch.
    pub fn faults(&self, schema: NodeRef<'_>, value: &Value) -> Vec<Fault> {
        let Some((prefix, value)) = self.numbered(schema, value) else { return Vec::new() };
        self.validator
            .iter_errors(&value)
            .map(|error| {
                let pointer = error.instance_path().to_string();
                let pointer = pointer.strip_prefix(&prefix).map_or_else(String::new, str::to_owned);
                let missing = match error.kind() {
                    ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
                    _ => None,
                };
                Fault { pointer, message: error.to_string(), several: is_several(&error), missing }
            })
            .collect()
    }

    /// The value as the compiled object holds it, and the pointer to it.
    fn numbered(&self, schema: NodeRef<'_>, value: &Value) -> Option<(String, Value)> {
        let number = self.numbers.get(&resolve(schema)?.id())?;
        Some((format!("/{number}"), json!({ number.to_string(): value })))
    }
}

/// Whether an error would be none if a `oneOf` took what fits more than one of its branches.
fn is_several(error: &ValidationError<'_>) -> bool {
    match error.kind() {
        ValidationErrorKind::OneOfMultipleValid { .. } => true,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().any(|branch| !branch.is_empty() && branch.iter().all(is_several))
        }
        _ => false,
    }
}

/// `pattern`, as ECMA 262 reads it.
struct Pattern(Option<Arc<regress::Regex>>);

impl Pattern {
    fn new(source: &Value) -> Self {
        Self(source.as_str().and_then(ecma))
    }
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::<'i>::is_valid(self, instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("the text does not match the pattern"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        match (&self.0, instance.as_str()) {
            (Some(regex), Some(text)) => regex.find(text).is_some(),
            _ => true,
        }
    }
}

thread_local! {
    /// Patterns that were compiled already: a schema is met many times, and compiling takes longer than matching.
    static COMPILED: RefCell<HashMap<String, Option<Arc<regress::Regex>>>> = RefCell::default();
}

/// A pattern, compiled; `None` if it is no regular expression.
pub(crate) fn ecma(source: &str) -> Option<Arc<regress::Regex>> {
    COMPILED.with_borrow_mut(|compiled| {
        if let Some(known) = compiled.get(source) {
            return known.clone();
        }
        let regex = regress::Regex::with_flags(source, "u").or_else(|_| regress::Regex::new(source));
        let regex = regex.ok().map(Arc::new);
        compiled.insert(source.to_owned(), regex.clone());
        regex
    })
}
