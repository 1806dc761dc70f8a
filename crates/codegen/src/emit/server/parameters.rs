//! Emitter of the expressions that read parameters, with their rules.

use super::defaults;
use crate::{
    emit::{
        Imports, ident, spread,
        types::{is_scalar, style_name},
        validation,
    },
    ir::{Api, Element, Location, Operation, Parameter, Style, Type},
};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the expression that reads a parameter from `call`.
pub(super) fn read(
    api: &Api,
    operation: &Operation,
    parameter: &Parameter,
    imports: &mut Imports,
) -> TokenStream {
    let wire = &parameter.wire;
    let rules = rules(api, &parameter.element, imports);
    let label = label(operation, parameter).map(|label| quote!(.labeled(#label)));
    let empty = parameter.allow_empty.then(|| quote!(.allowing_empty()));
    let default = defaults::fill(api, parameter, imports);
    let place = place(parameter.location);
    let read = if is_plain(api, parameter) {
        let repeated = matches!(parameter.element.ty, Type::List(_));
        let name = if repeated { "query_list" } else { place };
        let method = method(name, parameter.required);
        quote!(#method(#wire, #rules))
    } else {
        let method = method("styled", parameter.required);
        let param = param(api, operation, parameter, imports);
        quote!(#method(#param, #rules))
    };
    quote!(call #label #empty.#read #default)
}

fn method(name: &str, required: bool) -> proc_macro2::Ident {
    if required { ident(name) } else { ident(&format!("{name}_optional")) }
}

/// Returns the rules of a value as a closure.
pub(super) fn rules(api: &Api, element: &Element, imports: &mut Imports) -> TokenStream {
    let element = Element { nullable: false, ..element.clone() };
    let rules = validation::rules(api, &element, imports);
    if rules.is_empty() { quote!(|_| ()) } else { quote!(|value| { value #rules; }) }
}

/// Returns a label that distinguishes a parameter from another of the same name in another location.
fn label(operation: &Operation, parameter: &Parameter) -> Option<String> {
    let others = operation.parameters.iter().filter(|other| other.wire == parameter.wire).count();
    let shared = others > 1 || parameter.wire == "body" && operation.body.is_some();
    shared.then(|| format!("{} ({})", parameter.wire, place(parameter.location)))
}

/// Returns the location as the runtime and error messages name it.
pub(super) fn place(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
    }
}

/// Whether the value is a single text in its location: the runtime has shorter functions for these.
fn is_plain(api: &Api, parameter: &Parameter) -> bool {
    let usual = match parameter.location {
        Location::Path | Location::Header => parameter.style == Style::Simple,
        Location::Query | Location::Cookie => parameter.style == Style::Form,
    };
    let repeated = parameter.location == Location::Query && parameter.explode;
    usual
        && match &parameter.element.ty {
            Type::List(element) => repeated && !element.nullable && is_scalar(api, &element.ty),
            ty => is_scalar(api, ty),
        }
}

fn param(api: &Api, operation: &Operation, parameter: &Parameter, imports: &mut Imports) -> TokenStream {
    imports.add("frontdesk_runtime", "codec");
    let (wire, place) = (&parameter.wire, ident(place(parameter.location)));
    let usual = match parameter.location {
        Location::Path | Location::Header => (Style::Simple, false),
        Location::Query | Location::Cookie => (Style::Form, true),
    };
    let style =
        ((parameter.style, parameter.explode) != usual).then(|| styled(parameter.style, parameter.explode));
    let reserved = parameter.allow_reserved.then(|| quote!(.reserved()));
    let beside = spread::beside(api, operation, parameter);
    quote!(codec::Param::#place(#wire) #style #reserved #beside)
}

/// Returns the call that sets a style.
pub(super) fn styled(style: Style, explode: bool) -> TokenStream {
    let style = style_name(style);
    quote!(.style(codec::Style::#style, #explode))
}
