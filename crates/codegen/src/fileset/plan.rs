//! A set of files against a disk, and the one way to carry the difference out.

use std::fmt;
use std::io;

use super::{Disk, FileSet, covers, is_marked};

/// The files that say which package a folder is.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "package.json"];

/// How a path stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The disk holds the text.
    Fresh,
    /// The disk holds another text.
    Stale {
        /// The text to write.
        text: String,
        /// What the disk holds; bytes that are not UTF-8 are replaced.
        on_disk: String,
    },
    /// The disk holds no file.
    Missing {
        /// The text to write.
        text: String,
    },
    /// The disk holds a file in a place of the tool, and the run did not produce it.
    Orphan,
}

/// A path and how it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path below the output folder.
    pub path: String,
    /// How it stands.
    pub state: State,
}

/// Every produced path, and every orphan, against what is on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    entries: Vec<Entry>,
    marked: bool,
}

/// The disk could not be compared with.
#[derive(Debug, thiserror::Error)]
#[error("failed to read `{path}`")]
pub struct PlanError {
    /// Path below the output folder.
    pub path: String,
    /// What the file system said.
    pub source: io::Error,
}

/// What a plan was doing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writing texts beside their places.
    Stage,
    /// Moving texts to their places.
    Commit,
    /// Removing orphans.
    Remove,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stage => "write a new version of",
            Self::Commit => "replace",
            Self::Remove => "remove",
        })
    }
}

/// The plan was not carried out completely. Every file is either as it was or as it should be; running again
/// completes it.
#[derive(Debug, thiserror::Error)]
#[error("failed to {step} `{path}`, {}", told(.done))]
pub struct ApplyError {
    /// What failed.
    pub step: Step,
    /// Path below the output folder.
    pub path: String,
    /// What had been done before.
    pub done: Summary,
    /// What the file system said.
    pub source: io::Error,
}

fn told(done: &Summary) -> String {
    match done.written.len() + done.removed.len() {
        0 => "no file has changed".to_owned(),
        1 => "1 file had changed before".to_owned(),
        changed => format!("{changed} files had changed before"),
    }
}

/// What applying a plan has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    fresh: usize,
    written: Vec<String>,
    removed: Vec<String>,
}

impl Summary {
    /// Number of files that were fresh and were not touched.
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// Paths that were written, in order.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Orphans that were removed, in order.
    pub fn removed(&self) -> &[String] {
        &self.removed
    }
}

impl Plan {
    /// Compares the files with the disk.
    ///
    /// An orphan is a file that the run did not produce and that lies in a folder of the tool, or is itself a
    /// place of the tool and carries the mark. Hidden files (`.gitkeep`, what desktops and editors leave) are
    /// nobody's orphans.
    pub fn new(files: FileSet, disk: &dyn Disk) -> Result<Self, PlanError> {
        let mut entries = Vec::with_capacity(files.len());
        let mut marked = false;
        let mut orphans = Vec::new();
        let mut roots = files.roots().to_vec();
        for place in files.released() {
            let manifests = match place.as_str() {
                "Cargo.toml" => vec![place.clone()],
                _ => MANIFESTS.map(|manifest| format!("{place}/{manifest}")).to_vec(),
            };
            for manifest in manifests {
                if read(disk, &manifest)?.is_some_and(|text| is_marked(&text)) {
                    roots.push(place.clone());
                    break;
                }
            }
        }
        for root in &roots {
            let failed = |source| PlanError { path: root.clone(), source };
            for path in disk.list(root).map_err(failed)? {
                let name = path.rsplit('/').next().unwrap_or_default();
                if files.get(&path).is_some() || name.starts_with('.') || orphans.contains(&path) {
                    continue;
                }
                let text = read(disk, &path)?.unwrap_or_default();
                let is_marked = is_marked(&text);
                marked |= is_marked;
                if is_marked || (covers(root, &path) && path != *root) {
                    orphans.push(path);
                }
            }
        }
        for (path, text) in files {
            let state = match read(disk, &path)? {
                None => State::Missing { text },
                Some(on_disk) => {
                    marked |= is_marked(&on_disk);
                    if on_disk == text { State::Fresh } else { State::Stale { text, on_disk } }
                }
            };
            entries.push(Entry { path, state });
        }
        orphans.sort_unstable();
        entries.extend(orphans.into_iter().map(|path| Entry { path, state: State::Orphan }));
        Ok(Self { entries, marked })
    }

    /// Produced paths in order, then orphans in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether applying the plan would change nothing.
    pub fn is_fresh(&self) -> bool {
        self.entries.iter().all(|entry| entry.state == State::Fresh)
    }

    /// Files on the disk that applying the plan would replace or remove although nothing there carries the
    /// mark of the generator: the output folder is probably somebody else's.
    pub fn foreign(&self) -> Vec<&str> {
        if self.marked {
            return Vec::new();
        }
        let overwrites = |state: &State| matches!(state, State::Stale { .. } | State::Orphan);
        self.entries
            .iter()
            .filter(|entry| overwrites(&entry.state))
            .map(|entry| entry.path.as_str())
            .collect()
    }

    /// Makes the disk hold exactly the produced files in the places of the tool.
    ///
    /// Every new text is first written beside its place, then all are moved there, then orphans are removed.
    /// Fresh files are not touched. Until the first text is moved, a failure leaves everything as it was.
    pub fn apply(&self, disk: &mut dyn Disk) -> Result<Summary, ApplyError> {
        let changes: Vec<(&str, &str)> = self
            .entries
            .iter()
            .filter_map(|entry| match &entry.state {
                State::Stale { text, .. } | State::Missing { text } => {
                    Some((entry.path.as_str(), text.as_str()))
                }
                State::Fresh | State::Orphan => None,
            })
            .collect();
        let fresh = self.entries.iter().filter(|entry| entry.state == State::Fresh).count();
        let mut done = Summary { fresh, ..Summary::default() };

        let failed = |disk: &mut dyn Disk, step, path: &str, done: &Summary, source| {
            disk.discard();
            ApplyError { step, path: path.to_owned(), done: done.clone(), source }
        };
        if let Err((path, source)) = disk.stage_all(&changes) {
            return Err(failed(disk, Step::Stage, &path, &done, source));
        }
        for (path, _) in &changes {
            if let Err(source) = disk.commit(path) {
                return Err(failed(disk, Step::Commit, path, &done, source));
            }
            done.written.push((*path).to_owned());
        }
        for entry in self.entries.iter().filter(|entry| entry.state == State::Orphan) {
            if let Err(source) = disk.remove(&entry.path) {
                return Err(failed(disk, Step::Remove, &entry.path, &done, source));
            }
            done.removed.push(entry.path.clone());
        }
        Ok(done)
    }
}

/// The text of a file; bytes that are not UTF-8 are replaced, which makes it differ from every produced text.
fn read(disk: &dyn Disk, path: &str) -> Result<Option<String>, PlanError> {
    let bytes = disk.read(path).map_err(|source| PlanError { path: path.to_owned(), source })?;
    Ok(bytes.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}
