//! Owns the writing of the document's responses in the server crate.

use crate::{
    emit::{
        Imports, Source, Text, ident, model_crate,
        responses::{body_only, is_body_only},
    },
    ir::{Api, Response, Type},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/server/responses.rs";

/// How a response that is a body alone is written.
const BODY_ONLY: &str = "\
\x20       $(impl Respond for $response {
            fn respond(self, status: StatusCode) -> Response {
                json(status, &self.body)
            }
        })+
";

/// The module `responses`.
pub(super) fn emit(api: &Api) -> Source {
    let model_name = model_crate(api);
    let mut imports = Imports::default();
    imports.add("frontdesk_runtime", "StatusCode");
    imports.add("frontdesk_runtime::server", "Response");
    let mut blocks = Vec::new();
    for response in &api.responses {
        imports.add(&model_name, &response.name);
        if !is_body_only(response) {
            blocks.push(Block::Rust(write_response(response, &mut imports)));
        }
    }
    if api.responses.iter().any(is_body_only) {
        imports.add("frontdesk_runtime::server", "json");
    }
    blocks.extend(body_only(api, BODY_ONLY));
    let mut all = vec![
        Block::Rust(imports.tokens()),
        Block::Rust(quote! {
            /// A response of the document on its way to HTTP.
            pub(crate) trait Respond {
                /// The response under this status.
                fn respond(self, status: StatusCode) -> Response;
            }
        }),
    ];
    all.extend(blocks);
    let docs = "How the responses of the document are written.".to_owned();
    Source {
        path: "server/src/responses.rs".to_owned(),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks: all },
    }
}

fn write_response(response: &Response, imports: &mut Imports) -> TokenStream {
    let name = ident(&response.name);
    let start = if response.body.is_some() {
        imports.add("frontdesk_runtime::server", "json");
        quote!(json(status, &self.body))
    } else {
        imports.add("frontdesk_runtime::server", "empty");
        quote!(empty(status))
    };
    if response.headers.is_empty() {
        return quote! {
            impl Respond for #name {
                fn respond(self, status: StatusCode) -> Response {
                    #start
                }
            }
        };
    }
    imports.add("frontdesk_runtime::server", "with_header");
    imports.add("frontdesk_runtime", "HeaderName");
    let lines = response.headers.iter().enumerate().map(|(index, header)| {
        let last = index + 1 == response.headers.len();
        let (rust, wire) = (ident(&header.rust), header.wire.to_ascii_lowercase());
        let expression = if header.required {
            let value = header_text(&header.ty, &quote!(self.#rust));
            quote!(with_header(response, HeaderName::from_static(#wire), #value))
        } else {
            let value = header_text(&header.ty, &quote!(value));
            quote! {
                match self.#rust {
                    Some(value) => with_header(response, HeaderName::from_static(#wire), #value),
                    None => response,
                }
            }
        };
        if last { expression } else { quote!(let response = #expression;) }
    });
    let lines: Vec<TokenStream> = lines.collect();
    quote! {
        impl Respond for #name {
            fn respond(self, status: StatusCode) -> Response {
                let response = #start;
                #(#lines)*
            }
        }
    }
}

/// A header's value as something that can be written.
fn header_text(ty: &Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::List(entry) if entry.ty == Type::String => quote!(#value.join(",")),
        Type::List(_) => quote!(#value.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
        Type::Secret => quote!(#value.expose()),
        _ => quote!(#value),
    }
}
