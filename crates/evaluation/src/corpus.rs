//! Training content of an evaluation site, read from its folder and indexed in memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontdesk_embedding::Model;
use frontdesk_knowledge::{
    Candidate, Chunk, FieldTerms, MemoryIndex, OutlineCell, Page, RepeatedText, SegmentVector, SourceType,
    extract_html, extract_text, segments,
};
use url::Url;
use uuid::Uuid;

pub use crate::corpus_error::CorpusError;
use crate::vectors::ChunkVectors;

/// The host that pages of a folder are given; it is never contacted.
const HOST: &str = "http://localhost:8000/";

/// Reads the pages of a folder `site`: every HTML and text file that its robots.txt allows, without pages
/// that refuse to be indexed or name another address as their own.
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
        if disallowed.iter().any(|prefix| slashed.starts_with(prefix))
            || relative == "robots.txt"
            || relative == "404.html"
        {
            continue;
        }
        let url = Url::parse(HOST).and_then(|host| host.join(path));
        let url = url.map_err(|error| CorpusError::Address { path: file.clone(), error })?;
        let bytes = fs_err::read(&file)?;
        let is_html = file.extension().is_some_and(|extension| extension == "html");
        let extracted = if is_html {
            extract_html(&bytes, None, &url, "frontdesk")
        } else {
            extract_text(&bytes, None, &url)
        };
        let is_elsewhere =
            extracted.canonical.as_ref().is_some_and(|canonical| canonical.path() != url.path());
        if extracted.directives.noindex || is_elsewhere || extracted.obstacle.is_some() {
            continue;
        }
        let page = Page::new(url, extracted);
        if page.has_text() && seen.insert(page.content_hash.clone()) {
            pages.push(page);
        }
    }
    Ok(pages)
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

/// The chunks of a site, with their vectors if there is a model.
#[derive(Debug)]
pub struct Content(Vec<(Candidate, Option<ChunkVectors>)>);

impl Content {
    /// Cuts pages into chunks, text that they repeat once. Vectors are kept in the folder `cache`.
    pub fn of(pages: &[Page], model: Option<&Model>, cache: &Path) -> Result<Self, CorpusError> {
        let chunks: Vec<Vec<Chunk>> = pages.iter().map(Page::chunks).collect();
        let mut repeated = RepeatedText::default();
        for (page, chunks) in pages.iter().zip(&chunks) {
            repeated.add_page(page.url.as_str(), &page.title, chunks.iter().map(Chunk::content));
        }
        let placement = repeated.place();
        let mut content = Vec::new();
        for (number, (page, chunks)) in pages.iter().zip(chunks).enumerate() {
            for chunk in chunks {
                let Some(text) = placement.remaining(number, &chunk.headings, &chunk.text) else { continue };
                let candidate = Candidate {
                    chunk_id: Uuid::new_v4(),
                    terms: FieldTerms::of(&chunk.title, &chunk.headings, &text, page.language.as_deref()),
                    title: chunk.title,
                    headings: chunk.headings,
                    text,
                    url: page.url.to_string(),
                    source_type: SourceType::Webpage,
                    language: page.language.clone(),
                    outline: OutlineCell::default(),
                };
                let vectors =
                    model.map(|model| crate::vectors::of_chunk(model, &candidate, cache)).transpose()?;
                content.push((candidate, vectors));
            }
        }
        Ok(Self(content))
    }

    /// Indexes the chunks in memory that `keep` returns true for.
    pub fn index(&self, keep: impl Fn(&Candidate) -> bool) -> MemoryIndex {
        let mut index = MemoryIndex::new();
        for (candidate, vectors) in self.0.iter().filter(|(candidate, _)| keep(candidate)) {
            if let Some(vectors) = vectors {
                let parts = segments(&candidate.text).into_iter().zip(vectors.parts.iter().cloned());
                let parts =
                    parts.filter_map(|(range, vector)| Some(SegmentVector { range, vector: vector? }));
                index.set_vectors(candidate.chunk_id, vectors.whole.clone(), parts.collect());
            }
            index.insert(candidate.clone(), &[]);
        }
        index
    }
}
