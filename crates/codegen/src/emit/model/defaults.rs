//! Methods that return what an absent field means.
//!
//! A field keeps its absence, so that an update does not write what nobody sent; who reads it asks for the
//! default by name.

use super::super::{
    Imports, expect_deprecated, ident,
    types::{From, Presence, write},
    validation::separated,
};
use crate::{
    ir::{Api, Field, Shape, Struct, Type, TypeDef},
    render::raw_docs,
};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// One method for every field with a default that a literal can say.
pub(super) fn emit(api: &Api, def: &TypeDef, shape: &Struct, imports: &mut Imports) -> TokenStream {
    if shape.fields.iter().all(|field| field.default.is_none()) {
        return TokenStream::new();
    }
    let names: HashSet<&str> = shape.fields.iter().map(|field| field.rust.as_str()).collect();
    let mut stems: HashMap<&str, usize> = HashMap::new();
    for field in &shape.fields {
        *stems.entry(stem(field)).or_default() += 1;
    }
    let methods: Vec<TokenStream> = shape
        .fields
        .iter()
        .filter(|field| Presence::of(field) == Presence::Optional)
        .filter_map(|field| {
            let stem = stem(field);
            let name = format!("{stem}_or_default");
            let is_free = !names.contains(name.as_str()) && stems.get(stem) == Some(&1);
            is_free.then(|| method(api, &name, field, imports)).flatten()
        })
        .collect();
    if methods.is_empty() {
        return TokenStream::new();
    }
    let name = ident(&def.name);
    quote!(impl #name { #(#methods)* })
}

/// The name of a field without what keeps it from being a word of Rust.
fn stem(field: &Field) -> &str {
    field.rust.trim_start_matches("r#").trim_end_matches('_')
}

fn method(api: &Api, name: &str, field: &Field, imports: &mut Imports) -> Option<TokenStream> {
    let default = field.default.as_ref()?;
    let rust = ident(&field.rust);
    let (ty, value) = match (&field.element.ty, default) {
        (Type::Bool, Value::Bool(default)) => (quote!(bool), quote!(self.#rust.unwrap_or(#default))),
        (
            ty
            @ (Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64),
            Value::Number(number),
        ) => {
            let literal = integer(ty, &number.to_string())?;
            let ty = write(api, ty, From::Crate, imports);
            (ty, quote!(self.#rust.unwrap_or(#literal)))
        }
        (ty @ (Type::F32 | Type::F64), Value::Number(number)) => {
            let number = number.as_f64()?;
            // With an exponent where a person would write one.
            let literal = separated(&format!("{number:?}"));
            let ty = write(api, ty, From::Crate, imports);
            (ty, quote!(self.#rust.unwrap_or(#literal)))
        }
        (Type::String, Value::String(default)) => {
            (quote!(&str), quote!(self.#rust.as_deref().unwrap_or(#default)))
        }
        (Type::Named(id), Value::String(default)) => {
            let Shape::Enum(values) = &api.type_def(*id).shape else { return None };
            let variant = ident(&values.values.iter().find(|value| value.wire == *default)?.rust);
            let ty = write(api, &field.element.ty, From::Crate, imports);
            let cloned = if super::enumeration::is_open(api.type_def(*id), values) {
                quote!(self.#rust.clone())
            } else {
                // Only servers may copy a closed enumeration, and there a call of the method would be an odd
                // one.
                quote!(Clone::clone(&self.#rust))
            };
            (ty.clone(), quote!(#cloned.unwrap_or(#ty::#variant)))
        }
        (Type::List(element), Value::Array(entries)) if entries.is_empty() => {
            let entry = super::super::types::write_element(api, element, From::Crate, imports);
            (quote!(&[#entry]), quote!(self.#rust.as_deref().unwrap_or_default()))
        }
        _ => return None,
    };
    let method = ident(name);
    let shown = default.to_string();
    let about = if shown.contains(['`', '\n']) {
        format!("Returns `{}`, or its default if it is absent.", field.wire)
    } else {
        format!("Returns `{}`, or `{shown}` if it is absent.", field.wire)
    };
    let about = raw_docs(&about);
    let expectation = expect_deprecated(field.deprecated);
    Some(quote! {
        #about
        #expectation
        pub fn #method(&self) -> #ty {
            #value
        }
    })
}

/// A whole number as a literal, where the type has it.
fn integer(ty: &Type, text: &str) -> Option<TokenStream> {
    let number: i128 = text.parse().ok()?;
    let (least, most) = ty.range()?;
    (least..=most).contains(&number).then(|| separated(&number.to_string()))
}
