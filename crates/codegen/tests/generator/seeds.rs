//! The seeds of the fuzz targets, read and generated from as the targets do it.

use crate::{fixtures, sound};

/// Bytes up to which a seed stays small enough for thousands of runs a second.
const LARGEST: usize = 4096;

#[test]
fn every_seed_ends_in_files_or_in_problems_with_a_place() {
    let seeds = fixtures::files(&fixtures::workspace().join("crates/codegen/fuzz/seeds"));
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for (path, text) in &seeds {
        assert!(text.len() <= LARGEST, "{path} has {} bytes", text.len());
        for name in ["openapi.yaml", "openapi.json"] {
            let document = sound::read(name, text);
            let generates = document.is_some_and(|document| {
                sound::bundle(&document);
                sound::generates(&document)
            });
            if generates { taken.push(path) } else { refused.push(path) }
        }
    }
    // A change that refuses most seeds would leave the generator untried.
    assert!(taken.len() > 20 && refused.len() > 20, "taken: {taken:?}\nrefused: {refused:?}");
}
