//! Emitter of the client's module that reads the document's responses.

use super::{
    super::{
        Imports, Source, Text, features,
        file_split::{Unit, by_words},
        ident,
    },
    bodies, parameters,
};
use crate::{
    ir::{Api, Header, Response, Type},
    render::Block,
};
use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/responses.rs";

/// The macro that implements the reading of responses with only a JSON body, which differ only in their names.
const JSON_ONLY: &str = "\
/// Implements `Read` for responses with only a JSON body.
macro_rules! json_only {
    ($($(#[$condition:meta])* $response:path),+ $(,)?) => {
        $($(#[$condition])*
        impl Read for $response {
            fn read(response: &mut Received) -> Result<Self, ReadError> {
                Ok(Self { body: response.json()? })
            }
        })+
    };
}
";

/// Returns the module `responses`.
pub(super) fn emit(api: &Api) -> Source<'_> {
    let (alike, others): (Vec<&Response>, Vec<&Response>) =
        api.responses.iter().partition(|response| is_json_only(response));
    let is_conditional = |response: &Response| !features::of_groups(api, &response.groups).is_empty();
    let lenient = alike.iter().any(|response| is_conditional(response));
    let mut unit = Unit::new("responses", vec!["Read".to_owned()], 0, move |imports| {
        imports.add("frontdesk_runtime::client", "ReadError");
        imports.add("frontdesk_runtime::client", "Received");
        let unused = features::allow_unused(api);
        let mut blocks = vec![Block::Rust(quote! {
            /// A declared response that is read from an HTTP response.
            #unused
            pub(crate) trait Read: Sized {
                /// Reads body and headers.
                fn read(response: &mut Received) -> Result<Self, ReadError>;
            }
        })];
        if !alike.is_empty() {
            imports.add("crate", "model");
            blocks.push(Block::Text(JSON_ONLY.to_owned()));
            blocks.push(Block::Text(features::invocation(api, "json_only", "model", &alike)));
        }
        blocks
    });
    let units = others.into_iter().enumerate().map(|(index, response)| {
        let make = move |imports: &mut Imports| {
            imports.add("crate", "model");
            imports.add("crate::responses", "Read");
            imports.add("frontdesk_runtime::client", "ReadError");
            imports.add("frontdesk_runtime::client", "Received");
            vec![Block::Rust(read(api, response, imports))]
        };
        let lenient = is_conditional(response);
        Unit { lenient, ..Unit::new(response.name.to_snake_case(), Vec::new(), index + 1, make) }
    });
    unit.lenient = lenient;
    unit.inner = by_words(units.collect());
    let docs = "How the responses of the document are read.".to_owned();
    Source { path: "client/src/responses.rs".to_owned(), emitter: EMITTER, text: Text::Spread { docs, unit } }
}

fn is_json_only(response: &Response) -> bool {
    response.headers.is_empty() && response.body.as_ref().is_some_and(|body| body.json().is_some())
}

fn read(api: &Api, response: &Response, imports: &mut Imports) -> TokenStream {
    let condition = features::of_groups(api, &response.groups);
    let name = ident(&response.name);
    let mut fields: Vec<TokenStream> =
        response.headers.iter().map(|header| read_header(api, header, imports)).collect();
    if let Some(body) = &response.body {
        // An import would need the condition too, so names of the model are qualified.
        let body = match &body.name {
            Some(name) => {
                let alias = ident(name);
                let value = bodies::read(api, body, &mut Imports::default());
                quote!({ use model::#alias; #value })
            }
            None => bodies::read(api, body, imports),
        };
        fields.push(quote!(body: #body));
    }
    let response = if fields.is_empty() { quote!(_response) } else { quote!(response) };
    quote! {
        #condition
        impl Read for model::#name {
            fn read(#response: &mut Received) -> Result<Self, ReadError> {
                Ok(Self { #(#fields),* })
            }
        }
    }
}

fn read_header(api: &Api, header: &Header, imports: &mut Imports) -> TokenStream {
    let (rust, wire) = (ident(&header.rust), header.wire.to_ascii_lowercase());
    let text = !header.json && parameters::is_plain(api, &header.ty) && !matches!(header.ty, Type::Named(_));
    if text {
        imports.add("frontdesk_runtime", "HeaderName");
        let read = if header.required {
            quote!(response.header(&HeaderName::from_static(#wire))?)
        } else {
            quote!(response.optional_header(&HeaderName::from_static(#wire)))
        };
        return quote!(#rust: #read);
    }
    imports.add("frontdesk_runtime", "client");
    let style = if header.json {
        quote!(.style(client::Style::Json, false))
    } else if header.explode {
        quote!(.style(client::Style::Simple, true))
    } else {
        TokenStream::new()
    };
    let param = quote!(client::Param::header(#wire) #style);
    if header.required {
        quote!(#rust: response.header_value(#param)?)
    } else {
        quote!(#rust: response.optional_header_value(#param))
    }
}
