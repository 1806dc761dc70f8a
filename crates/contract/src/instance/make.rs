//! Values that satisfy a set of schemas.

use frontdesk_document::{Kind, NodeRef};
use serde_json::{Map, Value, json};

use super::error::InstanceError;
use super::facets::{Facets, Member, flag, takes_null};
use super::number::{self, Range};
use super::text;
use crate::oracle::{Oracle, integer_bounds, resolve};

/// Below this depth, only required members are made.
const DEEP: usize = 5;

/// Below this depth, nothing is made because the schema requires infinite nesting.
const DEEPEST: usize = 40;

/// Above this number of values in an instance, only required members are made.
const MANY: usize = 400;

/// Above this number of values in an instance, an error is returned.
const TOO_MANY: usize = 20_000;

/// The number of attempts for a nested value that the oracle rejects.
const ATTEMPTS: usize = 6;

/// Names of undeclared members.
const FURTHER: [&str; 8] = ["", "extra", "x-1", "with space", "a.b/c~d", "größe", "😀", "\"quoted\""];

/// The purpose of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To test programs with edge cases.
    Trying,
    /// To be read by people.
    Reading {
        /// Whether `example` and `default` of the document are used where they are valid.
        examples: bool,
    },
}

/// A generator of one instance.
#[derive(Debug)]
pub(super) struct Maker<'o> {
    oracle: &'o Oracle,
    purpose: Purpose,
    random: fastrand::Rng,
    made: usize,
}

impl<'o> Maker<'o> {
    pub(super) fn new(oracle: &'o Oracle, purpose: Purpose, random: fastrand::Rng) -> Self {
        Self { oracle, purpose, random, made: 0 }
    }

    /// Returns whether instances are for people.
    fn is_readable(&self) -> bool {
        self.purpose != Purpose::Trying
    }

    /// Returns whether the instance has become too large, as others of the same schema probably will.
    pub(super) fn is_exhausted(&self) -> bool {
        self.made > TOO_MANY
    }

    fn is_tight(&self, depth: usize) -> bool {
        depth >= DEEP || self.made >= MANY
    }

    /// Returns a value that satisfies all of these schemas.
    pub(super) fn make(&mut self, schemas: &[NodeRef<'_>], depth: usize) -> Result<Value, InstanceError> {
        self.made += 1;
        let Some(place) = schemas.first() else { return Ok(self.anything(depth)) };
        if depth > DEEPEST {
            return Err(InstanceError::at(*place, "the schema contains itself infinitely"));
        }
        if self.is_exhausted() {
            return Err(InstanceError::at(*place, "the schema requires too many values"));
        }
        let takes_null = schemas.iter().all(|schema| takes_null(*schema, 0));
        if takes_null && (self.is_tight(depth) || !self.is_readable() && self.random.u8(0..5) == 0) {
            return Ok(Value::Null);
        }
        let mut first = None;
        for attempt in 0..ATTEMPTS {
            let facets = self.gather(schemas, depth, attempt);
            match self.fulfill(*place, &facets, depth) {
                // Values without unions and `not` are valid by construction, or are checked with the whole
                // instance.
                Ok(value) if !contradictory(&facets) || self.fits(schemas, &value) => return Ok(value),
                Ok(_) => {
                    first.get_or_insert_with(|| {
                        InstanceError::at(*place, "no value was found that matches exactly one branch")
                    });
                }
                Err(reason) => {
                    first.get_or_insert(reason);
                    // Only another choice of branches can help.
                    if !contradictory(&facets) || depth > DEEPEST / 2 {
                        break;
                    }
                }
            }
        }
        if takes_null {
            return Ok(Value::Null);
        }
        Err(first.unwrap_or_else(|| InstanceError::at(*place, "nothing was tried")))
    }

    fn fits(&self, schemas: &[NodeRef<'_>], value: &Value) -> bool {
        schemas.iter().all(|schema| self.oracle.is_valid(*schema, value))
    }

    fn gather<'d>(&mut self, schemas: &[NodeRef<'d>], depth: usize, attempt: usize) -> Facets<'d> {
        let (tight, readable) = (self.is_tight(depth), self.is_readable());
        let random = &mut self.random;
        Facets::gather(schemas, &mut |_, branches| {
            if branches.is_empty() {
                return None;
            }
            // The first branch is usually the most common one.
            if readable && !tight && attempt == 0 {
                return Some(0);
            }
            if !tight || attempt > 2 {
                return Some(random.usize(0..branches.len()));
            }
            // The branch with the smallest values is the least likely to recurse.
            (0..branches.len()).min_by_key(|index| (weight(branches[*index]), *index != attempt))
        })
    }

    fn fulfill<'d>(
        &mut self,
        place: NodeRef<'d>,
        facets: &Facets<'d>,
        depth: usize,
    ) -> Result<Value, InstanceError> {
        if let Some(values) = facets.values() {
            let fitting: Vec<&Value> = values
                .iter()
                .filter(|value| facets.all.iter().all(|facet| self.oracle.is_valid(*facet, value)))
                .collect();
            return match self.random.choice(fitting) {
                Some(value) => Ok(value.clone()),
                None => Err(InstanceError::at(
                    place,
                    "no value of the enumeration satisfies the rest of the schema",
                )),
            };
        }
        if let Some(example) = self.example(facets) {
            return Ok(example);
        }
        let readable = self.is_readable();
        match facets.kind().map_err(|reason| InstanceError::at(place, reason))? {
            None => Ok(self.anything(depth)),
            Some(Kind::Bool) => Ok(Value::Bool(self.random.bool())),
            Some(Kind::Integer) => number::integer(&range(facets), readable, &mut self.random)
                .ok_or_else(|| InstanceError::at(place, "no integer lies within the bounds")),
            Some(Kind::Number) => number::number(&range(facets), readable, &mut self.random)
                .ok_or_else(|| InstanceError::at(place, "no number lies within the bounds")),
            Some(Kind::String) => self.text(place, facets),
            Some(Kind::Array) => self.array(place, facets, depth),
            Some(Kind::Object) => self.object(place, facets, depth),
            Some(Kind::Null) => Ok(Value::Null),
        }
    }

    /// Returns the document's example or default, if it is valid and examples are wanted.
    fn example(&self, facets: &Facets<'_>) -> Option<Value> {
        if self.purpose != (Purpose::Reading { examples: true }) {
            return None;
        }
        let given = facets.each("example").chain(facets.each("default"));
        let tagged = |value: &Value| {
            facets
                .tags
                .iter()
                .all(|(property, tag)| value.get(property).is_some_and(|own| own == tag.as_str()))
        };
        given
            .map(NodeRef::to_json)
            .filter(|value| !value.is_null() && tagged(value))
            .find(|value| facets.all.iter().all(|facet| self.oracle.is_valid(*facet, value)))
    }

    fn text(&mut self, place: NodeRef<'_>, facets: &Facets<'_>) -> Result<Value, InstanceError> {
        let rules = text::Rules {
            least: facets.at_least("minLength"),
            most: facets.at_most("maxLength"),
            patterns: facets.texts("pattern").collect(),
            format: facets.texts("format").next(),
            examples: facets.texts("example").chain(facets.texts("default")).collect(),
            readable: self.is_readable(),
        };
        text::text(&rules, &mut self.random)
            .map(Value::String)
            .map_err(|reason| InstanceError::at(place, reason))
    }

    fn array<'d>(
        &mut self,
        place: NodeRef<'d>,
        facets: &Facets<'d>,
        depth: usize,
    ) -> Result<Value, InstanceError> {
        let least = facets.at_least("minItems");
        let most = facets.at_most("maxItems").unwrap_or(u64::MAX);
        if least > most {
            return Err(InstanceError::at(place, "`minItems` is greater than `maxItems`"));
        }
        if least > 10_000 {
            return Err(InstanceError::at(place, "`minItems` is too large to generate an instance"));
        }
        let wished = match (self.is_tight(depth), self.is_readable()) {
            (true, _) => 0,
            // Two entries show that it is a list; one is enough in lists of lists.
            (false, true) => (if depth < 2 { 2_u64 } else { 1 }).saturating_sub(least),
            (false, false) => self.random.u64(0..4),
        };
        let length = least.saturating_add(wished).min(most);
        let schemas: Vec<_> = facets.each("items").filter(|items| items.is_object()).collect();
        let unique = facets.all.iter().any(|facet| flag(*facet, "uniqueItems"));
        let mut items: Vec<Value> = Vec::new();
        for index in 0..length {
            let mut item = self.make(&schemas, depth + 1);
            for _ in 0..20 {
                if !(unique && item.as_ref().is_ok_and(|item| items.contains(item))) {
                    break;
                }
                item = self.make(&schemas, depth + 1);
            }
            match item {
                Ok(item) if unique && items.contains(&item) && index >= least => break,
                Ok(item) if unique && items.contains(&item) => {
                    return Err(InstanceError::at(place, "there are not enough different items"));
                }
                Ok(item) => items.push(item),
                // An empty list is valid even if its items have no instance.
                Err(_) if index >= least => break,
                Err(reason) => return Err(reason),
            }
        }
        Ok(Value::Array(items))
    }

    fn object<'d>(
        &mut self,
        place: NodeRef<'d>,
        facets: &Facets<'d>,
        depth: usize,
    ) -> Result<Value, InstanceError> {
        let direction = self.oracle.direction();
        let required = facets.required(direction);
        let least = usize::try_from(facets.at_least("minProperties")).unwrap_or(usize::MAX);
        let most = facets
            .at_most("maxProperties")
            .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        if least > 1_000 {
            return Err(InstanceError::at(place, "`minProperties` is too large to generate an instance"));
        }
        let mut object = Map::new();
        for name in &required {
            let value = self.member(place, facets, name, depth)?;
            object.insert((*name).to_owned(), value);
        }
        for (property, value) in &facets.tags {
            object.insert((*property).to_owned(), json!(value));
        }
        let mut optional: Vec<&str> =
            facets.declared(direction).into_iter().filter(|name| !object.contains_key(*name)).collect();
        if !self.is_readable() {
            self.random.shuffle(&mut optional);
        }
        // All, none and some optional members are different cases for a decoder.
        let share = match (self.is_tight(depth), self.is_readable()) {
            (true, _) => 0,
            (false, true) => 10,
            (false, false) => *self.random.choice(&[0_u8, 5, 5, 10]).unwrap_or(&5),
        };
        let mut left = Vec::new();
        for name in optional {
            if object.len() < most && self.random.u8(0..10) < share {
                if let Ok(value) = self.member(place, facets, name, depth) {
                    object.insert(name.to_owned(), value);
                }
            } else {
                left.push(name);
            }
        }
        if self.is_readable() {
            // A map without an entry would not show the type of its values.
            if facets.invites() && object.is_empty() && !self.is_tight(depth) {
                self.further(place, facets, "key", depth, most, &mut object);
            }
        } else if facets.invites() && !self.is_tight(depth) {
            for _ in 0..self.random.usize(0..3) {
                let name = *self.random.choice(&FURTHER).unwrap_or(&"extra");
                self.further(place, facets, name, depth, most, &mut object);
            }
        }
        // Declared members are used first to reach the minimum.
        for name in left {
            if object.len() >= least {
                break;
            }
            if let Ok(value) = self.member(place, facets, name, depth) {
                object.insert(name.to_owned(), value);
            }
        }
        for number in 0..least {
            if object.len() >= least {
                break;
            }
            self.further(place, facets, &format!("further{number}"), depth, most, &mut object);
        }
        if object.len() < least || object.len() > most {
            return Err(InstanceError::at(
                place,
                "`minProperties` and `maxProperties` contradict the declared members",
            ));
        }
        Ok(Value::Object(object))
    }

    /// Adds an undeclared member, if one is allowed.
    fn further<'d>(
        &mut self,
        place: NodeRef<'d>,
        facets: &Facets<'d>,
        name: &str,
        depth: usize,
        most: usize,
        object: &mut Map<String, Value>,
    ) {
        // Declared names are left out, even those that may not be sent in this direction.
        let declared = facets.each("properties").any(|members| members.get(name).is_some());
        if declared || object.len() >= most || object.contains_key(name) {
            return;
        }
        if let Ok(value) = self.member(place, facets, name, depth) {
            object.insert(name.to_owned(), value);
        }
    }

    fn member<'d>(
        &mut self,
        place: NodeRef<'d>,
        facets: &Facets<'d>,
        name: &str,
        depth: usize,
    ) -> Result<Value, InstanceError> {
        if let Some((_, value)) = facets.tags.iter().find(|(property, _)| *property == name) {
            return Ok(json!(value));
        }
        match facets.member(name) {
            Member::Forbidden => Err(InstanceError::at(
                place,
                format!("`{name}` is required, but `additionalProperties: false` forbids it"),
            )),
            Member::Allowed(schemas) => self.make(&schemas, depth + 1),
        }
    }

    /// Returns any JSON value.
    fn anything(&mut self, depth: usize) -> Value {
        if self.is_readable() {
            return json!(text::words(&mut self.random));
        }
        let last = if depth >= DEEP { 6 } else { 8 };
        match self.random.u8(0..last) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(self.random.i64(-1000..1000)),
            3 => json!(i64::MAX),
            4 => json!(-0.5),
            5 => json!(*self.random.choice(&FURTHER).unwrap_or(&"")),
            6 => json!([self.anything(depth + 1), {}]),
            _ => json!({ "deep": self.anything(depth + 1), "": [] }),
        }
    }
}

/// Returns whether a value made for the schemas may still violate one of them.
fn contradictory(facets: &Facets<'_>) -> bool {
    ["oneOf", "anyOf", "not"].iter().any(|keyword| facets.each(keyword).next().is_some())
}

fn range<'d>(facets: &Facets<'d>) -> Range<'d> {
    let mut format = None;
    for (least, greatest) in facets.texts("format").filter_map(integer_bounds) {
        let (lower, upper) = format.unwrap_or((least, greatest));
        format = Some((lower.max(least), upper.min(greatest)));
    }
    Range {
        least: facets.bounds("minimum", "exclusiveMinimum"),
        greatest: facets.bounds("maximum", "exclusiveMaximum"),
        steps: facets
            .each("multipleOf")
            .filter(|step| step.as_f64().is_some_and(|step| step > 0.0))
            .filter_map(NodeRef::as_number)
            .collect(),
        format,
        single: facets.texts("format").any(|format| format == "float"),
    }
}

/// Estimates how much a value of a schema contains.
fn weight(schema: NodeRef<'_>) -> usize {
    let Some(schema) = resolve(schema) else { return usize::MAX };
    let composed = ["allOf", "oneOf", "anyOf"]
        .iter()
        .filter_map(|keyword| schema.get(keyword))
        .map(NodeRef::len)
        .sum::<usize>();
    match schema.get("type").and_then(NodeRef::as_str) {
        Some("array") => 1 + usize::from(schema.get("minItems").is_some()),
        Some("object") | None => 2 + composed + schema.get("required").map_or(0, NodeRef::len),
        Some(_) => 0,
    }
}
