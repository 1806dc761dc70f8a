//! Responses with a type of their own: headers and body.

use super::{
    super::{
        Facts, Imports, Source, docs_or,
        file_split::Unit,
        ident,
        types::{From, is_plain, is_scalar, write, write_payload},
    },
    payload,
    reach::Reach,
    reached, statement,
    union::{derive, growing},
};
use crate::{
    ir::{Api, Header, Response, Type},
    render::{Block, raw_docs},
};
use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

/// The path of the module without its ending, which is also that of its folder.
const STEM: &str = "model/src/responses";

const DOCS: &str = "Responses with a type of their own: a body, and the headers that come with it.";

/// `responses`: one file, or a module for each tag if that would be long or tags are features.
pub(super) fn emit<'a>(api: &'a Api, facts: &'a Facts<'a>) -> Vec<Source<'a>> {
    reached::sources(api, STEM, "Responses", DOCS, move || {
        let units = api.responses.iter().enumerate().map(|(position, response)| {
            let make = move |imports: &mut Imports| items(api, response, facts, imports);
            let reach = Reach::of(response.groups.iter().copied(), false);
            (reach, Unit::new(module(response), names(response), position, make))
        });
        units.collect()
    })
}

/// The module of a response. The ending keeps it apart from keywords.
fn module(response: &Response) -> String {
    format!("{}_response", response.name.to_snake_case())
}

/// The names that the items of a response define.
fn names(response: &Response) -> Vec<String> {
    let headers = (!response.headers.is_empty()).then(|| headers_name(response));
    let body = response.body.as_ref().and_then(|body| body.name.clone());
    [response.name.clone()].into_iter().chain(headers).chain(body).collect()
}

fn items(api: &Api, response: &Response, facts: &Facts<'_>, imports: &mut Imports) -> Vec<Block> {
    let plain = &facts.plain;
    let about = match response.group {
        None => format!("The response `{}`.", response.name),
        Some(_) => "A body, and the headers that come with it.".to_owned(),
    };
    let docs = docs_or(response.docs.as_deref(), &about);
    let name = ident(&response.name);
    let fields = header_fields(api, response, imports);
    let ty = response.body.as_ref().map(|payload| write_payload(api, payload, From::Crate, imports));
    let body = ty.as_ref().map(|ty| {
        quote! {
            /// The body.
            pub body: #ty,
        }
    });
    let (derive, growing) = (derive(plain.is_plain_response(response)), growing());
    let conversions = conversions(response, ty.as_ref());
    let mut blocks = vec![Block::Rust(quote! {
        #docs
        #derive
        #growing
        pub struct #name {
            #fields
            #body
        }

        #conversions
    })];
    if !response.headers.is_empty() {
        blocks.push(Block::Rust(headers(api, response, &fields)));
    }
    blocks.extend(statement::of_response(api, response, &facts.stating).map(Block::Rust));
    let about = format!("The body of [`{}`].", response.name);
    let choice =
        response.body.as_ref().and_then(|body| payload::emit(api, body, &about, true, plain, imports));
    blocks.extend(choice.map(Block::Rust));
    blocks
}

/// Returns the conversions between the response, its body alone, and the shape that all responses have. Only
/// handlers make responses, so that a client notices nothing of a header that is added.
fn conversions(response: &Response, body: Option<&TokenStream>) -> TokenStream {
    let name = ident(&response.name);
    let for_servers = quote!(#[cfg(feature = "server")]);
    if !response.headers.is_empty() {
        let (ty, body) = match body {
            Some(ty) => (ty.clone(), quote!(response.body)),
            None => (quote!(()), quote!(())),
        };
        let typed = ident(&headers_name(response));
        let fields = response.headers.iter().map(|header| {
            let rust = ident(&header.rust);
            quote!(#rust: response.#rust)
        });
        return quote! {
            #for_servers
            impl From<#name> for frontdesk_runtime::WithHeaders<#ty> {
                fn from(response: #name) -> Self {
                    let headers = #typed { #(#fields),* };
                    Self::typed(#body, &headers)
                }
            }
        };
    }
    match body {
        Some(ty) => quote! {
            #for_servers
            impl From<#ty> for #name {
                fn from(body: #ty) -> Self {
                    Self { body }
                }
            }

            #for_servers
            impl From<#name> for frontdesk_runtime::WithHeaders<#ty> {
                fn from(response: #name) -> Self {
                    response.body.into()
                }
            }
        },
        None => quote! {
            #for_servers
            impl From<#name> for frontdesk_runtime::WithHeaders<()> {
                fn from(_: #name) -> Self {
                    Self::default()
                }
            }
        },
    }
}

fn headers_name(response: &Response) -> String {
    format!("{}Headers", response.name)
}

/// Returns a field for each header.
fn header_fields(api: &Api, response: &Response, imports: &mut Imports) -> TokenStream {
    let fields = response.headers.iter().map(|header| {
        let about = format!("The header `{}`.", header.wire);
        let docs = docs_or(header.docs.as_deref(), &about);
        let (rust, ty) = (ident(&header.rust), write(api, &header.ty, From::Crate, imports));
        let ty = if header.required { ty } else { quote!(Option<#ty>) };
        quote!(#docs pub #rust: #ty,)
    });
    fields.collect()
}

/// Returns the headers of a response as a type, which is read from a response and written to one.
fn headers(api: &Api, response: &Response, fields: &TokenStream) -> TokenStream {
    let (name, growing) = (ident(&headers_name(response)), growing());
    let about = raw_docs(&format!("The headers of the response [`{}`].", response.name));
    let reads = response.headers.iter().map(|header| read_header(api, header));
    let writes = response.headers.iter().map(|header| {
        let rust = ident(&header.rust);
        if header.required {
            return write_header(api, header, &quote!(self.#rust), &quote!(&self.#rust));
        }
        let written = write_header(api, header, &quote!(value), &quote!(value));
        quote!(if let Some(value) = &self.#rust { #written })
    });
    quote! {
        #about
        #[derive(Clone, Debug, PartialEq)]
        #growing
        pub struct #name {
            #fields
        }

        impl frontdesk_runtime::TypedHeaders for #name {
            fn read(headers: &frontdesk_runtime::HeaderMap) -> Result<Self, frontdesk_runtime::HeaderError> {
                Ok(Self { #(#reads),* })
            }

            fn write(&self, headers: &mut frontdesk_runtime::HeaderMap) {
                #(#writes)*
            }
        }
    }
}

/// Returns the initializer of a header's field.
fn read_header(api: &Api, header: &Header) -> TokenStream {
    let (rust, wire) = (ident(&header.rust), header.wire.to_ascii_lowercase());
    let text = !header.json && is_plain(api, &header.ty) && !matches!(header.ty, Type::Named(_));
    let name = if text { quote!(#wire) } else { param(header) };
    let (required, optional) =
        if text { ("required", "optional") } else { ("required_value", "optional_value") };
    let function = ident(if header.required { required } else { optional });
    let fallible = header.required.then(|| quote!(?));
    quote!(#rust: frontdesk_runtime::headers::#function(headers, #name) #fallible)
}

/// Returns the statement that writes a header: a value, and the same as a reference.
fn write_header(api: &Api, header: &Header, value: &TokenStream, reference: &TokenStream) -> TokenStream {
    let wire = header.wire.to_ascii_lowercase();
    let name = quote!(frontdesk_runtime::HeaderName::from_static(#wire));
    match &header.ty {
        Type::Secret if !header.json => {
            quote!(frontdesk_runtime::headers::write(headers, #name, #value.expose());)
        }
        ty if !header.json && is_scalar(api, ty) => {
            quote!(frontdesk_runtime::headers::write(headers, #name, #reference);)
        }
        _ => {
            let param = param(header);
            quote!(frontdesk_runtime::headers::write_value(headers, #name, &#param, #reference);)
        }
    }
}

/// Returns how a header with a list, an object or JSON is encoded.
fn param(header: &Header) -> TokenStream {
    let wire = header.wire.to_ascii_lowercase();
    let style = if header.json {
        quote!(.style(frontdesk_runtime::codec::Style::Json, false))
    } else if header.explode {
        quote!(.style(frontdesk_runtime::codec::Style::Simple, true))
    } else {
        TokenStream::new()
    };
    quote!(frontdesk_runtime::codec::Param::header(#wire) #style)
}
