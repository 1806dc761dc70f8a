//! Chapters of books.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    frontdesk_documents_fuzz::read_archive(
        &[
            ("mimetype", b"application/epub+zip"),
            ("META-INF/container.xml", br#"<c><rootfile full-path="p.opf"/></c>"#),
            ("p.opf", br#"<p><item id="a" href="a.xhtml"/><itemref idref="a"/></p>"#),
            ("a.xhtml", bytes),
        ],
        "a.epub",
    );
});
