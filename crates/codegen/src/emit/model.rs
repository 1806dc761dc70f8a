//! Model crate without its operations: the root, the modules of `schemas`, and the content of each.

mod defaults;
mod derives;
mod enumeration;
pub(super) mod errors;
mod id;
mod locations;
mod modules;
pub(super) mod payload;
mod plain;
mod reach;
mod reached;
mod response;
mod statement;
mod structure;
pub(super) mod union;
mod wire;

pub(super) use self::{enumeration::is_open, locations::TypeLocations, modules::SchemaModules, plain::Plain};

use self::modules::{Schema, SchemaModule};
use super::{
    Facts, Imports, Source, Task, Text, features,
    file_split::{Page, Setting, Unit},
    ident,
    module_tree::{Entry, ModuleTree, Shown},
    overview, title, type_docs, types,
};
use crate::{
    ir::{Api, Shape, TypeDef, TypeId},
    render::{Block, Origin, RenderError, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/model.rs";

/// The module of schemas, and their folder.
const SCHEMAS: &str = "model/src/schemas";

/// A schema whose page is made alone.
pub(super) type PageTask<'a> = Box<dyn FnOnce() -> Result<Page, RenderError> + Send + 'a>;

/// The tasks that make the pages of all schemas.
pub(super) fn pages<'a>(api: &'a Api, facts: &'a Facts<'a>) -> Vec<PageTask<'a>> {
    let schemas = facts.modules.all.iter().flat_map(|module| &module.schemas);
    schemas
        .map(|schema| {
            let page = || {
                let path = format!("{SCHEMAS}/{}.rs", schema.name());
                Page::of(unit(api, schema, facts), &path, setting(facts))
            };
            Box::new(page) as PageTask<'a>
        })
        .collect()
}

/// Adds the tasks that make the model crate, except for its operations; the pages are those of all schemas.
pub(super) fn tasks<'a>(api: &'a Api, facts: &'a Facts<'a>, pages: Vec<Page>, tasks: &mut Vec<Task<'a>>) {
    let modules = &facts.modules;
    tasks.push(Box::new(|| vec![root(api, modules)]));
    let mut pages = pages.into_iter();
    let tree = tree(api, modules);
    let folders = tree.folders();
    for module in &modules.all {
        let page = module.page(pages.by_ref().take(module.schemas.len()).collect());
        let path = format!("{SCHEMAS}/{}.rs", folders.place(&module.name));
        let docs = module.reach.docs(api, "Schemas");
        tasks.push(Box::new(|| vec![Source { path, emitter: EMITTER, text: Text::Pages { docs, page } }]));
    }
    if !modules.is_empty() {
        tasks.push(Box::new(move || schemas(&tree)));
    }
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| response::emit(api, facts)));
    }
    if errors::has_module(api) {
        tasks.push(Box::new(|| errors::emit(api, facts)));
    }
}

fn root<'a>(api: &Api, modules: &SchemaModules<'_>) -> Source<'a> {
    let mut docs = format!(
        "Types of the {} {}: what requests send, what answers hold, which errors an operation declares.\n\n",
        title(api),
        api.version
    );
    docs.push_str(&overview(api));
    docs.push_str("- [`operations`]: every operation as a constant, with its errors.\n");
    docs.push_str("- Schemas and responses are at the root: components under their names in the document, in Rust's spelling, all others\n");
    docs.push_str("  under names derived from their locations.\n\n");
    docs.push_str(
        "Requests are made with `new`, which takes the required fields, and setters for the rest.\n",
    );
    docs.push_str("Servers enable the feature `server`, which adds the validation of request bodies, and `new` and setters for responses.\n");
    if api.features {
        docs.push_str(
            "Every tag is a feature. All of them are enabled unless `default-features = false` is set.\n",
        );
    }
    let held: Vec<_> = [("responses", !api.responses.is_empty()), ("schemas", !modules.is_empty())]
        .into_iter()
        .filter(|(_, held)| *held)
        .map(|(module, _)| ident(module))
        .collect();
    let reexport = match &held[..] {
        [] => TokenStream::new(),
        [only] => quote!(pub use self::#only::*;),
        several => quote!(pub use self::{#(#several::*),*};),
    };
    // With few features on, there may be nothing to export.
    let lenient = (api.features && !held.is_empty())
        .then(|| quote!(#[cfg_attr(not(feature = "all"), allow(unused_imports))]));
    let modules: Vec<_> = api.groups.iter().map(|group| ident(&group.module)).collect();
    let operations = if api.features {
        let conditions = api.groups.iter().map(|group| features::of_group(api, group));
        quote!(#(#conditions pub use self::operations::#modules::*;)*)
    } else {
        match &modules[..] {
            [] => TokenStream::new(),
            [only] => quote!(pub use self::operations::#only::*;),
            several => quote!(pub use self::operations::{#(#several::*),*};),
        }
    };
    // With few features on, not every set belongs to an operation.
    let unused =
        api.features.then(|| quote!(#[cfg_attr(not(feature = "all"), allow(dead_code, unused_imports))]));
    let errors = errors::has_module(api).then(|| quote!(#unused mod errors;));
    let blocks = vec![
        Block::Rust(quote! { pub mod operations; #errors #(mod #held;)* }),
        Block::Rust(quote! { #operations #lenient #reexport }),
        // Fields have types of the runtime, and its name in the output is not for users to know.
        Block::Rust(quote! { pub use frontdesk_runtime as runtime; }),
    ];
    Source { path: "model/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// The list of the modules of schemas, in folders if there are very many tags.
fn tree(api: &Api, modules: &SchemaModules<'_>) -> ModuleTree {
    let entry = |module: &SchemaModule<'_>| Entry {
        module: module.name.clone(),
        condition: module.condition(api),
        shown: Shown::All,
        further: 0,
    };
    ModuleTree::of(modules.all.iter().map(entry).collect())
}

fn schemas<'a>(tree: &ModuleTree) -> Vec<Source<'a>> {
    let docs = "The document's schemas by the tags whose operations use them; inline types are with the schema that uses them."
        .to_owned();
    let text = Text::Rust { docs, blocks: tree.index("") };
    let mut sources = vec![Source { path: format!("{SCHEMAS}.rs"), emitter: EMITTER, text }];
    sources.extend(tree.sources(SCHEMAS, EMITTER, &|_| Vec::new()));
    sources
}

/// What all files of the model's types have in common.
fn setting<'a>(facts: &Facts<'a>) -> Setting<'a> {
    Setting { origin: Origin::of(facts.options), emitter: EMITTER }
}

fn unit<'a>(api: &'a Api, schema: &Schema<'_>, facts: &'a Facts<'a>) -> Unit<'a> {
    schema.unit(api, |id, position| {
        let def = api.type_def(id);
        let make = move |imports: &mut Imports| items(api, id, facts, imports);
        let names = std::iter::once(&def.name).chain(&def.required).cloned();
        Unit::new(def.module.as_str(), names.collect(), position, make)
    })
}

/// Everything that a type comes with.
fn items(api: &Api, id: TypeId, facts: &Facts<'_>, imports: &mut Imports) -> Vec<Block> {
    let def = api.type_def(id);
    let plain = &facts.plain;
    if let Some(duplicate) = def.duplicate_of {
        return vec![Block::Rust(alias(api, def, duplicate, imports))];
    }
    let place = facts.places.sentence(api, id);
    let docs = match &def.shape {
        Shape::Union(shape) => type_docs(def, &union::docs(shape, &place)),
        _ => type_docs(def, &place),
    };
    let blocks = match &def.shape {
        Shape::Struct(shape) => {
            let mut blocks = structure::emit(api, id, shape, &docs, plain, imports);
            let states = facts.stating.contains(&id).then(|| statement::of_struct(api, id));
            blocks.extend(states.flatten().map(Block::Rust));
            blocks
        }
        Shape::Enum(shape) => vec![Block::Text(enumeration::emit(def, shape, &docs, imports))],
        Shape::Union(shape) => union::emit(api, id, shape, &docs, plain, imports),
        Shape::Id => vec![Block::Text(id::emit(def, &docs, imports))],
        Shape::Newtype(element) => union::newtype(api, id, element, &docs, plain, imports),
    };
    derives::added(blocks, &def.name, &facts.options.derives)
}

/// A type that says the same as another.
fn alias(api: &Api, def: &TypeDef, duplicate: TypeId, imports: &mut Imports) -> TokenStream {
    let docs = raw_docs(&type_docs(def, &format!("An alias of [`{}`].", api.type_def(duplicate).name)));
    let (name, duplicate) = (ident(&def.name), types::named(api, duplicate, types::From::Crate, imports));
    quote!(#docs pub type #name = #duplicate;)
}
