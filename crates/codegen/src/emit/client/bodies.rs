//! Emitter of the expressions that write bodies into requests and read them from responses, by media type.

use super::super::{
    Imports, ident, model_crate,
    types::{From, style_name, write_element},
};
use crate::ir::{Api, Body, Coding, Form, Part, Payload, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// The argument for a body, and the code that sets it in `call`.
pub(super) struct Argument {
    /// The argument `body: …`.
    pub(super) taken: TokenStream,
    /// Method calls after `Call::new(..)`; empty if there are statements.
    pub(super) steps: TokenStream,
    /// Statements that set the body in `call`.
    pub(super) statements: TokenStream,
}

/// Returns the argument and the code for the body of an operation.
pub(super) fn argument(api: &Api, body: &Body, imports: &mut Imports) -> Argument {
    let payload = &body.payload;
    let Some(form) = payload.only() else { return choice(api, body, imports) };
    let ty = form_type(api, form, imports);
    if !body.required && matches!(form.coding, Coding::Json(_) | Coding::Urlencoded(..)) {
        let step = write_step(form, &quote!(body), &quote!(body));
        let is_usual = matches!(form.coding, Coding::Json(_)) && has_usual_type(form, "application/json");
        let set = if is_usual { quote!(client::Call::json) } else { quote!(|call, body| call #step) };
        return Argument {
            taken: quote!(body: impl client::OptionalBody<#ty>),
            steps: quote!(.optional_body(body, #set)),
            statements: TokenStream::new(),
        };
    }
    if !body.required {
        let step = write_step(form, &quote!(body), &quote!(&body));
        return Argument {
            taken: quote!(body: impl Into<Option<#ty>>),
            steps: TokenStream::new(),
            statements: quote! {
                let call = match body.into() {
                    Some(body) => call #step,
                    None => call,
                };
            },
        };
    }
    let taken = match &form.coding {
        Coding::Json(_) | Coding::Urlencoded(..) => {
            imports.add("std::borrow", "Borrow");
            quote!(body: impl Borrow<#ty>)
        }
        Coding::Text(_) | Coding::Bytes => quote!(body: impl Into<#ty>),
        Coding::Multipart(..) | Coding::Events(_) => quote!(body: #ty),
    };
    let borrowed = match &form.coding {
        Coding::Json(_) | Coding::Urlencoded(..) => quote!(body.borrow()),
        _ => quote!(&body),
    };
    Argument { taken, steps: write_step(form, &quote!(body), &borrowed), statements: TokenStream::new() }
}

/// Returns the code for a body whose variant determines the media type.
fn choice(api: &Api, body: &Body, imports: &mut Imports) -> Argument {
    let name = name(api, &body.payload, imports);
    let arms: Vec<TokenStream> = body
        .payload
        .forms
        .iter()
        .map(|form| {
            let variant = ident(&form.variant);
            let step = write_step(form, &quote!(body), &quote!(&body));
            quote!(#name::#variant(body) => call #step,)
        })
        .collect();
    let (taken, statements) = if body.required {
        (quote!(body: #name), quote!(let call = match body { #(#arms)* };))
    } else {
        let arms = body.payload.forms.iter().zip(&arms).map(|(form, _)| {
            let variant = ident(&form.variant);
            let step = write_step(form, &quote!(body), &quote!(&body));
            quote!(Some(#name::#variant(body)) => call #step,)
        });
        (
            quote!(body: impl Into<Option<#name>>),
            quote! {
                let call = match body.into() {
                    #(#arms)*
                    None => call,
                };
            },
        )
    };
    Argument { taken, steps: TokenStream::new(), statements }
}

fn write_step(form: &Form, owned: &TokenStream, borrowed: &TokenStream) -> TokenStream {
    let media_type = &form.media_type;
    let (step, usual) = match &form.coding {
        Coding::Json(_) => (quote!(.json(#borrowed)), "application/json"),
        Coding::Urlencoded(_, parts) => {
            let members = members(parts);
            (quote!(.form(#borrowed, #members)), "application/x-www-form-urlencoded")
        }
        Coding::Multipart(..) => return quote!(.multipart(#owned, #media_type)),
        Coding::Text(_) => (quote!(.text(#owned)), "text/plain"),
        Coding::Bytes => (quote!(.bytes(#owned)), "application/octet-stream"),
        Coding::Events(element) if element.ty == Type::String => {
            (quote!(.bytes(#owned.encode_text())), "application/octet-stream")
        }
        Coding::Events(_) => (quote!(.bytes(#owned.encode_json())), "application/octet-stream"),
    };
    if has_usual_type(form, usual) { step } else { quote!(#step.content_type(#media_type)) }
}

/// Whether a body needs no other media type than the usual one of its coding. For a media type range, only
/// the caller knows which type is sent.
fn has_usual_type(form: &Form, usual: &str) -> bool {
    form.media_type.eq_ignore_ascii_case(usual) || form.media_type.contains('*')
}

/// Returns the encoding of the members of a form that differ from the default.
fn members(parts: &[Part]) -> TokenStream {
    let members = parts.iter().map(|part| {
        let (name, style) = (&part.wire, style_name(part.style));
        let (explode, reserved) = (part.explode, part.allow_reserved);
        quote!(client::Member { name: #name, style: client::Style::#style, explode: #explode, reserved: #reserved })
    });
    quote!(&[#(#members),*])
}

/// Returns the type of one media type's body in the model.
fn form_type(api: &Api, form: &Form, imports: &mut Imports) -> TokenStream {
    let model = model_crate(api);
    match &form.coding {
        Coding::Json(element) | Coding::Urlencoded(element, _) | Coding::Multipart(element, _) => {
            write_element(api, element, From::Model(&model), imports)
        }
        Coding::Text(_) => quote!(String),
        Coding::Bytes => quote!(client::ByteStream),
        Coding::Events(element) => {
            let ty = write_element(api, element, From::Model(&model), imports);
            quote!(client::EventStream<#ty>)
        }
    }
}

fn name(api: &Api, payload: &Payload, imports: &mut Imports) -> TokenStream {
    let name = payload.name.as_deref().expect("a payload of several forms that differ has a name");
    imports.add(&model_crate(api), name);
    let name = ident(name);
    quote!(#name)
}

/// Returns the expression that reads a body from `response`.
pub(super) fn read(api: &Api, payload: &Payload, imports: &mut Imports) -> TokenStream {
    let forms = &payload.forms;
    let media_types = forms.iter().map(|form| &form.media_type);
    if payload.name.is_some() {
        let name = name(api, payload, imports);
        return choose(&quote!(response.alternative(&[#(#media_types),*])?), forms, |form| {
            let (variant, value) = (ident(&form.variant), read_form(form));
            quote!(#name::#variant(#value))
        });
    }
    let alike = forms
        .iter()
        .all(|form| std::mem::discriminant(&form.coding) == std::mem::discriminant(&forms[0].coding));
    if alike {
        read_form(&forms[0])
    } else {
        choose(&quote!(response.alternative(&[#(#media_types),*])?), forms, read_form)
    }
}

/// Returns a match with an arm for each media type; the last arm matches the rest.
fn choose(place: &TokenStream, forms: &[Form], read: impl Fn(&Form) -> TokenStream) -> TokenStream {
    let arms = forms.iter().enumerate().map(|(index, form)| {
        let value = read(form);
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        if index.to_string() == (forms.len() - 1).to_string() {
            quote!(_ => #value,)
        } else {
            quote!(#index => #value,)
        }
    });
    quote!(match #place { #(#arms)* })
}

fn read_form(form: &Form) -> TokenStream {
    match &form.coding {
        Coding::Json(_) => quote!(response.json()?),
        Coding::Urlencoded(_, parts) => {
            let members = members(parts);
            quote!(response.form(#members)?)
        }
        Coding::Multipart(..) => quote!(response.multipart()?),
        Coding::Text(_) => quote!(response.text()?),
        Coding::Bytes => quote!(response.bytes()),
        Coding::Events(element) if element.ty == Type::String => quote!(response.text_events()),
        Coding::Events(_) => quote!(response.events()),
    }
}

/// Whether a body of this media type is streamed.
pub(super) fn streams(form: &Form) -> bool {
    matches!(form.coding, Coding::Bytes | Coding::Events(_))
}
