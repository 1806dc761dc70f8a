//! Split of a module's items over files: one file if they fit, otherwise a folder for the items that are
//! long.
//!
//! Where an item goes depends on its own branch of the tree alone, so that one more item does not move the
//! others: a branch is a file until it outgrows one, and then a folder. A branch of a few lines stays in the
//! file above it.

use super::{
    Imports,
    features::Condition,
    module_tree::{Entry, MOST_LINES, Shown, index, joined, words},
    validation::CONDITIONAL,
};
use crate::render::{Block, Header, Origin, RenderError, body, render};
use std::{
    collections::{HashMap, HashSet},
    fmt,
};

/// The fewest lines of items that have a file of their own below the file of their module.
const FEWEST_LINES: usize = 40;

/// Makes the items of a unit and notes what they import.
type Make<'a> = Box<dyn Fn(&mut Imports) -> Vec<Block> + Send + Sync + 'a>;

/// Items that are never separated, and the units that belong to them.
#[derive(Default)]
pub(crate) struct Unit<'a> {
    /// The module that it becomes if it has a file of its own.
    pub(super) module: String,
    /// The names that it defines. They are exported where its module is listed, and the file that defines
    /// them does not import them.
    pub(super) names: Vec<String>,
    /// Its position among all units in a file.
    pub(super) position: usize,
    /// Its items; a unit without any only holds others.
    pub(super) make: Option<Make<'a>>,
    /// The units that belong to it.
    pub(super) inner: Vec<Unit<'a>>,
}

impl<'a> Unit<'a> {
    /// Items, to which nothing belongs yet.
    pub(super) fn new(
        module: impl Into<String>,
        names: Vec<String>,
        position: usize,
        make: impl Fn(&mut Imports) -> Vec<Block> + Send + Sync + 'a,
    ) -> Self {
        Self { module: module.into(), names, position, make: Some(Box::new(make)), inner: Vec::new() }
    }

    /// Its own items.
    pub(super) fn items(&self, imports: &mut Imports) -> Vec<Block> {
        self.make.as_ref().map_or_else(Vec::new, |make| make(imports))
    }
}

impl fmt::Debug for Unit<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Unit").field(&self.module).field(&self.inner).finish()
    }
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
#[derive(Debug, Default)]
pub(crate) struct Page {
    module: String,
    names: Vec<String>,
    position: usize,
    imports: Imports,
    text: String,
    inner: Vec<Page>,
}

impl Page {
    /// Renders a unit and all that belongs to it; only the tokens of one unit are in memory at a time. Errors
    /// name `path`.
    pub(super) fn of(unit: Unit<'_>, path: &str, setting: Setting<'_>) -> Result<Self, RenderError> {
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
            imports,
            text,
            inner: inner.collect::<Result<_, _>>()?,
        })
    }

    /// A page without items, which holds others.
    pub(super) fn holding(module: String, inner: Vec<Self>) -> Self {
        let position = inner.iter().map(|page| page.position).min().unwrap_or_default();
        Self { module, position, inner, ..Self::default() }
    }

    /// Adds a page that belongs to this one.
    pub(super) fn hold(&mut self, page: Self) {
        self.inner.push(page);
    }

    /// The page and all below it.
    fn all(&self) -> Vec<&Self> {
        let mut pages = vec![self];
        for page in &self.inner {
            pages.extend(page.all());
        }
        pages
    }

    /// Whether it has a name that others use.
    fn is_seen(&self) -> bool {
        !self.names.is_empty() || self.inner.iter().any(Self::is_seen)
    }

    /// How many lines its items have, with those of all pages below it.
    fn lines(&self) -> usize {
        self.text.lines().count() + self.inner.iter().map(Self::lines).sum::<usize>()
    }

    /// Whether it has so few lines that it stays in the file above it.
    fn is_small(&self) -> bool {
        self.lines() < FEWEST_LINES
    }

    /// Gives modules of one folder different names: they may consist of the same words.
    fn tell_apart(&mut self) {
        let mut taken: HashSet<String> = HashSet::new();
        for page in &mut self.inner {
            while !taken.insert(page.module.clone()) {
                page.module.push_str("_again");
            }
        }
    }

    /// Puts the pages below this one whose modules begin with the same words below each other, if they are
    /// too many for one list.
    fn gather(&mut self) {
        let pages = std::mem::take(&mut self.inner);
        let paths: Vec<Vec<String>> = pages.iter().map(|page| words(&page.module)).collect();
        let same = |depth: &usize| {
            let first = paths.first().and_then(|path| path.get(*depth));
            first.is_some() && paths.iter().all(|path| path.get(*depth) == first)
        };
        let shared = (0..paths.first().map_or(0, Vec::len)).take_while(same);
        let depth = shared.count();
        let keys: Vec<String> = paths.iter().map(|path| joined(&path[..path.len().min(depth + 1)])).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for key in &keys {
            *counts.entry(key).or_default() += 1;
        }
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (page, key) in pages.into_iter().zip(&keys) {
            if counts[key.as_str()] == 1 {
                self.inner.push(page);
                continue;
            }
            match known.get(key.as_str()) {
                // The page whose name is the whole of the words holds the others.
                Some(at) if page.module == *key && self.inner[*at].names.is_empty() => {
                    let others = std::mem::take(&mut self.inner[*at].inner);
                    let own = std::mem::replace(&mut self.inner[*at], page);
                    self.inner[*at].position = own.position.min(self.inner[*at].position);
                    self.inner[*at].inner.extend(others);
                }
                Some(at) => self.inner[*at].inner.push(page),
                None => {
                    known.insert(key, self.inner.len());
                    let holder =
                        if page.module == *key { page } else { Self::holding(key.clone(), vec![page]) };
                    self.inner.push(holder);
                }
            }
        }
    }
}

fn header<'h>(path: &'h str, setting: Setting<'h>) -> Header<'h> {
    Header { file: path, origin: setting.origin, emitter: setting.emitter }
}

/// The files of a page, whose own is `stem` and the ending of Rust files.
pub(super) fn files(
    page: Page,
    stem: &str,
    docs: &str,
    setting: Setting<'_>,
) -> Result<Vec<(String, String)>, RenderError> {
    let mut files = Vec::new();
    lay_out(page, stem, docs, setting, &mut files)?;
    Ok(files)
}

/// Adds the files of a page and of all below it.
fn lay_out(
    mut page: Page,
    stem: &str,
    docs: &str,
    setting: Setting<'_>,
    files: &mut Vec<(String, String)>,
) -> Result<(), RenderError> {
    let path = format!("{stem}.rs");
    let place = Place { path: &path, docs, setting };
    if page.inner.is_empty() || page.lines() <= MOST_LINES {
        let whole = file(page.all(), &[], &page.module, place)?;
        if page.inner.is_empty() || is_short(&whole) {
            files.push((path, whole));
            return Ok(());
        }
    }
    page.tell_apart();
    let mut text = beside_small(&page, place)?;
    if text.is_none() {
        page.gather();
        text = beside_small(&page, place)?;
    }
    let text = match text {
        Some(text) => {
            page.inner.retain(|page| !page.is_small());
            text
        }
        None => file(vec![&page], &page.inner.iter().collect::<Vec<_>>(), &page.module, place)?,
    };
    files.push((path, text));
    for page in page.inner {
        let stem = format!("{stem}/{}", page.module.trim_start_matches("r#"));
        lay_out(page, &stem, "", setting, files)?;
    }
    Ok(())
}

/// The file of a page and of what is small below it, unless it is too long.
fn beside_small(page: &Page, place: Place<'_>) -> Result<Option<String>, RenderError> {
    let (small, outer): (Vec<&Page>, Vec<&Page>) = page.inner.iter().partition(|page| page.is_small());
    let mut near = vec![page];
    near.extend(small.into_iter().flat_map(Page::all));
    if near.iter().map(|page| page.text.lines().count()).sum::<usize>() > MOST_LINES {
        return Ok(None);
    }
    Ok(Some(file(near, &outer, &page.module, place)?).filter(|text| is_short(text)))
}

/// Whether a file is not too long for several items.
pub(super) fn is_short(text: &str) -> bool {
    text.lines().count() <= MOST_LINES
}

/// A file and what it says of itself.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    docs: &'a str,
    setting: Setting<'a>,
}

/// A file that holds some pages, and lists the modules of others; it is the file of the module `within`.
fn file(
    mut pages: Vec<&Page>,
    outer: &[&Page],
    within: &str,
    place: Place<'_>,
) -> Result<String, RenderError> {
    pages.sort_by_key(|page| page.position);
    let mut imports = Imports::default();
    for page in &pages {
        imports.merge(&page.imports);
    }
    // An import would hide what the module exports of the others.
    let outside = outer.iter().flat_map(|page| page.all());
    imports.leave_out(pages.iter().copied().chain(outside).flat_map(|page| &page.names));
    let entries: Vec<Entry> = outer
        .iter()
        .map(|page| Entry {
            module: page.module.clone(),
            condition: Condition::default(),
            shown: if page.is_seen() { Shown::All } else { Shown::Nothing },
            further: 0,
        })
        .collect();
    let mut blocks = index(&entries, within);
    blocks.push(Block::Rust(imports.tokens_with(CONDITIONAL)));
    blocks.extend(pages.iter().map(|page| Block::Printed(page.text.clone())));
    render(&header(place.path, place.setting), place.docs, &blocks)
}
