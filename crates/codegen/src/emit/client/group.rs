//! Emitter of the client's modules: one for each group, and one for each operation of large groups.

use super::{
    super::{
        Imports, Otherwise, Source, Text, docs_or,
        features::Condition,
        ident, is_wide,
        module_tree::{Entry, Folders, ModuleTree, Shown},
        prose::address,
    },
    operation, paging, root,
    streaming::{self, Method},
};
use crate::{
    ir::{Api, Group, Operation},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/group.rs";

/// Returns the modules of a group.
pub(super) fn emit<'a>(api: &'a Api, group: &'a Group) -> Vec<Source<'a>> {
    if group.is_large() {
        return folder(api, group);
    }
    let mut imports = Imports::default();
    let mut methods = TokenStream::new();
    let mut operations = Vec::new();
    for operation in &group.operations {
        operation::import(&mut imports);
        for method in streaming::methods(api, operation) {
            methods.extend(operation::method(api, group, &method.operation, &mut imports));
        }
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

/// Returns a group whose operations have modules of their own.
fn folder<'a>(api: &Api, group: &Group) -> Vec<Source<'a>> {
    let entries = group.operations.iter().map(|operation| Entry {
        module: operation.handler.clone(),
        condition: Condition::default(),
        shown: Shown::One(operation.name.clone()),
        further: 0,
    });
    let tree = ModuleTree::of(entries.collect());
    let mut imports = Imports::default();
    let handle = Block::Rust(handle(api, group, &mut imports));
    let mut blocks = tree.index("");
    blocks.extend([Block::Rust(imports.tokens()), handle]);
    let path = format!("{}.rs", stem(group));
    let mut sources = vec![Source { path, emitter: EMITTER, text: Text::Rust { docs: docs(group), blocks } }];
    sources.extend(tree.sources(&stem(group), EMITTER, &|_| Vec::new()));
    let folders = tree.folders();
    sources.extend(group.operations.iter().map(|operation| own_module(api, group, operation, &folders)));
    sources
}

/// Returns the path of a group's file without its extension, which is also the path of its folder.
fn stem(group: &Group) -> String {
    format!("client/src/{}", group.module.trim_start_matches("r#"))
}

fn docs(group: &Group) -> String {
    format!("Operations of the tag `{}`: calls and reading of responses.", group.tag)
}

/// Returns the handle of a group, and the client's method that returns it unless the crate's root defines
/// that.
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

/// Returns the module of one operation of a large group.
fn own_module<'a>(api: &Api, group: &Group, operation: &Operation, folders: &Folders) -> Source<'a> {
    let mut imports = Imports::default();
    operation::import(&mut imports);
    imports.add("crate", &group.name);
    let name = ident(&group.name);
    let methods: Vec<TokenStream> = streaming::methods(api, operation)
        .iter()
        .map(|method| operation::method(api, group, &method.operation, &mut imports))
        .collect();
    let items = items(api, group, operation, &mut imports);
    let mut blocks =
        vec![Block::Rust(imports.tokens()), Block::Rust(quote!(impl #name<'_> { #(#methods)* }))];
    blocks.extend(items);
    let docs = format!("{}: the call and its responses.", address(operation));
    Source {
        path: format!("{}/{}.rs", stem(group), folders.place(&operation.handler)),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    }
}

/// Returns setters, endpoint and pagination of each method.
fn items(api: &Api, group: &Group, operation: &Operation, imports: &mut Imports) -> Vec<Block> {
    let mut items = Vec::new();
    for Method { operation, owner } in streaming::methods(api, operation) {
        items.extend(operation::setters(api, group, &operation, imports).map(Block::Rust));
        items.push(operation::endpoint(api, group, &operation, owner, imports));
        items.extend(paging::paged(api, &operation, imports).map(Block::Rust));
    }
    items
}
