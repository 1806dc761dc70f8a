//! Emitter of the default values of parameters: as expressions where there are some, and else as JSON.

use crate::{
    emit::{Imports, ident, model_crate},
    ir::{Api, Parameter, Shape, Type},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

/// Returns the call on what was read that fills in a parameter's default; `None` if it has none.
pub(super) fn fill(api: &Api, parameter: &Parameter, imports: &mut Imports) -> Option<TokenStream> {
    let default = parameter.default.as_ref().filter(|_| has(parameter))?;
    let ty = &parameter.element.ty;
    Some(match expression(api, ty, default) {
        Some(Default::Plain(value)) => {
            import(api, ty, imports);
            quote!(.map(|value| value.unwrap_or(#value)))
        }
        Some(Default::Empty) => quote!(.map(|value| value.unwrap_or_default())),
        Some(Default::Made(value)) => {
            import(api, ty, imports);
            quote!(.map(|value| value.unwrap_or_else(|| #value)))
        }
        None => {
            let (wire, json) = (&parameter.wire, default.to_string());
            quote!(.and_then(|value| call.or_default(#wire, value, #json)))
        }
    })
}

/// Whether handlers always receive a value, even if the parameter was not sent.
pub(super) fn has(parameter: &Parameter) -> bool {
    !parameter.required && parameter.default.is_some()
}

enum Default {
    /// An expression that does not allocate.
    Plain(TokenStream),
    /// An expression that allocates.
    Made(TokenStream),
    /// An empty list.
    Empty,
}

/// Returns a value as an expression; `None` if Rust has no short one for it.
fn expression(api: &Api, ty: &Type, value: &Value) -> Option<Default> {
    let plain = |value: TokenStream| Some(Default::Plain(value));
    match (ty, value) {
        (Type::Bool, Value::Bool(value)) => plain(quote!(#value)),
        (Type::F32 | Type::F64, Value::Number(number)) => {
            let number = Literal::f64_unsuffixed(number.as_f64()?);
            plain(quote!(#number))
        }
        (
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64,
            Value::Number(number),
        ) => {
            let number = match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Literal::u64_unsuffixed(number),
                (None, Some(number)) => Literal::i64_unsuffixed(number),
                (None, None) => return None,
            };
            plain(quote!(#number))
        }
        (Type::String, Value::String(text)) => Some(Default::Made(quote!(#text.to_owned()))),
        (Type::Named(id), Value::String(text)) => {
            let def = api.type_def(*id);
            let Shape::Enum(shape) = &def.shape else { return None };
            let variant = ident(&shape.values.iter().find(|known| known.wire == *text)?.rust);
            let name = ident(&def.name);
            plain(quote!(#name::#variant))
        }
        (Type::List(_), Value::Array(entries)) if entries.is_empty() => Some(Default::Empty),
        (Type::List(element), Value::Array(entries)) if !element.nullable => {
            let entries = entries.iter().map(|entry| match expression(api, &element.ty, entry)? {
                Default::Plain(value) | Default::Made(value) => Some(value),
                Default::Empty => Some(quote!(Vec::new())),
            });
            let entries: Vec<TokenStream> = entries.collect::<Option<_>>()?;
            Some(Default::Made(quote!(vec![#(#entries),*])))
        }
        _ => None,
    }
}

/// Imports the enumeration that a default names.
fn import(api: &Api, ty: &Type, imports: &mut Imports) {
    match ty {
        Type::Named(id) => imports.add(&model_crate(api), &api.type_def(*id).name),
        Type::List(element) => import(api, &element.ty, imports),
        _ => {}
    }
}
