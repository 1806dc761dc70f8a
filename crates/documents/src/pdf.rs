//! PDF documents: the positions of characters become lines, and lines become headings and paragraphs.

mod columns;
mod fonts;
mod layout;
mod line;
mod lines;
mod repair;

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, Object, ObjectId};

use self::{line::Line, lines::PageLines};
use crate::{
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    warning::{WarningCode, Warnings, listed},
};

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    // Bytes before the signature belong to the transport, such as an e-mail.
    let start = memchr::memmem::find(bytes, b"%PDF-").unwrap_or_default();
    let mut warnings = Warnings::default();
    let mut document = load_or_repair(&bytes[start..], &mut warnings)?;
    fonts::correct(&mut document);
    let pages = document.get_pages();
    if pages.is_empty() {
        return Err(ExtractError::damaged("it has no pages"));
    }
    if pages.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let mut read: Vec<Vec<Line>> = Vec::with_capacity(pages.len());
    let mut unreadable: Vec<String> = Vec::new();
    let mut chars_left = limits.output_chars;
    for number in pages.keys() {
        let mut page = PageLines::new(chars_left);
        // The library panics on pages that contradict themselves; the other pages are still worth reading.
        let result =
            catch_unwind(AssertUnwindSafe(|| pdf_extract::output_doc_page(&document, &mut page, *number)));
        if page.is_full() {
            return Err(ExceededLimit::OutputChars(limits.output_chars).into());
        }
        chars_left = page.chars_left();
        if !matches!(result, Ok(Ok(()))) {
            unreadable.push(number.to_string());
        }
        read.push(page.into_lines());
    }
    let mut blocks = Blocks::new(limits);
    layout::push(&mut blocks, read)?;
    if unreadable.len() == pages.len() && !blocks.have_text() {
        return Err(ExtractError::damaged("its pages cannot be read"));
    }
    warn_of_pages(&unreadable, &mut warnings);
    Ok(Content {
        title: title(&document),
        language: language(&document),
        page_count: u32::try_from(pages.len()).ok(),
        blocks,
        warnings,
    })
}

fn warn_of_pages(unreadable: &[String], warnings: &mut Warnings) {
    const NAMED: usize = 20;
    if unreadable.is_empty() {
        return;
    }
    let noun = if unreadable.len() == 1 { "Page" } else { "Pages" };
    let named = if unreadable.len() > NAMED {
        format!("{} and {} more", unreadable[..NAMED].join(", "), unreadable.len() - NAMED)
    } else {
        listed(unreadable)
    };
    warnings.push(
        WarningCode::UnreadablePart,
        format!("{noun} {named} cannot be read completely. Text may be missing."),
    );
}

/// Loads a document, and rebuilds its cross-reference table if pages are missing because the table is wrong.
fn load_or_repair(bytes: &[u8], warnings: &mut Warnings) -> Result<Document, ExtractError> {
    let loaded = load(bytes);
    if matches!(loaded, Err(ExtractError::Encrypted)) || loaded.as_ref().is_ok_and(is_complete) {
        return loaded;
    }
    let repaired = repair::with_new_table(bytes).and_then(|bytes| load(&bytes).ok());
    match (loaded, repaired) {
        (loaded, Some(repaired)) if found(&repaired) > loaded.as_ref().map_or(0, found) => {
            warnings.push(
                WarningCode::Repaired,
                "The cross-reference table of the file is damaged and was rebuilt. Text may be missing.",
            );
            Ok(repaired)
        }
        (loaded, _) => loaded,
    }
}

/// Returns whether all pages and their contents are found.
fn is_complete(document: &Document) -> bool {
    let pages = document.get_pages();
    let stated = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages"))
        .and_then(|pages| document.dereference(pages))
        .and_then(|(_, pages)| pages.as_dict()?.get(b"Count")?.as_i64());
    let has_all =
        stated.is_ok_and(|stated| usize::try_from(stated).is_ok_and(|stated| stated <= pages.len()));
    has_all && !pages.is_empty() && pages.values().all(|page| contents_found(document, *page))
}

/// Returns how many pages have their contents.
fn found(document: &Document) -> usize {
    document.get_pages().values().filter(|page| contents_found(document, **page)).count()
}

fn contents_found(document: &Document, page: ObjectId) -> bool {
    let Ok(page) = document.get_dictionary(page) else { return false };
    // A page may be empty.
    let Ok(contents) = page.get(b"Contents") else { return true };
    let is_there = |object: &Object| document.dereference(object).is_ok_and(|(_, found)| !found.is_null());
    match contents {
        Object::Array(list) => list.iter().all(is_there),
        one => is_there(one),
    }
}

fn load(bytes: &[u8]) -> Result<Document, ExtractError> {
    let mut document = Document::load_mem(bytes).map_err(|error| match error {
        lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_) => ExtractError::Encrypted,
        _ => ExtractError::damaged("its structure cannot be read"),
    })?;
    // Documents that restrict only printing are encrypted with an empty password.
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(ExtractError::Encrypted);
    }
    Ok(document)
}

fn title(document: &Document) -> Option<String> {
    let info = document.trailer.get(b"Info").ok()?;
    let (_, info) = document.dereference(info).ok()?;
    text(info.as_dict().ok()?.get(b"Title").ok()?)
}

fn language(document: &Document) -> Option<String> {
    text(document.catalog().ok()?.get(b"Lang").ok()?)
}

fn text(object: &Object) -> Option<String> {
    lopdf::decode_text_string(object).ok()
}
