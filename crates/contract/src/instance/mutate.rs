//! Instances that violate a single keyword.

use std::collections::BTreeSet;

use frontdesk_document::{Kind, NodeRef};
use serde_json::{Map, Value, json};

use super::facets::{Facets, Member, flag, takes_null};
use super::number;
use crate::oracle::{Oracle, ecma, integer_bounds, is_format, is_open, kind as kind_of};

/// An instance with one fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// The whole instance.
    pub value: Value,
    /// The JSON pointer of the faulty value; for a missing or additional member, of its object.
    pub pointer: String,
    /// The violated keyword.
    pub keyword: &'static str,
}

/// Returns all mutants that the oracle rejects.
pub(super) fn mutants(
    oracle: &Oracle,
    schema: NodeRef<'_>,
    valid: &Value,
    random: &mut fastrand::Rng,
    most: usize,
) -> Vec<Mutant> {
    let mut walk = Walk { oracle, found: Vec::new() };
    walk.visit(&[schema], valid, "");
    let mut changes = walk.found;
    if changes.len() > most {
        random.shuffle(&mut changes);
    }
    changes
        .into_iter()
        .filter_map(|(pointer, keyword, replacement)| {
            let mut value = valid.clone();
            *value.pointer_mut(&pointer)? = replacement;
            // A fault inside a union is reported as one fault of the union; elsewhere there must be exactly
            // one too. A value that matches several branches violates only `oneOf`, which generated code does
            // not check, so it is skipped.
            let faults = oracle.faults(schema, &value);
            matches!(&faults[..], [only] if !only.several).then_some(Mutant { value, pointer, keyword })
        })
        .take(most)
        .collect()
}

struct Walk<'o> {
    oracle: &'o Oracle,
    found: Vec<(String, &'static str, Value)>,
}

impl Walk<'_> {
    fn visit(&mut self, schemas: &[NodeRef<'_>], value: &Value, pointer: &str) {
        // Changes are made for the branch that the value matches.
        let oracle = self.oracle;
        let facets = Facets::gather(schemas, &mut |_, branches| {
            branches.iter().position(|branch| oracle.is_valid(*branch, value))
        });
        let mut break_with = |keyword: &'static str, replacement: Value| {
            self.found.push((pointer.to_owned(), keyword, replacement));
        };
        if value.is_null() {
            return;
        }
        let typed = facets.all.iter().any(|facet| kind_of(*facet).is_some());
        if !schemas.is_empty() && !schemas.iter().all(|schema| takes_null(*schema, 0)) && typed {
            break_with("nullable", Value::Null);
        }
        if let Ok(Some(kind)) = facets.kind()
            && typed
        {
            break_with("type", wrong(kind));
        }
        if facets.all.iter().any(|facet| is_open(*facet)) {
            return;
        }
        if let Some(values) = facets.values() {
            match value {
                Value::String(text) => break_with("enum", json!(format!("{text}?"))),
                Value::Number(_) => {
                    if let Some(other) =
                        (0..=values.len()).map(Value::from).find(|other| !values.contains(other))
                    {
                        break_with("enum", other);
                    }
                }
                _ => {}
            }
            return;
        }
        match value {
            Value::Number(_) => numbers(&facets, &mut break_with),
            Value::String(text) => texts(&facets, text, &mut break_with),
            Value::Array(items) => {
                lists(&facets, items, &mut break_with);
                let schemas: Vec<_> = facets.each("items").filter(|items| items.is_object()).collect();
                for (index, item) in items.iter().enumerate() {
                    self.visit(&schemas, item, &format!("{pointer}/{index}"));
                }
            }
            Value::Object(members) => {
                objects(&facets, members, oracle, &mut break_with);
                let is_tag = |name: &str| facets.tags.iter().any(|(tag, _)| *tag == name);
                for (name, member) in members.iter().filter(|(name, _)| !is_tag(name)) {
                    if let Member::Allowed(schemas) = facets.member(name) {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        self.visit(&schemas, member, &format!("{pointer}/{name}"));
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// Returns a value of another type that a lenient decoder would convert.
fn wrong(kind: Kind) -> Value {
    match kind {
        Kind::String => json!(1),
        Kind::Integer => json!(0.5),
        Kind::Number => json!("1"),
        Kind::Bool => json!("true"),
        Kind::Array => json!({}),
        Kind::Object => json!([]),
        Kind::Null => json!(false),
    }
}

fn numbers(facets: &Facets<'_>, break_with: &mut dyn FnMut(&'static str, Value)) {
    let whole = facets.texts("type").any(|kind| kind == "integer");
    for (bound, exclusive, away) in [("minimum", "exclusiveMinimum", -1), ("maximum", "exclusiveMaximum", 1)]
    {
        for (text, excluded) in facets.bounds(bound, exclusive) {
            let beyond = match text.parse::<i128>() {
                Ok(value) if excluded => number::whole(value),
                Ok(value) => value.checked_add(away).and_then(number::whole),
                Err(_) if whole => None,
                Err(_) => text
                    .parse::<f64>()
                    .ok()
                    .map(|value| {
                        if excluded {
                            value
                        } else if away < 0 {
                            value - 1.0
                        } else {
                            value + 1.0
                        }
                    })
                    .map(Value::from),
            };
            if let Some(value) = beyond {
                break_with(if excluded { exclusive } else { bound }, value);
            }
        }
    }
    for (least, greatest) in facets.texts("format").filter_map(integer_bounds).filter(|_| whole) {
        for beyond in [least - 1, greatest + 1] {
            if let Some(value) = number::whole(beyond) {
                break_with("format", value);
            }
        }
    }
    for step in facets.each("multipleOf").filter_map(NodeRef::as_i128).filter(|step| *step > 1) {
        break_with("multipleOf", number::whole(step + 1).unwrap_or_default());
    }
}

fn texts(facets: &Facets<'_>, text: &str, break_with: &mut dyn FnMut(&'static str, Value)) {
    let least = facets.at_least("minLength");
    if (1..100_000).contains(&least) {
        let fewer: String = text.chars().take(usize::try_from(least - 1).unwrap_or(0)).collect();
        break_with("minLength", json!(fewer));
    }
    if let Some(most) = facets.at_most("maxLength").filter(|most| *most < 100_000) {
        // A character outside the basic plane counts as one, although it has two UTF-16 units and four bytes.
        let missing = usize::try_from(most + 1).unwrap_or(0).saturating_sub(text.chars().count());
        let more: String = text.chars().chain(std::iter::repeat_n('😀', missing)).collect();
        break_with("maxLength", json!(more));
    }
    for pattern in facets.texts("pattern") {
        let other = ["", "?", "!", "\u{1}", "é 😀", "a", "1"].into_iter().find(|other| {
            ecma(pattern).is_some_and(|regex| regex.find(other).is_none())
                && (least..=facets.at_most("maxLength").unwrap_or(u64::MAX))
                    .contains(&(other.chars().count() as u64))
        });
        if let Some(other) = other {
            break_with("pattern", json!(other));
        }
    }
    for format in facets.texts("format") {
        let other = match format {
            "date" => "2026-02-30",
            "date-time" => "2026-02-28 10:00",
            "email" => "nobody",
            "hostname" => "-a-.example",
            "ipv4" => "1.2.3.256",
            "ipv6" => "1:2:3",
            "uri" => "no uri",
            "byte" | "decimal" | "duration" | "uuid" => "?",
            _ => continue,
        };
        debug_assert!(
            !is_format(format, other) || !matches!(format, "byte" | "decimal" | "duration" | "uuid")
        );
        break_with("format", json!(other));
    }
}

fn lists(facets: &Facets<'_>, items: &[Value], break_with: &mut dyn FnMut(&'static str, Value)) {
    let least = facets.at_least("minItems");
    if let Ok(fewer) = usize::try_from(least.saturating_sub(1))
        && least > 0
        && items.len() >= fewer
    {
        break_with("minItems", Value::Array(items[..fewer].to_vec()));
    }
    let unique = facets.all.iter().any(|facet| flag(*facet, "uniqueItems"));
    if let Some(most) = facets.at_most("maxItems").filter(|most| *most < 1_000)
        && let Some(item) = items.first()
        && !unique
    {
        let missing = usize::try_from(most + 1).unwrap_or(0).saturating_sub(items.len());
        break_with(
            "maxItems",
            items.iter().cloned().chain(std::iter::repeat_n(item.clone(), missing)).collect(),
        );
    }
    if unique
        && let Some(item) = items.first()
        && facets.at_most("maxItems").is_none_or(|most| most > items.len() as u64)
    {
        break_with("uniqueItems", items.iter().cloned().chain([item.clone()]).collect());
    }
}

/// Returns whether a schema is a branch of a union that only requires members of the surrounding schema.
fn only_requires(schema: NodeRef<'_>) -> bool {
    const WORDS: [&str; 5] = ["description", "not", "required", "title", "type"];
    const WEIGHTY: [&str; 4] = ["additionalProperties", "allOf", "properties", "required"];
    let says = |schema: NodeRef<'_>, words: &[&str]| words.iter().any(|word| schema.get(word).is_some());
    let Some(list) = schema.parent() else { return false };
    list.key().is_some_and(|key| matches!(key.text, "anyOf" | "oneOf"))
        && list.items().all(|branch| branch.entries().all(|(key, _)| WORDS.contains(&key.text)))
        && list.parent().is_some_and(|around| says(around, &WEIGHTY))
}

fn objects(
    facets: &Facets<'_>,
    members: &Map<String, Value>,
    oracle: &Oracle,
    break_with: &mut dyn FnMut(&'static str, Value),
) {
    let tags: BTreeSet<&str> = facets.tags.iter().map(|(property, _)| *property).collect();
    // Such branches are documented as not checked by generated code.
    let firm = |name: &str| {
        let mut firm = facets.all.iter().filter(|facet| !only_requires(**facet));
        firm.any(|facet| {
            let mut names = facet.get("required").into_iter().flat_map(NodeRef::items);
            names.any(|other| other.as_str() == Some(name))
        })
    };
    for name in facets.required(oracle.direction()).into_iter().filter(|name| firm(name)) {
        let mut fewer = members.clone();
        if fewer.remove(name).is_none() {
            continue;
        }
        let (tag, fewer) = (tags.contains(name), Value::Object(fewer));
        // Without its discriminator, a value is decoded as a branch that does not require it.
        if !tag || !facets.rivals.iter().any(|rival| oracle.is_valid(*rival, &fewer)) {
            break_with(if tag { "discriminator" } else { "required" }, fewer);
        }
    }
    for tag in &tags {
        let mut other = members.clone();
        other.insert((*tag).to_owned(), json!("no such branch"));
        break_with("discriminator", Value::Object(other));
    }
    if matches!(facets.member("no such member"), Member::Forbidden) {
        let mut more = members.clone();
        more.insert("no such member".to_owned(), Value::Null);
        break_with("additionalProperties", Value::Object(more));
    }
    let least = facets.at_least("minProperties");
    if least > 0 && facets.required(oracle.direction()).is_empty() {
        break_with(
            "minProperties",
            members
                .iter()
                .take(usize::try_from(least - 1).unwrap_or(0))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        );
    }
    if let Some(most) = facets.at_most("maxProperties").filter(|most| *most < 1_000)
        && let Some(value) = members.values().next()
        && facets.invites()
    {
        let mut more = members.clone();
        for number in 0..=most {
            if more.len() as u64 > most {
                break;
            }
            more.insert(format!("more{number}"), value.clone());
        }
        break_with("maxProperties", Value::Object(more));
    }
}
