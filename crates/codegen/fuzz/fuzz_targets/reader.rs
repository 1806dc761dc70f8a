//! Reads any bytes as a document, renders what is wrong with it, and bundles what is right. Nothing may panic.

#![no_main]

use frontdesk_document::{Document, MemoryLoader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for name in ["openapi.yaml", "openapi.json"] {
        let loader = MemoryLoader::new().with(name, text);
        let (document, diagnostics) = Document::read(name, &loader);
        if let Some(document) = &document {
            let bundle = document.bundle();
            let _ = (bundle.to_yaml(), bundle.to_json());
        }
        let _ = diagnostics.render(diagnostics.sources(), false);
    }
});
