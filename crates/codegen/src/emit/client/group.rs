//! Owns the modules of the client: one a group, and one an operation where a group is large.

use super::{
    super::{Imports, Source, Text, docs_or, ident, operations::about},
    operation, paging,
};
use crate::{
    ir::{Api, Group, Operation},
    render::Block,
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/client/group.rs";

/// Adds the modules of a group.
pub(super) fn emit(api: &Api, group: &Group, sources: &mut Vec<Source>) {
    let mut imports = Imports::default();
    imports.add("frontdesk_runtime::client", "Transport");
    let mut blocks = Vec::new();
    let mut methods = TokenStream::new();
    let large = group.is_large();
    if large {
        let modules = group.operations.iter().map(|operation| {
            let (module, name) = (ident(&operation.function), ident(&operation.name));
            (quote!(mod #module;), quote!(pub use self::#module::#name;))
        });
        let (modules, exports): (Vec<_>, Vec<_>) = modules.unzip();
        blocks.push(Block::Rust(quote!(#(#modules)* #(#exports)*)));
        sources.extend(group.operations.iter().map(|operation| own_module(api, group, operation)));
    } else {
        for operation in &group.operations {
            operation::import(operation, &mut imports);
            methods.extend(operation::method(api, operation, &mut imports));
            blocks.extend(items(api, group, operation, &mut imports));
        }
    }
    let name = ident(&group.name);
    let docs = docs_or(group.docs.as_deref(), &format!("The operations of the tag `{}`.", group.tag));
    let methods = (!methods.is_empty()).then(|| quote!(impl #name<'_> { #methods }));
    let handle = Block::Rust(quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct #name<'c> {
            pub(crate) transport: &'c Transport,
        }

        #methods
    });
    let at = usize::from(large);
    blocks.insert(at, handle);
    blocks.insert(at, Block::Rust(imports.tokens()));
    let docs = format!(
        "The operations of the tag `{}`: how each is called and how its answers are read.",
        group.tag
    );
    sources.push(Source {
        path: format!("client/src/{}.rs", file_name(&group.module)),
        emitter: EMITTER,
        text: Text::Rust { docs, blocks },
    });
}

/// The module of one operation of a large group.
fn own_module(api: &Api, group: &Group, operation: &Operation) -> Source {
    let mut imports = Imports::default();
    operation::import(operation, &mut imports);
    imports.add("super", &group.name);
    let name = ident(&group.name);
    let method = operation::method(api, operation, &mut imports);
    let items: Vec<Block> = items(api, group, operation, &mut imports).collect();
    let mut blocks = vec![Block::Rust(imports.tokens()), Block::Rust(quote!(impl #name<'_> { #method }))];
    blocks.extend(items);
    let docs = format!("How {} is called and how its answers are read.", about(operation));
    Source {
        path: format!("client/src/{}/{}.rs", file_name(&group.module), file_name(&operation.function)),
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

/// The file of a module, which has no mark of a raw identifier.
fn file_name(module: &str) -> &str {
    module.trim_start_matches("r#")
}
