//! Objects of the style `form` with `explode`, whose members are spread over a query: the names that one
//! with members of any name leaves to other parameters.

use crate::ir::{Api, Credential, Location, Operation, Parameter, Shape, Style, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the call that names the other parameters, if the parameter takes any member.
pub(super) fn beside(api: &Api, operation: &Operation, parameter: &Parameter) -> Option<TokenStream> {
    if !is_spread(parameter) || !takes_any(api, &parameter.element.ty) {
        return None;
    }
    let own = members(api, &parameter.element.ty);
    let same_place =
        |other: &&Parameter| other.location == parameter.location && other.wire != parameter.wire;
    let mut names: Vec<&str> = Vec::new();
    for other in operation.parameters.iter().filter(same_place) {
        names.push(&other.wire);
        if is_spread(other) {
            names.extend(members(api, &other.element.ty));
        }
    }
    for required in operation.security.iter().flatten() {
        match (&api.schemes[required.scheme].credential, parameter.location) {
            (Credential::Query(name), Location::Query) | (Credential::Cookie(name), Location::Cookie) => {
                names.push(name);
            }
            _ => {}
        }
    }
    names.retain(|name| !own.contains(name));
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    (!distinct.is_empty()).then(|| quote!(.beside(&[#(#distinct),*])))
}

fn is_spread(parameter: &Parameter) -> bool {
    matches!(parameter.location, Location::Query | Location::Cookie)
        && parameter.style == Style::Form
        && parameter.explode
}

/// Whether values of the type have members that no property declares.
fn takes_any(api: &Api, ty: &Type) -> bool {
    match ty {
        Type::Map(_) | Type::Any | Type::Raw(_) => true,
        Type::Named(id) | Type::Boxed(id) => match &api.type_def(*id).shape {
            Shape::Struct(shape) => shape.extra.is_some(),
            Shape::Newtype(element) => takes_any(api, &element.ty),
            Shape::Enum(_) | Shape::Union(_) | Shape::Id => false,
        },
        _ => false,
    }
}

/// Returns the declared members of an object.
fn members<'a>(api: &'a Api, ty: &Type) -> Vec<&'a str> {
    match ty {
        Type::Named(id) | Type::Boxed(id) => match &api.type_def(*id).shape {
            Shape::Struct(shape) => shape.fields.iter().map(|field| field.wire.as_str()).collect(),
            Shape::Newtype(element) => members(api, &element.ty),
            Shape::Enum(_) | Shape::Union(_) | Shape::Id => Vec::new(),
        },
        _ => Vec::new(),
    }
}
