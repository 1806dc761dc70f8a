//! Where blank lines go. `prettyplease` prints none at all; a reader expects them between items and between
//! methods, but not between the lines of an import list or the fields of a struct. So every item, and every
//! member of an impl or a trait, is printed on its own, and put together here.

use super::hugging;
use std::mem;
use syn::{AttrStyle, Attribute, File, ImplItem, Item, TraitItem, Visibility};

/// The beginning of an invocation of the runtime's macro of examples, where a line is broken behind it.
const EXAMPLE: &str = "::example!(";

/// What decides whether there is an empty line between two neighbors.
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

/// An item, or a member of an item, as it is printed.
#[derive(Debug)]
struct Element {
    kind: Kind,
    /// One line, without docs and other attributes.
    bare: bool,
    text: String,
}

impl Element {
    /// An element as `prettyplease` prints it.
    fn printed(kind: (Kind, bool), text: &str) -> Self {
        Self::new(kind, hugging::hugged(text))
    }

    fn new((kind, plain): (Kind, bool), text: String) -> Self {
        Self { kind, bare: plain && text.trim_end().lines().count() == 1, text }
    }

    fn is_close_to(&self, next: &Self) -> bool {
        self.kind == next.kind
            && match self.kind {
                Kind::Import | Kind::Export | Kind::Module => true,
                Kind::Constant | Kind::Alias | Kind::Implementation | Kind::Invocation => {
                    self.bare && next.bare
                }
                Kind::Alone => false,
            }
    }
}

/// The text of a file, with the blank lines that it needs.
pub(super) fn print(mut file: File) -> String {
    let mut text = String::new();
    let (docs, others): (Vec<_>, Vec<_>) =
        mem::take(&mut file.attrs).into_iter().partition(|attribute| attribute.path().is_ident("doc"));
    for attrs in [docs, others] {
        if !attrs.is_empty() {
            let file = File { shebang: None, frontmatter: None, attrs, items: Vec::new() };
            text.push_str(prettyplease::unparse(&file).trim_end());
            text.push_str("\n\n");
        }
    }
    text.push_str(&joined(mem::take(&mut file.items).into_iter().map(element)));
    if text.contains(EXAMPLE) { with_short_examples(&text) } else { text }
}

/// The text with each invocation of the macro of examples on one line: its literal, which is longer than any
/// line, is not made shorter by breaks around it.
fn with_short_examples(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        short.push_str(line);
        if line.ends_with(EXAMPLE) && !line.trim_start().starts_with("//") {
            let arguments: Vec<&str> =
                lines.by_ref().map(str::trim).take_while(|argument| *argument != "),").collect();
            short.push_str(&arguments.join(" "));
            short.push_str("),");
        }
        short.push('\n');
    }
    short
}

fn joined(elements: impl Iterator<Item = Element>) -> String {
    let mut text = String::new();
    let mut above: Option<Element> = None;
    for element in elements {
        if above.is_some_and(|above| !above.is_close_to(&element)) {
            text.push('\n');
        }
        text.push_str(&element.text);
        above = Some(element);
    }
    text
}

fn element(item: Item) -> Element {
    let kind = item_kind(&item);
    let mut file = File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] };
    let members: Vec<(Kind, bool)> = match &file.items[0] {
        Item::Impl(item) => item.items.iter().map(impl_kind).collect(),
        Item::Trait(item) => item.items.iter().map(trait_kind).collect(),
        Item::Mod(item) => item.content.iter().flat_map(|(_, items)| items).map(item_kind).collect(),
        _ => Vec::new(),
    };
    if members.len() < 2 {
        return Element::printed(kind, &prettyplease::unparse(&file));
    }
    let mut head = String::new();
    let mut printed = Vec::with_capacity(members.len());
    // Each member is printed inside its item, so that it is indented and broken as it will be in the end.
    match &mut file.items[0] {
        Item::Impl(item) => {
            let members = mem::take(&mut item.items);
            for member in members {
                only_impl_member(&mut file, member, &mut head, &mut printed);
            }
        }
        Item::Trait(item) => {
            let members = mem::take(&mut item.items);
            for member in members {
                only_trait_member(&mut file, member, &mut head, &mut printed);
            }
        }
        Item::Mod(item) => {
            let members = item.content.as_mut().map(|(_, items)| mem::take(items)).unwrap_or_default();
            for member in members {
                if let Item::Mod(item) = &mut file.items[0]
                    && let Some((_, items)) = &mut item.content
                {
                    *items = vec![member];
                }
                split(&file, &mut head, &mut printed);
            }
        }
        _ => {}
    }
    let body = joined(members.into_iter().zip(printed).map(|(kind, text)| Element::printed(kind, &text)));
    Element::new(kind, format!("{head}{body}}}\n"))
}

fn only_impl_member(file: &mut File, member: ImplItem, head: &mut String, printed: &mut Vec<String>) {
    if let Item::Impl(item) = &mut file.items[0] {
        item.items = vec![member];
    }
    split(file, head, printed);
}

fn only_trait_member(file: &mut File, member: TraitItem, head: &mut String, printed: &mut Vec<String>) {
    if let Item::Trait(item) = &mut file.items[0] {
        item.items = vec![member];
    }
    split(file, head, printed);
}

/// Prints an item that has one member: what stands before the member, up to the opening brace, and the member
/// itself.
fn split(file: &File, head: &mut String, printed: &mut Vec<String>) {
    let text = prettyplease::unparse(file);
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.starts_with([' ', '/', '#']) && line.trim_end().ends_with('{') {
            break;
        }
    }
    let (start, rest) = text.split_at(end);
    start.clone_into(head);
    printed.push(rest.strip_suffix("}\n").unwrap_or(rest).to_owned());
}

fn item_kind(item: &Item) -> (Kind, bool) {
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
    (kind, plain(attributes))
}

fn impl_kind(item: &ImplItem) -> (Kind, bool) {
    let (kind, attributes): (Kind, &[Attribute]) = match item {
        ImplItem::Const(item) => (Kind::Constant, &item.attrs),
        ImplItem::Type(item) => (Kind::Alias, &item.attrs),
        ImplItem::Macro(item) => (Kind::Invocation, &item.attrs),
        _ => (Kind::Alone, &[]),
    };
    (kind, plain(attributes))
}

fn trait_kind(item: &TraitItem) -> (Kind, bool) {
    let (kind, attributes): (Kind, &[Attribute]) = match item {
        TraitItem::Const(item) => (Kind::Constant, &item.attrs),
        TraitItem::Type(item) => (Kind::Alias, &item.attrs),
        TraitItem::Macro(item) => (Kind::Invocation, &item.attrs),
        _ => (Kind::Alone, &[]),
    };
    (kind, plain(attributes))
}

fn plain(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| matches!(attribute.style, AttrStyle::Inner(_)))
}
