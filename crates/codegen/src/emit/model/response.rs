//! Responses with a type of their own: headers and body.

use super::{
    super::{
        Imports, Source, Text, docs_or, features, ident,
        module_tree::{Entry, ModuleTree, Shown},
        types::{From, write, write_payload},
    },
    EMITTER, payload,
    plain::Plain,
    union::derive,
};
use crate::{
    ir::{Api, Response},
    render::Block,
};
use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

/// So many share a file.
const MOST_IN_A_FILE: usize = 20;

const DOCS: &str = "Responses with a type of their own: a body, and the headers that come with it.";

/// `responses`, in one file or in one for each.
pub(super) fn emit(api: &Api, plain: &Plain<'_>, sources: &mut Vec<Source<'_>>) {
    let path = "model/src/responses.rs".to_owned();
    if api.responses.len() <= MOST_IN_A_FILE && !api.features {
        let mut imports = Imports::default();
        let items: Vec<Block> =
            api.responses.iter().flat_map(|response| items(api, response, plain, &mut imports)).collect();
        let mut blocks = vec![Block::Rust(imports.tokens())];
        blocks.extend(items);
        sources.push(Source { path, emitter: EMITTER, text: Text::Rust { docs: DOCS.to_owned(), blocks } });
        return;
    }
    let entries = api.responses.iter().map(|response| {
        let condition = features::of_groups(api, &response.groups);
        Entry { module: module(response), condition, shown: Shown::All, further: 0 }
    });
    let tree = ModuleTree::of(entries.collect());
    let text = Text::Rust { docs: DOCS.to_owned(), blocks: tree.index("") };
    sources.push(Source { path, emitter: EMITTER, text });
    sources.extend(tree.sources("model/src/responses", EMITTER, &|_| Vec::new()));
    let folders = tree.folders();
    for response in &api.responses {
        let mut imports = Imports::default();
        let items = items(api, response, plain, &mut imports);
        let mut blocks = vec![Block::Rust(imports.tokens())];
        blocks.extend(items);
        sources.push(Source {
            path: format!("model/src/responses/{}.rs", folders.place(&module(response))),
            emitter: EMITTER,
            text: Text::Rust { docs: String::new(), blocks },
        });
    }
}

/// The module of a response. The ending keeps it apart from keywords.
fn module(response: &Response) -> String {
    format!("{}_response", response.name.to_snake_case())
}

fn items(api: &Api, response: &Response, plain: &Plain<'_>, imports: &mut Imports) -> Vec<Block> {
    let about = match response.group {
        None => format!("The response `{}`.", response.name),
        Some(_) => "A body, and the headers that come with it.".to_owned(),
    };
    let docs = docs_or(response.docs.as_deref(), &about);
    let name = ident(&response.name);
    let headers: Vec<TokenStream> = response
        .headers
        .iter()
        .map(|header| {
            let about = format!("The header `{}`.", header.wire);
            let docs = docs_or(header.docs.as_deref(), &about);
            let (rust, ty) = (ident(&header.rust), write(api, &header.ty, From::Crate, imports));
            let ty = if header.required { ty } else { quote!(Option<#ty>) };
            quote!(#docs pub #rust: #ty,)
        })
        .collect();
    let ty = response.body.as_ref().map(|payload| write_payload(api, payload, From::Crate, imports));
    let body = ty.as_ref().map(|ty| {
        quote! {
            /// The body.
            pub body: #ty,
        }
    });
    let from = ty.as_ref().filter(|_| response.headers.is_empty()).map(|ty| {
        quote! {
            impl From<#ty> for #name {
                fn from(body: #ty) -> Self {
                    Self { body }
                }
            }
        }
    });
    let derive = derive(plain.is_plain_response(response));
    let mut blocks = vec![Block::Rust(quote! {
        #docs
        #derive
        pub struct #name {
            #(#headers)*
            #body
        }

        #from
    })];
    let about = format!("The body of [`{}`].", response.name);
    let choice =
        response.body.as_ref().and_then(|body| payload::emit(api, body, &about, true, plain, imports));
    blocks.extend(choice.map(Block::Rust));
    blocks
}
