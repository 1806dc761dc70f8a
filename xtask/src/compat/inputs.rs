//! Where the two documents of a comparison come from: a file, a git revision, a released bundle.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use frontdesk_document::{Document, LoadError, Loader};

use crate::folder::FolderLoader;
use crate::workspace::slashed;

/// The document of this workspace.
const SPEC: &str = "spec/v1/openapi.yaml";
/// Where its released bundles are.
const RELEASED: &str = "spec/v1/released";

/// A document that can be read.
pub(super) struct Input {
    path: String,
    loader: Box<dyn Loader>,
}

/// What came of reading it.
pub(super) enum Read {
    Taken(Box<Document>),
    /// The diagnostics, as they are shown.
    Refused(String),
}

impl Input {
    /// The document as it stands in the working tree.
    pub(super) fn current(root: &Path) -> Self {
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
    pub(super) fn released(root: &Path) -> Result<Self> {
        let folder = root.join(RELEASED);
        let mut bundles: Vec<(Vec<u64>, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.with_context(|| format!("failed to list `{RELEASED}`"))?.path();
            let version = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .map(|stem| stem.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>());
            if let (Some(Some(version)), Some("yaml")) =
                (version, path.extension().and_then(|extension| extension.to_str()))
            {
                bundles.push((version, path));
            }
        }
        bundles.sort();
        let Some((_, newest)) = bundles.pop() else { return Self::at("HEAD", root) };
        let name = newest.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { path: format!("{RELEASED}/{name}"), loader: Box::new(FolderLoader::new(root, root)) })
    }

    fn at(revision: &str, root: &Path) -> Result<Self> {
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
        Ok(Self { path: SPEC.to_owned(), loader: Box::new(Commit { commit, root: root.to_owned() }) })
    }

    pub(super) fn read(&self, color: bool) -> Read {
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
struct Commit {
    commit: String,
    root: PathBuf,
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
