//! The document that a command is for, with its released versions and its changelog.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use frontdesk_contract::release::CHANGELOG;
use frontdesk_disk::{FolderLoader, canonical, relative, slashed};

use crate::program::Program;

/// The folder of released bundles, beside the document.
const RELEASED: &str = "released";

/// A document, and where its history is.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The path of the document in diagnostics.
    pub spec: String,
    /// Reads the document.
    pub loader: FolderLoader,
    /// Whether it is the contract of the program's repository.
    pub is_own: bool,
    /// The folder that the paths below are relative to. It has the changelog, if there is one.
    pub(crate) root: PathBuf,
    /// The path of the document.
    pub(crate) path: String,
    /// The folder of released bundles.
    pub(crate) released: String,
}

impl Contract {
    /// Returns the document that a command was given, by default that of the program's repository.
    pub fn given(program: &Program, document: Option<&Path>) -> Result<Self> {
        let Some(document) = document else { return Self::own(program) };
        let started_in = env::current_dir().context("the current folder cannot be read")?;
        Self::at(document, &started_in)
    }

    /// Returns the contract of the program's repository.
    fn own(program: &Program) -> Result<Self> {
        let repository = program.repository()?;
        let (root, spec) = (&repository.root, repository.spec);
        Ok(Self {
            spec: spec.to_owned(),
            loader: FolderLoader::new(root, root),
            is_own: true,
            root: root.clone(),
            path: spec.to_owned(),
            released: beside(spec),
        })
    }

    /// Returns the document at a path relative to `started_in`.
    pub(crate) fn at(document: &Path, started_in: &Path) -> Result<Self> {
        let place = canonical(&started_in.join(document))?;
        let folder = place.parent().unwrap_or(&place);
        let root = root_of(folder);
        let path = relative(root, &place);
        Ok(Self {
            spec: slashed(document),
            loader: FolderLoader::for_document(document, started_in)?,
            is_own: false,
            root: root.to_owned(),
            released: beside(&path),
            path,
        })
    }
}

/// Returns the nearest folder with a changelog, within the repository if there is one; otherwise the
/// repository, or the folder itself.
fn root_of(folder: &Path) -> &Path {
    let repository = folder.ancestors().find(|above| above.join(".git").exists());
    let within = repository.unwrap_or(folder);
    let mut inside = folder.ancestors().take_while(|above| above.starts_with(within));
    inside.find(|above| above.join(CHANGELOG).is_file()).unwrap_or(within)
}

/// Returns the folder of released bundles for a document.
fn beside(document: &str) -> String {
    match document.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{RELEASED}"),
        None => RELEASED.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_found_around_the_document() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it exists");
        for path in ["repository/.git", "repository/service/api", "elsewhere/api"] {
            fs_err::create_dir_all(root.join(path)).expect("it can be made");
        }
        fs_err::write(root.join("repository/service").join(CHANGELOG), "").expect("it can be written");
        fs_err::write(root.join("elsewhere").join(CHANGELOG), "").expect("it can be written");
        for (document, within, released) in [
            ("repository/service/api/pets.yaml", "repository/service", "api/released"),
            ("repository/pets.yaml", "repository", "released"),
            ("elsewhere/api/pets.yaml", "elsewhere/api", "released"),
        ] {
            let contract = Contract::at(Path::new(document), &root).expect("a contract");
            assert_eq!((contract.root, contract.released.as_str()), (root.join(within), released));
            assert_eq!(contract.spec, document);
        }
    }
}
