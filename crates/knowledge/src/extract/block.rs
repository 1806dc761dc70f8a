//! Blocks of text: the result of extraction.

use serde::{Deserialize, Serialize};

/// The kind of a block of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading with its level, 1 to 6.
    Heading(u8),
    /// A paragraph of running text.
    Paragraph,
    /// One item of a list, or a term with its definition.
    ListItem,
    /// One row of a table, written as `header: value; header: value`.
    TableRow,
    /// Program text; line breaks are kept.
    Code,
}

/// The part of a page that a block comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The content of the page.
    #[default]
    Main,
    /// The parts around the content, usually the same on every page: header, footer, sidebar. Their text has
    /// a lower priority.
    Frame,
    /// Statements for search engines, such as structured data, turned into sentences. Visitors may not see
    /// them on the page, but they are what the business says about itself.
    Metadata,
}

/// A piece of text that can be read on its own. It is only split if it is longer than a chunk may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The kind of block.
    pub kind: BlockKind,
    /// The part of the page that it comes from.
    #[serde(default)]
    pub place: Place,
    /// Its visible text, with runs of white space as one space.
    pub text: String,
}

impl Block {
    pub(crate) fn new(kind: BlockKind, text: impl Into<String>) -> Self {
        Self { kind, place: Place::Main, text: text.into() }
    }
}
