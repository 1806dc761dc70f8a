//! Model crate without its operations: the root, the modules of `schemas`, and the content of each.

mod defaults;
mod derives;
mod enumeration;
mod gates;
mod locations;
mod modules;
pub(super) mod payload;
mod plain;
mod response;
mod statement;
mod structure;
pub(super) mod union;
mod wire;

pub(super) use self::{gates::Gates, locations::TypeLocations, modules::SchemaModules, plain::Plain};

use self::modules::SchemaModule;
use super::{
    Facts, Imports, Source, Task, Text, features, file_split::Unit, ident, overview, title, type_docs, types,
};
use crate::{
    ir::{Api, Shape, TypeDef, TypeId},
    render::{Block, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/model.rs";

/// The module of schemas, and their folder.
const SCHEMAS: &str = "model/src/schemas";

/// Adds what makes the model crate, but for its operations.
pub(super) fn tasks<'a>(api: &'a Api, facts: &'a Facts<'a>, tasks: &mut Vec<Task<'a>>) {
    let modules = &facts.modules;
    tasks.push(Box::new(|| {
        let mut sources = vec![root(api, modules)];
        if !modules.is_empty() {
            sources.extend(schemas(modules));
        }
        sources
    }));
    for root_module in &modules.all {
        tasks.push(Box::new(|| vec![schema(api, facts, root_module)]));
    }
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| {
            let mut sources = Vec::new();
            response::emit(api, facts, &mut sources);
            sources
        }));
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
    let blocks = vec![
        Block::Rust(quote! { pub mod operations; #(mod #held;)* }),
        Block::Rust(quote! { #operations #lenient #reexport }),
        // Fields have types of the runtime, and its name in the output is not for users to know.
        Block::Rust(quote! { pub use frontdesk_runtime as runtime; }),
    ];
    Source { path: "model/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// The list of the modules of schemas.
fn schemas<'a>(modules: &SchemaModules<'_>) -> Vec<Source<'a>> {
    let docs = "The document's schemas, one module each; inline types live with the schema that uses them."
        .to_owned();
    let blocks = modules.tree.index("");
    let path = format!("{SCHEMAS}.rs");
    let mut sources = vec![Source { path, emitter: EMITTER, text: Text::Rust { docs, blocks } }];
    sources.extend(modules.tree.sources(SCHEMAS, EMITTER, &|_| Vec::new()));
    sources
}

fn schema<'a>(api: &'a Api, facts: &'a Facts<'a>, root_module: &SchemaModule<'_>) -> Source<'a> {
    let unit = root_module.unit(api, |id, position| {
        let def = api.type_def(id);
        let make = move |imports: &mut Imports| items(api, id, facts, imports);
        Unit::new(def.module.as_str(), vec![def.name.clone()], position, make)
    });
    Source {
        path: format!("{SCHEMAS}/{}.rs", facts.modules.stem(root_module)),
        emitter: EMITTER,
        text: Text::Spread { docs: String::new(), unit },
    }
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
