//! Files that pages link to: documents and spreadsheets, which are read like pages.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use url::Url;

use super::address;
use super::reason::Reason;
use super::response::Response;
use super::visit::PageOutcome;
use crate::extract::Block;
use crate::page::Page;

/// Media types of files that are read, with the extension of their names.
const MEDIA_TYPES: [(&str, &str); 8] = [
    ("application/pdf", "pdf"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
    ("application/epub+zip", "epub"),
    ("text/csv", "csv"),
];

/// Reads the text of files. The crawler itself knows web pages only.
pub trait FileReader: Debug + Send + Sync {
    /// Reads a file in the format that its content has. The name only helps to recognize text formats.
    fn read<'a>(
        &'a self,
        content: &'a [u8],
        file_name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<FileText, UnreadableFile>> + Send + 'a>>;
}

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// Its title.
    pub title: String,
    /// BCP 47 language.
    pub language: Option<String>,
    /// The text.
    pub blocks: Vec<Block>,
}

/// Why a file has no text, for the operator's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableFile {
    /// The details.
    pub detail: String,
}

/// How the files that a website links to are read.
#[derive(Debug, Clone)]
pub struct LinkedFiles {
    /// Reads them.
    pub reader: Arc<dyn FileReader>,
    /// Largest file in bytes.
    pub max_bytes: u64,
    /// Most files of one crawl. If the count is lost in a restart, the limit applies later.
    pub max_files: usize,
}

impl LinkedFiles {
    /// Returns the outcome of a visit to a file.
    pub(super) async fn outcome(&self, final_url: Url, response: &Response, extension: &str) -> PageOutcome {
        let name = file_name(&final_url, extension);
        match self.reader.read(&response.body, &name).await {
            Ok(FileText { title, language, blocks }) => {
                let page = Page::of_file(final_url, title, language, blocks);
                if page.has_text() {
                    PageOutcome::Ready(Box::new(page))
                } else {
                    PageOutcome::without_content(Reason::UnreadableFile, "the file has hardly any text")
                }
            }
            Err(UnreadableFile { detail }) => PageOutcome::without_content(Reason::UnreadableFile, detail),
        }
    }
}

/// Returns the extension of the file that a response contains; `None` if it is not a file that can be read.
pub(super) fn extension(response: &Response) -> Option<&'static str> {
    if response.body.starts_with(b"%PDF-") {
        return Some("pdf");
    }
    let stated = response.media_type();
    let known = MEDIA_TYPES.iter().find(|(media_type, _)| *media_type == stated);
    known.map(|(_, extension)| *extension).or_else(|| {
        // Servers that do not know the type of a file send it as bytes.
        let is_unknown = matches!(
            stated.as_str(),
            "application/octet-stream" | "binary/octet-stream" | "application/zip" | ""
        );
        address::file_extension(&response.url).filter(|_| is_unknown)
    })
}

/// Returns the name of a file: the end of its address, or one with the extension of its format.
fn file_name(url: &Url, extension: &str) -> String {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let stem = match address::file_extension(url) {
        Some(_) => last.rsplit_once('.').map_or(last, |(stem, _)| stem),
        None => last,
    };
    let stem = percent_decode_str(stem).decode_utf8_lossy();
    let stem = stem.trim();
    format!("{}.{extension}", if stem.is_empty() { "file" } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_their_address_and_their_format() {
        for (url, extension, expected) in [
            ("https://a.example/files/Preise%20f%C3%BCr%202026.pdf", "pdf", "Preise für 2026.pdf"),
            ("https://a.example/download?id=7", "xlsx", "download.xlsx"),
            ("https://a.example/menu.docx", "pdf", "menu.pdf"),
            ("https://a.example/", "pdf", "file.pdf"),
            ("https://a.example/100%", "pdf", "100%.pdf"),
        ] {
            assert_eq!(file_name(&Url::parse(url).unwrap(), extension), expected);
        }
    }
}
