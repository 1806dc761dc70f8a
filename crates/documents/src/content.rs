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
    /// Warnings about content that is missing from the text.
    pub(crate) warnings: Warnings,
}

impl Content {
    /// Returns content with the text only.
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self { title: None, language: None, page_count: None, blocks, warnings: Warnings::default() }
    }
}
