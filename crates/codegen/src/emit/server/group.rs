//! Emitter of the server's modules: one for each group, and one for each operation of larger groups.

use super::{
    bodies, defaults, operation_docs, parameters, refusals,
    routes::{self, Seen},
};
use crate::{
    emit::{
        Imports, Otherwise, Source, Text, deprecated, docs_or, expect_convention,
        features::Condition,
        ident, model_crate,
        module_tree::{Entry, Folders, ModuleTree, Shown},
        operations::success_type,
        prose::{address, parameter_text},
        types::{From, write},
    },
    ir::{Api, Caller, Group, Operation},
    render::{Block, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/server/group.rs";

/// The maximum number of operations in one file. The server has more code for each than the other crates.
const MOST_IN_A_FILE: usize = 5;

/// The maximum number of operations whose trait stays in the file that lists their modules.
const MOST_BESIDE_TRAIT: usize = 40;

/// Returns the modules of a group.
pub(super) fn emit<'a>(api: &'a Api, group: &'a Group) -> Vec<Source<'a>> {
    if group.operations.len() > MOST_IN_A_FILE {
        return folder(api, group);
    }
    let mut imports = Imports::default();
    let mut requests = Vec::new();
    let mut routes = Vec::new();
    for operation in &group.operations {
        requests.push(Block::Rust(request(api, &group.name, operation, &mut imports)));
        routes.push(route_block(api, group, operation, Seen::Here, &mut imports));
    }
    let paths = group.operations.iter().map(|operation| (operation, function(operation)));
    let definition = trait_block(api, group, &mut imports);
    let mount = mount(api, group, &paths.collect::<Vec<_>>(), &[], &mut imports);
    let mut blocks = vec![Block::Rust(imports.tokens()), definition];
    blocks.extend(requests);
    blocks.push(Block::Rust(quote!(#[doc = " Adds the operations to the routes."] pub #mount)));
    blocks.extend(routes);
    let docs = format!("The operations of the tag `{}`: trait, requests, routes.", group.tag);
    let otherwise = Otherwise(Box::new(|| folder(api, group)));
    let text = Text::Short { docs, blocks, otherwise };
    vec![Source { path: format!("{}.rs", stem(group)), emitter: EMITTER, text }]
}

/// Returns the path of a group's file without its extension, which is also the path of its folder.
fn stem(group: &Group) -> String {
    format!("server/src/{}", group.module.trim_start_matches("r#"))
}

/// Returns a group whose operations have files of their own, and its trait too if that is long.
fn folder<'a>(api: &'a Api, group: &'a Group) -> Vec<Source<'a>> {
    let entries = group.operations.iter().map(|operation| Entry {
        module: operation.handler.clone(),
        condition: Condition::default(),
        shown: Shown::One(operation.name.clone()),
        further: lines_of_route(operation),
    });
    let tree = ModuleTree::of(entries.collect());
    let folders = tree.folders();
    let operations = group.operations.iter().map(|operation| operation_file(api, group, operation, &folders));
    let mut sources: Vec<Source<'a>> = operations.collect();
    sources.extend(tree.sources(&stem(group), EMITTER, &|tree| {
        let mut imports = Imports::default();
        imports.add("crate", &group.name);
        let mount = mount_of(api, group, tree, &mut imports);
        vec![Block::Rust(imports.tokens()), Block::Rust(quote!(pub(super) #mount))]
    }));
    if group.operations.len() > MOST_BESIDE_TRAIT {
        sources.extend(trait_apart(api, group, &tree));
        return sources;
    }
    let mut imports = Imports::default();
    let mut blocks = tree.index("");
    let definition = trait_block(api, group, &mut imports);
    let mount = mount_of(api, group, &tree, &mut imports);
    blocks.extend([
        Block::Rust(imports.tokens()),
        definition,
        Block::Rust(quote!(#[doc = " Adds the operations to the routes."] pub #mount)),
    ]);
    let docs = format!(
        "The operations of the tag `{}`: trait and routes; each operation has a file of its own.",
        group.tag
    );
    let otherwise = Otherwise(Box::new(move || trait_apart(api, group, &tree)));
    let text = Text::Short { docs, blocks, otherwise };
    sources.push(Source { path: format!("{}.rs", stem(group)), emitter: EMITTER, text });
    sources
}

/// Returns the module of a group whose trait has a file of its own.
fn trait_apart<'a>(api: &Api, group: &Group, tree: &ModuleTree) -> Vec<Source<'a>> {
    let module = free_module(tree);
    let (name, module_name) = (ident(&group.name), ident(&module));
    let mut imports = Imports::default();
    let mount = mount_of(api, group, tree, &mut imports);
    let mut blocks = vec![Block::Rust(quote!(mod #module_name;))];
    blocks.extend(tree.index(""));
    blocks.extend([
        Block::Rust(quote!(pub use self::#module_name::#name;)),
        Block::Rust(imports.tokens()),
        Block::Rust(quote!(#[doc = " Adds the operations to the routes."] pub #mount)),
    ]);
    let docs = format!(
        "The operations of the tag `{}`: routes; the trait and each operation have files of their own.",
        group.tag
    );
    let text = Text::Rust { docs, blocks };
    let index = Source { path: format!("{}.rs", stem(group)), emitter: EMITTER, text };
    let mut imports = Imports::default();
    for operation in &group.operations {
        imports.add("crate", &operation.name);
    }
    let definition = trait_block(api, group, &mut imports);
    let docs = format!("The trait that a server implements for the tag `{}`.", group.tag);
    let text = Text::Rust { docs, blocks: vec![Block::Rust(imports.tokens()), definition] };
    vec![index, Source { path: format!("{}/{module}.rs", stem(group)), emitter: EMITTER, text }]
}

/// Returns a name for the module of a trait that no operation and no folder has.
fn free_module(tree: &ModuleTree) -> String {
    let is_taken = |name: &str| {
        tree.entries.iter().any(|entry| entry.module == name)
            || tree.folders.iter().any(|(word, _)| word == name)
    };
    let mut module = "handlers".to_owned();
    while is_taken(&module) {
        module.push('_');
    }
    module
}

/// Returns the file of one operation of a large group.
fn operation_file<'a>(api: &Api, group: &Group, operation: &Operation, folders: &Folders) -> Source<'a> {
    let mut imports = Imports::default();
    imports.add("crate", &group.name);
    let request = Block::Rust(request(api, &group.name, operation, &mut imports));
    let route = route_block(api, group, operation, Seen::Above, &mut imports);
    let blocks = vec![Block::Rust(imports.tokens()), request, route];
    let docs = format!("{}: its request and its route.", address(operation));
    Source {
        path: format!("{}/{}.rs", stem(group), folders.place(&operation.handler)),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// Returns the trait with a method for each operation.
fn trait_block(api: &Api, group: &Group, imports: &mut Imports) -> Block {
    imports.add("frontdesk_runtime", "Failure");
    let name = ident(&group.name);
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let methods: Vec<TokenStream> =
        group.operations.iter().map(|operation| handler(api, group, operation, imports)).collect();
    Block::Rust(quote! {
        #docs
        pub trait #name: Send + Sync + 'static {
            /// The caller, as the authenticator returns it.
            type Caller: Send + Sync + 'static;

            #(#methods)*
        }
    })
}

/// Returns the function that handles an operation.
fn function(operation: &Operation) -> TokenStream {
    let function = ident(&operation.handler);
    quote!(#function)
}

/// Returns the number of lines that add an operation to the routes; long names break the call. A line has at
/// most 89 characters. Beside the names, the whole call has 48, `.add(…);` below `routes` has 46, and the
/// path of the handler on a line of its own has 19 and a comma that does not count.
fn lines_of_route(operation: &Operation) -> usize {
    let path = 2 * operation.handler.len();
    match path + operation.constant.len() {
        ..=41 => 1,
        42..=43 => 2,
        _ if path <= 70 => 6,
        _ => 8,
    }
}

/// Returns the function that adds the operations of a list, and of its folders, to routes.
fn mount_of(api: &Api, group: &Group, tree: &ModuleTree, imports: &mut Imports) -> TokenStream {
    let listed = |operation: &&Operation| tree.entries.iter().any(|entry| entry.module == operation.handler);
    let paths = group.operations.iter().filter(listed).map(|operation| {
        let function = function(operation);
        (operation, quote!(#function::#function))
    });
    let folders: Vec<&str> = tree.folders.iter().map(|(word, _)| word.as_str()).collect();
    mount(api, group, &paths.collect::<Vec<_>>(), &folders, imports)
}

/// Returns the function that adds operations to routes: those of some folders, and others by the functions
/// that handle them.
fn mount(
    api: &Api,
    group: &Group,
    paths: &[(&Operation, TokenStream)],
    folders: &[&str],
    imports: &mut Imports,
) -> TokenStream {
    imports.add("crate", "Authenticator");
    imports.add("crate", "Gate");
    imports.add("frontdesk_runtime::server", "Routes");
    imports.add("std::sync", "Arc");
    let (mount, module, name) = (super::mount_name(group), ident(&group.module), ident(&group.name));
    // The local import gets a name that no handler has.
    let mut constants = "documented".to_owned();
    while group.operations.iter().any(|operation| operation.handler == constants) {
        constants.push('_');
    }
    let constants = ident(&constants);
    let import = (!paths.is_empty()).then(|| {
        let model = ident(&model_crate(api));
        quote!(use #model::operations::#module as #constants;)
    });
    let folders = folders.iter().map(|folder| {
        let folder = ident(folder);
        quote!(#folder::#mount(routes, service);)
    });
    let lines = paths.iter().map(|(operation, path)| {
        let constant = ident(&operation.constant);
        quote!(routes.add(&#constants::#constant, service, #path::<S>);)
    });
    let bodies = refusals::bodies(api, group.operations.iter(), imports);
    let bounds = refusals::bounds(&bodies, imports);
    quote! {
        fn #mount<S, A>(routes: &mut Routes<Gate<A>>, service: &Arc<S>)
        where
            S: #name<Caller = A::Caller>,
            A: Authenticator #bounds,
        {
            #import
            #(#folders)*
            #(#lines)*
        }
    }
}

/// Returns the function that reads the request, calls the handler and writes the response.
fn route_block(api: &Api, group: &Group, operation: &Operation, seen: Seen, imports: &mut Imports) -> Block {
    for name in ["HandlerResult", "Call"] {
        imports.add("frontdesk_runtime::server", name);
    }
    imports.add("std::sync", "Arc");
    Block::Rust(routes::route(api, group, operation, seen, imports))
}

/// Returns the handler's signature.
fn handler(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let (function, request) = (ident(&operation.handler), ident(&operation.name));
    let success = success_type(api, operation, &model_name, imports);
    let error = format!("{}Error", operation.name);
    imports.add(&model_name, &error);
    let error = ident(&error);
    let text = operation_docs(api, group, operation);
    let deprecation = deprecated(operation.deprecated);
    let generics = (operation.caller() != Caller::Nobody).then(|| quote!(<Self::Caller>));
    let convention = expect_convention(&operation.handler);
    quote! {
        #text
        #deprecation
        #convention
        fn #function(&self, request: #request #generics) -> impl Future<Output = Result<#success, Failure<#error>>> + Send;
    }
}

/// Returns the request struct of an operation.
fn request(api: &Api, trait_name: &str, operation: &Operation, imports: &mut Imports) -> TokenStream {
    let model_name = model_crate(api);
    let name = ident(&operation.name);
    // A link must not contain the prefix of a raw identifier, which would be read as a fragment.
    let function = operation.handler.trim_start_matches("r#");
    let about = raw_docs(&format!("The request of [`{function}`](crate::{trait_name}::{function})."));
    let (generics, caller) = match operation.caller() {
        Caller::Nobody => (TokenStream::new(), TokenStream::new()),
        Caller::Anybody => (
            quote!(<Caller>),
            quote! {
                /// The caller, if the request has credentials.
                pub caller: Option<Caller>,
            },
        ),
        Caller::Known => (
            quote!(<Caller>),
            quote! {
                /// The caller.
                pub caller: Caller,
            },
        ),
    };
    let parameters = operation.parameters.iter().map(|parameter| {
        let place = parameters::place(parameter.location);
        let text = match (parameter_text(parameter), &parameter.docs) {
            (Some(text), Some(_)) => text,
            (Some(facts), None) => format!("`{}` in the {place}. {facts}", parameter.wire),
            (None, _) => format!("`{}` in the {place}.", parameter.wire),
        };
        let docs = raw_docs(&text);
        let ty = write(api, &parameter.element.ty, From::Model(&model_name), imports);
        let given = parameter.required || defaults::has(parameter);
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
    imports.add("frontdesk_runtime::server", "Incoming");
    let clone = bodies::is_clone(operation.body.as_ref()).then(|| quote!(Clone,));
    quote! {
        #about
        #[derive(#clone Debug)]
        pub struct #name #generics {
            #caller
            #(#parameters)*
            #body
            /// The head of the request: headers, and the extensions that authorization added.
            pub incoming: Incoming,
        }
    }
}
