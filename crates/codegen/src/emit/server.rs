//! Owns the server crate: one trait a tag, the router, the authenticator, the writing of responses.

use super::{
    Imports, Source, Task, Text, docs_or, features, first_line, ident, model_crate,
    operations::success_type,
    types::{From, write},
};
use crate::{
    ir::{Api, Caller, Group, Operation},
    render::{Block, docs, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

mod answers;
mod authenticator;
mod bodies;
mod defaults;
mod parameters;
mod responses;
mod routes;

const EMITTER: &str = "crates/codegen/src/emit/server.rs";

/// Adds what makes the server crate.
pub(super) fn tasks<'a>(api: &'a Api, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| vec![root(api), authenticator::emit(api)]));
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| vec![responses::emit(api)]));
    }
    for group in &api.groups {
        tasks.push(Box::new(|| {
            if !is_split(group) {
                return vec![module(api, group)];
            }
            let operations = group.operations.iter().map(|operation| operation_file(api, group, operation));
            [large_module(api, group)].into_iter().chain(operations).collect()
        }));
    }
}

fn root(api: &Api) -> Source {
    let model_name = model_crate(api);
    let model = ident(&model_name);
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let conditions: Vec<TokenStream> =
        api.groups.iter().map(|group| features::of_group(api, group)).collect();
    let requests: Vec<TokenStream> = api
        .groups
        .iter()
        .zip(&conditions)
        .map(|(group, condition)| {
            let module = ident(&group.module);
            let mount = mount_name(group);
            let mut names = vec![ident(&group.name)];
            names.extend(group.operations.iter().map(|operation| ident(&operation.name)));
            quote!(#condition pub use self::#module::{mount as #mount, #(#names),*};)
        })
        .collect();
    let whole = whole(api);
    let shared = (!api.groups.is_empty()).then(|| quote!(#whole use std::sync::Arc;));
    let responses = if api.responses.is_empty() {
        TokenStream::new()
    } else {
        quote!(
            mod responses;
        )
    };
    let mut text = format!(
        "Server of the {} {}: {}.\n\n",
        api.title,
        api.version,
        if api.groups.is_empty() {
            "the document has no operations, so [`router`] knows no path"
        } else {
            "implement the traits, and [`router`] does the rest"
        }
    );
    for group in &api.groups {
        text.push_str(&format!("- [`{}`]: {}\n", group.name, first_line(group.docs.as_deref())));
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
    let blocks = vec![
        Block::Rust(quote!(mod authenticator; #(#conditions mod #modules;)* #responses)),
        Block::Rust(quote! {
            pub use self::authenticator::{Authenticator, Gate};
            #(#requests)*
            pub use #model::operations::OPERATIONS;
            #whole
            use frontdesk_runtime::server::{Router, Routes};
            #shared
        }),
        Block::Rust(functions(api)),
    ];
    Source { path: "server/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs: text, blocks } }
}

/// Whether each operation of a group has a file of its own: a server has more to say of each than the other crates.
fn is_split(group: &Group) -> bool {
    group.operations.len() > 5
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

/// A group in one file.
fn module(api: &Api, group: &Group) -> Source {
    let mut imports = Imports::default();
    let mut requests = Vec::new();
    let mut routes = Vec::new();
    for operation in &group.operations {
        requests.push(Block::Rust(request(api, &group.name, operation, &mut imports)));
        routes.extend(route_blocks(api, group, operation, &mut imports));
    }
    let paths = group.operations.iter().map(|operation| {
        let function = ident(&operation.function);
        quote!(#function)
    });
    let paths = paths.collect();
    let definition = trait_block(api, group, &mut imports);
    let mount = mount(api, group, paths, &mut imports);
    let mut blocks = vec![Block::Rust(imports.tokens()), definition];
    blocks.extend(requests);
    blocks.push(mount);
    blocks.extend(routes);
    let docs = format!("The operations of the tag `{}`: trait, requests, routes.", group.tag);
    Source {
        path: format!("server/src/{}.rs", group.module),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// A group whose operations have files of their own.
fn large_module(api: &Api, group: &Group) -> Source {
    let mut imports = Imports::default();
    let files: Vec<_> = group.operations.iter().map(file_module).collect();
    let names = group.operations.iter().map(|operation| ident(&operation.name));
    let exports: Vec<TokenStream> =
        files.iter().zip(names).map(|(file, name)| quote!(pub use self::#file::#name;)).collect();
    let paths = group.operations.iter().zip(&files).map(|(operation, file)| {
        let function = ident(&operation.function);
        quote!(#file::#function)
    });
    let paths = paths.collect();
    let definition = trait_block(api, group, &mut imports);
    let mount = mount(api, group, paths, &mut imports);
    let blocks = vec![
        Block::Rust(quote!(#(mod #files;)*)),
        Block::Rust(quote!(#(#exports)*)),
        Block::Rust(imports.tokens()),
        definition,
        mount,
    ];
    let docs = format!(
        "The operations of the tag `{}`: trait and routes; each operation has a file of its own.",
        group.tag
    );
    Source {
        path: format!("server/src/{}.rs", group.module),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// The module of an operation in a large group; a keyword is raw in Rust and plain in the file's name.
fn file_module(operation: &Operation) -> proc_macro2::Ident {
    ident(&operation.function)
}

/// One operation of a large group.
fn operation_file(api: &Api, group: &Group, operation: &Operation) -> Source {
    let mut imports = Imports::default();
    imports.add("super", &group.name);
    let request = Block::Rust(request(api, &group.name, operation, &mut imports));
    let routes = route_blocks(api, group, operation, &mut imports);
    let mut blocks = vec![Block::Rust(imports.tokens()), request];
    blocks.extend(routes);
    let docs = format!("`{} {}`: its request and its route.", operation.method, operation.path);
    let file = operation.function.trim_start_matches("r#");
    Source {
        path: format!("server/src/{}/{file}.rs", group.module),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// The trait with a method for each operation.
fn trait_block(api: &Api, group: &Group, imports: &mut Imports) -> Block {
    imports.add("frontdesk_runtime", "Failure");
    let name = ident(&group.name);
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let methods: Vec<TokenStream> =
        group.operations.iter().map(|operation| handler(api, operation, imports)).collect();
    Block::Rust(quote! {
        #docs
        pub trait #name: Send + Sync + 'static {
            /// Who calls, as the authenticator tells.
            type Caller: Send + Sync + 'static;

            #(#methods)*
        }
    })
}

/// The function that adds a group's operations to routes; `paths` are the functions that handle them.
fn mount(api: &Api, group: &Group, paths: Vec<TokenStream>, imports: &mut Imports) -> Block {
    imports.add("crate", "Authenticator");
    imports.add("crate", "Gate");
    imports.add("frontdesk_runtime::server", "Routes");
    imports.add("std::sync", "Arc");
    let (model, module, name) = (ident(&model_crate(api)), ident(&group.module), ident(&group.name));
    let lines = group.operations.iter().zip(paths).map(|(operation, path)| {
        let constant = ident(&operation.constant);
        quote!(routes.add(&#model::operations::#module::#constant, service, #path::<S>);)
    });
    Block::Rust(quote! {
        /// Adds the operations to the routes.
        pub fn mount<S, A>(routes: &mut Routes<Gate<A>>, service: &Arc<S>)
        where
            S: #name<Caller = A::Caller>,
            A: Authenticator,
        {
            #(#lines)*
        }
    })
}

/// What reads the request, calls the handler and writes the response.
fn route_blocks(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> Vec<Block> {
    for name in ["Answered", "Call"] {
        imports.add("frontdesk_runtime::server", name);
    }
    imports.add("std::sync", "Arc");
    let mut blocks = vec![Block::Rust(routes::route(api, group, operation, imports))];
    let model = model_crate(api);
    imports.add(&model, &format!("{}Error", operation.name));
    blocks.extend(routes::errors(api, operation, imports).map(Block::Rust));
    blocks
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
    let about = raw_docs(&format!("What [`{function}`](crate::{trait_name}::{function}) gets."));
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
        let place = parameters::place(parameter.location);
        let docs = docs_or(parameter.docs.as_deref(), &format!("`{}` in the {place}.", parameter.wire));
        let ty = write(api, &parameter.element.ty, From::Model(&model_name), imports);
        let given = parameter.required || defaults::has(api, parameter);
        let ty = if given { ty } else { quote!(Option<#ty>) };
        let rust = ident(&parameter.rust);
        quote!(#docs pub #rust: #ty,)
    });
    let parameters: Vec<TokenStream> = parameters.collect();
    let body = operation.body.as_ref().map(|body| {
        let docs = docs_or(body.docs.as_deref(), "The body.");
        let ty = bodies::body_type(api, body, imports);
        quote!(#docs pub body: #ty,)
    });
    let clone = bodies::is_clone(operation.body.as_ref()).then(|| quote!(Clone,));
    quote! {
        #about
        #[derive(#clone Debug)]
        pub struct #name #generics {
            #caller
            #(#parameters)*
            #body
        }
    }
}
