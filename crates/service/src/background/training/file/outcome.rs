//! What becomes of a file: its passages, or the reason why it has none. Passages are made on threads for such
//! work.

use frontdesk_documents::Document;
use frontdesk_knowledge::{Chunk, TextSource, chunks, detect_language};
use frontdesk_store::{File, FileOutcome, FileStatus, FileWarning, FileWarnings, NewChunk, SourceType};
use tokio::task::{JoinError, spawn_blocking};

/// Characters of a text from which its language is detected.
const LANGUAGE_SAMPLE_CHARS: usize = 4_000;

/// Returns the outcome of a file with a text of its own.
pub(super) async fn of_document(file: &File, document: Document) -> Result<FileOutcome, JoinError> {
    let (url, own_title) = (url(file), own_title(file));
    spawn_blocking(move || {
        let Document { title, language, page_count, blocks, warnings, .. } = document;
        let shown_title = own_title.unwrap_or_else(|| title.clone());
        let char_count = blocks.iter().map(|block| block.text.chars().count() as u64).sum();
        let chunks = chunks(&blocks, &shown_title, language.as_deref());
        let warnings = warnings
            .into_iter()
            .map(|warning| FileWarning { code: warning.code.as_str().to_owned(), message: warning.message });
        FileOutcome {
            page_count,
            warnings: FileWarnings(warnings.collect()),
            ..ready(title, language, char_count, chunks, &url)
        }
    })
    .await
}

/// Returns the outcome of a file whose text a model has written. No line of it is taken for a heading, so
/// each can be quoted: signs and menus consist of short lines in capitals.
pub(super) async fn of_text(file: &File, text: String) -> Result<FileOutcome, JoinError> {
    let (url, own_title, title) = (url(file), own_title(file), title_of(&file.file_name));
    spawn_blocking(move || {
        let shown_title = own_title.unwrap_or_else(|| title.clone());
        let sample: String = text.chars().take(LANGUAGE_SAMPLE_CHARS).collect();
        let language = detect_language(&sample).map(|language| language.tag().to_owned());
        let source = TextSource { title: &shown_title, text: &text, language: language.as_deref() };
        let chunks = source.chunks();
        ready(title, language, text.chars().count() as u64, chunks, &url)
    })
    .await
}

/// Returns the outcome of a file without a text.
pub(super) fn without_text(status: FileStatus, code: &str, message: String) -> FileOutcome {
    FileOutcome {
        status,
        error: Some((code.to_owned(), message)),
        title: None,
        language: None,
        page_count: None,
        char_count: 0,
        warnings: FileWarnings::default(),
        chunks: Vec::new(),
    }
}

fn ready(
    title: String,
    language: Option<String>,
    char_count: u64,
    chunks: Vec<Chunk>,
    url: &str,
) -> FileOutcome {
    let chunks = chunks.into_iter().map(|chunk| NewChunk {
        source_type: SourceType::File,
        title: chunk.title,
        headings: chunk.headings,
        text: chunk.text,
        url: url.to_owned(),
        language: language.clone(),
        terms_title: chunk.terms.title.into(),
        terms_headings: chunk.terms.headings.into(),
        terms_body: chunk.terms.body.into(),
    });
    let chunks = chunks.collect();
    FileOutcome {
        status: FileStatus::Ready,
        error: None,
        title: Some(title),
        language,
        page_count: None,
        char_count,
        warnings: FileWarnings::default(),
        chunks,
    }
}

fn url(file: &File) -> String {
    file.url.clone().unwrap_or_default()
}

fn own_title(file: &File) -> Option<String> {
    file.has_own_title.then(|| file.title.clone())
}

/// Returns the name of a file as a title.
pub(crate) fn title_of(file_name: &str) -> String {
    let stem = file_name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    stem.unwrap_or(file_name).replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_titles() {
        for (name, title) in [("price_list.png", "price list"), ("menu", "menu"), (".png", ".png")] {
            assert_eq!(title_of(name), title);
        }
    }
}
