//! Emitter of the expressions that write response bodies with functions of the runtime.

use super::bodies::members;
use crate::{
    emit::{Imports, ident, model::errors::text_type, model_crate},
    ir::{Api, Coding, Form, Operation, Payload, Type},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::mem::discriminant;

/// Returns the expression that writes `value`, which holds a payload, with a status.
pub(super) fn write(
    api: &Api,
    payload: &Payload,
    status: &TokenStream,
    value: &TokenStream,
    imports: &mut Imports,
) -> TokenStream {
    if let Some(name) = &payload.name {
        imports.add(&model_crate(api), name);
    }
    imports.add("frontdesk_runtime::server", "reply");
    let Some(name) = &payload.name else {
        return payload
            .forms
            .first()
            .map_or_else(|| quote!(reply::empty(#status)), |form| write_form(form, status, value, imports));
    };
    let name = ident(name);
    let arms: Vec<TokenStream> = payload
        .forms
        .iter()
        .map(|form| {
            let variant = ident(&form.variant);
            let written = write_form(form, status, &quote!(body), imports);
            quote!(#name::#variant(body) => #written,)
        })
        .collect();
    quote!(match #value { #(#arms)* })
}

fn write_form(form: &Form, status: &TokenStream, value: &TokenStream, imports: &mut Imports) -> TokenStream {
    let media_type = form.media_type.as_str();
    match &form.coding {
        Coding::Json(_) if media_type == "application/json" || media_type.contains('*') => {
            quote!(reply::json(#status, &#value))
        }
        Coding::Json(_) => quote!(reply::json_as(#status, #media_type, &#value)),
        Coding::Urlencoded(_, parts) => {
            let members = members(parts, imports);
            quote!(reply::form(#status, &#value, #members))
        }
        Coding::Multipart(..) => quote!(reply::multipart(#status, #media_type, #value)),
        Coding::Text(_) => {
            let media_type = text_type(media_type);
            quote!(reply::text(#status, #media_type, #value))
        }
        Coding::Bytes => quote!(reply::bytes(#status, #media_type, #value)),
        Coding::Events(element) if element.ty == Type::String => quote!(reply::text_events(#status, #value)),
        Coding::Events(_) => quote!(reply::events(#status, #value)),
    }
}

/// Returns every media type of the successes; nothing if a success may have no body, or one of any type.
pub(super) fn offered(api: &Api, operation: &Operation) -> Vec<String> {
    let mut offered: Vec<String> = Vec::new();
    for answer in &operation.successes {
        let Some(payload) = answer.content.payload(&api.responses) else { return Vec::new() };
        for form in &payload.forms {
            if form.media_type == "*/*" {
                return Vec::new();
            }
            if !offered.contains(&form.media_type) {
                offered.push(form.media_type.clone());
            }
        }
    }
    offered
}

/// Returns the media types among which the caller chooses: those of the only success, if it has one type in
/// several media types of the same coding.
pub(super) fn alternatives(api: &Api, operation: &Operation) -> Option<Vec<String>> {
    let [answer] = &operation.successes[..] else { return None };
    let payload = answer.content.payload(&api.responses)?;
    let [first, rest @ ..] = &payload.forms[..] else { return None };
    let alike = rest.iter().all(|form| discriminant(&form.coding) == discriminant(&first.coding));
    let fixed = payload.forms.iter().all(|form| !form.media_type.contains('*'));
    let json = matches!(first.coding, Coding::Json(_));
    (payload.name.is_none() && !rest.is_empty() && alike && fixed && json)
        .then(|| payload.forms.iter().map(|form| form.media_type.clone()).collect())
}
