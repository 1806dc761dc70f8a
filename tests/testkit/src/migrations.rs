//! The migrations of the store, by which templates of databases are named.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

/// The folder of the migrations.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/store/migrations");

/// A number that differs when the migrations for a kind of database do.
pub(crate) fn version(kind: &str) -> u64 {
    let folder = Path::new(FOLDER).join(kind);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        path.file_name().hash(&mut hasher);
        fs::read(path).unwrap().hash(&mut hasher);
    }
    hasher.finish()
}
