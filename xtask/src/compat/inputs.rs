//! Where the two documents of a comparison come from: a file, a git revision, a released bundle.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use frontdesk_document::{Document, LoadError, Loader};

use crate::folder::FolderLoader;
use crate::releases::{FOLDER, Releases};
use crate::workspace::{SPEC, slashed};

/// A document that can be read.
pub(crate) struct Input {
    path: String,
    loader: Box<dyn Loader>,
}

/// What came of reading it.
pub(crate) enum Read {
    Taken(Box<Document>),
    /// The diagnostics, as they are shown.
    Refused(String),
}

impl Input {
    /// The document as it stands in the working tree.
    pub(crate) fn current(root: &Path) -> Self {
        Self { path: SPEC.to_owned(), loader: Box::new(FolderLoader::new(root, root)) }
    }

    /// A file of any document.
    pub(super) fn file(path: &Path, started_in: &Path) -> Result<Self> {
        let loader = FolderLoader::for_document(path, started_in)?;
        Ok(Self { path: slashed(path), loader: Box::new(loader) })
    }

    /// A file if there is one of this name, else a git revision.
    pub(super) fn named(name: &str, started_in: &Path, root: &Path) -> Result<Self> {
        let path = Path::new(name);
        if started_in.join(path).is_file() {
            return Self::file(path, started_in);
        }
        Self::at(name, root)
    }

    /// The newest released bundle, or what was committed last.
    pub(super) fn released(releases: &Releases, root: &Path) -> Result<Self> {
        let Some(newest) = releases.lock.newest() else { return Self::at("HEAD", root) };
        let path = format!("{FOLDER}/{}", newest.file());
        Ok(Self { path, loader: Box::new(FolderLoader::new(root, root)) })
    }

    fn at(revision: &str, root: &Path) -> Result<Self> {
        Ok(Self { path: SPEC.to_owned(), loader: Box::new(Self::commit(revision, root)?) })
    }

    /// The commit that a revision names.
    pub(crate) fn commit(revision: &str, root: &Path) -> Result<Commit> {
        let asked = format!("{revision}^{{commit}}");
        let output = Command::new("git")
            .current_dir(root)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options", &asked])
            .output()
            .context("failed to run git")?;
        if !output.status.success() {
            bail!("`{revision}` is neither a file nor a git revision of this repository");
        }
        let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(Commit { commit, root: root.to_owned() })
    }

    pub(crate) fn read(&self, color: bool) -> Read {
        let (document, diagnostics) = Document::read(&self.path, &*self.loader);
        match document {
            Some(document) => Read::Taken(Box::new(document)),
            None => Read::Refused(format!(
                "{}`{}` was refused\n",
                diagnostics.render(diagnostics.sources(), color),
                self.path
            )),
        }
    }
}

/// The files of a commit.
pub(crate) struct Commit {
    commit: String,
    root: PathBuf,
}

impl Commit {
    /// The text of a file; nothing if there was none.
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
            .args(["cat-file", "blob", &format!("{}:{path}", self.commit)])
            .output()
            .map_err(|error| LoadError::Failed(error.to_string()))?;
        if !output.status.success() {
            return Err(LoadError::NotFound);
        }
        String::from_utf8(output.stdout).map_err(|_| LoadError::NotText)
    }
}
