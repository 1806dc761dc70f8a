//! Module trees: lists of modules, with folders where one list would be too long to read.
//!
//! A folder holds the modules whose names begin with the same word, each of them, so that one more module
//! does not move the others. Where the list above it has room, there is no folder for one module alone.

use super::{Source, Text, features::Condition, ident};
use crate::render::Block;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{BTreeMap, HashMap};

/// The most lines of a file that holds more than one item; more are the one item's own.
pub(super) const MOST_LINES: usize = 400;

/// The width that lists are printed in.
const WIDTH: usize = 84;

/// The lines that a list has around it: a header, docs, imports.
const FRAME: usize = 30;

/// A module in a list.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its name.
    pub(super) module: String,
    /// When it is compiled, where that is not always.
    pub(super) condition: Condition,
    /// What of it is seen where it is listed.
    pub(super) shown: Shown,
    /// How many further lines the file has for it.
    pub(super) further: usize,
}

/// What of a module is seen where it is listed.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    /// Nothing.
    Nothing,
    /// One name.
    One(String),
    /// Every public name.
    All,
}

/// The words of a module's name, each as a module may be called.
pub(super) fn words(module: &str) -> Vec<String> {
    let words = module.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    words
        .map(|word| match syn::parse_str::<syn::Ident>(word) {
            // The parser knows no editions, and `gen` is a keyword since that of 2024. Modules name the crate
            // `std`.
            Ok(_) if word != "gen" && word != "std" => word.to_owned(),
            Err(_) if word.starts_with(|first: char| first.is_ascii_digit()) => format!("n_{word}"),
            _ => format!("{word}_"),
        })
        .collect()
}

/// A module's name out of such words.
pub(super) fn joined(words: &[String]) -> String {
    words.join("_").replace("__", "_")
}

/// Modules in the order in which they are listed, and folders of further ones.
#[derive(Debug, Default)]
pub(super) struct ModuleTree {
    /// The modules that stand here.
    pub(super) entries: Vec<Entry>,
    /// The folders, by name.
    pub(super) folders: Vec<(String, ModuleTree)>,
}

impl ModuleTree {
    /// A list of modules; in folders if its file would be too long.
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        Self::below(entries, 0)
    }

    fn below(entries: Vec<Entry>, depth: usize) -> Self {
        let fits = |entries: &[Entry]| lines(entries) <= MOST_LINES - FRAME;
        if fits(&entries) {
            return Self { entries, folders: Vec::new() };
        }
        let words: Vec<Option<String>> =
            entries.iter().map(|entry| words(&entry.module).into_iter().nth(depth)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in words.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let is_alone = |word: &String| counts[word.as_str()] == 1;
        let without_lone: Vec<Entry> = entries
            .iter()
            .zip(&words)
            .filter(|(_, word)| word.as_ref().is_none_or(is_alone))
            .map(|(entry, _)| entry.clone())
            .chain(counts.iter().filter(|(_, count)| **count > 1).map(|(word, _)| folder(word, Shown::All)))
            .collect();
        let has_room = fits(&without_lone);
        let mut here = Vec::new();
        let mut folders: Vec<(String, Vec<Entry>)> = Vec::new();
        let mut known = HashMap::new();
        for (entry, word) in entries.into_iter().zip(&words) {
            let Some(word) = word.as_ref().filter(|word| !(has_room && is_alone(word))) else {
                here.push(entry);
                continue;
            };
            let at = *known.entry(word).or_insert_with(|| {
                folders.push((word.clone(), Vec::new()));
                folders.len() - 1
            });
            folders[at].1.push(entry);
        }
        for (word, _) in &mut folders {
            if here.iter().any(|entry| entry.module == *word) {
                word.push('_');
            }
        }
        let below = |(word, entries)| (word, Self::below(entries, depth + 1));
        Self { entries: here, folders: folders.into_iter().map(below).collect() }
    }

    /// The folder of each module.
    pub(super) fn folders(&self) -> Folders {
        let mut folders = Folders::default();
        self.add_folders("", &mut folders);
        folders
    }

    fn add_folders(&self, folder: &str, folders: &mut Folders) {
        for entry in &self.entries {
            folders.by_module.insert(entry.module.clone(), folder.to_owned());
        }
        for (word, tree) in &self.folders {
            tree.add_folders(&format!("{folder}{word}/"), folders);
        }
    }

    /// The list, for the module `within`.
    pub(super) fn index(&self, within: &str) -> Vec<Block> {
        let folders = self.folders.iter().map(|(word, _)| folder(word, Shown::All));
        let entries: Vec<Entry> = folders.chain(self.entries.iter().cloned()).collect();
        index(&entries, within)
    }

    /// The files that list the modules of the folders; `more` adds what else they hold.
    pub(super) fn sources<'a>(
        &self,
        stem: &str,
        emitter: &'static str,
        more: &dyn Fn(&Self) -> Vec<Block>,
    ) -> Vec<Source<'a>> {
        let mut sources = Vec::new();
        self.add_sources(stem, "", emitter, more, &mut sources);
        sources
    }

    fn add_sources(
        &self,
        stem: &str,
        prefix: &str,
        emitter: &'static str,
        more: &dyn Fn(&Self) -> Vec<Block>,
        sources: &mut Vec<Source<'_>>,
    ) {
        for (word, tree) in &self.folders {
            let (stem, prefix) = (format!("{stem}/{word}"), format!("{prefix}{word}"));
            let docs = format!("The modules whose names begin with `{prefix}`.");
            let mut blocks = tree.index(word);
            blocks.extend(more(tree));
            sources.push(Source { path: format!("{stem}.rs"), emitter, text: Text::Rust { docs, blocks } });
            tree.add_sources(&stem, &format!("{prefix}_"), emitter, more, sources);
        }
    }
}

/// Where modules stand.
#[derive(Debug, Default)]
pub(super) struct Folders {
    by_module: HashMap<String, String>,
}

impl Folders {
    /// The file of a module, below that of the list and without its ending. A raw identifier has no mark in
    /// it.
    pub(super) fn place(&self, module: &str) -> String {
        let folder = self.by_module.get(module).map_or("", String::as_str);
        format!("{folder}{}", module.trim_start_matches("r#"))
    }
}

/// A folder in a list.
fn folder(word: &str, shown: Shown) -> Entry {
    Entry { module: word.to_owned(), condition: Condition::default(), shown, further: 0 }
}

/// How many lines a list takes, with what each of its entries adds to the file; or a few more.
fn lines(entries: &[Entry]) -> usize {
    let mut lines = 0;
    let mut column = WIDTH;
    for entry in entries {
        let condition = usize::from(!entry.condition.is_empty());
        lines += 1 + condition + entry.further;
        let shown = match &entry.shown {
            Shown::Nothing => continue,
            Shown::One(name) => name.len(),
            Shown::All => 1,
        };
        if condition > 0 {
            lines += 1 + condition;
            continue;
        }
        // With the colons before it, and a comma and a space behind.
        let width = entry.module.len() + 2 + shown + 2;
        column += width;
        if column > WIDTH {
            lines += 1;
            column = width;
        }
    }
    lines
}

/// `mod` for each module, and `pub use` for what is seen of it; `within` is the module that the list stands
/// in.
pub(super) fn index(entries: &[Entry], within: &str) -> Vec<Block> {
    let mut modules = TokenStream::new();
    // In the order of their first names; those of no condition come first.
    let mut exports: Vec<(&Condition, Vec<TokenStream>)> = Vec::new();
    for entry in entries {
        let (condition, name) = (&entry.condition, ident(&entry.module));
        let named = (entry.module == within)
            .then(|| quote!(#[expect(clippy::module_inception, reason = "its folder has the same name")]));
        modules.extend(quote!(#condition #named mod #name;));
        let shown = match &entry.shown {
            Shown::Nothing => continue,
            Shown::One(shown) => {
                let shown = ident(shown);
                quote!(#name::#shown)
            }
            Shown::All => quote!(#name::*),
        };
        match exports.iter_mut().find(|(known, _)| *known == condition) {
            Some((_, names)) => names.push(shown),
            None => exports.push((condition, vec![shown])),
        }
    }
    exports.sort_by_key(|(condition, _)| !condition.is_empty());
    let exports = exports.iter().map(|(condition, names)| match &names[..] {
        [only] => quote!(#condition pub use self::#only;),
        several => quote!(#condition pub use self::{#(#several),*};),
    });
    vec![Block::Rust(modules), Block::Rust(quote!(#(#exports)*))]
}

#[cfg(test)]
mod tests {
    use super::{Condition, Entry, ModuleTree, Shown};

    fn tree(names: impl Iterator<Item = String>) -> ModuleTree {
        let entry =
            |module| Entry { module, condition: Condition::default(), shown: Shown::Nothing, further: 0 };
        ModuleTree::of(names.map(entry).collect())
    }

    #[test]
    fn a_module_alone_has_no_folder_where_its_list_has_room() {
        let pairs = || (0..200).flat_map(|number| [format!("a{number}_one"), format!("a{number}_two")]);
        let folders = tree(pairs().chain(["lamp_shade".to_owned()])).folders();
        assert_eq!(folders.place("lamp_shade"), "lamp_shade");
        assert_eq!(folders.place("a1_one"), "a1/a1_one");
        // Those alone stay together, so that one more moves only where the list becomes too long.
        let lone = (0..300).map(|number| format!("b{number}_shade"));
        assert_eq!(tree(pairs().chain(lone)).folders().place("b1_shade"), "b1/b1_shade");
    }
}
