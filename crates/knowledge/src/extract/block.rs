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

/// A piece of text that can be read on its own. It is only split if it is longer than a chunk may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The kind of block.
    pub kind: BlockKind,
    /// Its visible text, with runs of white space as one space.
    pub text: String,
}

impl Block {
    pub(crate) fn new(kind: BlockKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}
