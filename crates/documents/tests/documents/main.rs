//! Documents of every format and hostile files, read in the child process.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bombs;
mod formats;
mod make;

use frontdesk_documents::{Document, ExtractError, Extractor, Limits};

/// The extractor with the child process of this crate.
fn extractor(limits: Limits) -> Extractor {
    Extractor::new(env!("CARGO_BIN_EXE_frontdesk-extract-document"), [] as [&str; 0], limits, 2)
}

async fn read(bytes: &[u8], file_name: &str) -> Result<Document, ExtractError> {
    extractor(Limits::default()).extract(bytes, file_name).await
}

/// The lines of a document, headings marked by their level.
fn lines(document: &Document) -> Vec<String> {
    let line = |block: &frontdesk_knowledge::Block| match block.kind {
        frontdesk_knowledge::BlockKind::Heading(level) => {
            format!("{} {}", "#".repeat(level.into()), block.text)
        }
        frontdesk_knowledge::BlockKind::ListItem => format!("- {}", block.text),
        _ => block.text.clone(),
    };
    document.blocks.iter().map(line).collect()
}
