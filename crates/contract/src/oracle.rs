//! The oracle: validates instances with the `jsonschema` crate, after translating OpenAPI 3.0 schemas to JSON
//! Schema (draft 4).
//!
//! The specification leaves some questions open. The translation answers them as follows:
//!
//! - `nullable: true` allows `null` regardless of other keywords, also next to `enum`, `allOf`, `oneOf` and
//!   `anyOf`.
//! - A discriminator next to `oneOf` or `anyOf` is part of each branch: the member is required and must name
//!   the branch.
//! - A schema with a discriminator but without a union, which components extend by `allOf`, also through
//!   others, stands for any of these components, and for itself if the discriminator names it. As part of
//!   another `allOf`, it stands only for its own keywords.
//! - `7.0` and `1e1` are integers, as JSON Schema 2020-12 says, in documents of every version.
//! - The same holds for a schema with a union, as part of a branch of that union.
//! - `additionalProperties: false` in a part of an `allOf` allows the members of all parts, as generated code
//!   does, unless the question is what the document allows.
//! - A missing `type` is derived from the other keywords: `properties` implies an object.
//! - `const` and `type: 'null'`, which later versions define, have the meaning from there.
//! - A `readOnly` member is not required in requests, and a `writeOnly` member is not required in responses.
//!   If present, it must be valid.
//! - Numeric formats (`int32`, `uint64` and so on) limit the value. String formats are checked if OpenAPI or
//!   JSON Schema defines them; other formats are ignored.
//! - An enumeration with `x-extensible-enum: true` is open: it allows unlisted values.
//! - A keyword with an invalid value (`minLength: "3"`) is ignored; the generator reports it.
//! - Patterns are ECMA 262 and match anywhere in the text.

mod budget;
mod closest;
mod formats;
mod later;
mod reason;
mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_document::{NodeId, NodeRef};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::sent_schemas::Direction;

pub(crate) use self::formats::{integer_bounds, is_format};
pub(crate) use self::translate::{
    discriminated, family, is_alias, is_open, kind, lists_children, only_nullable, resolve,
};

/// The error for schemas that cannot be compiled.
#[derive(Debug, thiserror::Error)]
#[error("the schemas could not be compiled as JSON Schema: {0}")]
pub struct OracleError(String);

/// A violated keyword, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The JSON pointer of the value within the instance.
    pub pointer: String,
    /// A description of the violation.
    pub message: String,
    /// What is wrong, without the value: a predicate such as "is longer than 20 characters".
    pub reason: String,
    /// The violated keyword of JSON Schema.
    pub keyword: String,
    /// Whether the only fault is that the value, or a part of it, matches several branches of a `oneOf`.
    pub several: bool,
    /// The missing member, if a required member is missing.
    pub missing: Option<String>,
    /// The members that the object may not have, if it has any.
    pub unexpected: Vec<String>,
    /// For a fault within a union: the branch that the value was most likely meant for, and the others, such
    /// as "as `Dog`, the closest of: Cat, Dog". Only in [`Oracle::explained`].
    pub branch: Option<String>,
}

/// A compiled pattern: whether some part of a text matches.
pub type Matches = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Validates instances of the given schemas, and of all schemas inside them or referenced by them.
///
/// All schemas are compiled together, as properties of one object, so that each is compiled once. A value is
/// validated as the property with the number of its schema.
#[derive(Debug)]
pub struct Oracle {
    direction: Direction,
    numbers: HashMap<NodeId, usize>,
    validator: Validator,
    /// The translated schemas, and the names of those that are components, by number.
    definitions: Value,
    names: HashMap<usize, String>,
}

impl Oracle {
    /// Builds an oracle for values of these schemas in this direction. Patterns are matched by an engine that
    /// is made for ECMA 262, and may need any time.
    pub fn new<'d>(
        schemas: impl IntoIterator<Item = NodeRef<'d>>,
        direction: Direction,
    ) -> Result<Self, OracleError> {
        Self::build(schemas, direction, compile, false)
    }

    /// As [`new`](Self::new), but also judges keywords of JSON Schema 2020-12 that generated code does not
    /// check, as far as draft 4 can say the same: `prefixItems`, `contains`, `dependentRequired`,
    /// `dependentSchemas` and `if`, and `additionalProperties: false` for each part of an `allOf`. For
    /// questions about what a document allows, as opposed to what a server enforces.
    pub(crate) fn of_document<'d>(
        schemas: impl IntoIterator<Item = NodeRef<'d>>,
        direction: Direction,
    ) -> Result<Self, OracleError> {
        Self::build(schemas, direction, compile, true)
    }

    /// Builds an oracle that matches patterns with another engine. Patterns that it does not compile match
    /// every text.
    pub fn with_patterns<'d>(
        schemas: impl IntoIterator<Item = NodeRef<'d>>,
        direction: Direction,
        compile: fn(&str) -> Option<Matches>,
    ) -> Result<Self, OracleError> {
        Self::build(schemas, direction, compile, false)
    }

    fn build<'d>(
        schemas: impl IntoIterator<Item = NodeRef<'d>>,
        direction: Direction,
        compile: fn(&str) -> Option<Matches>,
        later: bool,
    ) -> Result<Self, OracleError> {
        let (numbers, names, definitions) = translate::definitions(schemas, direction, later);
        let counted = definitions.into_iter().map(|(number, mut definition)| {
            if let Some(keywords) = definition.as_object_mut() {
                keywords.insert(budget::KEYWORD.to_owned(), true.into());
            }
            (number, definition)
        });
        let definitions: Map<String, Value> = counted.collect();
        let members: Map<String, Value> = definitions
            .keys()
            .map(|number| (number.clone(), json!({ "$ref": format!("#/definitions/{number}") })))
            .collect();
        let schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "definitions": definitions,
            "properties": members,
        });
        let definitions = schema["definitions"].clone();
        let mut options = jsonschema::options()
            .with_draft(Draft::Draft4)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .with_keyword(translate::PATTERN, move |schema, value, _| {
                let rule = schema.get(translate::RULE).and_then(Value::as_str).map(str::to_owned);
                let pattern = Pattern { matches: value.as_str().and_then(compile), rule };
                Ok(Box::new(pattern) as Box<dyn for<'i> Keyword<'i>>)
            });
        options = options.with_keyword(budget::KEYWORD, |_, _, _| {
            Ok(Box::new(budget::Count) as Box<dyn for<'i> Keyword<'i>>)
        });
        options = options.with_keyword(translate::INTEGER, |_, nullable, _| {
            let integer = Integer { nullable: nullable.as_bool() == Some(true) };
            Ok(Box::new(integer) as Box<dyn for<'i> Keyword<'i>>)
        });
        for (name, check) in formats::CHECKS {
            options = options.with_format(*name, *check);
        }
        let validator = options
            .build(&schema)
            .map_err(|error| OracleError(format!("{error} at {}", error.instance_path())))?;
        Ok(Self { direction, numbers, validator, definitions, names })
    }

    /// Returns the direction of the validated values.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns whether the value is an instance of the schema. An unknown schema has no instances, and a
    /// value that is too complex to judge is none.
    pub fn is_valid(&self, schema: NodeRef<'_>, value: &Value) -> bool {
        let valid = |value: &Value| budget::within(value, || self.validator.is_valid(value));
        self.numbered(schema, value).and_then(|(_, value)| valid(&value)).unwrap_or_default()
    }

    /// Returns the violations of a value. A violation inside a union is reported as one that no branch
    /// matches.
    pub fn faults(&self, schema: NodeRef<'_>, value: &Value) -> Vec<Fault> {
        let Some((prefix, value)) = self.numbered(schema, value) else { return Vec::new() };
        let faults = || self.validator.iter_errors(&value).map(|error| Fault::of(&error, &prefix)).collect();
        budget::within(&value, faults).unwrap_or_else(Fault::exhausted)
    }

    /// Returns the violations of a value, for people. A violation inside a union is reported as that of the
    /// branch that the value was most likely meant for, as generated servers do.
    pub fn explained(&self, schema: NodeRef<'_>, value: &Value) -> Vec<Fault> {
        let Some((prefix, value)) = self.numbered(schema, value) else { return Vec::new() };
        let faults = || {
            let errors = self.validator.iter_errors(&value);
            errors
                .flat_map(|error| closest::explained(&error, &prefix, &self.definitions, &self.names))
                .collect()
        };
        budget::within(&value, faults).unwrap_or_else(Fault::exhausted)
    }

    /// Wraps the value for validation, and returns the pointer to it.
    fn numbered(&self, schema: NodeRef<'_>, value: &Value) -> Option<(String, Value)> {
        let number = self.numbers.get(&resolve(schema)?.id())?;
        Some((format!("/{number}"), json!({ number.to_string(): value })))
    }
}

impl Fault {
    /// Returns the fault of a value that is too complex to judge.
    fn exhausted() -> Vec<Self> {
        vec![Self {
            pointer: String::new(),
            message: budget::EXHAUSTED.to_owned(),
            reason: budget::EXHAUSTED.to_owned(),
            keyword: budget::KEYWORD.to_owned(),
            several: false,
            missing: None,
            unexpected: Vec::new(),
            branch: None,
        }]
    }

    /// Converts an error of the engine; `prefix` leads to the value.
    fn of(error: &ValidationError<'_>, prefix: &str) -> Self {
        let pointer = error.instance_path().to_string();
        let pointer = pointer.strip_prefix(prefix).map_or_else(String::new, str::to_owned);
        let missing = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => None,
        };
        let unexpected = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => unexpected.clone(),
            _ => Vec::new(),
        };
        let (reason, place) = reason::reason(error);
        // Inside of a choice with `null`, the fault is where the other alternative has it.
        let pointer = place.strip_prefix(prefix).map_or(pointer, str::to_owned);
        let several = is_several(error);
        let keyword = error.kind().keyword().to_owned();
        let message = error.to_string();
        Self { pointer, message, reason, keyword, several, missing, unexpected, branch: None }
    }
}

/// Returns whether an error would disappear if `oneOf` allowed several matching branches.
fn is_several(error: &ValidationError<'_>) -> bool {
    match error.kind() {
        ValidationErrorKind::OneOfMultipleValid { .. } => true,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().any(|branch| !branch.is_empty() && branch.iter().all(is_several))
        }
        _ => false,
    }
}

/// The `pattern` keyword, whose semantics are those of ECMA 262.
struct Pattern {
    /// `None` if the pattern cannot be used.
    matches: Option<Matches>,
    /// What it requires, in words.
    rule: Option<String>,
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::<'i>::is_valid(self, instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.rule.as_deref().unwrap_or("does not match the pattern")))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        match (&self.matches, instance.as_str()) {
            (Some(matches), Some(text)) => matches(text),
            _ => true,
        }
    }
}

/// The type `integer`, however its values are written.
struct Integer {
    nullable: bool,
}

impl<'i> Keyword<'i> for Integer {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::<'i>::is_valid(self, instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("does not have the type integer"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        match instance {
            Value::Null => self.nullable,
            Value::Number(number) if number.is_f64() => {
                number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            instance => instance.is_number(),
        }
    }
}

thread_local! {
    /// Compiled patterns; compiling takes longer than matching, and schemas occur many times.
    static COMPILED: RefCell<HashMap<String, Option<Arc<regress::Regex>>>> = RefCell::default();
}

fn compile(source: &str) -> Option<Matches> {
    let regex = ecma(source)?;
    Some(Arc::new(move |text: &str| regex.find(text).is_some()))
}

/// Compiles a pattern; `None` if it is not a valid regular expression.
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
