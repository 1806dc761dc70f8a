//! The main part of Word documents.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    frontdesk_documents_fuzz::read_archive(
        &[("word/document.xml", bytes), ("word/styles.xml", bytes)],
        "a.docx",
    );
});
