//! Paths of the workspace, independent of the current folder.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use frontdesk_disk::{FolderLoader, slashed};

/// The path of the workspace's document, relative to its root.
pub const SPEC: &str = "spec/v1/openapi.yaml";

/// Returns the root of the workspace.
///
/// `cargo` passes the folder of the package to programs that it runs; otherwise the path at build time is
/// used.
pub fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.file_name().is_some_and(|name| name == "xtask"))
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask")));
    let root = package.parent().context("the package has no parent folder")?;
    fs_err::canonicalize(root).context("the workspace has moved since this program was built; build it again")
}

/// Returns the path and the loader of the document that a command was given, by default the workspace's.
pub fn given(document: Option<&Path>) -> Result<(String, FolderLoader)> {
    match document {
        Some(document) => {
            let started_in = env::current_dir().context("the current folder cannot be read")?;
            Ok((slashed(document), FolderLoader::for_document(document, &started_in)?))
        }
        None => {
            let root = root()?;
            Ok((SPEC.to_owned(), FolderLoader::new(&root, &root)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().expect("a root").join("Cargo.lock").is_file());
    }
}
