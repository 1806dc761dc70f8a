//! Owns the server crate: one trait a tag, the router, the authenticator, the writing of responses.

use super::{
    Imports, Source, Text, docs_or, first_line, ident, model_crate,
    operations::success_type,
    types::{From, write},
};
use crate::{
    ir::{Api, Caller, Group, Location, Operation},
    render::{Block, docs},
};
use proc_macro2::TokenStream;
use quote::quote;

mod authenticator;
mod responses;
mod routes;

const EMITTER: &str = "crates/codegen/src/emit/server.rs";

/// Adds the sources of the server crate.
pub(super) fn emit(api: &Api, sources: &mut Vec<Source>) {
    sources.push(root(api));
    sources.push(authenticator::emit(api));
    if !api.responses.is_empty() {
        sources.push(responses::emit(api));
    }
    sources.extend(api.groups.iter().map(|group| module(api, group)));
}

fn root(api: &Api) -> Source {
    let model_name = model_crate(api);
    let model = ident(&model_name);
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let traits: Vec<_> = api.groups.iter().map(|group| ident(&group.name)).collect();
    let requests: Vec<TokenStream> = api
        .groups
        .iter()
        .map(|group| {
            let module = ident(&group.module);
            let mut names = vec![ident(&group.name)];
            names.extend(group.operations.iter().map(|operation| ident(&operation.name)));
            quote!(#module::{#(#names),*})
        })
        .collect();
    let responses = if api.responses.is_empty() {
        TokenStream::new()
    } else {
        quote!(
            mod responses;
        )
    };
    let mut text = format!(
        "Server of the {} {}: implement the traits, and [`router`] does the rest.\n\n",
        api.title, api.version
    );
    for group in &api.groups {
        text.push_str(&format!("- [`{}`]: {}\n", group.name, first_line(group.docs.as_deref())));
    }
    text.push_str("\nThe router answers what never reaches a handler: unknown paths and methods, missing credentials, bodies that are too\n");
    text.push_str("large, no JSON, or against the document's rules. [`Authenticator`] says who calls and words these answers.\n");
    let blocks = vec![
        Block::Rust(quote!(mod authenticator; #(mod #modules;)* #responses)),
        Block::Rust(quote! {
            pub use self::{authenticator::{Authenticator, Gate}, #(#requests),*};
            pub use #model::operations::OPERATIONS;
            use frontdesk_runtime::server::{Router, Routes};
            use std::sync::Arc;
        }),
        Block::Rust(quote! {
            /// Every operation as an ordinary axum router, with the limits that [`Routes`] sets unless told otherwise.
            pub fn router<S, A>(service: S, authenticator: A) -> Router
            where
                S: #(#traits<Caller = A::Caller>)+*,
                A: Authenticator,
            {
                routes(service, authenticator).into_router()
            }

            /// Every operation, to be limited further before it becomes a router.
            pub fn routes<S, A>(service: S, authenticator: A) -> Routes<Gate<A>>
            where
                S: #(#traits<Caller = A::Caller>)+*,
                A: Authenticator,
            {
                let service = Arc::new(service);
                let mut routes = Routes::new(Gate::new(authenticator));
                #(#modules::mount(&mut routes, &service);)*
                routes
            }
        }),
    ];
    Source { path: "server/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs: text, blocks } }
}

fn module(api: &Api, group: &Group) -> Source {
    let mut imports = Imports::default();
    let model_name = model_crate(api);
    imports.add("crate", "Authenticator");
    imports.add("crate", "Gate");
    imports.add("frontdesk_runtime", "Failure");
    for name in ["Answered", "Call", "Routes", "respond"] {
        imports.add("frontdesk_runtime::server", name);
    }
    imports.add(&format!("{model_name}::operations"), &group.module);
    imports.add("std::sync", "Arc");
    let requests: Vec<Block> = group
        .operations
        .iter()
        .map(|operation| Block::Rust(request(api, &group.name, operation, &mut imports)))
        .collect();
    let trait_name = ident(&group.name);
    let trait_docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let methods: Vec<TokenStream> =
        group.operations.iter().map(|operation| handler(api, operation, &mut imports)).collect();
    let routes: Vec<TokenStream> =
        group.operations.iter().map(|operation| routes::route(api, group, operation, &mut imports)).collect();
    let mounts = group.operations.iter().map(|operation| {
        let (module, constant, function) =
            (ident(&group.module), ident(&operation.constant), ident(&operation.function));
        quote!(routes.add(&#module::#constant, service, #function::<S>);)
    });
    let mounts: Vec<TokenStream> = mounts.collect();
    let errors: Vec<Option<TokenStream>> =
        group.operations.iter().map(|operation| routes::errors(operation, &mut imports)).collect();
    let mut blocks = vec![
        Block::Rust(imports.tokens()),
        Block::Rust(quote! {
            #trait_docs
            pub trait #trait_name: Send + Sync + 'static {
                /// Who calls, as the authenticator tells.
                type Caller: Send + Sync + 'static;

                #(#methods)*
            }
        }),
    ];
    blocks.extend(requests);
    blocks.push(Block::Rust(quote! {
        /// Adds the operations to the routes.
        pub(crate) fn mount<S, A>(routes: &mut Routes<Gate<A>>, service: &Arc<S>)
        where
            S: #trait_name<Caller = A::Caller>,
            A: Authenticator,
        {
            #(#mounts)*
        }
    }));
    for (route, error) in routes.into_iter().zip(errors) {
        blocks.push(Block::Rust(route));
        blocks.extend(error.map(Block::Rust));
    }
    let docs = format!("The operations of the tag `{}`: trait, requests, routes.", group.tag);
    Source {
        path: format!("server/src/{}.rs", group.module),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// The handler's signature.
fn handler(api: &Api, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let (function, request) = (ident(&operation.function), ident(&operation.name));
    let success = success_type(api, operation, &model_name, imports);
    let error = format!("{}Error", operation.name);
    imports.add(&model_name, &error);
    let error = ident(&error);
    let text = operation_docs(operation);
    let deprecation = super::deprecated(operation.deprecated);
    let generics = (operation.caller() != Caller::Nobody).then(|| quote!(<Self::Caller>));
    let convention = super::expect_convention(&operation.function);
    quote! {
        #text
        #deprecation
        #convention
        fn #function(&self, request: #request #generics) -> impl Future<Output = Result<#success, Failure<#error>>> + Send;
    }
}

/// Summary, description, method and path.
pub(super) fn operation_docs(operation: &Operation) -> TokenStream {
    let mut text = String::new();
    if let Some(summary) = &operation.summary {
        text.push_str(summary.trim_end_matches('.'));
        text.push_str(".\n\n");
    }
    if let Some(description) = &operation.description {
        text.push_str(description);
        text.push_str("\n\n");
    }
    text.push_str(&format!("`{} {}`", operation.method, operation.path));
    docs(&text)
}

/// What a handler gets.
fn request(api: &Api, trait_name: &str, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let name = ident(&operation.name);
    // A link must not have the mark of a raw identifier, which reads as a fragment.
    let function = operation.function.trim_start_matches("r#");
    let about = format!("What [`{function}`]({trait_name}::{function}) gets.");
    let (generics, caller) = match operation.caller() {
        Caller::Nobody => (TokenStream::new(), TokenStream::new()),
        Caller::Anybody => (
            quote!(<Caller>),
            quote! {
                /// Who calls, if they say so.
                pub caller: Option<Caller>,
            },
        ),
        Caller::Known => (
            quote!(<Caller>),
            quote! {
                /// Who calls.
                pub caller: Caller,
            },
        ),
    };
    let parameters = operation.parameters.iter().map(|parameter| {
        let place = match parameter.location {
            Location::Path => "path",
            Location::Query => "query",
            Location::Header => "header",
        };
        let docs = docs_or(parameter.docs.as_deref(), &format!("`{}` in the {place}.", parameter.wire));
        let ty = write(api, &parameter.element.ty, From::Model(&model_name), imports);
        let ty = if parameter.required { ty } else { quote!(Option<#ty>) };
        let rust = ident(&parameter.rust);
        quote!(#docs pub #rust: #ty,)
    });
    let parameters: Vec<TokenStream> = parameters.collect();
    let body = operation.body.as_ref().map(|body| {
        let docs = docs_or(body.docs.as_deref(), "The body.");
        let ty = write(api, &body.ty, From::Model(&model_name), imports);
        let ty = if body.required { ty } else { quote!(Option<#ty>) };
        quote!(#docs pub body: #ty,)
    });
    quote! {
        #[doc = #about]
        #[derive(Clone, Debug)]
        pub struct #name #generics {
            #caller
            #(#parameters)*
            #body
        }
    }
}
