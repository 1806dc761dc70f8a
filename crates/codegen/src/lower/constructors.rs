//! Constructors: which objects are made of a struct of their required members, and what it is called.

use super::names;
use crate::ir::{Api, Field, Shape, TypeDef};

/// The largest number of required members of a request that a call gives in their order.
const MOST_IN_ORDER: usize = 3;

/// Names the struct of the required members of each object for which their order is not enough.
pub(super) fn name(api: &mut Api, type_names: &mut names::Scope) {
    for def in &mut api.types {
        if def.duplicate_of.is_none() && is_made_by_name(def) {
            def.required = Some(type_names.take(&format!("{}Required", def.name), "Model"));
        }
    }
}

/// Whether a caller could swap two members without an error, or lose count of them. A response is filled
/// in far from its definition, so two of its members that have one type are enough for that.
fn is_made_by_name(def: &TypeDef) -> bool {
    let Shape::Struct(shape) = &def.shape else { return false };
    let required: Vec<&Field> = shape.fields.iter().filter(|field| field.required).collect();
    let is_only_answered = def.usage.response && !def.usage.request;
    let is_repeated = |(index, field): (usize, &&Field)| {
        let same = |other: &&Field| {
            (&other.element.ty, other.element.nullable) == (&field.element.ty, field.element.nullable)
        };
        required[..index].iter().any(same)
    };
    required.len() > MOST_IN_ORDER || is_only_answered && required.iter().enumerate().any(is_repeated)
}
