//! Last step of schema lowering, when every type is complete: how union branches are distinguished, and
//! whether defaults are valid.

use crate::{
    ir::{Branch, Constraint, Element, JsonKind, Shape, Test, Type, TypeDef, TypeId},
    lower::{Lowering, shown, texts},
};
use frontdesk_document::{Diagnostic, NodeRef};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl Lowering<'_, '_> {
    /// Fills in the tests of branches, orders them, and keeps the defaults and examples that fit.
    pub(in crate::lower) fn finalize(&mut self) {
        self.open_circles();
        for (id, node, nodes) in std::mem::take(&mut self.schemas.unions) {
            let Shape::Union(union) = &self.types[id.0].shape else { continue };
            let mut union = union.clone();
            for branch in &mut union.branches {
                branch.test = test(&self.types, &branch.element);
            }
            let order = order(&union.branches);
            if union.tag.is_none() {
                for (at, later) in order.iter().enumerate() {
                    for earlier in &order[..at] {
                        let (first, second) = (&union.branches[*earlier], &union.branches[*later]);
                        if let Some(shared) = overlap(&first.test, &second.test) {
                            let place = nodes.get(*later).copied().unwrap_or(node);
                            let place = self.document.node(place);
                            if self.warned.insert((place.id(), "ambiguous-union")) {
                                let mut problem = Diagnostic::warning(
                                    "ambiguous-union",
                                    shown(place),
                                    format!(
                                        "a value of `{}` may be read as `{}`, which is tried first; {shared}",
                                        second.rust, first.rust
                                    ),
                                )
                                .hint("give each branch a required property that the others do not have");
                                if let Some(other) = nodes.get(*earlier) {
                                    problem = problem.related(
                                        shown(self.document.node(*other)),
                                        "the one that is tried first",
                                    );
                                }
                                self.problems.push(problem);
                            }
                        }
                    }
                }
            }
            if let Some(tag) = &mut union.tag {
                for (_, branch) in &mut tag.values {
                    *branch = order.iter().position(|index| index == branch).unwrap_or(*branch);
                }
            }
            union.branches = order.iter().map(|index| union.branches[*index].clone()).collect();
            self.types[id.0].shape = Shape::Union(union);
        }
        for (id, wire, node, keyword) in std::mem::take(&mut self.schemas.values) {
            let node = self.document.node(node);
            let value = node.to_json();
            let Shape::Struct(shape) = &self.types[id.0].shape else { continue };
            let Some(index) = shape.fields.iter().position(|field| field.wire == wire) else { continue };
            let fitting = fits(&self.types, &shape.fields[index].element, &value);
            if !fitting {
                if keyword == "default" {
                    self.default_mismatch(node);
                }
                continue;
            }
            if let Shape::Struct(shape) = &mut self.types[id.0].shape {
                match keyword {
                    "default" => shape.fields[index].default = Some(value),
                    _ => shape.fields[index].example = Some(value),
                }
            }
        }
    }

    /// Reports a default that is not surely a value of its schema.
    pub(in crate::lower) fn default_mismatch(&mut self, node: NodeRef<'_>) {
        self.warn_once(
            node,
            "default-mismatch",
            "the default is not a value of its own schema and is not filled in",
            "write a value of the schema's type, within its bounds",
        );
    }
}

fn test(types: &[TypeDef], element: &Element) -> Test {
    let kinds = match &element.ty {
        Type::Any | Type::Raw(_) | Type::Foreign(_) => Vec::new(),
        Type::Bool => vec![JsonKind::Bool],
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
            vec![JsonKind::Integer]
        }
        Type::F32 | Type::F64 | Type::Decimal { text: false } => vec![JsonKind::Number],
        Type::List(_) => vec![JsonKind::Array],
        Type::Map(_) => vec![JsonKind::Object],
        Type::Named(id) | Type::Boxed(id) => return named(types, id.0),
        _ => vec![JsonKind::String],
    };
    let fixed = element
        .constraints
        .iter()
        .filter_map(|constraint| match constraint {
            Constraint::OneOf(values) => Some((String::new(), values.clone())),
            _ => None,
        })
        .collect();
    Test { kinds, fixed, ..Test::default() }
}

fn named(types: &[TypeDef], index: usize) -> Test {
    match &types[index].shape {
        Shape::Struct(shape) => Test {
            kinds: vec![JsonKind::Object],
            required: shape
                .fields
                .iter()
                .filter(|field| field.required)
                .map(|field| field.wire.clone())
                .collect(),
            fixed: shape
                .fields
                .iter()
                .filter_map(|field| Some((field.wire.clone(), values(types, &field.element)?)))
                .collect(),
            known: shape.fields.iter().map(|field| field.wire.clone()).collect(),
            within: Vec::new(),
        },
        Shape::Enum(shape) => Test {
            kinds: vec![JsonKind::String],
            fixed: match values_of(&types[index].shape) {
                Some(values) if !shape.extensible => vec![(String::new(), values)],
                _ => Vec::new(),
            },
            ..Test::default()
        },
        Shape::Id => Test { kinds: vec![JsonKind::String], ..Test::default() },
        Shape::Newtype(element) => Test {
            kinds: match element.ty {
                Type::List(_) => vec![JsonKind::Array],
                Type::Map(_) => vec![JsonKind::Object],
                _ => Vec::new(),
            },
            ..Test::default()
        },
        // A union within a union is decoded to be known; its members tell when to try.
        Shape::Union(_) => {
            let mut within = Vec::new();
            members(types, index, &mut BTreeSet::new(), &mut within);
            Test { within, ..Test::default() }
        }
    }
}

/// Every member that a branch of a union declares, each once, also of unions within.
fn members(types: &[TypeDef], union: usize, seen: &mut BTreeSet<usize>, found: &mut Vec<String>) {
    let Shape::Union(shape) = &types[union].shape else { return };
    if !seen.insert(union) {
        return;
    }
    for branch in &shape.branches {
        let (Type::Named(id) | Type::Boxed(id)) = &branch.element.ty else { continue };
        match &types[id.0].shape {
            Shape::Struct(shape) => {
                for field in &shape.fields {
                    if !found.contains(&field.wire) {
                        found.push(field.wire.clone());
                    }
                }
            }
            _ => members(types, id.0, seen, found),
        }
    }
}

/// The values that a member may have beside `null`.
fn values(types: &[TypeDef], element: &Element) -> Option<Vec<Value>> {
    match &element.ty {
        Type::Named(id) | Type::Boxed(id) => values_of(&types[id.0].shape),
        _ => element.constraints.iter().find_map(|constraint| match constraint {
            Constraint::OneOf(values) => Some(values.clone()),
            _ => None,
        }),
    }
}

fn values_of(shape: &Shape) -> Option<Vec<Value>> {
    match shape {
        Shape::Enum(shape) if !shape.extensible => {
            Some(shape.values.iter().map(|value| Value::String(value.wire.clone())).collect())
        }
        _ => None,
    }
}

/// The order in which branches are tried: each before the first that would take all its values.
fn order(branches: &[Branch]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for index in 0..branches.len() {
        let at = order
            .iter()
            .position(|other| stricter(&branches[index], &branches[*other]))
            .unwrap_or(order.len());
        order.insert(at, index);
    }
    order
}

/// Whether the second takes every value of the first, and more.
fn stricter(first: &Branch, second: &Branch) -> bool {
    let (a, b) = (&first.test, &second.test);
    if b.kinds.is_empty() {
        return !a.kinds.is_empty();
    }
    if a.kinds == [JsonKind::Integer] && b.kinds == [JsonKind::Number] {
        return true;
    }
    if a.kinds != b.kinds {
        return false;
    }
    match a.kinds[..] {
        [JsonKind::Object] => {
            let within = b.required.iter().all(|name| a.required.contains(name));
            within && (a.required.len() > b.required.len() || b.known.is_empty() && !a.known.is_empty())
        }
        _ => {
            let plain = |branch: &Branch| {
                branch.test.fixed.is_empty()
                    && branch.element.constraints.is_empty()
                    && matches!(branch.element.ty, Type::String | Type::Secret | Type::I64 | Type::F64)
            };
            plain(second) && !plain(first)
        }
    }
}

/// Why a value of the later branch may pass for the earlier one, where both are objects.
fn overlap(earlier: &Test, later: &Test) -> Option<String> {
    if earlier.kinds != [JsonKind::Object] || later.kinds != [JsonKind::Object] {
        return None;
    }
    if !earlier.required.iter().all(|name| later.known.contains(name)) {
        return None;
    }
    let apart = earlier.fixed.iter().any(|(name, values)| {
        earlier.required.contains(name)
            && later
                .fixed
                .iter()
                .any(|(other, others)| other == name && !values.iter().any(|value| others.contains(value)))
    });
    if apart {
        return None;
    }
    Some(if earlier.required.is_empty() {
        "the first requires nothing".to_owned()
    } else {
        format!(
            "both may have {}",
            earlier.required.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )
    })
}

/// Whether a value of the document is one that the generated type surely takes.
pub(in crate::lower) fn fits(types: &[TypeDef], element: &Element, value: &Value) -> bool {
    fits_beside(types, element, value, &mut BTreeMap::new())
}

/// Like [`fits`], beside what is known of the same value: unions may lead to each other in circles.
fn fits_beside(
    types: &[TypeDef],
    element: &Element,
    value: &Value,
    known: &mut BTreeMap<TypeId, bool>,
) -> bool {
    if value.is_null() {
        return element.nullable;
    }
    let sound = match &element.ty {
        Type::Any | Type::Raw(_) => true,
        Type::List(entry) => {
            value.as_array().is_some_and(|values| values.iter().all(|value| fits(types, entry, value)))
        }
        Type::Map(entry) => {
            value.as_object().is_some_and(|values| values.values().all(|value| fits(types, entry, value)))
        }
        Type::Named(id) | Type::Boxed(id) => match known.get(id) {
            Some(fits) => *fits,
            None => {
                known.insert(*id, false);
                let fits = fits_shape(types, &types[id.0].shape, value, known);
                known.insert(*id, fits);
                fits
            }
        },
        Type::String
        | Type::Secret
        | Type::Uuid
        | Type::Timestamp
        | Type::Date
        | Type::Duration
        | Type::Ipv4
        | Type::Ipv6
        | Type::Base64
        | Type::Decimal { text: true } => {
            value.as_str().is_some_and(|text| texts::is_read(&element.ty, text))
        }
        Type::File | Type::Foreign(_) => false,
        Type::Bool
        | Type::I8
        | Type::I16
        | Type::I32
        | Type::I64
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::F32
        | Type::F64
        | Type::Decimal { text: false } => is_plain(&element.ty, value),
    };
    sound && element.constraints.iter().all(|constraint| kept(constraint, value))
}

/// Whether a value is a truth value or a number that the type can hold; `false` for all other types.
pub(in crate::lower) fn is_plain(ty: &Type, value: &Value) -> bool {
    match ty {
        Type::Bool => value.is_boolean(),
        Type::I8 => value.as_i64().is_some_and(|value| i8::try_from(value).is_ok()),
        Type::I16 => value.as_i64().is_some_and(|value| i16::try_from(value).is_ok()),
        Type::I32 => value.as_i64().is_some_and(|value| i32::try_from(value).is_ok()),
        Type::I64 => value.is_i64(),
        Type::U8 => value.as_u64().is_some_and(|value| u8::try_from(value).is_ok()),
        Type::U16 => value.as_u64().is_some_and(|value| u16::try_from(value).is_ok()),
        Type::U32 => value.as_u64().is_some_and(|value| u32::try_from(value).is_ok()),
        Type::U64 => value.is_u64(),
        Type::F32 | Type::F64 | Type::Decimal { text: false } => value.is_number(),
        _ => false,
    }
}

fn fits_shape(types: &[TypeDef], shape: &Shape, value: &Value, known: &mut BTreeMap<TypeId, bool>) -> bool {
    match shape {
        Shape::Enum(shape) => value
            .as_str()
            .is_some_and(|text| shape.extensible || shape.values.iter().any(|value| value.wire == text)),
        Shape::Struct(shape) => value.as_object().is_some_and(|members| {
            shape.fields.iter().all(|field| match members.get(&field.wire) {
                Some(value) => fits(types, &field.element, value),
                None => !field.required,
            })
        }),
        Shape::Id => value.as_str().is_some_and(|text| texts::is_read(&Type::Uuid, text)),
        Shape::Newtype(element) => fits_beside(types, element, value, known),
        Shape::Union(union) => {
            union.branches.iter().any(|branch| fits_beside(types, &branch.element, value, known))
        }
    }
}

/// Whether a value observes a constraint. Rules that take more than a comparison, such as patterns, are not
/// checked.
pub(in crate::lower) fn kept(constraint: &Constraint, value: &Value) -> bool {
    let size = |text: &str| text.parse::<f64>().ok().zip(value.as_f64());
    match constraint {
        Constraint::MinChars(least) => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 >= *least)
        }
        Constraint::MaxChars(most) => value.as_str().is_none_or(|text| text.chars().count() as u64 <= *most),
        Constraint::MinItems(least) => value.as_array().is_none_or(|items| items.len() as u64 >= *least),
        Constraint::MaxItems(most) => value.as_array().is_none_or(|items| items.len() as u64 <= *most),
        Constraint::Minimum(least) => size(least).is_none_or(|(least, value)| value >= least),
        Constraint::Above(least) => size(least).is_none_or(|(least, value)| value > least),
        Constraint::Maximum(most) => size(most).is_none_or(|(most, value)| value <= most),
        Constraint::Below(most) => size(most).is_none_or(|(most, value)| value < most),
        Constraint::OneOf(values) => values.contains(value),
        _ => true,
    }
}
