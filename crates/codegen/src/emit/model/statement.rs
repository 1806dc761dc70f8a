//! Emitter of `FromRefusal`, for error bodies whose shape can state any refusal.

use crate::{
    emit::{
        ident,
        refusals::{Statement, statement},
    },
    ir::{Api, Field, Response, Shape, Type, TypeId},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

/// Returns the implementation for a struct that [`stating`](crate::emit::refusals::stating) has found.
pub(super) fn of_struct(api: &Api, id: TypeId) -> Option<TokenStream> {
    let found = statement(api, id)?;
    let def = api.type_def(id);
    let Shape::Struct(shape) = &def.shape else { return None };
    let name = ident(&def.name);
    let message =
        if found.errors.is_some() { quote!(refused.message) } else { quote!(refused.full_message()) };
    let value = |wire: &str| value(&found, wire, &message);
    let required = shape.fields.iter().filter(|field| field.required);
    let arguments = required.filter_map(|field| {
        let (rust, value) = (ident(&field.rust), value(&field.wire)?);
        Some(match def.required {
            None => value,
            Some(_) if field.element.nullable => quote!(#rust: Some(#value)),
            Some(_) => quote!(#rust: #value),
        })
    });
    let arguments: Vec<TokenStream> = arguments.collect();
    let made = match &def.required {
        Some(required) => {
            let required = ident(required);
            quote!(Self::new(#required { #(#arguments),* }))
        }
        None => quote!(Self::new(#(#arguments),*)),
    };
    let optional = shape.fields.iter().filter(|field| !field.required);
    // The violations last, because they are moved.
    let settings = optional.filter_map(|field| {
        let (rust, value) = (ident(&field.rust), value(&field.wire)?);
        let is_errors = found.errors.is_some_and(|errors| errors.wire == field.wire);
        Some(if is_errors {
            quote!(if !refused.errors.is_empty() { body.#rust = Some(#value); })
        } else {
            quote!(body.#rust = Some(#value);)
        })
    });
    let settings: Vec<TokenStream> = settings.collect();
    let body = if settings.is_empty() {
        made
    } else {
        quote! {
            let mut body = #made;
            #(#settings)*
            body
        }
    };
    Some(quote! {
        #[cfg(feature = "server")]
        impl frontdesk_runtime::FromRefusal for #name {
            fn from_refusal(refused: frontdesk_runtime::Refused) -> Self {
                #body
            }
        }
    })
}

/// Returns the value of a field of a statement; nothing for other fields.
fn value(found: &Statement<'_>, wire: &str, message: &TokenStream) -> Option<TokenStream> {
    let is = |field: Option<&Field>| field.is_some_and(|field| field.wire == wire);
    if found.text.wire == wire {
        Some(message.clone())
    } else if is(found.title) {
        Some(quote!(refused.status.canonical_reason().unwrap_or("Error").to_owned()))
    } else if is(found.status) {
        Some(match found.status?.element.ty {
            Type::U16 => quote!(refused.status.as_u16()),
            _ => quote!(refused.status.as_u16().into()),
        })
    } else if is(found.errors) {
        Some(quote!(refused.errors))
    } else {
        None
    }
}

/// Returns the implementation for a response with a type of its own, if its body can state any refusal.
pub(super) fn of_response(api: &Api, response: &Response, stating: &HashSet<TypeId>) -> Option<TokenStream> {
    let fits = response.headers.iter().all(|header| !header.required);
    let element = response.body.as_ref()?.json()?;
    let Type::Named(id) = element.ty else { return None };
    if !fits || element.nullable || !stating.contains(&api.original(id)) {
        return None;
    }
    let name = ident(&response.name);
    let headers = response.headers.iter().map(|header| {
        let rust = ident(&header.rust);
        quote!(#rust: None)
    });
    Some(quote! {
        #[cfg(feature = "server")]
        impl frontdesk_runtime::FromRefusal for #name {
            fn from_refusal(refused: frontdesk_runtime::Refused) -> Self {
                Self { #(#headers,)* body: frontdesk_runtime::FromRefusal::from_refusal(refused) }
            }
        }
    })
}
