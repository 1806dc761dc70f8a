//! The content of a page, and the fingerprints that identify duplicates.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use crate::extract::{Block, BlockKind, Extracted};

/// The content of one page, file or snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Where the content came from, after redirects; the address to cite.
    pub url: Url,
    /// The page's own title.
    pub title: String,
    /// BCP 47 language.
    pub language: Option<String>,
    /// The page's meta description; shown to owners, never searched.
    pub description: Option<String>,
    /// The main text.
    pub blocks: Vec<Block>,
    /// Hexadecimal SHA-256 of title and text. It is equal for the same content under several addresses, and for content
    /// that has not changed since the last visit.
    pub content_hash: String,
}

impl Page {
    /// Creates the content of an extracted page found at `url`.
    pub fn new(url: Url, extracted: Extracted) -> Self {
        let Extracted { title, language, description, blocks, .. } = extracted;
        let content_hash = content_hash(&title, &blocks);
        Self { url, title, language, description, blocks, content_hash }
    }

    /// Returns the whole text, one block per line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.blocks.iter().map(|block| block.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns the distinct fingerprints of the blocks, for [`repeated_blocks`](crate::repeated_blocks).
    pub fn block_hashes(&self) -> BTreeSet<BlockHash> {
        self.blocks.iter().map(BlockHash::of).collect()
    }

    /// Returns the page without the blocks in `dropped`. Its content hash stays that of the page as it was fetched.
    #[must_use]
    pub fn without_blocks(&self, dropped: &BTreeSet<BlockHash>) -> Self {
        let mut page = self.clone();
        page.blocks.retain(|block| !dropped.contains(&BlockHash::of(block)));
        page
    }

    /// Returns whether the page has text besides headings, which alone contain no answers.
    pub fn has_text(&self) -> bool {
        const MIN_LETTERS: usize = 20;
        let letters = self
            .blocks
            .iter()
            .filter(|block| !matches!(block.kind, BlockKind::Heading(_)))
            .flat_map(|block| block.text.chars())
            .filter(|character| character.is_alphanumeric());
        letters.take(MIN_LETTERS).count() == MIN_LETTERS
    }
}

/// A fingerprint of a block's text, the same on every page with that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlockHash(u64);

impl BlockHash {
    /// Returns the fingerprint of a block.
    pub fn of(block: &Block) -> Self {
        let digest = Sha256::digest(block.text.as_bytes());
        Self(digest.iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte)))
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
