//! Where file texts come from. This crate never touches a disk or a network itself.

use std::collections::BTreeMap;

/// Gives the text of a file.
///
/// Paths are those of the root with relative references applied to them, `/` between their parts, and `.` and
/// `..` resolved as far as they can be: `spec/v1/common.yaml`, or `../shared.yaml` above the root's folder.
/// Which paths may be read is the loader's decision.
pub trait Loader {
    /// Returns the text of the file at `path`.
    fn load(&self, path: &str) -> Result<String, LoadError>;

    /// Returns the path that replaces an address on the network, if there is one. It is given to
    /// [`load`](Self::load), and relative references in its file begin there.
    ///
    /// Addresses are refused unless a loader says otherwise.
    fn local(&self, address: &str) -> Option<String> {
        let _ = address;
        None
    }
}

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// No file exists at this path.
    #[error("no such file")]
    NotFound,
    /// The loader does not let documents read this path, and says why.
    #[error("reading it is refused: {0}")]
    Refused(String),
    /// The file is not UTF-8 text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Reading failed for another reason.
    #[error("{0}")]
    Failed(String),
}

/// Files held in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: BTreeMap<String, String>,
}

impl MemoryLoader {
    /// A loader without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The loader with one more file; a file of the same path is replaced.
    pub fn with(mut self, path: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.insert(path.into(), text.into());
        self
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for MemoryLoader {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }
}

impl Loader for MemoryLoader {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        self.files.get(path).cloned().ok_or(LoadError::NotFound)
    }
}
