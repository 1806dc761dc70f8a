//! The content of a file, as a reader returns it.

use crate::{blocks::Blocks, warning::Warnings};

/// The content of a file, as its reader finds it.
#[derive(Debug)]
pub(crate) struct Content {
    /// The title that the file states.
    pub(crate) title: Option<String>,
    /// The language that the file states.
    pub(crate) language: Option<String>,
    /// The number of pages, slides or sheets.
    pub(crate) page_count: Option<u32>,
    /// The text.
    pub(crate) blocks: Blocks,
    /// What the text does not contain.
    pub(crate) warnings: Warnings,
}

impl Content {
    /// Returns content of which nothing but the text is known.
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self { title: None, language: None, page_count: None, blocks, warnings: Warnings::default() }
    }
}
