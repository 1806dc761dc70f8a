//! Conversion of a page's content into blocks.

use ego_tree::NodeId;
use ego_tree::iter::Edge;

use super::block::{Block, BlockKind};
use super::chrome;
use super::clean::{push_folded, push_verbatim};
use super::dom::{self, NodeRef};
use super::main_content::Root;
use super::table;
use super::visibility::Visibility;

/// Share of linked characters from which a block is a link rather than text.
const LINK_SHARE: f64 = 0.9;

/// A linked block longer than this is a sentence that is linked.
const LONGEST_LINK_CHARS: usize = 120;

/// Number of linked blocks in a row that are a menu.
const MENU_LENGTH: usize = 3;

/// Returns the blocks of the content below `root`, in reading order.
pub(super) fn blocks(root: &Root<'_>, visibility: &Visibility) -> Vec<Block> {
    let mut writer = Writer::default();
    let mut skipped: Option<NodeId> = None;
    for edge in root.node.traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => {
                if let Some(text) = node.value().as_text() {
                    writer.text(text);
                } else if node.id() != root.node.id() && chrome::is_dropped(&node, visibility, root.is_marked)
                {
                    skipped = Some(node.id());
                } else if dom::name(&node) == "table" && table::is_data_table(&node) {
                    writer.flush();
                    for row in table::rows(&node, visibility) {
                        writer.push(BlockKind::TableRow, row, false);
                    }
                    skipped = Some(node.id());
                } else {
                    writer.open(&node);
                }
            }
            Edge::Close(node) => match skipped {
                Some(id) if id == node.id() => skipped = None,
                Some(_) => {}
                None => writer.close(&node),
            },
            Edge::Open(_) => {}
        }
    }
    writer.flush();
    without_menus(writer.written)
}

struct Written {
    block: Block,
    is_link: bool,
}

#[derive(Default)]
struct Writer {
    written: Vec<Written>,
    line: String,
    linked_chars: usize,
    /// Open elements that determine the kind of the text inside them.
    kinds: Vec<(NodeId, BlockKind)>,
    links: usize,
    /// The term of a definition list whose definition has not been read yet.
    term: Option<String>,
    in_definition: bool,
}

impl Writer {
    fn text(&mut self, text: &str) {
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

    fn open(&mut self, node: &NodeRef<'_>) {
        let name = dom::name(node);
        match name {
            "br" => self.line_break(),
            "a" => self.links += 1,
            "wbr" => {}
            _ if is_block(name) => self.flush(),
            _ => {}
        }
        if let Some(kind) = kind_of(node) {
            self.kinds.push((node.id(), kind));
        }
        self.in_definition |= name == "dd";
    }

    fn close(&mut self, node: &NodeRef<'_>) {
        let name = dom::name(node);
        if name == "a" {
            self.links = self.links.saturating_sub(1);
        }
        if name == "dt" {
            self.keep_term();
        } else if is_block(name) {
            self.flush();
        }
        if self.kinds.last().is_some_and(|(id, _)| *id == node.id()) {
            self.kinds.pop();
        }
        if name == "dl" {
            self.flush_term();
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

    fn keep_term(&mut self) {
        self.flush_term();
        let term = std::mem::take(&mut self.line);
        self.linked_chars = 0;
        self.term = Some(term.trim().trim_end_matches(':').to_owned()).filter(|term| !term.is_empty());
    }

    fn flush_term(&mut self) {
        if let Some(term) = self.term.take() {
            self.push(BlockKind::ListItem, term, false);
        }
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let linked = std::mem::take(&mut self.linked_chars);
        let kind = self.kind();
        let text = if kind == BlockKind::Code { line.trim_matches('\n').trim_end() } else { line.trim() };
        if text.is_empty() {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "lengths of blocks are far below 2^52")]
        let is_link = linked as f64 >= LINK_SHARE * text.len() as f64 && text.len() <= LONGEST_LINK_CHARS;
        let text = match kind {
            BlockKind::Heading(_) => text.trim_matches(['#', '¶', '§', ' ']).replace('\n', " "),
            _ => text.to_owned(),
        };
        match self.term.take() {
            Some(term) if self.in_definition => {
                self.push(BlockKind::ListItem, format!("{term}: {text}"), false);
            }
            Some(term) => {
                self.push(BlockKind::ListItem, term, false);
                self.push(kind, text, is_link);
            }
            None => self.push(kind, text, is_link),
        }
    }

    fn push(&mut self, kind: BlockKind, text: String, is_link: bool) {
        if !text.is_empty() {
            self.written.push(Written { block: Block { kind, text }, is_link });
        }
    }
}

/// Removes runs of blocks that consist of links only: section menus, tag clouds, "related pages".
fn without_menus(written: Vec<Written>) -> Vec<Block> {
    let is_menu_item =
        |written: &Written| written.is_link && !matches!(written.block.kind, BlockKind::Heading(_));
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
        "h6" | "summary" => BlockKind::Heading(6),
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
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
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
