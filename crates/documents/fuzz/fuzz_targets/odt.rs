//! OpenDocument texts.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    frontdesk_documents_fuzz::read_archive(
        &[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", bytes)],
        "a.odt",
    );
});
