//! Conversion of a page into blocks.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::Html;

use super::block::{Block, BlockKind, Place};
use super::chrome::{self, Part};
use super::clean::{clean_text, push_folded, push_verbatim};
use super::dom::{self, NodeRef};
use super::links;
use super::main_content::Root;
use super::panels;
use super::prices;
use super::raised;
use super::spacing;
use super::table;
use super::visibility::Visibility;
use crate::topics;

/// Share of linked characters from which a block is a link rather than text.
const LINK_SHARE: f64 = 0.9;

/// A linked block longer than this is a sentence that is linked.
const LONGEST_LINK_CHARS: usize = 120;

/// Number of linked blocks in a row that are a menu.
const MENU_LENGTH: usize = 3;

/// Fewest letters of an image alternative that says something.
const MIN_ALTERNATIVE_LETTERS: usize = 12;

/// Labels of buttons that open the rest of a text, in lower case. They are not headings.
const MORE: [&str; 14] = [
    "more",
    "read more",
    "show more",
    "learn more",
    "mehr",
    "mehr lesen",
    "mehr anzeigen",
    "lire la suite",
    "voir plus",
    "leer más",
    "ver más",
    "leggi tutto",
    "lees meer",
    "czytaj więcej",
];

/// Returns the blocks of a page: those of its content in reading order, then those of its frame.
pub(super) fn blocks(document: &Html, root: &Root<'_>, visibility: &Visibility) -> Vec<Block> {
    let body = dom::elements(document)
        .find(|node| dom::name(node) == "body")
        .unwrap_or_else(|| document.tree.root());
    let labels = panels::labels(document);
    let mut writer = Writer::new(if root.is_marked { Place::Frame } else { Place::Main });
    let mut inside_main = false;
    let mut skipped: Option<NodeId> = None;
    for edge in body.traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => {
                if let Some(text) = node.value().as_text() {
                    writer.text(text);
                    continue;
                }
                let is_root = node.id() == root.node.id();
                let in_frame = writer.mode.place == Place::Frame;
                if writer.mode.reading == Reading::Form && matches!(dom::name(&node), "label" | "legend") {
                    skipped = Some(node.id());
                    continue;
                }
                if raised::is_struck_out(&node) {
                    skipped = Some(node.id());
                    continue;
                }
                if let Some(number) = raised::number(&writer.line, &node) {
                    writer.text(&number);
                    skipped = Some(node.id());
                    continue;
                }
                let part = chrome::part(&node, visibility, inside_main, in_frame);
                if is_root && root.is_marked {
                    inside_main = true;
                    writer.enter(&node, Mode { place: Place::Main, reading: Reading::All });
                } else if !is_root {
                    match part {
                        Part::Dropped => {
                            skipped = Some(node.id());
                            continue;
                        }
                        Part::Frame => writer.enter(&node, Mode { place: Place::Frame, ..writer.mode }),
                        Part::Menu => {
                            writer.enter(&node, Mode { place: Place::Frame, reading: Reading::Menu });
                        }
                        Part::Form => writer.enter(&node, Mode { reading: Reading::Form, ..writer.mode }),
                        Part::Inherited => {}
                    }
                }
                if let Some(address) = links::protected_address(&node) {
                    writer.text(&address);
                    skipped = Some(node.id());
                } else if dom::name(&node) == "table" && table::is_data_table(&node) {
                    writer.flush();
                    for row in table::rows(&node, visibility) {
                        writer.push(BlockKind::TableRow, row, Role::Text);
                    }
                    skipped = Some(node.id());
                } else {
                    writer.open(&node, &labels);
                }
            }
            Edge::Close(node) => match skipped {
                Some(id) if id == node.id() => {
                    skipped = None;
                    writer.leave(&node);
                }
                Some(_) => {}
                None => {
                    writer.close(&node);
                    writer.leave(&node);
                    inside_main &= node.id() != root.node.id();
                }
            },
            Edge::Open(_) => {}
        }
    }
    writer.flush();
    let (main, frame): (Vec<_>, Vec<_>) =
        writer.written.into_iter().partition(|written| written.block.place == Place::Main);
    let mut blocks = prices::with_names(without_menus(without_known_alternatives(main)));
    blocks.extend(frame_text(frame));
    blocks
}

struct Written {
    block: Block,
    role: Role,
}

/// The parts of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Text,
    /// A link to another page.
    Link,
    /// The alternative of an image.
    Alternative,
}

/// How the text of an element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    All,
    /// In a menu: links to pages are left out.
    Menu,
    /// In a form: labels of fields are left out.
    Form,
}

#[derive(Debug, Clone, Copy)]
struct Mode {
    place: Place,
    reading: Reading,
}

struct Writer {
    written: Vec<Written>,
    line: String,
    linked_chars: usize,
    /// Open elements that determine the kind of the text inside them.
    kinds: Vec<(NodeId, BlockKind)>,
    /// Elements that changed the mode, with the mode before them.
    modes: Vec<(NodeId, Mode)>,
    mode: Mode,
    /// Open links to pages.
    links: usize,
    /// Where in the line the text of the open link to a number or address begins.
    link_start: usize,
    /// Open elements in a form whose text is read.
    prose: usize,
    /// The term of a definition list whose definition has not been read yet.
    term: Option<String>,
    /// The term that further definitions belong to.
    shared_term: Option<String>,
    in_definition: bool,
    heading_level: u8,
    /// Open panels with a label, with the level of the heading above them.
    panels: Vec<(NodeId, u8)>,
}

impl Writer {
    fn new(place: Place) -> Self {
        Self {
            written: Vec::new(),
            line: String::new(),
            linked_chars: 0,
            kinds: Vec::new(),
            modes: Vec::new(),
            mode: Mode { place, reading: Reading::All },
            links: 0,
            link_start: 0,
            prose: 0,
            term: None,
            shared_term: None,
            in_definition: false,
            heading_level: 1,
            panels: Vec::new(),
        }
    }

    /// Changes the mode for the content of an element.
    fn enter(&mut self, node: &NodeRef<'_>, mode: Mode) {
        self.flush();
        self.flush_term();
        self.modes.push((node.id(), self.mode));
        self.mode = mode;
    }

    fn leave(&mut self, node: &NodeRef<'_>) {
        if self.modes.last().is_some_and(|(id, _)| *id == node.id())
            && let Some((_, before)) = self.modes.pop()
        {
            self.flush();
            self.flush_term();
            self.mode = before;
        }
    }

    fn text(&mut self, text: &str) {
        let is_read = match self.mode.reading {
            Reading::All => true,
            Reading::Menu => self.links == 0,
            Reading::Form => self.prose > 0,
        };
        if !is_read {
            return;
        }
        let before = self.line.len();
        if self.kind() == BlockKind::Code {
            push_verbatim(&mut self.line, text);
        } else {
            push_folded(&mut self.line, text);
        }
        if self.links > 0 {
            self.linked_chars += self.line.len() - before;
        }
    }

    fn kind(&self) -> BlockKind {
        self.kinds.last().map_or(BlockKind::Paragraph, |(_, kind)| *kind)
    }

    fn open(&mut self, node: &NodeRef<'_>, labels: &HashMap<&str, String>) {
        let name = dom::name(node);
        match name {
            "br" => self.line_break(),
            "a" if chrome::is_page_link(node) => self.links += 1,
            "a" => self.link_start = self.line.len(),
            "img" => self.image(node),
            "wbr" => {}
            _ if is_block(name) => self.flush(),
            _ => self.separate_if(|line| spacing::is_apart_from(line, node)),
        }
        if let Some(label) = dom::attribute(node, "id").and_then(|id| labels.get(id)) {
            self.flush();
            let level = (self.heading_level + 1).min(6);
            self.push(BlockKind::Heading(level), label.clone(), Role::Text);
            self.panels.push((node.id(), self.heading_level));
        }
        if let Some(kind) = kind_of(node)
            && !(name == "button" && matches!(self.kind(), BlockKind::Heading(_)))
        {
            self.kinds.push((node.id(), kind));
        }
        self.prose += usize::from(self.mode.reading == Reading::Form && is_prose(name));
        self.in_definition |= name == "dd";
    }

    fn close(&mut self, node: &NodeRef<'_>) {
        let name = dom::name(node);
        if name == "a" {
            if chrome::is_page_link(node) {
                self.links = self.links.saturating_sub(1);
            } else {
                self.link_target(node);
            }
        }
        if name == "dt" {
            self.keep_term();
        } else if is_block(name) {
            self.flush();
        } else {
            self.separate_if(|line| spacing::is_label_apart(line, node));
        }
        if self.kinds.last().is_some_and(|(id, _)| *id == node.id()) {
            self.kinds.pop();
        }
        if self.mode.reading == Reading::Form && is_prose(name) {
            self.prose = self.prose.saturating_sub(1);
        }
        if self.panels.last().is_some_and(|(id, _)| *id == node.id())
            && let Some((_, level)) = self.panels.pop()
        {
            // Headings inside of a panel say nothing about the next one.
            self.heading_level = level;
        }
        if name == "dl" {
            self.flush_term();
            self.shared_term = None;
        }
        if matches!(name, "dd" | "dl") {
            self.in_definition = false;
        }
    }

    fn line_break(&mut self) {
        self.line.truncate(self.line.trim_end_matches(' ').len());
        if !self.line.is_empty() && !self.line.ends_with('\n') {
            self.line.push('\n');
        }
    }

    /// Separates two texts if a style sheet shows them apart.
    fn separate_if(&mut self, is_apart: impl Fn(&str) -> bool) {
        if self.kind() != BlockKind::Code && is_apart(&self.line) {
            self.line.push(' ');
        }
    }

    /// Adds the number or address that a link leads to, unless its text says the same.
    fn link_target(&mut self, node: &NodeRef<'_>) {
        if self.mode.reading == Reading::Form && self.prose == 0 {
            return;
        }
        let Some(target) = dom::attribute(node, "href").and_then(links::target) else { return };
        let start = self.line.floor_char_boundary(self.link_start.min(self.line.len()));
        let text = self.line[start..].trim();
        if links::says(text, &target) {
            return;
        }
        let addition = if text.is_empty() { target } else { format!(" ({target})") };
        self.line.truncate(self.line.trim_end_matches(' ').len());
        if text_is_joined(&self.line, &addition) {
            self.line.push(' ');
        }
        self.line.push_str(&addition);
    }

    /// Adds the alternative text of an image that is alone in its block, if it says something.
    fn image(&mut self, node: &NodeRef<'_>) {
        if !self.line.trim().is_empty() || self.mode.reading != Reading::All {
            return;
        }
        let text = clean_text(dom::attribute(node, "alt").unwrap_or_default());
        let letters = text.chars().filter(|character| character.is_alphabetic()).count();
        let is_file =
            [".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", "://"].iter().any(|mark| text.contains(mark));
        if letters >= MIN_ALTERNATIVE_LETTERS && text.split(' ').count() >= 3 && text.len() <= 400 && !is_file
        {
            let role = if self.links > 0 { Role::Link } else { Role::Alternative };
            self.push(BlockKind::Paragraph, text, role);
        }
    }

    fn keep_term(&mut self) {
        self.flush_term();
        let term = std::mem::take(&mut self.line);
        self.linked_chars = 0;
        self.link_start = 0;
        self.term =
            Some(term.trim().trim_end_matches(':').trim_end().to_owned()).filter(|term| !term.is_empty());
        self.shared_term.clone_from(&self.term);
    }

    fn flush_term(&mut self) {
        if let Some(term) = self.term.take() {
            self.push(BlockKind::ListItem, term, Role::Text);
        }
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let linked = std::mem::take(&mut self.linked_chars);
        self.link_start = 0;
        let kind = self.kind();
        let text = if kind == BlockKind::Code { line.trim_matches('\n').trim_end() } else { line.trim() };
        if text.is_empty() || (is_running_text(kind) && self.is_breadcrumb(text, linked)) {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "lengths of blocks are far below 2^52")]
        let is_link = linked as f64 >= LINK_SHARE * text.len() as f64 && text.len() <= LONGEST_LINK_CHARS;
        let role = if is_link { Role::Link } else { Role::Text };
        let text = match kind {
            BlockKind::Heading(_) => text.trim_matches(['#', '¶', '§', ' ']).replace('\n', " "),
            _ => text.to_owned(),
        };
        if let BlockKind::Heading(level) = kind {
            if MORE.contains(&text.trim_end_matches(['.', '…', ' ', '+', '›', '»']).to_lowercase().as_str())
            {
                return;
            }
            self.heading_level = level;
        }
        let term = self.term.take();
        let shared = self.shared_term.as_ref().filter(|_| kind == BlockKind::ListItem);
        match (term, shared) {
            (Some(term), _) if self.in_definition => {
                self.push(BlockKind::ListItem, format!("{term}: {text}"), Role::Text);
            }
            (None, Some(term)) if self.in_definition => {
                let text = format!("{term}: {text}");
                self.push(BlockKind::ListItem, text, Role::Text);
            }
            (Some(term), _) => {
                self.push(BlockKind::ListItem, term, Role::Text);
                self.push(kind, text, role);
            }
            (None, _) => self.push(kind, text, role),
        }
    }

    /// Returns whether a line only leads from a page to those above it: a link with a separator. A separator
    /// on a line of its own removes the link before it as well.
    fn is_breadcrumb(&mut self, text: &str, linked: usize) -> bool {
        let name = text.trim_end_matches(['/', '|', '›', '»', '>', '→', '·', ' ']);
        if name.len() == text.len() {
            return false;
        }
        let place = self.mode.place;
        if name.is_empty() {
            self.written.pop_if(|last| last.role == Role::Link && last.block.place == place);
        }
        let has_digit = name.contains(|character: char| character.is_ascii_digit());
        name.is_empty() || (linked >= name.len() && !has_digit)
    }

    fn push(&mut self, kind: BlockKind, text: String, role: Role) {
        if self.mode.reading == Reading::Menu
            && (matches!(kind, BlockKind::Heading(_)) || !topics::has_contact_facts(&text))
        {
            return;
        }
        if !text.is_empty() {
            self.written.push(Written { block: Block { kind, place: self.mode.place, text }, role });
        }
    }
}

fn text_is_joined(line: &str, addition: &str) -> bool {
    !addition.starts_with(' ') && line.chars().next_back().is_some_and(|last| !last.is_whitespace())
}

fn is_running_text(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::ListItem)
}

/// Returns whether the text of an element inside a form is prose rather than the label of a field.
fn is_prose(name: &str) -> bool {
    matches!(name, "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "dl" | "address" | "blockquote")
}

/// Removes the image alternatives that repeat what the page says anyway.
fn without_known_alternatives(written: Vec<Written>) -> Vec<Written> {
    if written.iter().all(|written| written.role != Role::Alternative) {
        return written;
    }
    let mut known: HashSet<String> = written
        .iter()
        .filter(|written| written.role != Role::Alternative)
        .map(|written| written.block.text.to_lowercase())
        .collect();
    let mut rest = written;
    rest.retain(|written| {
        written.role != Role::Alternative || known.insert(written.block.text.to_lowercase())
    });
    rest
}

/// Returns the text of the frame without links to pages, notices and repetitions.
fn frame_text(written: Vec<Written>) -> Vec<Block> {
    let mut seen = HashSet::new();
    let mut blocks = Vec::new();
    for Written { block, role } in written {
        let is_heading = matches!(block.kind, BlockKind::Heading(_));
        let is_menu_item =
            role == Role::Link && !block.text.chars().any(|character| character.is_ascii_digit());
        if (is_menu_item && !is_heading) || role == Role::Alternative || topics::is_site_notice(&block.text) {
            continue;
        }
        if is_heading || seen.insert(block.text.clone()) {
            blocks.push(block);
        }
    }
    blocks
}

/// Removes runs of blocks that consist of links only: section menus, tag clouds, "related pages". Links with
/// a price or a number, such as the products of a shop, are content.
fn without_menus(written: Vec<Written>) -> Vec<Block> {
    let is_menu_item = |written: &Written| {
        written.role == Role::Link
            && !matches!(written.block.kind, BlockKind::Heading(_))
            && !prices::has_price(&written.block.text)
            && !topics::has_contact_facts(&written.block.text)
    };
    let mut blocks = Vec::with_capacity(written.len());
    let mut rest = written.into_iter().peekable();
    while let Some(first) = rest.next() {
        if !is_menu_item(&first) {
            blocks.push(first.block);
            continue;
        }
        let mut run = vec![first.block];
        while let Some(next) = rest.next_if(is_menu_item) {
            run.push(next.block);
        }
        if run.len() < MENU_LENGTH {
            blocks.append(&mut run);
        }
    }
    blocks
}

fn kind_of(node: &NodeRef<'_>) -> Option<BlockKind> {
    if dom::attribute_is(node, "role", "heading") {
        let level =
            dom::attribute(node, "aria-level").and_then(|level| level.trim().parse().ok()).unwrap_or(2u8);
        return Some(BlockKind::Heading(level.clamp(1, 6)));
    }
    Some(match dom::name(node) {
        "h1" => BlockKind::Heading(1),
        "h2" => BlockKind::Heading(2),
        "h3" => BlockKind::Heading(3),
        "h4" => BlockKind::Heading(4),
        "h5" => BlockKind::Heading(5),
        "h6" | "summary" | "button" => BlockKind::Heading(6),
        "li" | "dd" => BlockKind::ListItem,
        "pre" | "listing" | "xmp" | "plaintext" => BlockKind::Code,
        _ => return None,
    })
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "button"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "plaintext"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}
