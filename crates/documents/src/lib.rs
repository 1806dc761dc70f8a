//! Text of uploaded files, read in a child process with limits.
//!
//! Files come from strangers, and parsers of office formats are large. [`Extractor`] therefore never parses
//! in the process of the service: it starts a child that limits its own memory, time and files, and that can
//! only read its standard input and write its standard output. [`run_child`] is the other end of the pipe. A
//! child that is killed or crashes becomes an [`ExtractError`] with a reason for the customer; the service
//! goes on.
//!
//! ```
//! use frontdesk_documents::{DocumentKind, Limits, extract};
//!
//! let csv = b"Dish,Price\nLentil soup,6.50\n";
//! let document = extract(csv, "menu.csv", &Limits::default())?;
//! assert_eq!(document.kind, DocumentKind::Spreadsheet);
//! assert_eq!(document.blocks[0].text, "Lentil soup – Price: 6.50");
//! # Ok::<(), frontdesk_documents::ExtractError>(())
//! ```
//!
//! Reading order: `document` and `error` (the result), `limits`, `file_type` and `sniff` (which format it
//! is), `extractor`, `protocol` and `child` (the processes), `extract` (in the child), then `content`,
//! `warning`, `archive`, `xml`, `blocks`, `table`, `grid` and `hidden` (what the readers share), and one
//! reader for each family of formats.

mod archive;
mod blocks;
mod child;
mod content;
mod csv_file;
mod document;
mod docx;
mod epub;
mod error;
mod extract;
mod extractor;
mod file_type;
mod flow;
mod grid;
mod hidden;
mod limits;
mod markdown;
mod open_document;
mod pdf;
mod pptx;
mod protocol;
mod sniff;
mod spreadsheet;
mod table;
mod warning;
mod web_text;
mod xml;

pub use child::{ChildError, run_child};
pub use document::{Document, DocumentKind};
pub use error::{ExceededLimit, ExtractError};
pub use extract::extract;
pub use extractor::Extractor;
pub use file_type::FileType;
pub use limits::Limits;
pub use sniff::sniff;
pub use warning::{Warning, WarningCode};
