//! Emitter of parameters in the client: arguments, setters, and the code that sets them in a request.

use super::super::{
    Imports, ident, model_crate, spread,
    types::{From, is_plain, style_name, write},
};
use crate::ir::{Api, Location, Operation, Parameter, Style, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the argument of a parameter, and the method call that sets it in the request.
pub(super) fn parts(
    api: &Api,
    operation: &Operation,
    parameter: &Parameter,
    imports: &mut Imports,
) -> (TokenStream, TokenStream) {
    let rust = ident(&parameter.rust);
    let ty = &parameter.element.ty;
    let default = is_default_style(parameter);
    let styled = |value: &TokenStream| styled(api, operation, parameter, value);
    match ty {
        Type::Secret if default => {
            let ty = write(api, ty, From::Model(&model_crate(api)), imports);
            (quote!(#rust: impl Into<#ty>), simple(parameter, &quote!(#rust.into().expose())))
        }
        Type::String => {
            imports.add("std::fmt", "Display");
            let step =
                if default { simple(parameter, &quote!(#rust)) } else { styled(&quote!(#rust.to_string())) };
            (quote!(#rust: impl Display), step)
        }
        Type::List(entry) if !entry.nullable && (entry.ty == Type::String || is_plain(api, &entry.ty)) => {
            let text = entry.ty == Type::String;
            let item = if text {
                imports.add("std::fmt", "Display");
                quote!(impl Display)
            } else {
                write(api, &entry.ty, From::Model(&model_crate(api)), imports)
            };
            let repeated = default && parameter.explode && parameter.location == Location::Query;
            let step = if repeated {
                let wire = &parameter.wire;
                quote!(.query_list(#wire, #rust))
            } else {
                let map = text.then(|| quote!(.map(|entry| entry.to_string())));
                styled(&quote!(#rust.into_iter() #map.collect::<Vec<_>>()))
            };
            (quote!(#rust: impl IntoIterator<Item = #item>), step)
        }
        _ => {
            let argument = write(api, ty, From::Model(&model_crate(api)), imports);
            let step = if default && is_plain(api, ty) {
                simple(parameter, &quote!(#rust))
            } else {
                styled(&quote!(#rust))
            };
            (quote!(#rust: #argument), step)
        }
    }
}

fn is_default_style(parameter: &Parameter) -> bool {
    let default = match parameter.location {
        Location::Path | Location::Header => Style::Simple,
        Location::Query | Location::Cookie => Style::Form,
    };
    parameter.style == default && !parameter.allow_reserved
}

/// Returns the method call for a value that is a single text.
fn simple(parameter: &Parameter, value: &TokenStream) -> TokenStream {
    let wire = &parameter.wire;
    match parameter.location {
        Location::Path => quote!(.path(#wire, #value)),
        Location::Query => quote!(.query(#wire, #value)),
        Location::Cookie => quote!(.cookie(#wire, #value)),
        Location::Header => {
            let wire = wire.to_ascii_lowercase();
            quote!(.header_parameter(#wire, #value))
        }
    }
}

/// Returns the method call for a list, an object, or a value with a style of its own.
fn styled(api: &Api, operation: &Operation, parameter: &Parameter, value: &TokenStream) -> TokenStream {
    let wire = &parameter.wire;
    let (param, explode) = match parameter.location {
        Location::Path => (quote!(client::Param::path(#wire)), false),
        Location::Query => (quote!(client::Param::query(#wire)), true),
        Location::Cookie => (quote!(client::Param::cookie(#wire)), true),
        Location::Header => {
            let wire = wire.to_ascii_lowercase();
            (quote!(client::Param::header(#wire)), false)
        }
    };
    let reserved = parameter.allow_reserved.then(|| quote!(.reserved()));
    let plain = Parameter { allow_reserved: false, ..parameter.clone() };
    let style = (!is_default_style(&plain) || parameter.explode != explode).then(|| {
        let (style, explode) = (style_name(parameter.style), parameter.explode);
        quote!(.style(client::Style::#style, #explode))
    });
    let beside = spread::beside(api, operation, parameter);
    quote!(.parameter(#param #style #reserved #beside, #value))
}
