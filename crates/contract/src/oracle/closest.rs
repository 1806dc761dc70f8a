//! The branch of a union that a value was most likely meant for, by the rules of generated servers: the
//! discriminator decides, else the type of the value, fixed values, and how many of the required and of the
//! declared members are present.

use std::collections::{BTreeSet, HashMap};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::reason::beside_null;
use super::{Fault, translate};

/// The maximum nesting of unions and of `allOf` that is followed.
const DEEPEST: usize = 8;

/// Returns the faults of an error, those of the closest branch for an error of a union.
pub(super) fn explained(
    error: &ValidationError<'_>,
    prefix: &str,
    definitions: &Value,
    names: &HashMap<usize, String>,
) -> Vec<Fault> {
    Explanation { prefix, definitions, names }.faults(error, 0)
}

struct Explanation<'o> {
    prefix: &'o str,
    definitions: &'o Value,
    names: &'o HashMap<usize, String>,
}

/// How well a value matches a branch; greater is better.
type Closeness = (bool, bool, usize, usize);

/// A branch of a union, as it is translated.
struct Branch<'o> {
    name: String,
    /// The schemas that a value must satisfy, without references.
    parts: Vec<&'o Value>,
    /// The discriminator with the values that select the branch.
    tag: Option<(&'o str, Vec<&'o str>)>,
    /// Whether values whose discriminator selects no branch may still be meant for this one: it states the
    /// values of that member itself, or no members at all.
    is_open: bool,
}

impl<'o> Explanation<'o> {
    fn faults(&self, error: &ValidationError<'_>, depth: usize) -> Vec<Fault> {
        if let Some(rest) = beside_null(error).filter(|_| depth < DEEPEST) {
            return rest.iter().flat_map(|error| self.faults(error, depth + 1)).collect();
        }
        let own = Fault::of(error, self.prefix);
        let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
            error.kind()
        else {
            return vec![own];
        };
        let branches = self.branches(error);
        if branches.len() != context.len() || branches.is_empty() || depth >= DEEPEST {
            return vec![own];
        }
        let listed: Vec<&str> = branches.iter().map(|branch| branch.name.as_str()).collect();
        let listed = listed.join(", ");
        let value = error.instance();
        let Some(at) = closest(&branches, value, context) else {
            let message = unfit(&branches, &listed);
            return vec![Fault { reason: message.clone(), message, ..own }];
        };
        let said = format!("as `{}`, the closest of: {listed}", branches[at].name);
        let found = context[at].iter().flat_map(|error| self.faults(error, depth + 1));
        // The outermost union says least about what is wrong, so a branch within it is named instead.
        let found = found.map(|fault| Fault { branch: fault.branch.or(Some(said.clone())), ..fault });
        let mut found: Vec<Fault> = found.collect();
        // A branch and the discriminator that selects it may list the same values.
        found.dedup();
        found
    }

    /// Returns the branches of the union that an error is about.
    fn branches(&self, error: &ValidationError<'_>) -> Vec<Branch<'o>> {
        let path = error.schema_path().to_string();
        let path = path.strip_prefix("/definitions").unwrap_or(&path);
        let union = self.definitions.pointer(path).and_then(Value::as_array);
        union.into_iter().flatten().map(|branch| self.branch(branch)).collect()
    }

    fn branch(&self, branch: &'o Value) -> Branch<'o> {
        let mut parts = Vec::new();
        self.gather(branch, &mut parts, 0);
        let first = branch.get("allOf").and_then(|parts| parts.get(0)).unwrap_or(branch);
        let number = number(first).and_then(|number| number.parse::<usize>().ok());
        let known = number.and_then(|number| self.names.get(&number)).cloned();
        let kind = || {
            let kind = parts.iter().find_map(|part| part.get("type"));
            let kind = match kind {
                Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
                kind => kind.and_then(Value::as_str),
            };
            let is_integer = parts.iter().any(|part| part.get(translate::INTEGER).is_some());
            kind.or(is_integer.then_some("integer")).unwrap_or("other").to_owned()
        };
        let tagged =
            branch.get("allOf").and_then(|parts| parts.get(1)).and_then(|part| part.get("properties"));
        let tag = tagged.and_then(Value::as_object).and_then(|members| members.iter().next());
        let tag = tag.map(|(property, values)| {
            let values = values.get("enum").and_then(Value::as_array);
            (property.as_str(), values.into_iter().flatten().filter_map(Value::as_str).collect())
        });
        let mut own = Vec::new();
        self.gather(first, &mut own, 0);
        let declared = || own.iter().filter_map(|part| part.get("properties")?.as_object());
        let is_open = declared().all(Map::is_empty)
            || tag.as_ref().is_some_and(|(property, _)| {
                declared().filter_map(|members| members.get(*property)).any(|member| self.is_fixed(member))
            });
        Branch { name: known.unwrap_or_else(kind), parts, tag, is_open }
    }

    /// Whether a schema lists its values.
    fn is_fixed(&self, schema: &'o Value) -> bool {
        let mut parts = Vec::new();
        self.gather(schema, &mut parts, 0);
        parts.iter().any(|part| part.get("enum").is_some())
    }

    /// Collects a schema and what it is composed of by `allOf`, without references.
    fn gather(&self, schema: &'o Value, parts: &mut Vec<&'o Value>, depth: usize) {
        let target = number(schema).and_then(|number| self.definitions.get(number)).unwrap_or(schema);
        if depth > DEEPEST || parts.iter().any(|part| std::ptr::eq(*part, target)) {
            return;
        }
        parts.push(target);
        for part in target.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.gather(part, parts, depth + 1);
        }
    }
}

/// Returns the number of the definition that a schema refers to.
fn number(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

/// Returns the branch that a value was most likely meant for; `None` if several match equally well.
fn closest(branches: &[Branch<'_>], value: &Value, context: &[Vec<ValidationError<'_>>]) -> Option<usize> {
    let selected = branches.iter().position(|branch| {
        branch.tag.as_ref().is_some_and(|(property, values)| {
            value.get(*property).and_then(Value::as_str).is_some_and(|tag| values.contains(&tag))
        })
    });
    if selected.is_some() {
        return selected;
    }
    let possible = branches.iter().zip(context).enumerate();
    let possible = possible.filter(|(_, (branch, _))| !branch.is_ruled_out(value));
    let all: Vec<(usize, Closeness)> =
        possible.map(|(at, (branch, errors))| (at, branch.closeness(value, errors))).collect();
    let (at, best) = *all.iter().max_by_key(|(_, closeness)| *closeness)?;
    // A value of another type was meant for none of them.
    let is_single = all.iter().filter(|(_, closeness)| *closeness == best).count() == 1;
    (is_single && best.0).then_some(at)
}

impl Branch<'_> {
    /// Whether the value says by its discriminator, which selects no branch, that it is not of this one.
    fn is_ruled_out(&self, value: &Value) -> bool {
        let says = |(property, _): &(&str, _)| value.get(*property).is_some_and(Value::is_string);
        !self.is_open && self.tag.as_ref().is_some_and(says)
    }

    fn closeness(&self, value: &Value, errors: &[ValidationError<'_>]) -> Closeness {
        let depth = |error: &ValidationError<'_>| error.instance_path().to_string().matches('/').count();
        let least = errors.iter().map(depth).min().unwrap_or_default();
        // Errors of the value itself; those of its members are deeper.
        let own = errors.iter().filter(|error| error.instance().as_ref() == value && depth(error) == least);
        let is_kind = !own.clone().any(|error| {
            matches!(error.kind(), ValidationErrorKind::Type { .. })
                || error.kind().keyword() == translate::INTEGER
        });
        let is_fixed = !errors.iter().any(|error| matches!(error.kind(), ValidationErrorKind::Enum { .. }));
        let present = |names: BTreeSet<&str>| names.iter().filter(|name| value.get(**name).is_some()).count();
        let required = self.parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
        let known = self.parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten();
        (
            is_kind,
            is_fixed,
            present(required.filter_map(Value::as_str).collect()),
            present(known.map(|(name, _)| name.as_str()).collect()),
        )
    }
}

/// Returns what a value without a matching branch violates, in the words of generated servers.
fn unfit(branches: &[Branch<'_>], listed: &str) -> String {
    let tags: Option<Vec<_>> = branches.iter().map(|branch| branch.tag.as_ref()).collect();
    match tags.as_deref() {
        Some([(property, _), ..]) => {
            let values = tags.iter().flatten().flat_map(|(_, values)| values).copied();
            let values: Vec<&str> = values.collect();
            format!("must have a `{property}` out of: {}, and the form that it names", values.join(", "))
        }
        _ => format!("must have the form of one of: {listed}"),
    }
}
