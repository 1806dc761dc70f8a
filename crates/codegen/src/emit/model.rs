//! Owns the model crate but for its operations: its root, the modules of `schemas`, and what each of them holds.

mod defaults;
mod enumeration;
mod gates;
pub(super) mod payload;
mod plain;
mod response;
mod structure;
pub(super) mod union;
mod wire;

pub(super) use self::{gates::Gates, plain::Plain};

use super::{Facts, Imports, Source, Task, Text, features, ident, type_docs, types, validation};
use crate::{
    ir::{Api, Shape, TypeDef, TypeId},
    render::{Block, raw_docs},
};
use proc_macro2::TokenStream;
use quote::quote;

const EMITTER: &str = "crates/codegen/src/emit/model.rs";

/// Adds what makes the model crate, but for its operations.
pub(super) fn tasks<'a>(api: &'a Api, facts: &'a Facts<'a>, tasks: &mut Vec<Task<'a>>) {
    let (plain, gates) = (&facts.plain, &facts.gates);
    tasks.push(Box::new(|| {
        let homes = homes(api);
        let index = (!homes.is_empty()).then(|| schemas(&homes, gates));
        [root(api, &homes)].into_iter().chain(index).collect()
    }));
    for home in homes(api) {
        tasks.push(Box::new(move || vec![schema(api, &home, plain)]));
    }
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| {
            let mut sources = Vec::new();
            response::emit(api, plain, &mut sources);
            sources
        }));
    }
}

fn root(api: &Api, homes: &[Home<'_>]) -> Source {
    let mut docs = format!(
        "Types of the {} {}: what requests send, what answers hold, which errors an operation declares.\n\n",
        api.title, api.version
    );
    docs.push_str("- [`operations`]: every operation as a constant, with its errors.\n");
    docs.push_str("- Schemas and responses are at the root, under their names in the document.\n\n");
    docs.push_str(
        "Requests are made with `new`, which takes the required fields, and setters for the rest.\n",
    );
    docs.push_str("Servers switch on the feature `server`, which adds the checks of request bodies, and `new` and setters for answers.\n");
    if api.features {
        docs.push_str("Every tag is a feature, and all of them are on unless `default-features = false` says otherwise.\n");
    }
    let held: Vec<_> = [("responses", !api.responses.is_empty()), ("schemas", !homes.is_empty())]
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
    let lenient = (api.features && !held.is_empty()).then(|| quote!(#[allow(unused_imports)]));
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
    ];
    Source { path: "model/src/lib.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

/// A module of schemas.
struct Home<'a> {
    name: &'a str,
    types: Vec<(TypeId, &'a str)>,
}

/// The modules of schemas, in the document's order.
fn homes(api: &Api) -> Vec<Home<'_>> {
    let mut homes: Vec<Home<'_>> = Vec::new();
    let mut positions = std::collections::HashMap::new();
    for (index, def) in api.types.iter().enumerate() {
        let position = *positions.entry(def.home.as_str()).or_insert_with(|| {
            homes.push(Home { name: &def.home, types: Vec::new() });
            homes.len() - 1
        });
        homes[position].types.push((TypeId(index), &def.name));
    }
    homes
}

fn schemas(homes: &[Home<'_>], gates: &Gates<'_>) -> Source {
    let modules = homes.iter().map(|home| {
        let (gate, name) = (gates.of_home(home.name), ident(home.name));
        quote!(#gate mod #name;)
    });
    let modules = quote!(#(#modules)*);
    let (always, conditional): (Vec<_>, Vec<_>) =
        homes.iter().map(|home| (gates.of_home(home.name), home)).partition(|(gate, _)| gate.is_empty());
    let always: Vec<_> = always.into_iter().map(|(_, home)| reexport(home)).collect();
    let always = (!always.is_empty()).then(|| quote!(pub use self::{#(#always),*};));
    let conditional = conditional.iter().map(|(gate, home)| {
        let names = reexport(home);
        quote!(#gate pub use self::#names;)
    });
    let mut blocks = vec![Block::Rust(modules)];
    let uses = quote!(#always #(#conditional)*);
    blocks.push(Block::Rust(uses));
    let docs = "The document's schemas, one module each; inline types live with the schema that uses them."
        .to_owned();
    Source { path: "model/src/schemas.rs".to_owned(), emitter: EMITTER, text: Text::Rust { docs, blocks } }
}

fn reexport(home: &Home<'_>) -> TokenStream {
    let names: Vec<_> = home.types.iter().map(|(_, name)| ident(name)).collect();
    let home = ident(home.name);
    match &names[..] {
        [name] => quote!(#home::#name),
        names => quote!(#home::{#(#names),*}),
    }
}

fn schema(api: &Api, home: &Home<'_>, plain: &Plain<'_>) -> Source {
    let mut imports = Imports::default();
    let mut items = Vec::new();
    for (id, _) in &home.types {
        let def = api.type_def(*id);
        if let Some(twin) = def.twin {
            items.push(Block::Rust(alias(api, def, twin, &mut imports)));
            continue;
        }
        match &def.shape {
            Shape::Struct(shape) => items.extend(structure::emit(api, *id, shape, plain, &mut imports)),
            Shape::Enum(shape) => items.push(Block::Text(enumeration::emit(def, shape, &mut imports))),
            Shape::Union(shape) => items.extend(union::emit(api, *id, shape, plain, &mut imports)),
            Shape::Newtype(element) => items.extend(union::newtype(api, *id, element, plain, &mut imports)),
        }
    }
    let mut blocks = vec![Block::Rust(imports.tokens_with(validation::CONDITIONAL))];
    blocks.append(&mut items);
    Source {
        path: format!("model/src/schemas/{}.rs", home.name.trim_start_matches("r#")),
        emitter: EMITTER,
        text: Text::Rust { docs: String::new(), blocks },
    }
}

/// A type that says the same as another.
fn alias(api: &Api, def: &TypeDef, twin: TypeId, imports: &mut Imports) -> TokenStream {
    let docs = raw_docs(&type_docs(def, &format!("The same as [`{}`].", api.type_def(twin).name)));
    let (name, twin) = (ident(&def.name), types::named(api, twin, types::From::Home(&def.home), imports));
    quote!(#docs pub type #name = #twin;)
}
