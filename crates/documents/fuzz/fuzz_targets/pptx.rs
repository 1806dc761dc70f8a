//! Slides of presentations.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    frontdesk_documents_fuzz::read_archive(
        &[
            (
                "ppt/presentation.xml",
                br#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldId r:id="a"/></p:presentation>"#,
            ),
            ("ppt/_rels/presentation.xml.rels", br#"<x><y Id="a" Target="s.xml"/></x>"#),
            ("ppt/s.xml", bytes),
        ],
        "a.pptx",
    );
});
