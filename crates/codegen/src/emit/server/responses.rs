//! Emitter of the server's module that writes the document's responses.

use super::{
    answers,
    parameters::{is_scalar, styled},
};
use crate::{
    emit::{
        Imports, Source, Text, features,
        file_split::{Unit, by_words},
        ident, model_crate,
    },
    ir::{Api, Coding, Form, Header, Payload, Response, Style, Type},
    render::Block,
};
use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/server/responses.rs";

/// The macro that implements the writing of responses with only a JSON body, which differ only in their names.
const BODY_ONLY: &str = "\
/// Implements `Respond` for responses with only a JSON body.
macro_rules! body_only {
    ($($(#[$condition:meta])* $response:path),+ $(,)?) => {
        $($(#[$condition])*
        impl Respond for $response {
            fn respond(self, status: StatusCode) -> Response {
                reply::json(status, &self.body)
            }
        })+
    };
}
";

/// Returns the module `responses`.
pub(super) fn emit(api: &Api) -> Source<'_> {
    let (alike, others): (Vec<&Response>, Vec<&Response>) =
        api.responses.iter().partition(|response| is_body_only(response));
    let is_conditional = |response: &Response| !features::of_groups(api, &response.groups).is_empty();
    let lenient = alike.iter().any(|response| is_conditional(response));
    let mut unit = Unit::new("responses", vec!["Respond".to_owned()], 0, move |imports| {
        imports.add("frontdesk_runtime", "StatusCode");
        imports.add("frontdesk_runtime::server", "Response");
        let unused = features::allow_unused(api);
        let mut blocks = vec![Block::Rust(quote! {
            /// A declared response that is written as an HTTP response.
            #unused
            pub(crate) trait Respond {
                /// Writes the response with this status.
                fn respond(self, status: StatusCode) -> Response;
            }
        })];
        if !alike.is_empty() {
            imports.add("frontdesk_runtime::server", "reply");
            blocks.push(Block::Text(BODY_ONLY.to_owned()));
            blocks.push(Block::Text(features::invocation(api, "body_only", &model_crate(api), &alike)));
        }
        blocks
    });
    let units = others.into_iter().enumerate().map(|(index, response)| {
        let make = move |imports: &mut Imports| {
            imports.add("crate::responses", "Respond");
            imports.add("frontdesk_runtime", "StatusCode");
            imports.add("frontdesk_runtime::server", "Response");
            imports.add("frontdesk_runtime::server", "reply");
            vec![Block::Rust(write_response(api, response, imports))]
        };
        let lenient = is_conditional(response);
        Unit { lenient, ..Unit::new(response.name.to_snake_case(), Vec::new(), index + 1, make) }
    });
    unit.lenient = lenient;
    unit.inner = by_words(units.collect());
    let docs = "How the responses of the document are written.".to_owned();
    Source { path: "server/src/responses.rs".to_owned(), emitter: EMITTER, text: Text::Spread { docs, unit } }
}

fn is_body_only(response: &Response) -> bool {
    let plain = |payload: &Payload| matches!(&payload.forms[..], [Form { media_type, coding: Coding::Json(_), .. }] if media_type == "application/json");
    response.headers.is_empty() && response.body.as_ref().is_some_and(plain)
}

fn write_response(api: &Api, response: &Response, imports: &mut Imports) -> TokenStream {
    let (model, name) = (ident(&model_crate(api)), ident(&response.name));
    let condition = features::of_groups(api, &response.groups);
    let (status, body) = (quote!(status), quote!(self.body));
    // An import for the whole file would need the condition too.
    let mut forms = None;
    let start = match &response.body {
        Some(payload) if condition.is_empty() => answers::write(api, payload, &status, &body, imports),
        Some(payload) => {
            forms = payload.name.as_deref().map(ident).map(|name| quote!(use #model::#name;));
            answers::written(payload, &status, &body, imports)
        }
        None => quote!(reply::empty(status)),
    };
    if response.headers.is_empty() {
        return quote! {
            #condition
            impl Respond for #model::#name {
                fn respond(self, status: StatusCode) -> Response {
                    #forms
                    #start
                }
            }
        };
    }
    imports.add("frontdesk_runtime", "HeaderName");
    let lines = response.headers.iter().enumerate().map(|(index, header)| {
        let last = index + 1 == response.headers.len();
        let rust = ident(&header.rust);
        let expression = if header.required {
            write_header(api, header, &quote!(self.#rust), imports)
        } else {
            let written = write_header(api, header, &quote!(value), imports);
            quote! {
                match self.#rust {
                    Some(value) => #written,
                    None => response,
                }
            }
        };
        if last { expression } else { quote!(let response = #expression;) }
    });
    let lines: Vec<TokenStream> = lines.collect();
    quote! {
        #condition
        impl Respond for #model::#name {
            fn respond(self, status: StatusCode) -> Response {
                #forms
                let response = #start;
                #(#lines)*
            }
        }
    }
}

fn write_header(api: &Api, header: &Header, value: &TokenStream, imports: &mut Imports) -> TokenStream {
    let wire = header.wire.to_ascii_lowercase();
    let name = quote!(HeaderName::from_static(#wire));
    match &header.ty {
        Type::Secret if !header.json => quote!(reply::with_header(response, #name, #value.expose())),
        ty if !header.json && is_scalar(api, ty) => quote!(reply::with_header(response, #name, #value)),
        _ => {
            imports.add("frontdesk_runtime", "codec");
            let style = if header.json { Style::Json } else { Style::Simple };
            let style = (header.json || header.explode).then(|| styled(style, header.explode));
            quote!(reply::with_styled_header(response, #name, codec::Param::header(#wire) #style, &#value))
        }
    }
}
