//! The content of a file.

use frontdesk_knowledge::Block;
use serde::{Deserialize, Serialize};

use crate::warning::Warning;

/// The text of a file, in blocks that can be split into chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The kind of file.
    pub kind: DocumentKind,
    /// The media type of the content. It is determined from the content, never from a name or header.
    pub mime_type: String,
    /// The title that the file states, or its first heading, or its name without the extension.
    pub title: String,
    /// BCP 47 language, as the file states it or as its words suggest.
    pub language: Option<String>,
    /// The number of pages, slides or sheets, if the format has them.
    pub page_count: Option<u32>,
    /// The text; never empty.
    pub blocks: Vec<Block>,
    /// Warnings to the owner of the file about content that is missing from the text.
    pub warnings: Vec<Warning>,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// Running text: letters, brochures, slides, books, web pages.
    Document,
    /// Tables: rows and columns of cells.
    Spreadsheet,
    /// A picture.
    Image,
    /// A recording.
    Audio,
}

impl DocumentKind {
    /// Returns the name, as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Spreadsheet => "spreadsheet",
            Self::Image => "image",
            Self::Audio => "audio",
        }
    }
}
