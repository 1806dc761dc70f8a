//! What the fuzz targets share: how documents are changed, and what must hold for each.

mod mutation;
#[path = "../../tests/generator/sound.rs"]
mod sound;

pub use mutation::{cross, mutate};

/// Reads bytes as YAML and as JSON, and bundles the document if they are one. Panics where something does not
/// hold.
pub fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for name in ["openapi.yaml", "openapi.json"] {
        if let Some(document) = sound::read(name, text) {
            sound::bundle(&document);
        }
    }
}

/// Generates from bytes, if they are a document. Panics where something does not hold.
pub fn generate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(document) = sound::read("openapi.yaml", text) {
        sound::generates(&document);
    }
}
