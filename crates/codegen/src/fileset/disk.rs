//! What a run needs of a file system. The real one belongs to the command that runs the generator.

use std::collections::BTreeMap;
use std::io;

/// A folder with files, named by paths relative to it with `/` between their parts.
///
/// Writing has two steps, so that a full disk is noticed before the first file has changed: every text is
/// [staged](Self::stage) beside its place, then each is [moved](Self::commit) there in one step of the file
/// system.
pub trait Disk {
    /// The bytes of a file, or `None` if there is none at this path.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Every file at or below this path: itself if it is a file, nothing if it does not exist. Symbolic links
    /// are not followed.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;

    /// Keeps a text beside the place where it is to go, on the same file system. What is there now stays
    /// until [`commit`](Self::commit); what is never committed is given up when the disk is dropped.
    fn stage(&mut self, path: &str, text: &str) -> io::Result<()>;

    /// Stages many texts, in any order. A failure tells the path that failed; others may be staged then.
    fn stage_all(&mut self, files: &[(&str, &str)]) -> Result<(), (String, io::Error)> {
        files.iter().try_for_each(|(path, text)| {
            self.stage(path, text).map_err(|source| ((*path).to_owned(), source))
        })
    }

    /// Moves the staged text of this path to its place. Readers see the old file or the new one, nothing
    /// between.
    fn commit(&mut self, path: &str) -> io::Result<()>;

    /// Gives up every text that is staged and not committed.
    fn discard(&mut self);

    /// Removes a file, and the folders that it leaves empty.
    fn remove(&mut self, path: &str) -> io::Result<()>;
}

/// Files held in memory, for tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk {
    files: BTreeMap<String, Vec<u8>>,
    staged: BTreeMap<String, Vec<u8>>,
}

impl MemoryDisk {
    /// A disk without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The disk with one more file; a file of the same path is replaced.
    pub fn with(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), bytes.into());
        self
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }
}

impl Disk for MemoryDisk {
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.files.get(path).cloned())
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        Ok(self.files.keys().filter(|file| super::covers(path, file)).cloned().collect())
    }

    fn stage(&mut self, path: &str, text: &str) -> io::Result<()> {
        self.staged.insert(path.to_owned(), text.as_bytes().to_vec());
        Ok(())
    }

    fn commit(&mut self, path: &str) -> io::Result<()> {
        let bytes =
            self.staged.remove(path).ok_or_else(|| io::Error::other("nothing is staged for this path"))?;
        self.files.insert(path.to_owned(), bytes);
        Ok(())
    }

    fn discard(&mut self) {
        self.staged.clear();
    }

    fn remove(&mut self, path: &str) -> io::Result<()> {
        self.files.remove(path).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
