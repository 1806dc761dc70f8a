//! Files that websites link to, read in the child process that reads uploaded files.

use std::{pin::Pin, sync::Arc};

use frontdesk_documents::{Document, Extractor};
use frontdesk_knowledge::{FileReader, FileText, LinkedFiles, UnreadableFile};

use crate::background::Background;

/// Largest size of a linked file that is downloaded, in bytes.
const MAX_BYTES: u64 = 10 * 1024 * 1024;

/// Largest number of linked files that one crawl reads.
const MAX_FILES: usize = 200;

/// Returns the reader and the limits of files that a website links to.
pub(super) fn files(service: &Background) -> LinkedFiles {
    let max_bytes = MAX_BYTES.min(service.extractor.limits().input_bytes);
    LinkedFiles { reader: Arc::new(Reader(service.extractor.clone())), max_bytes, max_files: MAX_FILES }
}

/// Reads files with the extractor of uploaded files, which limits how many are read at a time.
#[derive(Debug)]
struct Reader(Extractor);

impl FileReader for Reader {
    fn read<'a>(
        &'a self,
        content: &'a [u8],
        file_name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<FileText, UnreadableFile>> + Send + 'a>> {
        Box::pin(async move {
            match self.0.extract(content, file_name).await {
                Ok(Document { title, language, blocks, .. }) => Ok(FileText { title, language, blocks }),
                Err(error) => Err(UnreadableFile { detail: error.to_string() }),
            }
        })
    }
}
