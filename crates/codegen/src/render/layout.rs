//! Where blank lines go. `prettyplease` prints none at all; a reader expects them between items and between methods, but not
//! between the lines of an import list or the fields of a struct.

use std::collections::BTreeSet;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::{AttrStyle, Attribute, File, ImplItem, Item, TraitItem, Visibility};

/// What decides whether two neighbours stand close to each other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// `use`, apart from re-exports.
    Import,
    /// `pub use`.
    Export,
    /// `mod name;`
    Module,
    Constant,
    Alias,
    Implementation,
    Invocation,
    /// Whatever stands alone.
    Alone,
}

/// An item, or an item of an impl or a trait. Lines are counted from 1.
#[derive(Copy, Clone, Debug)]
struct Element {
    kind: Kind,
    first: usize,
    last: usize,
    /// Without docs and other attributes.
    bare: bool,
}

impl Element {
    fn new(kind: Kind, attributes: &[Attribute], node: &impl Spanned) -> Self {
        let span = node.span();
        let (LineColumn { line: first, .. }, LineColumn { line: last, .. }) = (span.start(), span.end());
        let bare = attributes.iter().all(|attribute| matches!(attribute.style, AttrStyle::Inner(_)));
        Self { kind, first, last, bare }
    }

    fn is_one_bare_line(self) -> bool {
        self.bare && self.first == self.last
    }

    fn is_close_to(self, next: Self) -> bool {
        self.kind == next.kind
            && match self.kind {
                Kind::Import | Kind::Export | Kind::Module => true,
                Kind::Constant | Kind::Alias | Kind::Implementation | Kind::Invocation => {
                    self.is_one_bare_line() && next.is_one_bare_line()
                }
                Kind::Alone => false,
            }
    }
}

/// The text with the blank lines it lacks. `file` is the text, parsed.
pub(super) fn space_out(file: &File, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut gaps = Gaps { lines: &lines, before: BTreeSet::new() };
    gaps.between_attributes_and_items(file);
    gaps.items(&file.items);

    let mut spaced = String::with_capacity(text.len() + gaps.before.len());
    for (index, line) in lines.iter().enumerate() {
        if gaps.before.contains(&(index + 1)) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
    }
    spaced
}

/// The lines (counted from 1) that a blank line goes before.
struct Gaps<'t> {
    lines: &'t [&'t str],
    before: BTreeSet<usize>,
}

impl Gaps<'_> {
    /// Module docs, other inner attributes and items are three paragraphs.
    fn between_attributes_and_items(&mut self, file: &File) {
        let mut above: Option<(bool, usize)> = None;
        for attribute in &file.attrs {
            let span = attribute.span();
            let is_doc = attribute.path().is_ident("doc");
            if let Some((was_doc, last)) = above
                && was_doc != is_doc
            {
                self.open(last, span.start().line);
            }
            above = Some((is_doc, span.end().line));
        }
        if let (Some((_, last)), Some(item)) = (above, file.items.first()) {
            self.open(last, item.span().start().line);
        }
    }

    fn items(&mut self, items: &[Item]) {
        self.neighbours(&items.iter().map(item).collect::<Vec<_>>());
        for item in items {
            match item {
                Item::Impl(item) => self.neighbours(&item.items.iter().map(impl_item).collect::<Vec<_>>()),
                Item::Trait(item) => self.neighbours(&item.items.iter().map(trait_item).collect::<Vec<_>>()),
                Item::Mod(item) => {
                    if let Some((_, items)) = &item.content {
                        self.items(items);
                    }
                }
                _ => {}
            }
        }
    }

    fn neighbours(&mut self, elements: &[Element]) {
        for pair in elements.windows(2) {
            if !pair[0].is_close_to(pair[1]) {
                self.open(pair[0].last, pair[1].first);
            }
        }
    }

    /// Puts a blank line between what ends at line `last` and what begins at line `first`, above the comments of the latter.
    fn open(&mut self, last: usize, mut first: usize) {
        let comment =
            |line: usize| self.lines.get(line - 1).is_some_and(|line| line.trim_start().starts_with("//"));
        while first - 1 > last && comment(first - 1) {
            first -= 1;
        }
        let above = first.checked_sub(2).and_then(|index| self.lines.get(index));
        if first > last && above.is_some_and(|line| !line.trim().is_empty()) {
            self.before.insert(first);
        }
    }
}

fn item(item: &Item) -> Element {
    let (kind, attributes): (Kind, &[Attribute]) = match item {
        Item::Use(item) if matches!(item.vis, Visibility::Inherited) => (Kind::Import, &item.attrs),
        Item::Use(item) => (Kind::Export, &item.attrs),
        Item::ExternCrate(item) => (Kind::Import, &item.attrs),
        Item::Mod(item) if item.content.is_none() => (Kind::Module, &item.attrs),
        Item::Const(item) => (Kind::Constant, &item.attrs),
        Item::Static(item) => (Kind::Constant, &item.attrs),
        Item::Type(item) => (Kind::Alias, &item.attrs),
        Item::Impl(item) => (Kind::Implementation, &item.attrs),
        Item::Macro(item) => (Kind::Invocation, &item.attrs),
        _ => (Kind::Alone, &[]),
    };
    Element::new(kind, attributes, item)
}

fn impl_item(item: &ImplItem) -> Element {
    let (kind, attributes): (Kind, &[Attribute]) = match item {
        ImplItem::Const(item) => (Kind::Constant, &item.attrs),
        ImplItem::Type(item) => (Kind::Alias, &item.attrs),
        ImplItem::Macro(item) => (Kind::Invocation, &item.attrs),
        _ => (Kind::Alone, &[]),
    };
    Element::new(kind, attributes, item)
}

fn trait_item(item: &TraitItem) -> Element {
    let (kind, attributes): (Kind, &[Attribute]) = match item {
        TraitItem::Const(item) => (Kind::Constant, &item.attrs),
        TraitItem::Type(item) => (Kind::Alias, &item.attrs),
        TraitItem::Macro(item) => (Kind::Invocation, &item.attrs),
        _ => (Kind::Alone, &[]),
    };
    Element::new(kind, attributes, item)
}
