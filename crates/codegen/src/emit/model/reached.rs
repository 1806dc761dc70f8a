//! Modules of the model whose items are sorted by the tags that use them, beside the schemas.

use super::{
    super::{
        Imports, Otherwise, Source, Text,
        file_split::Unit,
        module_tree::{Entry, ModuleTree, Shown},
    },
    EMITTER,
    reach::Reach,
};
use crate::{ir::Api, render::Block};
use std::collections::BTreeMap;

/// Units, each with the tags that use it.
type Units<'a> = Vec<(Reach, Unit<'a>)>;

/// Returns the file of the module at `stem`, or one for each tag if that would be long or tags are features.
/// The docs of a tag's module begin with `things`.
pub(super) fn sources<'a>(
    api: &'a Api,
    stem: &'static str,
    things: &'static str,
    docs: &'static str,
    units: impl Fn() -> Units<'a> + 'a,
) -> Vec<Source<'a>> {
    if api.features {
        return by_reach(api, stem, things, docs, units());
    }
    let mut imports = Imports::default();
    let items: Vec<Block> = units().iter().flat_map(|(_, unit)| unit.items(&mut imports)).collect();
    let mut blocks = vec![Block::Rust(imports.tokens())];
    blocks.extend(items);
    let otherwise = Otherwise(Box::new(move || by_reach(api, stem, things, docs, units())));
    vec![source(stem, "", Text::Short { docs: docs.to_owned(), blocks, otherwise })]
}

fn source<'a>(stem: &str, name: &str, text: Text<'a>) -> Source<'a> {
    Source { path: format!("{stem}{name}.rs"), emitter: EMITTER, text }
}

/// A module for the units of each tag.
fn by_reach<'a>(api: &'a Api, stem: &str, things: &str, docs: &str, units: Units<'a>) -> Vec<Source<'a>> {
    let mut modules: BTreeMap<Reach, Vec<Unit<'a>>> = BTreeMap::new();
    for (reach, unit) in units {
        modules.entry(reach).or_default().push(unit);
    }
    let entries = modules.keys().map(|reach| Entry {
        module: reach.module(api),
        condition: reach.condition(api),
        shown: Shown::All,
        further: 0,
    });
    let tree = ModuleTree::of(entries.collect());
    let folders = tree.folders();
    let mut sources = vec![source(stem, "", Text::Rust { docs: docs.to_owned(), blocks: tree.index("") })];
    sources.extend(tree.sources(stem, EMITTER, &|_| Vec::new()));
    for (reach, inner) in modules {
        let unit = Unit { module: reach.module(api), inner, ..Unit::default() };
        let path = format!("/{}", folders.place(&unit.module));
        sources.push(source(stem, &path, Text::Spread { docs: reach.docs(api, things), unit }));
    }
    sources
}
