//! PDF documents: the positions of characters become lines, and lines become headings and paragraphs.

mod layout;
mod lines;

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, Object};

use self::lines::{Line, PageLines};
use crate::{
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    warning::Warnings,
};

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    // Bytes before the signature belong to the transport, such as an e-mail.
    let start = memchr::memmem::find(bytes, b"%PDF-").unwrap_or_default();
    let document = load(&bytes[start..])?;
    let pages = document.get_pages();
    if pages.is_empty() {
        return Err(ExtractError::damaged("it has no pages"));
    }
    if pages.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let mut read: Vec<Vec<Line>> = Vec::with_capacity(pages.len());
    let mut unreadable = 0;
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
        unreadable += usize::from(!matches!(result, Ok(Ok(()))));
        read.push(page.into_lines());
    }
    let mut blocks = Blocks::new(limits);
    layout::push(&mut blocks, read)?;
    if unreadable == pages.len() && !blocks.have_text() {
        return Err(ExtractError::damaged("its pages cannot be read"));
    }
    Ok(Content {
        title: title(&document),
        language: language(&document),
        page_count: u32::try_from(pages.len()).ok(),
        blocks,
        warnings: Warnings::default(),
    })
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
