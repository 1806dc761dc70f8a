//! Texts of a run, and what writing them would change: fresh, stale, missing, orphan.
//!
//! ```
//! use frontdesk_codegen::fileset::{FileSet, MemoryDisk, Plan};
//!
//! let mut files = FileSet::owning(["model"]);
//! files.insert("model/src/lib.rs", "// @generated\n")?;
//! let mut disk = MemoryDisk::new().with("model/src/old.rs", "// @generated\n");
//!
//! let summary = Plan::new(files, &disk)?.apply(&mut disk)?;
//!
//! assert_eq!((summary.written().len(), summary.removed().len()), (1, 1));
//! assert_eq!(disk.paths(), ["model/src/lib.rs"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`FileSet`]: the texts, each with its path below the output folder, and the places that belong to the
//!   tool.
//! - [`Disk`]: what a run needs of a file system; [`MemoryDisk`] for tests.
//! - [`Plan`]: the texts against a disk. Writing, checking and the drift test share it.
//! - [`Report`]: how a plan and the [`Summary`] of its application are reported.

mod disk;
mod length;
mod plan;
mod report;

use std::collections::BTreeMap;
use std::collections::btree_map;

pub use disk::{Disk, MemoryDisk};
pub use plan::{ApplyError, Entry, Plan, PlanError, State, Step, Summary};
pub use report::Report;

/// The mark in the first lines of every generated file that has comments.
pub const GENERATED_MARK: &str = "@generated";

/// Lines from the top of a file among which the mark must stand.
const MARKED_LINES: usize = 3;

/// Whether a text says of itself that it is generated.
pub fn is_marked(text: &str) -> bool {
    text.lines().take(MARKED_LINES).any(|line| line.contains(GENERATED_MARK))
}

/// The texts of a run by path, and the places below the output folder that belong to the tool.
///
/// Paths are relative to the output folder, with `/` between their parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSet {
    roots: Vec<String>,
    /// Places that belong to the tool only while they carry its mark.
    released: Vec<String>,
    files: BTreeMap<String, String>,
    /// Paths by their lower-case form.
    folded: BTreeMap<String, String>,
}

/// Why a file cannot be part of a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileSetError {
    /// Two emitters gave a file of the same path, letter case aside: some file systems hold only one of them.
    #[error("`{path}` is produced twice: as `{path}` and as `{earlier}`")]
    Twice {
        /// The path that came second.
        path: String,
        /// The path that came first.
        earlier: String,
    },
    /// The path would leave the output folder, or not be the same on every system.
    #[error("`{path}` is not a plain relative path with `/` between its parts")]
    Path {
        /// The path.
        path: String,
    },
    /// The file lies outside of the places that belong to the tool, where nothing would remove it once it is
    /// an orphan.
    #[error("`{path}` lies outside of the places that belong to the generator")]
    Outside {
        /// The path.
        path: String,
    },
}

impl FileSet {
    /// No files yet, and these places for them. A place is a folder, all of which belongs to the tool, or a
    /// single file.
    pub fn owning<R: Into<String>>(roots: impl IntoIterator<Item = R>) -> Self {
        Self { roots: roots.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds places that other options of the tool own. What a run with those options has left there is an
    /// orphan; anything else is somebody else's. A folder was left by the tool if the manifest in it carries
    /// the mark.
    pub fn releasing<R: Into<String>>(mut self, places: impl IntoIterator<Item = R>) -> Self {
        let places = places.into_iter().map(Into::into).filter(|place| !self.roots.contains(place));
        self.released = places.collect();
        self
    }

    /// Adds a file. Its text ends with a line break, or is empty.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) -> Result<(), FileSetError> {
        let path = path.into();
        let plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !plain || path.contains(['\\', ':', '\0']) {
            return Err(FileSetError::Path { path });
        }
        if !self.roots.iter().any(|root| covers(root, &path)) {
            return Err(FileSetError::Outside { path });
        }
        let folded = path.to_lowercase();
        if let Some(earlier) = self.folded.get(&folded) {
            return Err(FileSetError::Twice { earlier: earlier.clone(), path });
        }
        self.folded.insert(folded, path.clone());
        self.files.insert(path, text.into());
        Ok(())
    }

    /// The places that belong to the tool.
    pub fn roots(&self) -> &[String] {
        &self.roots
    }

    /// The places that belong to the tool only while they carry its mark.
    pub(super) fn released(&self) -> &[String] {
        &self.released
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Paths and texts, ordered by path.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl IntoIterator for FileSet {
    type Item = (String, String);
    type IntoIter = btree_map::IntoIter<String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.files.into_iter()
    }
}

/// Whether a path is the root or lies below it.
fn covers(root: &str, path: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
