//! Owns the server crate: one trait a tag, the router, the authenticator, the writing of responses.

use super::{
    Imports, Source, Task, Text,
    features::{self, Condition},
    ident, is_wide, model_crate, overview,
    prose::{address, listed, operation_text},
    title,
};
use crate::{
    ir::{Api, Group, Operation},
    render::{Block, docs},
};
use proc_macro2::TokenStream;
use quote::quote;

mod answers;
mod authenticator;
mod bodies;
mod defaults;
mod group;
mod parameters;
mod responses;
mod routes;

const EMITTER: &str = "crates/codegen/src/emit/server.rs";

/// The most operations of a group that the crate's root names one by one.
const MOST_NAMES: usize = 20;

/// Adds what makes the server crate.
pub(super) fn tasks<'a>(api: &'a Api, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| {
        let mut sources = root(api);
        sources.push(authenticator::emit(api));
        sources
    }));
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| vec![responses::emit(api)]));
    }
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
    let responses = if api.responses.is_empty() {
        TokenStream::new()
    } else {
        quote!(
            mod responses;
        )
    };
    // Without all features there is no router of all operations, and a link to it would lead nowhere.
    let router = if api.features { "`router`" } else { "[`router`]" };
    let claim = if api.groups.is_empty() {
        format!("the document has no operations, so {router} knows no path")
    } else {
        format!("implement the traits, and {router} does the rest")
    };
    let mut text = format!("Server of the {} {}: {claim}.\n\n", title(api), api.version);
    text.push_str(&overview(api));
    for group in &api.groups {
        // Without its feature, a link to the group would lead nowhere.
        let name = if api.features { format!("`{}`", group.name) } else { format!("[`{}`]", group.name) };
        text.push_str(&listed(&name, group));
    }
    if !api.groups.is_empty() {
        text.push('\n');
    }
    text.push_str("The router answers what never reaches a handler: unknown paths and methods, missing credentials, bodies that are too\n");
    text.push_str("large, no JSON, or against the document's rules. [`Authenticator`] says who calls and words these answers.\n");
    if !api.groups.is_empty() {
        text.push_str("\nTo serve some of the operations, or each trait with a service of its own, add them to `Routes::new(Gate::new(authenticator))`\n");
        text.push_str("with the `mount_` functions, and turn that into a router.\n");
    }
    let source = |path: &str, docs: String, blocks: Vec<Block>| {
        let path = format!("server/src/{path}.rs");
        Source { path, emitter: EMITTER, text: Text::Rust { docs, blocks } }
    };
    let imports = quote! {
        #whole
        use frontdesk_runtime::server::{Router, Routes};
        #shared
    };
    if !is_wide(api) {
        let blocks = vec![
            Block::Rust(quote!(mod authenticator; #(#conditions mod #modules;)* #responses)),
            Block::Rust(quote! {
                pub use self::authenticator::{Authenticator, Gate};
                #(#exports)*
                pub use #model::operations::OPERATIONS;
                #imports
            }),
            Block::Rust(functions(api)),
        ];
        return vec![source("lib", text, blocks)];
    }
    let lenient = api.features.then(|| quote!(#[allow(unused_imports)]));
    let blocks = vec![
        Block::Rust(
            quote!(mod authenticator; mod exports; #(#conditions mod #modules;)* #responses #whole mod router;),
        ),
        Block::Rust(quote! {
            pub use self::authenticator::{Authenticator, Gate};
            #lenient
            pub use self::exports::*;
            #whole
            pub use self::router::{router, routes};
            pub use #model::operations::OPERATIONS;
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
    let router = vec![
        Block::Rust(quote! {
            #used
            use frontdesk_runtime::server::{Router, Routes};
            use std::sync::Arc;
        }),
        Block::Rust(functions(api)),
    ];
    vec![
        source("lib", text, blocks),
        source("exports", "What the modules of the tags offer.".to_owned(), exports),
        source("router", "The operations of all tags in one router.".to_owned(), router),
    ]
}

/// What of a group stands at the crate's root.
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

/// The condition of what needs every group.
fn whole(api: &Api) -> Option<TokenStream> {
    api.features.then(|| quote!(#[cfg(feature = "all")]))
}

/// `router` and `routes`; without operations there is no service that they could take.
fn functions(api: &Api) -> TokenStream {
    if api.groups.is_empty() {
        return quote! {
            /// An ordinary axum router, which knows no path: the document has no operations.
            pub fn router<A: Authenticator>(authenticator: A) -> Router {
                routes(authenticator).into_router()
            }

            /// No operation, to be added to before it becomes a router.
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
            A: Authenticator,
    };
    let mounts = api.groups.iter().map(mount_name);
    quote! {
        /// Every operation as an ordinary axum router, with the limits that [`Routes`] sets unless told otherwise.
        #whole
        pub fn router<S, A>(service: S, authenticator: A) -> Router
        #bounds
        {
            routes(service, authenticator).into_router()
        }

        /// Every operation, to be limited further before it becomes a router.
        #whole
        pub fn routes<S, A>(service: S, authenticator: A) -> Routes<Gate<A>>
        #bounds
        {
            let service = Arc::new(service);
            let mut routes = Routes::new(Gate::new(authenticator));
            #(#mounts(&mut routes, &service);)*
            routes
        }
    }
}

/// The function of the crate's root that adds a group's operations to routes.
fn mount_name(group: &Group) -> proc_macro2::Ident {
    ident(&format!("mount_{}", group.module.trim_end_matches('_')))
}

/// Summary, description, method and path.
pub(super) fn operation_docs(operation: &Operation) -> TokenStream {
    docs(&(operation_text(operation) + &address(operation)))
}
