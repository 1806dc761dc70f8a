//! Owns the modules of the client: one a group, and one an operation where a group is large.

use super::{
    super::{
        Imports, Otherwise, Source, Text, docs_or,
        features::Condition,
        ident, is_wide,
        prose::address,
        shelf::{Entry, Folders, Shelf, Shown},
    },
    operation, paging, root,
};
use crate::{
    ir::{Api, Group, Operation},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/group.rs";

/// The modules of a group.
pub(super) fn emit<'a>(api: &'a Api, group: &'a Group) -> Vec<Source<'a>> {
    if group.is_large() {
        return folder(api, group);
    }
    let mut imports = Imports::default();
    let mut methods = TokenStream::new();
    let mut operations = Vec::new();
    for operation in &group.operations {
        operation::import(operation, &mut imports);
        methods.extend(operation::method(api, operation, &mut imports));
        operations.extend(items(api, group, operation, &mut imports));
    }
    let name = ident(&group.name);
    let methods = (!methods.is_empty()).then(|| quote!(impl #name<'_> { #methods }));
    let handle = handle(api, group, &mut imports);
    let mut blocks = vec![Block::Rust(imports.tokens()), Block::Rust(quote!(#handle #methods))];
    blocks.extend(operations);
    let otherwise = Otherwise(Box::new(|| folder(api, group)));
    vec![Source {
        path: format!("{}.rs", stem(group)),
        emitter: EMITTER,
        text: Text::Short { docs: docs(group), blocks, otherwise },
    }]
}

/// A group whose operations have modules of their own.
fn folder<'a>(api: &Api, group: &Group) -> Vec<Source<'a>> {
    let entries = group.operations.iter().map(|operation| Entry {
        module: operation.function.clone(),
        condition: Condition::default(),
        shown: Shown::One(operation.name.clone()),
        further: 0,
    });
    let shelf = Shelf::of(entries.collect());
    let mut imports = Imports::default();
    let handle = Block::Rust(handle(api, group, &mut imports));
    let mut blocks = shelf.index("");
    blocks.extend([Block::Rust(imports.tokens()), handle]);
    let path = format!("{}.rs", stem(group));
    let mut sources = vec![Source { path, emitter: EMITTER, text: Text::Rust { docs: docs(group), blocks } }];
    sources.extend(shelf.sources(&stem(group), EMITTER, &|_| Vec::new()));
    let folders = shelf.folders();
    sources.extend(group.operations.iter().map(|operation| own_module(api, group, operation, &folders)));
    sources
}

/// The file of a group, without its ending, which is its folder too.
fn stem(group: &Group) -> String {
    format!("client/src/{}", group.module.trim_start_matches("r#"))
}

fn docs(group: &Group) -> String {
    format!("The operations of the tag `{}`: how each is called and how its answers are read.", group.tag)
}

/// What the operations of a group are called on, and how a client gives it where its root does not say.
fn handle(api: &Api, group: &Group, imports: &mut Imports) -> TokenStream {
    imports.add("frontdesk_runtime::client", "Transport");
    let name = ident(&group.name);
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let given = is_wide(api).then(|| {
        imports.add("crate", "Client");
        let accessor = root::accessor(group);
        quote!(impl Client { #accessor })
    });
    quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct #name<'c> {
            pub(crate) transport: &'c Transport,
        }

        #given
    }
}

/// The module of one operation of a large group.
fn own_module<'a>(api: &Api, group: &Group, operation: &Operation, folders: &Folders) -> Source<'a> {
    let mut imports = Imports::default();
    operation::import(operation, &mut imports);
    imports.add("crate", &group.name);
    let name = ident(&group.name);
    let method = operation::method(api, operation, &mut imports);
    let items: Vec<Block> = items(api, group, operation, &mut imports).collect();
    let mut blocks = vec![Block::Rust(imports.tokens()), Block::Rust(quote!(impl #name<'_> { #method }))];
    blocks.extend(items);
    let docs = format!("{}: its call and its answers.", address(operation));
    Source {
        path: format!("{}/{}.rs", stem(group), folders.place(&operation.function)),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// Setters, endpoint and pages.
fn items(
    api: &Api,
    group: &Group,
    operation: &Operation,
    imports: &mut Imports,
) -> impl Iterator<Item = Block> + use<> {
    let setters = operation::setters(api, operation, imports);
    let endpoint = operation::endpoint(api, group, operation, imports);
    let paged = paging::paged(api, operation, imports);
    setters.into_iter().chain([endpoint]).chain(paged).map(Block::Rust)
}
