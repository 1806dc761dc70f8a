//! Web pages and plain texts, with the extraction that crawled pages use.

use frontdesk_knowledge::{Block, extract_html, extract_text};
use url::Url;

use crate::{blocks::Blocks, content::Content, error::ExtractError, limits::Limits};

/// Returns an address for extraction, which resolves links against it. Nothing is fetched.
fn no_address() -> Url {
    Url::parse("https://file.invalid/").expect("the address is valid")
}

pub(crate) fn read_html(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let extracted = extract_html(bytes, Some("text/html"), &no_address(), "frontdesk");
    let mut blocks = Blocks::new(limits);
    blocks.extend(extracted.blocks)?;
    let title = Some(extracted.title).filter(|title| !title.contains("file.invalid"));
    Ok(Content { title, language: extracted.language, ..Content::new(blocks) })
}

/// Returns the blocks of a page that is a part of something else.
pub(crate) fn blocks_of_html(bytes: &[u8]) -> Vec<Block> {
    extract_html(bytes, Some("application/xhtml+xml"), &no_address(), "frontdesk").blocks
}

pub(crate) fn read_text(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let extracted = extract_text(bytes, Some("text/plain"), &no_address());
    let mut blocks = Blocks::new(limits);
    blocks.extend(extracted.blocks)?;
    Ok(Content { language: extracted.language, ..Content::new(blocks) })
}

/// Returns the text of a file: UTF-8, UTF-16 with a byte order mark, or windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(),
    }
}
