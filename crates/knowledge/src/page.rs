//! The content of a page, and the fingerprints that identify duplicates.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use crate::extract::{Block, BlockKind, Extracted, Place};
use crate::topics;

/// The content of one page, file or snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Where the content came from, after redirects; the address to cite.
    pub url: Url,
    /// The page's own title.
    pub title: String,
    /// BCP 47 language.
    pub language: Option<String>,
    /// The page's meta description, as shown to owners.
    pub description: Option<String>,
    /// The text: the content, then what frames it, then what structured data says.
    pub blocks: Vec<Block>,
    /// Hexadecimal SHA-256 of title and text. It is equal for the same content under several addresses, and
    /// for content that has not changed since the last visit.
    pub content_hash: String,
}

impl Page {
    /// Creates the content of an extracted page found at `url`.
    pub fn new(url: Url, extracted: Extracted) -> Self {
        let Extracted { title, language, description, blocks, .. } = extracted;
        let content_hash = content_hash(&title, &blocks);
        Self { url, title, language, description, blocks, content_hash }
    }

    /// Creates the content of a file found at `url`.
    pub fn of_file(url: Url, title: String, language: Option<String>, blocks: Vec<Block>) -> Self {
        let content_hash = content_hash(&title, &blocks);
        Self { url, title, language, description: None, blocks, content_hash }
    }

    /// Returns the whole text, one block per line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.blocks.iter().map(|block| block.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns whether this is a legal page, such as an imprint, a privacy policy or terms, by its title and
    /// address. Such pages mention many subjects and are rarely what a visitor asks for.
    pub fn is_legal(&self) -> bool {
        topics::is_legal_name(&self.title, self.url.path())
    }

    /// Returns whether the page has content besides headings, which alone contain no answers, and besides
    /// what frames the content of every page.
    pub fn has_text(&self) -> bool {
        const MIN_LETTERS: usize = 20;
        let letters = self
            .blocks
            .iter()
            .filter(|block| block.place == Place::Main && !matches!(block.kind, BlockKind::Heading(_)))
            .flat_map(|block| block.text.chars())
            .filter(|character| character.is_alphanumeric());
        letters.take(MIN_LETTERS).count() == MIN_LETTERS
    }
}

fn content_hash(title: &str, blocks: &[Block]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(title.as_bytes());
    for block in blocks {
        hasher.update([0]);
        hasher.update(block.text.as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
