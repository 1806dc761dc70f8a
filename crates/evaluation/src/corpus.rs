//! Training content of an evaluation site, read from its folder and indexed in memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontdesk_embedding::Model;
use frontdesk_knowledge::{
    Candidate, MemoryIndex, Page, SegmentVector, extract_html, extract_text, repeated_blocks, segments,
};
use url::Url;

/// The host that pages of a folder are given; it is never contacted.
const HOST: &str = "http://localhost:8000/";

/// The error of reading an evaluation site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A path gives no address.
    #[error("{path} gives no address: {error}")]
    Address {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: url::ParseError,
    },
    /// The embedding model failed.
    #[error(transparent)]
    Model(#[from] frontdesk_embedding::ModelError),
}

/// Reads the pages of a folder `site`: every HTML and text file that its robots.txt allows, without pages that refuse to
/// be indexed or name another address as their own.
pub fn read_pages(site: &Path) -> Result<Vec<Page>, CorpusError> {
    let disallowed = disallowed(site);
    let mut files = Vec::new();
    collect(site, &mut files)?;
    files.sort();
    let mut pages: Vec<Page> = Vec::new();
    let mut seen = BTreeSet::new();
    for file in files {
        let relative = file.strip_prefix(site).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let path = relative.strip_suffix("index.html").unwrap_or(&relative);
        let slashed = format!("/{path}");
        if disallowed.iter().any(|prefix| slashed.starts_with(prefix)) || relative == "robots.txt" || relative == "404.html" {
            continue;
        }
        let url = Url::parse(HOST).and_then(|host| host.join(path));
        let url = url.map_err(|error| CorpusError::Address { path: file.clone(), error })?;
        let bytes = fs_err::read(&file)?;
        let extracted = if relative.ends_with(".html") {
            extract_html(&bytes, None, &url, "frontdesk")
        } else {
            extract_text(&bytes, None, &url)
        };
        let is_elsewhere = extracted.canonical.as_ref().is_some_and(|canonical| canonical.path() != url.path());
        if extracted.directives.noindex || is_elsewhere || extracted.obstacle.is_some() {
            continue;
        }
        let page = Page::new(url, extracted);
        if page.has_text() && seen.insert(page.content_hash.clone()) {
            pages.push(page);
        }
    }
    let hashes: Vec<_> = pages.iter().map(Page::block_hashes).collect();
    let dropped = repeated_blocks(&hashes);
    Ok(pages.iter().map(|page| page.without_blocks(&dropped)).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CorpusError> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "html" || extension == "txt") {
            files.push(path);
        }
    }
    Ok(())
}

fn disallowed(site: &Path) -> Vec<String> {
    let text = fs_err::read_to_string(site.join("robots.txt")).unwrap_or_default();
    let rules = text.lines().filter_map(|line| line.trim().strip_prefix("Disallow:"));
    rules.map(|path| path.trim().to_owned()).filter(|path| !path.is_empty()).collect()
}

/// Indexes pages in memory, with vectors if there is a model. Vectors are kept in the folder `cache`.
pub fn index(pages: &[Page], model: Option<&Model>, cache: &Path) -> Result<MemoryIndex, CorpusError> {
    let mut index = MemoryIndex::new();
    for page in pages {
        index.insert_page(page);
    }
    let Some(model) = model else { return Ok(index) };
    let chunks: Vec<Candidate> = index.chunks().cloned().collect();
    for chunk in chunks {
        let vectors = crate::vectors::of_chunk(model, &chunk, cache)?;
        let ranges = segments(&chunk.text);
        let parts = ranges.into_iter().zip(vectors.parts);
        let parts = parts.filter_map(|(range, vector)| Some(SegmentVector { range, vector: vector? }));
        index.set_vectors(chunk.chunk_id, vectors.whole, parts.collect());
    }
    Ok(index)
}
