//! The files that Git knows, and their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use anyhow::{Context, Result, ensure};

use super::source::Source;

/// Folders whose files nobody writes by hand, or that are copies.
const FOREIGN: &[&str] = &[
    "generated/",
    "tests/fixtures/",
    "tests/released/",
    "crates/reference/vendor/",
    "crates/web/vendor/",
    "crates/openapi/templates/",
];

/// The repository: paths of all files, and the texts of those that people write.
#[derive(Debug, Default)]
pub(super) struct Repository {
    paths: BTreeSet<String>,
    texts: BTreeMap<String, String>,
    sources: OnceLock<BTreeMap<String, Source>>,
}

impl Repository {
    /// Lists all files that are committed or could be, and reads those whose texts are checked.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("failed to start `git ls-files`")?;
        ensure!(output.status.success(), "`git ls-files` failed; tidy needs a Git checkout");
        let mut repository = Self::default();
        for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
            let file = root.join(path);
            // A file that was deleted, and whose deletion is not staged, is still listed.
            if file.symlink_metadata().is_err() {
                continue;
            }
            repository.paths.insert(path.to_owned());
            if is_checked(path) {
                let bytes = fs_err::read(&file)?;
                repository.texts.insert(path.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(repository)
    }

    /// Returns a repository with these files.
    #[cfg(test)]
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        Self {
            paths: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
            texts: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
            sources: OnceLock::new(),
        }
    }

    /// Whether there is a file or a folder with this path.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.contains(path) || self.has_folder(path)
    }

    /// Whether there is a folder with this path.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self.paths.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
    }

    /// Returns the text of a file.
    pub(super) fn text(&self, path: &str) -> Result<&str> {
        self.texts.get(path).map(String::as_str).with_context(|| format!("{path} is missing"))
    }

    /// Returns the files with this extension, in order of their paths, with their texts.
    pub(super) fn files(&self, extension: &str) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .iter()
            .filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, end)| end == extension))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Returns the source files of the package in a folder, without its tests and examples.
    pub(super) fn sources(&self, folder: &str) -> impl Iterator<Item = (&str, &Source)> {
        let below = format!("{folder}/src/");
        self.all_sources().filter(move |(path, _)| path.starts_with(&below))
    }

    /// Returns the source files of all packages, without tests and examples.
    pub(super) fn all_sources(&self) -> impl Iterator<Item = (&str, &Source)> {
        let sources =
            self.sources.get_or_init(|| read_sources(self.files("rs").filter(|(path, _)| is_source(path))));
        sources.iter().map(|(path, source)| (path.as_str(), source))
    }

    /// Returns the folders of all packages.
    pub(super) fn packages(&self) -> impl Iterator<Item = &str> {
        self.files("toml").filter_map(|(path, _)| path.strip_suffix("/Cargo.toml"))
    }
}

/// Whether people write the text of a file, and the checks look at it.
fn is_checked(path: &str) -> bool {
    let is_text = [".rs", ".md", ".toml"].iter().any(|extension| path.ends_with(extension));
    let is_foreign = path.contains("/generated/") || FOREIGN.iter().any(|folder| path.starts_with(folder));
    is_text && !is_foreign
}

/// Whether a Rust file is compiled without tests, judged by its path.
fn is_source(path: &str) -> bool {
    let Some((_, inside)) = path.split_once("src/") else { return false };
    let is_test = |name: &str| name == "tests" || name == "tests.rs" || name.ends_with("_tests.rs");
    !path.starts_with("tests/") && !inside.split('/').any(is_test)
}

/// Reads files on all processors.
fn read_sources<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, Source> {
    let files: Vec<(&str, &str)> = files.collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let size = files.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = files
            .chunks(size)
            .map(|part| {
                scope.spawn(move || {
                    part.iter()
                        .map(|(path, text)| ((*path).to_owned(), Source::read(text)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("reading a file does not panic")).collect()
    })
}
