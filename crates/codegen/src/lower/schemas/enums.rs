//! Enumerations: strings with a variant each, and other values that are only checked.

use super::{Key, Part, Place, View, words};
use crate::{
    ir::{Constraint, Element, EnumValue, Shape, StringEnum, Type, TypeId},
    lower::{Lowering, docs, flag, names, text, title},
};
use frontdesk_document::{Kind, NodeRef};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The type of a value, as `type` names it.
pub(super) fn kind(value: NodeRef<'_>) -> &'static str {
    match value.kind() {
        Kind::String => "string",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Bool => "boolean",
        Kind::Array => "array",
        Kind::Object => "object",
        Kind::Null => "any",
    }
}

/// How a listed value goes with the type beside it.
enum Read {
    /// It is one of the type.
    Fitting(Value),
    /// It is written in another type, and can only mean this.
    Meant(Value),
    /// It is not a value of the type.
    Never,
}

fn read(value: NodeRef<'_>, wanted: &str) -> Read {
    let own = kind(value);
    let fitting = match wanted {
        "any" => true,
        "number" => matches!(own, "integer" | "number"),
        _ => own == wanted,
    };
    if fitting {
        return Read::Fitting(value.to_json());
    }
    match wanted {
        "string" => written(value).map_or(Read::Never, |text| Read::Meant(Value::String(text.to_owned()))),
        // A whole number with a fraction of zero is an integer.
        "integer" if own == "number" => value
            .as_i128()
            .and_then(|whole| serde_json::from_str(&whole.to_string()).ok())
            .map_or(Read::Never, Read::Fitting),
        "integer" | "number" | "boolean" => value
            .as_str()
            .and_then(|text| serde_json::from_str(text.trim()).ok())
            .filter(|meant: &Value| match wanted {
                "integer" => meant.is_i64() || meant.is_u64(),
                "number" => meant.is_number(),
                _ => meant.is_boolean(),
            })
            .map_or(Read::Never, Read::Meant),
        _ => Read::Never,
    }
}

/// A scalar as the document writes it.
fn written(value: NodeRef<'_>) -> Option<&str> {
    let scalar = matches!(value.kind(), Kind::Bool | Kind::Integer | Kind::Number);
    let span = value.span();
    let source = value.document().sources().get(span.file)?;
    source.text().get(span.range()).filter(|_| scalar)
}

impl<'d> Lowering<'d, '_> {
    /// The values that every part allows, each once and in the type of the schema, without `null`; and
    /// whether `null` is listed.
    pub(super) fn listed(&mut self, view: &View<'d>, wanted: &str) -> (Vec<(Value, NodeRef<'d>)>, bool) {
        let mut lists = view.lists();
        let Some(first) = lists.next() else { return (Vec::new(), false) };
        let mut kept: Vec<(Value, NodeRef<'d>)> = Vec::new();
        let mut counts: HashMap<Value, usize> = HashMap::new();
        let mut null = false;
        let mut left_out = false;
        for value in first {
            if value.is_null() {
                null = true;
                continue;
            }
            let json = match read(value, wanted) {
                Read::Fitting(json) => json,
                Read::Meant(json) => {
                    self.mismatch(value, wanted, &format!("read as `{json}`"));
                    json
                }
                Read::Never => {
                    left_out = true;
                    self.mismatch(value, wanted, "left out");
                    continue;
                }
            };
            match counts.entry(json.clone()).or_insert(0_usize) {
                count @ 0 => {
                    *count = 1;
                    kept.push((json, value));
                }
                // Of a value that is listed often, the first repetition says enough.
                count @ 1 => {
                    *count = 2;
                    self.warn_once(
                        value,
                        "duplicate-value",
                        "the value is listed twice",
                        "remove one of them",
                    );
                }
                _ => {}
            }
        }
        for list in lists {
            let allowed: HashSet<Value> = list
                .iter()
                .filter_map(|value| match read(*value, wanted) {
                    Read::Fitting(json) | Read::Meant(json) => Some(json),
                    Read::Never => None,
                })
                .collect();
            kept.retain(|(json, _)| allowed.contains(json));
            null &= list.iter().any(|value| value.is_null());
        }
        // Where values of another type were left out, the type alone decides; that has been told.
        if kept.is_empty() && !null && !left_out {
            let at = view.first("enum").or_else(|| view.first("const"));
            if let Some(list) = at {
                self.warn_once(
                    list,
                    "empty-enum",
                    "an enumeration without values allows nothing; the type alone counts",
                    "list at least one value of the declared type",
                );
            }
        }
        (kept, null)
    }

    fn mismatch(&mut self, value: NodeRef<'d>, wanted: &str, fate: &str) {
        let own = kind(value);
        self.warn_once(
            value,
            "enum-mismatch",
            format!("a value of the type {own} stands in an enumeration of the type {wanted} and is {fate}"),
            "write it in the declared type; quote text that YAML would read as a number or truth value",
        );
    }

    /// An enumeration that is not a list of strings: the plain type, checked.
    pub(super) fn fixed(&mut self, view: &View<'d>, kind: &str, element: &mut Element) {
        let (values, null) = self.listed(view, kind);
        element.nullable |= null;
        if values.is_empty() && null {
            *element = only_null();
        }
        if !values.is_empty() {
            element.constraints.push(Constraint::OneOf(values.into_iter().map(|(json, _)| json).collect()));
        }
    }

    pub(super) fn string_enum(
        &mut self,
        parts: &[Part<'d>],
        view: &View<'d>,
        key: &Key,
        place: &Place,
    ) -> Element {
        let mut taken = scope();
        let (values, null) = self.values(view, &mut taken);
        if values.is_empty() {
            return if null { only_null() } else { Element::of(Type::String) };
        }
        let extensible = view.parts.iter().any(|part| flag(*part, "x-extensible-enum"));
        let shape = Shape::Enum(StringEnum { values, extensible });
        let given = view.first("x-ms-enum").and_then(|given| text(given, "name"));
        let given = given.filter(|_| parts.iter().all(|part| !self.has_own_name(part.node)));
        let id = match given {
            Some(given) => self.shared_enum(parts, key, place, given, shape),
            None => {
                let id = self.open(parts, key, place);
                self.types[id.0].shape = shape;
                id
            }
        };
        Element { nullable: null, ..Element::of(Type::Named(id)) }
    }

    /// An enumeration that a document written for Microsoft's tools names in place: one type for all places
    /// that give it the same name and values. Their `modelAsString` says what those tools make of it, not
    /// which values are valid.
    fn shared_enum(
        &mut self,
        parts: &[Part<'d>],
        key: &Key,
        place: &Place,
        given: &str,
        shape: Shape,
    ) -> TypeId {
        let name = names::pascal(given);
        let component = self.schemas.reserved.iter().find(|(_, reserved)| **reserved == name);
        let component =
            component.map(|(id, _)| self.document.node(*id)).filter(|node| node.get("enum").is_some());
        if let Some(Type::Named(id)) = component.map(|node| self.schema(node, &Place::new(name.clone())).ty)
            && self.types[id.0].shape == shape
        {
            return id;
        }
        let shared = self.schemas.shared.get(&name).into_iter().flatten().copied();
        let node = parts[0].node;
        if let Some(id) = shared.into_iter().find(|id| self.types[id.0].shape == shape) {
            let def = &mut self.types[id.0];
            // What is said of one place is not said of the type.
            def.docs = def.docs.take().filter(|said| docs(node).as_ref() == Some(said));
            def.deprecated &= flag(node, "deprecated");
            return id;
        }
        let id = self.open(parts, key, &Place { name: name.clone(), root_module: None, depth: place.depth });
        self.types[id.0].shape = shape;
        self.schemas.shared.entry(name).or_default().push(id);
        id
    }

    /// Whether the document names the schema in its own way.
    fn has_own_name(&self, node: NodeRef<'d>) -> bool {
        self.schemas.reserved.contains_key(&node.id()) || node.get("x-rust-name").is_some()
    }

    /// One enumeration for a choice between enumerations of strings that are written in place. A branch of
    /// any string beside them leaves it open.
    pub(super) fn gathered(
        &mut self,
        parts: &[Part<'d>],
        branches: &[Vec<Part<'d>>],
        key: &Key,
        place: &Place,
    ) -> Option<Element> {
        let inline = |node: NodeRef<'d>| {
            node.reference().is_none()
                && !["allOf", "oneOf", "anyOf"].iter().any(|word| node.get(word).is_some())
                && words::only_text(node)
        };
        let sound = |branch: &Vec<Part<'d>>| {
            let (own, common) = branch.split_first()?;
            let common = common
                .iter()
                .all(|part| words::only_text(part.node) && words::lists(part.node).next().is_none());
            (inline(own.node) && common).then_some(own.node)
        };
        let nodes: Vec<NodeRef<'d>> = branches.iter().map(sound).collect::<Option<_>>()?;
        if nodes.iter().all(|node| words::lists(*node).next().is_none()) {
            return None;
        }
        let mut taken = scope();
        let mut gathered: Vec<EnumValue> = Vec::new();
        let (mut nullable, mut extensible) = (false, false);
        for node in nodes {
            self.later(node);
            nullable |= flag(node, "nullable");
            if words::lists(node).next().is_none() {
                extensible = true;
                continue;
            }
            let view = View { parts: vec![node], ..View::default() };
            let (values, null) = self.values(&view, &mut taken);
            nullable |= null;
            extensible |= flag(node, "x-extensible-enum");
            let alone = values.len() == 1;
            for value in values {
                if gathered.iter().all(|other| other.wire != value.wire) {
                    let docs = value.docs.or_else(|| docs(node).or_else(|| title(node)).filter(|_| alone));
                    gathered.push(EnumValue { docs, ..value });
                }
            }
        }
        if gathered.is_empty() {
            return None;
        }
        let id = self.open(parts, key, place);
        self.types[id.0].shape = Shape::Enum(StringEnum { values: gathered, extensible });
        Some(Element { nullable, ..Element::of(Type::Named(id)) })
    }

    /// The values of an enumeration of strings, named; and whether `null` is one of them.
    fn values(&mut self, view: &View<'d>, taken: &mut names::Scope) -> (Vec<EnumValue>, bool) {
        let (values, null) = self.listed(view, "string");
        let list = |key: &'static str| -> Vec<Option<&'d str>> {
            view.first(key).into_iter().flat_map(NodeRef::items).map(NodeRef::as_str).collect()
        };
        let mut named = list("x-enum-varnames");
        if named.is_empty() {
            named = list("x-enumNames");
        }
        let described = list("x-enum-descriptions");
        let positions: HashMap<_, usize> =
            view.lists().next().into_iter().flatten().enumerate().map(|(at, node)| (node.id(), at)).collect();
        let values = values.into_iter().map(|(json, node)| {
            let wire = json.as_str().unwrap_or_default();
            let at = positions.get(&node.id()).copied();
            let entry = |list: &[Option<&'d str>]| at.and_then(|at| list.get(at).copied().flatten());
            EnumValue {
                wire: wire.to_owned(),
                rust: taken.take(&names::pascal(&names::in_words(entry(&named).unwrap_or(wire))), "Value"),
                docs: entry(&described).map(str::to_owned),
            }
        });
        (values.collect(), null)
    }
}

/// `null` and nothing else. No Rust type has this one value and reads other values as failures that have a
/// place.
pub(super) fn only_null() -> Element {
    Element { ty: Type::Any, nullable: true, constraints: vec![Constraint::OneOf(vec![Value::Null])] }
}

/// The names of variants, without that of the values that the document does not list.
fn scope() -> names::Scope {
    let mut taken = names::Scope::default();
    taken.take("Unknown", "");
    taken
}
