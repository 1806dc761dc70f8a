//! The migrations of the store, by which templates of databases are named.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

/// The folder of the migrations, as seen from a crate of this workspace.
const FOLDERS: [&str; 2] = ["migrations", "../crates/store/migrations"];

/// A number that differs when the migrations for a kind of database do.
pub(crate) fn version(kind: &str) -> u64 {
    let mut folders = FOLDERS.map(|folder| Path::new(folder).join(kind)).into_iter();
    let folder = folders.find(|folder| folder.is_dir()).unwrap();
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        path.file_name().hash(&mut hasher);
        fs::read(path).unwrap().hash(&mut hasher);
    }
    hasher.finish()
}
