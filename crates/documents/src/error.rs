//! Reasons why a file has no text, in words for customers.

use serde::{Deserialize, Serialize};

use crate::document::DocumentKind;

/// Why a file cannot be read.
///
/// The messages are complete sentences for the owner of the file. Only [`ExtractError::System`] is not the
/// file's fault, and worth another attempt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExtractError {
    /// The content has a format that nothing here reads.
    #[error("The content of the file is {found}, which cannot be read. {advice}")]
    UnsupportedType {
        /// What the content is, with its article.
        found: String,
        /// What to do instead.
        advice: String,
    },
    /// The name says one format, and the content is another.
    #[error(
        "The file name ends in .{extension}, but the content is {found}. Give the file the extension that fits its content, or export it again."
    )]
    Mislabelled {
        /// The extension of the name.
        extension: String,
        /// What the content is, with its article.
        found: String,
    },
    /// The format is known, and needs a model that is not configured.
    #[error("{} files have no text that can be read without a model, and no model for them is configured.", match kind {
        DocumentKind::Audio => "Audio",
        _ => "Image",
    })]
    NoExtractor {
        /// Image or audio.
        kind: DocumentKind,
        /// The media type of the content.
        mime_type: String,
    },
    /// The file can only be opened with a password.
    #[error("The file is protected with a password. Remove the protection, and upload it again.")]
    Encrypted,
    /// The file is not a valid file of its format.
    #[error(
        "The file is damaged or incomplete: {detail}. Open it in the program that made it, save it again, and upload it again."
    )]
    Damaged {
        /// The problem.
        detail: String,
    },
    /// The file has no text, such as a scanned page.
    #[error("The file contains no text. If it is a scan, run text recognition on it first.")]
    NoText,
    /// The file exceeds a limit.
    #[error("{0}")]
    Limit(ExceededLimit),
    /// The parser failed on this file.
    #[error(
        "The file could not be read: it is damaged, or it uses features that are not supported. Save it in another format, and upload it again."
    )]
    Crashed,
    /// The child process could not be used; the file may be fine.
    #[error("The file could not be read because of a fault in the service. Upload it again later.")]
    System {
        /// For the log; not for customers.
        detail: String,
    },
}

impl ExtractError {
    /// Returns a short name of the reason, stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnsupportedType { .. } => "unsupported_file_type",
            Self::Mislabelled { .. } => "mislabelled",
            Self::NoExtractor { .. } => "no_extractor",
            Self::Encrypted => "password_protected",
            Self::Damaged { .. } => "damaged_file",
            Self::NoText => "no_text",
            Self::Limit(_) => "extractor_limit",
            Self::Crashed => "extractor_failed",
            Self::System { .. } => "internal_error",
        }
    }

    pub(crate) fn damaged(detail: impl Into<String>) -> Self {
        Self::Damaged { detail: detail.into() }
    }
}

/// The limit that a file exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "limit", content = "most")]
#[non_exhaustive]
pub enum ExceededLimit {
    /// Bytes of the file.
    #[error("The file is larger than {0} bytes.")]
    InputBytes(u64),
    /// Files inside of the file.
    #[error("The file is an archive of more than {0} parts.")]
    Entries(usize),
    /// Bytes after decompression.
    #[error("The file expands to more than {0} bytes.")]
    DecompressedBytes(u64),
    /// Decompressed bytes for each compressed byte.
    #[error("A part of the file expands to more than {0} times its size.")]
    CompressionRatio(u64),
    /// An archive inside of the file.
    #[error("The file contains another archive, which is not opened. Upload the files in it one by one.")]
    NestedArchive,
    /// A document type definition in XML, which can define entities.
    #[error("The file contains an XML document type definition, which is not read.")]
    DocumentType,
    /// Nested elements.
    #[error("The file has more than {0} levels of nested elements.")]
    Depth(usize),
    /// Cells of a spreadsheet.
    #[error("The file has more than {0} cells. Split it into smaller files.")]
    Cells(usize),
    /// Pages, slides, chapters or sheets.
    #[error("The file has more than {0} pages. Split it into smaller files.")]
    Pages(usize),
    /// Characters of text.
    #[error("The file has more than {0} characters of text. Split it into smaller files.")]
    OutputChars(usize),
    /// Memory of the child process.
    #[error("Reading the file needs more memory than allowed. Split it into smaller files.")]
    Memory,
    /// Time of the child process.
    #[error("Reading the file takes longer than allowed. Split it into smaller files.")]
    Time,
    /// Parts that contain themselves.
    #[error("The file is nested too deeply, or a part of it contains itself.")]
    Recursion,
}

impl From<ExceededLimit> for ExtractError {
    fn from(limit: ExceededLimit) -> Self {
        Self::Limit(limit)
    }
}
