//! Generates from any bytes. A document may be refused; a panic, or output that is not Rust, is a defect of the generator.

#![no_main]

use frontdesk_codegen::{GenerateError, Options, RuntimeDependency, generate};
use frontdesk_document::{Document, MemoryLoader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let loader = MemoryLoader::new().with("openapi.yaml", text);
    let (Some(document), _) = Document::read("openapi.yaml", &loader) else { return };
    let options = Options {
        name: "fuzzed".to_owned(),
        source: "openapi.yaml".to_owned(),
        runtime: RuntimeDependency::Workspace,
        strict: false,
    };
    if let Err(GenerateError::Defect(message)) = generate(&document, &options) {
        panic!("{message}");
    }
});
