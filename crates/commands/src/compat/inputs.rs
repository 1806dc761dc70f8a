//! Sources of compared documents: a file, a git revision, or a released bundle.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use frontdesk_document::{Document, LoadError, Loader};

use crate::contract::Contract;
use crate::releases::Releases;
use frontdesk_disk::{FolderLoader, slashed};

/// A document to read.
pub(crate) struct Input {
    path: String,
    loader: Box<dyn Loader>,
}

/// The outcome of reading it.
pub(crate) enum Read {
    Accepted(Box<Document>),
    /// The document was rejected, with these rendered diagnostics.
    Rejected(String),
}

impl Input {
    /// Returns the document in the working tree.
    pub(crate) fn current(contract: &Contract) -> Self {
        Self { path: contract.spec.clone(), loader: Box::new(contract.loader.clone()) }
    }

    /// Returns the document in a file of this name if there is one, else the contract at this git revision.
    pub(super) fn named(name: &str, started_in: &Path, contract: &Contract) -> Result<Self> {
        let path = Path::new(name);
        if started_in.join(path).is_file() {
            let loader = FolderLoader::for_document(path, started_in)?;
            return Ok(Self { path: slashed(path), loader: Box::new(loader) });
        }
        Self::at(name, contract)
    }

    /// Returns the newest released bundle, or the last commit before the first release.
    pub(super) fn released(releases: &Releases, contract: &Contract) -> Result<Self> {
        let Some(newest) = releases.lock.newest() else {
            return Self::at("HEAD", contract).with_context(|| {
                format!(
                    "there is nothing to compare `{}` with: it has no release, and no commit; name the earlier document with `--base`",
                    contract.spec
                )
            });
        };
        let path = format!("{}/{}", contract.released, newest.file());
        Ok(Self { path, loader: Box::new(FolderLoader::new(&contract.root, &contract.root)) })
    }

    fn at(revision: &str, contract: &Contract) -> Result<Self> {
        Ok(Self { path: contract.path.clone(), loader: Box::new(Self::commit(revision, &contract.root)?) })
    }

    /// Returns the commit that a revision names in the repository around a folder.
    pub(crate) fn commit(revision: &str, root: &Path) -> Result<Commit> {
        let asked = format!("{revision}^{{commit}}");
        let output = Command::new("git")
            .current_dir(root)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options", &asked])
            .output()
            .context("failed to run git")?;
        if !output.status.success() {
            bail!("`{revision}` is neither a file nor a git revision of the document's repository");
        }
        let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(Commit { commit, root: root.to_owned() })
    }

    pub(crate) fn read(&self, color: bool) -> Read {
        let (document, diagnostics) = Document::read(&self.path, &*self.loader);
        match document {
            Some(document) => Read::Accepted(Box::new(document)),
            None => Read::Rejected(format!(
                "{}`{}` was rejected\n",
                diagnostics.render(diagnostics.sources(), color),
                self.path
            )),
        }
    }
}

/// A loader of files at a commit, whose paths are relative to the folder.
pub(crate) struct Commit {
    commit: String,
    root: PathBuf,
}

impl Commit {
    /// Returns the text of a file, or `None` if it does not exist.
    pub(crate) fn text(&self, path: &str) -> Result<Option<String>> {
        match self.load(path) {
            Ok(text) => Ok(Some(text)),
            Err(LoadError::NotFound) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("failed to read `{path}` at {}", self.commit)),
        }
    }
}

impl Loader for Commit {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        let output = Command::new("git")
            .current_dir(&self.root)
            .args(["cat-file", "blob", &format!("{}:./{path}", self.commit)])
            .output()
            .map_err(|error| LoadError::Failed(error.to_string()))?;
        if !output.status.success() {
            return Err(LoadError::NotFound);
        }
        String::from_utf8(output.stdout).map_err(|_| LoadError::NotText)
    }
}
