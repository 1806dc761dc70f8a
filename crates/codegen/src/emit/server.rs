//! Emitter of the server crate: a trait for each tag, the router, the authenticator, and responses.

use super::{
    Imports, Source, Task, Text,
    features::{self, Condition},
    ident, is_wide, model_crate, overview,
    prose::{Methods, address, linked, listed, operation_text},
    title,
};
use crate::{
    ir::{Api, Group, Operation},
    render::{Block, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

mod answers;
mod authenticator;
mod bodies;
mod defaults;
mod example;
mod group;
mod parameters;
mod refusals;
mod routes;

pub(super) use self::example::example;

const EMITTER: &str = "crates/codegen/src/emit/server.rs";

/// The longest program that the docs open with, in lines.
const LONGEST_PROGRAM: usize = 100;

/// The maximum number of operations of a group that the crate's root exports by name.
const MOST_NAMES: usize = 20;

/// Adds the tasks that emit the server crate.
pub(super) fn tasks<'a>(api: &'a Api, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| {
        let mut sources = root(api);
        sources.push(authenticator::emit(api));
        sources
    }));
    for group in &api.groups {
        tasks.push(Box::new(|| group::emit(api, group)));
    }
}

fn root(api: &Api) -> Vec<Source<'_>> {
    let model_name = model_crate(api);
    let model = ident(&model_name);
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let conditions: Vec<Condition> = api.groups.iter().map(|group| features::of_group(api, group)).collect();
    let exports: Vec<TokenStream> =
        api.groups.iter().zip(&conditions).map(|(group, condition)| exports(api, group, condition)).collect();
    let whole = whole(api);
    let shared = (!api.groups.is_empty()).then(|| quote!(#whole use std::sync::Arc;));
    // Without all features there is no router of all operations, and the link would be broken.
    let router = if api.features { "`router`" } else { "[`router`]" };
    let summary = if api.groups.is_empty() {
        format!("the document has no operations, so {router} has no routes")
    } else {
        format!("implement the traits, and {router} serves them")
    };
    let mut text = format!("Server of the {} {}: {summary}.\n\n", title(api), api.version);
    text.push_str(&overview(api));
    // The program of the README, where the defect would be reported. Only a service has its dependencies.
    if let Ok(Some(program)) = example(api)
        && program.lines().count() <= LONGEST_PROGRAM
    {
        text.push_str(&format!("```ignore\n{program}```\n\n"));
    }
    text.push_str("The router itself responds to requests that reach no handler: unknown paths and methods, missing credentials, bodies that are\n");
    text.push_str("too large, malformed or invalid. [`Authenticator`] identifies the caller, and makes the bodies of these responses as the\n");
    text.push_str("operations declare them ([`Refuse`]).\n");
    if !api.groups.is_empty() {
        text.push_str("\nTo serve only some of the operations, or each trait with a different service, add them to `Routes::new(Gate::new(authenticator))`\n");
        text.push_str("with the `mount_` functions, and convert that to a router.\n\n# Operations\n\n");
    }
    for group in &api.groups {
        text.push_str(&listed(&format!("[`{}`]", group.name), group));
    }
    let source = |path: &str, docs: String, blocks: Vec<Block>| {
        let path = format!("server/src/{path}.rs");
        Source { path, emitter: EMITTER, text: Text::Rust { docs, blocks } }
    };
    let mut named = Imports::default();
    let bodies = refusals::bodies(api, api.operations(), &mut named);
    // The root exports names of its own, so it imports none.
    let bounds = named.qualified(refusals::bounds(&bodies, &mut Imports::default()));
    let unknown = refusals::unknown(api, &mut named);
    let unknown = unknown.map(|write| named.qualified(write));
    // What traits and functions of this crate have in their signatures.
    let reexports = quote! {
        pub use #model as model;
        pub use frontdesk_runtime as runtime;
        pub use frontdesk_runtime::server::{Guard, Incoming, Presented, Refusal, Refuse, Rejection, Response, Router, Routes};
        pub use frontdesk_runtime::{Failure, Fault, Scheme, WithHeaders};
    };
    let lenient_links = features::lenient_links(api);
    if !is_wide(api) {
        let blocks = vec![
            Block::Rust(quote!(#lenient_links mod authenticator; #(#conditions mod #modules;)*)),
            Block::Rust(quote! {
                pub use self::authenticator::{Authenticator, Gate};
                #(#exports)*
                pub use #model::operations::OPERATIONS;
                #reexports
                #shared
            }),
            Block::Rust(functions(api, &bounds, unknown.as_ref())),
        ];
        return vec![source("lib", text, blocks)];
    }
    let lenient = api.features.then(|| quote!(#[cfg_attr(not(feature = "all"), allow(unused_imports))]));
    let blocks = vec![
        Block::Rust(
            quote!(#lenient_links mod authenticator; mod exports; #(#conditions mod #modules;)* #whole mod router;),
        ),
        Block::Rust(quote! {
            pub use self::authenticator::{Authenticator, Gate};
            #lenient
            pub use self::exports::*;
            #whole
            pub use self::router::{router, routes};
            pub use #model::operations::OPERATIONS;
            #reexports
        }),
    ];
    let exports = vec![Block::Rust(quote!(#(#exports)*))];
    let mut used = Imports::default();
    for name in ["Authenticator", "Gate"] {
        used.add("crate", name);
    }
    for group in &api.groups {
        used.add("crate", &group.name);
        used.add("crate", &mount_name(group).to_string());
    }
    let used = used.tokens();
    let refuse = (!bodies.is_empty()).then(|| quote!(Refuse,));
    let router = vec![
        Block::Rust(quote! {
            #used
            use frontdesk_runtime::server::{#refuse Router, Routes};
            use std::sync::Arc;
        }),
        Block::Rust(functions(api, &bounds, unknown.as_ref())),
    ];
    vec![
        source("lib", text, blocks),
        source("exports", "The exports of the modules of all tags.".to_owned(), exports),
        source("router", "The operations of all tags in one router.".to_owned(), router),
    ]
}

/// Returns the exports of a group at the crate's root.
fn exports(api: &Api, group: &Group, condition: &Condition) -> TokenStream {
    let module = ident(&group.module);
    if is_wide(api) {
        return quote!(#condition pub use crate::#module::*;);
    }
    if group.operations.len() > MOST_NAMES {
        return quote!(#condition pub use self::#module::*;);
    }
    let mut names = vec![mount_name(group), ident(&group.name)];
    names.extend(group.operations.iter().map(|operation| ident(&operation.name)));
    quote!(#condition pub use self::#module::{#(#names),*};)
}

/// Returns the condition of items that need every group.
fn whole(api: &Api) -> Option<TokenStream> {
    api.features.then(|| quote!(#[cfg(feature = "all")]))
}

/// Returns the functions `router` and `routes`; without operations they take no service.
fn functions(api: &Api, refusals: &TokenStream, unknown: Option<&TokenStream>) -> TokenStream {
    if api.groups.is_empty() {
        return quote! {
            /// Returns an axum router without routes, because the document has no operations.
            pub fn router<A: Authenticator>(authenticator: A) -> Router {
                routes(authenticator).into_router()
            }

            /// Returns routes without operations, to which others can be added.
            pub fn routes<A: Authenticator>(authenticator: A) -> Routes<Gate<A>> {
                Routes::new(Gate::new(authenticator))
            }
        };
    }
    let whole = whole(api);
    let traits = api.groups.iter().map(|group| ident(&group.name));
    let bounds = quote! {
        where
            S: #(#traits<Caller = A::Caller>)+*,
            A: Authenticator #refusals,
    };
    let mounts = api.groups.iter().map(mount_name);
    let unknown = unknown.map(|write| quote!(.refuse_unknown(#write)));
    quote! {
        /// Returns an axum router of all operations, with the default limits of [`Routes`].
        #whole
        pub fn router<S, A>(service: S, authenticator: A) -> Router
        #bounds
        {
            routes(service, authenticator).into_router()
        }

        /// Returns the routes of all operations, which can be configured before they become a router.
        #whole
        pub fn routes<S, A>(service: S, authenticator: A) -> Routes<Gate<A>>
        #bounds
        {
            let service = Arc::new(service);
            let mut routes = Routes::new(Gate::new(authenticator))#unknown;
            #(#mounts(&mut routes, &service);)*
            routes
        }
    }
}

/// Returns the name of the function in the crate's root that adds a group's operations to routes.
fn mount_name(group: &Group) -> proc_macro2::Ident {
    ident(&group.mount())
}

/// Returns the docs of an operation: summary, description, method and path.
pub(super) fn operation_docs(api: &Api, group: &Group, operation: &Operation) -> TokenStream {
    let text = operation_text(operation) + &address(operation);
    raw_docs(&linked(api, Methods::Server, group, operation, &text))
}
