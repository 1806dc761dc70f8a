//! Split of a module's items over files: one file if they fit, otherwise a folder for the items that do not fit.
//!
//! Where an item goes depends on its own branch of the tree alone, so that one more item does not move the others: a branch is a
//! file until it outgrows one, and then a folder.

use super::{
    Imports,
    features::Condition,
    module_tree::{Entry, MOST_LINES, Shown, index, words},
    validation::CONDITIONAL,
};
use crate::render::{Block, Header, Origin, RenderError, body, render};
use quote::quote;
use std::fmt;

/// What makes the items of a unit; notes what they import.
type Make<'a> = Box<dyn Fn(&mut Imports) -> Vec<Block> + 'a>;

/// Items that are never parted, and the units that belong to them.
#[derive(Default)]
pub(crate) struct Unit<'a> {
    /// The module that it becomes where it has a file of its own.
    pub(super) module: String,
    /// The names that it defines: others see them where its module is listed, and a file that holds it need not import them.
    pub(super) names: Vec<String>,
    /// Its place among all units where they share a file.
    pub(super) position: usize,
    /// Whether items have conditions: with few features on, its imports may then be of no use.
    pub(super) lenient: bool,
    /// Its items; a unit without any only holds others.
    pub(super) make: Option<Make<'a>>,
    /// What belongs to it.
    pub(super) inner: Vec<Unit<'a>>,
    /// Whether it stands where its name says, and not beside that which it belongs to.
    pub(super) apart: bool,
}

impl<'a> Unit<'a> {
    /// Items, to which nothing belongs yet.
    pub(super) fn new(
        module: impl Into<String>,
        names: Vec<String>,
        position: usize,
        make: impl Fn(&mut Imports) -> Vec<Block> + 'a,
    ) -> Self {
        Self { module: module.into(), names, position, make: Some(Box::new(make)), ..Self::default() }
    }
}

impl fmt::Debug for Unit<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Unit").field(&self.module).field(&self.inner).finish()
    }
}

/// Puts units below each other by the words of their modules: `a_b` and `a_c` share the branch `a`.
pub(super) fn by_words(units: Vec<Unit<'_>>) -> Vec<Unit<'_>> {
    let mut root = Unit::default();
    for mut unit in units {
        let path = words(&unit.module);
        let mut branch = &mut root;
        for word in path {
            let at = branch.inner.iter().position(|inner| inner.module == word).unwrap_or_else(|| {
                let (position, apart) = (unit.position, true);
                branch.inner.push(Unit { module: word, position, apart, ..Unit::default() });
                branch.inner.len() - 1
            });
            branch = &mut branch.inner[at];
        }
        if branch.make.is_none() {
            unit.module = std::mem::take(&mut branch.module);
            unit.inner = std::mem::take(&mut branch.inner);
            unit.apart = true;
            *branch = unit;
        } else {
            // Names that differ only in their capitals have the same words.
            unit.module = format!("again_{}", branch.inner.len());
            branch.inner.push(unit);
        }
    }
    root.inner
}

/// What all files of a module have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    /// What all files of the run have in common.
    pub(super) origin: Origin<'a>,
    /// The emitter of the module.
    pub(super) emitter: &'static str,
}

/// A unit whose items are text.
struct Page {
    module: String,
    names: Vec<String>,
    position: usize,
    lenient: bool,
    imports: Imports,
    text: String,
    apart: bool,
    inner: Vec<Page>,
}

impl Page {
    /// Renders a unit and all that belongs to it; no more tokens are held than those of one unit.
    fn of(unit: Unit<'_>, path: &str, setting: Setting<'_>) -> Result<Self, RenderError> {
        let mut imports = Imports::default();
        let text = match unit.make {
            Some(make) => body(&header(path, setting), &make(&mut imports))?,
            None => String::new(),
        };
        let inner = unit.inner.into_iter().map(|unit| Self::of(unit, path, setting));
        Ok(Self {
            module: unit.module,
            names: unit.names,
            position: unit.position,
            lenient: unit.lenient,
            imports,
            text,
            apart: unit.apart,
            inner: inner.collect::<Result<_, _>>()?,
        })
    }

    /// The page and all below it.
    fn all<'p>(&'p self, pages: &mut Vec<&'p Self>) {
        pages.push(self);
        for page in &self.inner {
            page.all(pages);
        }
    }

    /// Whether it says something that others see.
    fn is_seen(&self) -> bool {
        !self.names.is_empty() || self.inner.iter().any(Self::is_seen)
    }
}

fn header<'h>(path: &'h str, setting: Setting<'h>) -> Header<'h> {
    Header { file: path, origin: setting.origin, emitter: setting.emitter }
}

/// The files of a unit, whose own is `stem` and the ending of Rust files.
pub(super) fn files(
    unit: Unit<'_>,
    stem: &str,
    docs: &str,
    setting: Setting<'_>,
) -> Result<Vec<(String, String)>, RenderError> {
    let page = Page::of(unit, &format!("{stem}.rs"), setting)?;
    let mut files = Vec::new();
    lay_out(&page, stem, docs, setting, &mut files)?;
    Ok(files)
}

/// Adds the files of a page and of all below it.
fn lay_out(
    page: &Page,
    stem: &str,
    docs: &str,
    setting: Setting<'_>,
    files: &mut Vec<(String, String)>,
) -> Result<(), RenderError> {
    let path = format!("{stem}.rs");
    let mut pages = Vec::new();
    page.all(&mut pages);
    if page.inner.is_empty() || may_be_short(&pages) {
        let whole = file(&path, docs, pages, &[], setting)?;
        if page.inner.is_empty() || is_short(&whole) {
            files.push((path, whole));
            return Ok(());
        }
    }
    // What is small, and has nothing below it, is found where it is used.
    let (leaves, branches): (Vec<&Page>, Vec<&Page>) =
        page.inner.iter().partition(|page| page.inner.is_empty() && !page.apart);
    let near: Vec<&Page> = [page].into_iter().chain(leaves).collect();
    let text = may_be_short(&near).then(|| file(&path, docs, near, &branches, setting)).transpose()?;
    let (text, outer) = match text.filter(|text| is_short(text)) {
        Some(text) => (text, branches),
        None => {
            let outer: Vec<&Page> = page.inner.iter().collect();
            (file(&path, docs, vec![page], &outer, setting)?, outer)
        }
    };
    files.push((path, text));
    for page in outer {
        lay_out(page, &format!("{stem}/{}", page.module), "", setting, files)?;
    }
    Ok(())
}

/// Whether the file of some pages may not be too long; what they say alone may be already.
fn may_be_short(pages: &[&Page]) -> bool {
    pages.iter().map(|page| page.text.lines().count()).sum::<usize>() <= MOST_LINES
}

/// Whether a file is not too long for several items.
pub(super) fn is_short(text: &str) -> bool {
    text.lines().count() <= MOST_LINES
}

/// A file that holds some pages, and lists the modules of others.
fn file(
    path: &str,
    docs: &str,
    mut pages: Vec<&Page>,
    outer: &[&Page],
    setting: Setting<'_>,
) -> Result<String, RenderError> {
    pages.sort_by_key(|page| page.position);
    let mut imports = Imports::default();
    for page in &pages {
        imports.merge(&page.imports);
    }
    // An import would hide what the module exports of the others.
    let mut seen = pages.clone();
    for page in outer {
        page.all(&mut seen);
    }
    imports.leave_out(seen.iter().flat_map(|page| &page.names));
    let entries: Vec<Entry> = outer
        .iter()
        .map(|page| Entry {
            module: page.module.clone(),
            condition: Condition::default(),
            shown: if page.is_seen() { Shown::All } else { Shown::Nothing },
            further: 0,
        })
        .collect();
    let mut blocks = index(&entries, "");
    blocks.push(Block::Rust(imports.tokens_with(CONDITIONAL)));
    if pages.iter().any(|page| page.lenient) {
        // With few features on, nothing may be left that needs them.
        let lenient = quote!(#![cfg_attr(not(feature = "all"), allow(unused_imports))]);
        if pages.iter().any(|page| !page.imports.is_empty()) {
            blocks.insert(0, Block::Rust(lenient));
        }
    }
    blocks.extend(pages.iter().map(|page| Block::Printed(page.text.clone())));
    render(&header(path, setting), docs, &blocks)
}
