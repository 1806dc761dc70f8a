//! Owns the writing of the document's responses in the server crate.

use super::{Imports, Source, Text, ident, model};
use crate::{
    ir::{Api, Response, Type},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/server/responses.rs";

/// How a response that is a body alone is written.
const BODY_ONLY: &str = "\
/// Responses that are a JSON body and nothing else.
macro_rules! body_only {
    ($($response:ident),+ $(,)?) => {
        $(impl Respond for $response {
            fn respond(self, status: StatusCode) -> Response {
                json(status, &self.body)
            }
        })+
    };
}
";

/// The module `responses`.
pub(super) fn emit(api: &Api) -> Source {
    let model_name = model(api);
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
    let body_only: Vec<&str> = api
        .responses
        .iter()
        .filter(|response| is_body_only(response))
        .map(|response| response.name.as_str())
        .collect();
    if !body_only.is_empty() {
        imports.add("frontdesk_runtime::server", "json");
        blocks.push(Block::Text(BODY_ONLY.to_owned()));
        blocks.push(Block::Text(format!("body_only! {{\n    {},\n}}\n", body_only.join(",\n    "))));
    }
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
    let mutable = response.headers.iter().any(|header| !header.required);
    let lines = response.headers.iter().enumerate().map(|(index, header)| {
        let last = index + 1 == response.headers.len() && !mutable;
        let (rust, wire) = (ident(&header.rust), header.wire.to_ascii_lowercase());
        let value = match &header.ty {
            Type::List(_) => quote!(value.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
            Type::Secret => quote!(value.expose()),
            _ => quote!(value),
        };
        match (header.required, last) {
            (true, true) if value.to_string() == "value" => {
                quote!(with_header(response, HeaderName::from_static(#wire), self.#rust))
            }
            (true, _) => quote! {
                let value = &self.#rust;
                let response = with_header(response, HeaderName::from_static(#wire), #value);
            },
            (false, _) => quote! {
                let response = match &self.#rust {
                    Some(value) => with_header(response, HeaderName::from_static(#wire), #value),
                    None => response,
                };
            },
        }
    });
    let lines: Vec<TokenStream> = lines.collect();
    let simple = !mutable
        && matches!(response.headers.last(), Some(header) if !matches!(header.ty, Type::List(_) | Type::Secret));
    let end = (!simple).then(|| quote!(response));
    quote! {
        impl Respond for #name {
            fn respond(self, status: StatusCode) -> Response {
                let response = #start;
                #(#lines)*
                #end
            }
        }
    }
}

/// Whether a response is a body alone, so that only its name differs from others like it.
pub(in crate::emit) fn is_body_only(response: &Response) -> bool {
    response.headers.is_empty() && response.body.is_some()
}
