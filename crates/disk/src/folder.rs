//! File system access: a folder that the generator writes to, and a folder that documents are read from.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use frontdesk_codegen::fileset::Disk;
use frontdesk_document::{LoadError, Loader};
use fs_err as fs;
use tempfile::TempPath;

use crate::paths::{canonical, relative};

/// The minimum number of files for which another thread is worthwhile.
const MIN_SHARE: usize = 64;

/// An output folder. It is created when the first file is staged.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Staged files, closed because a large document has more files than a process may keep open.
    staged: BTreeMap<String, TempPath>,
}

impl Folder {
    /// Returns the folder at this path, which does not have to exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), staged: BTreeMap::new() }
    }

    /// Writes all files in this order. Each is staged next to its path first, so a failure while staging
    /// leaves everything unchanged and names the path.
    pub fn write(&mut self, files: &[(&str, &str)]) -> Result<(), (String, io::Error)> {
        self.stage_all(files).inspect_err(|_| self.discard())?;
        files.iter().try_for_each(|(path, _)| self.commit(path).map_err(|error| ((*path).to_owned(), error)))
    }

    fn place(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a text to a temporary file next to its path.
    fn beside(&self, path: &str, text: &str) -> io::Result<TempPath> {
        let place = self.place(path);
        // A name that is too long, or is that of a folder, would fail only when other files are in their
        // places.
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder has this name"));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let folder = place.parent().unwrap_or(&self.root);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".codegen-");
        #[cfg(unix)]
        {
            // Temporary files are private by default; the umask still applies.
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let made = match builder.tempfile_in(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder)?;
                builder.tempfile_in(folder)
            }
            made => made,
        };
        let mut file = made?;
        file.write_all(text.as_bytes())?;
        Ok(file.into_temp_path())
    }

    /// Removes empty parent folders of a path, up to the root.
    fn prune(&self, path: &str) {
        let place = self.place(path);
        let folders = place
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != self.root && folder.starts_with(&self.root));
        for folder in folders {
            // A folder that is not empty is kept, and ends the loop.
            if std::fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }

    fn collect(&self, path: &str, found: &mut Vec<String>) -> io::Result<()> {
        let place = self.place(path);
        let kind = match fs::symlink_metadata(&place) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        if !kind.is_dir() {
            found.push(path.to_owned());
            return Ok(());
        }
        for entry in fs::read_dir(&place)? {
            let name = entry?.file_name();
            let name = name.to_str().ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!(
                        "`{}` contains a file whose name is not UTF-8; rename or remove it",
                        place.display()
                    ),
                )
            })?;
            self.collect(&format!("{path}/{name}"), found)?;
        }
        Ok(())
    }
}

impl Disk for Folder {
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.place(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        self.collect(path, &mut found)?;
        found.sort_unstable();
        Ok(found)
    }

    fn stage(&mut self, path: &str, text: &str) -> io::Result<()> {
        let file = self.beside(path, text)?;
        self.staged.insert(path.to_owned(), file);
        Ok(())
    }

    /// Stages with several threads, because a large document has thousands of files.
    fn stage_all(&mut self, files: &[(&str, &str)]) -> Result<(), (String, io::Error)> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = files.len().div_ceil(threads).max(MIN_SHARE);
        let folder = &*self;
        let write = |(path, text): &(&str, &str)| match folder.beside(path, text) {
            Ok(file) => Ok(((*path).to_owned(), file)),
            Err(error) => Err(((*path).to_owned(), error)),
        };
        let made: Vec<Result<Vec<_>, _>> = thread::scope(|scope| {
            let shares: Vec<_> = files
                .chunks(share)
                .map(|share| scope.spawn(move || share.iter().map(write).collect::<Result<Vec<_>, _>>()))
                .collect();
            let joined = shares.into_iter().map(ScopedJoinHandle::join);
            joined.map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        let mut failure = None;
        for made in made {
            match made {
                Ok(files) => self.staged.extend(files),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let Some(failure) = failure else { return Ok(()) };
        // If a thread fails, its staged files are discarded, and folders that it created remain.
        for (path, _) in files {
            self.prune(path);
        }
        Err(failure)
    }

    fn commit(&mut self, path: &str) -> io::Result<()> {
        let file =
            self.staged.remove(path).ok_or_else(|| io::Error::other("nothing is staged for this path"))?;
        file.persist(self.place(path)).map_err(|failure| failure.error)
    }

    fn discard(&mut self) {
        for (path, file) in std::mem::take(&mut self.staged) {
            drop(file);
            self.prune(&path);
        }
    }

    fn remove(&mut self, path: &str) -> io::Result<()> {
        fs::remove_file(self.place(path))?;
        self.prune(path);
        Ok(())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A reader of document files from disk. It reads only files inside given folders, so that a foreign document
/// cannot include other files of this machine in the generated code.
#[derive(Clone, Debug)]
pub struct FolderLoader {
    base: PathBuf,
    within: PathBuf,
    /// URL prefixes, and the folders with copies of the files there.
    copies: Vec<(String, PathBuf)>,
}

impl FolderLoader {
    /// Returns a loader of paths relative to `base`, limited to files inside `within`, which is canonical.
    pub fn new(base: impl Into<PathBuf>, within: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), within: within.into(), copies: Vec::new() }
    }

    /// Adds a folder with copies of the files whose URLs begin with `address`. Files inside it may be read
    /// too. The folder is canonical; if several prefixes match, the longest applies.
    pub fn with_copies(mut self, address: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        self.copies.push((address.into(), folder.into()));
        self.copies.sort_by_key(|(address, _)| std::cmp::Reverse(address.len()));
        self
    }

    /// Returns the loader for a document. It may read files inside `started_in`, or, if the document is
    /// elsewhere, inside the document's folder or repository.
    pub fn for_document(document: &Path, started_in: &Path) -> io::Result<Self> {
        let (document, started_in) = (canonical(&started_in.join(document))?, canonical(started_in)?);
        let own = document.parent().unwrap_or(&document);
        let within = if document.starts_with(&started_in) {
            &started_in
        } else {
            own.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(own)
        };
        Ok(Self::new(started_in.clone(), within))
    }

    /// Returns the location of a file, or the path itself if it cannot be resolved.
    pub fn place(&self, path: &str) -> PathBuf {
        let place = self.base.join(path);
        canonical(&place).unwrap_or(place)
    }
}

impl Loader for FolderLoader {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        let place = match self.base.join(path).canonicalize() {
            Ok(place) => place,
            Err(error) if is_absent(&error) => return Err(LoadError::NotFound),
            Err(error) => return Err(LoadError::Failed(error.to_string())),
        };
        let mut allowed = self.copies.iter().map(|(_, folder)| folder).chain([&self.within]);
        if !allowed.any(|folder| place.starts_with(folder)) {
            return Err(LoadError::Refused(format!("it is outside of `{}`", self.within.display())));
        }
        if !place.is_file() {
            return Err(LoadError::Refused("it is not a file".to_owned()));
        }
        let bytes = std::fs::read(place).map_err(|error| LoadError::Failed(error.to_string()))?;
        String::from_utf8(bytes).map_err(|_| LoadError::NotText)
    }

    fn local(&self, address: &str) -> Option<String> {
        self.copies.iter().find_map(|(beginning, folder)| {
            let rest = address.strip_prefix(beginning.as_str())?;
            let base = canonical(&self.base).ok()?;
            // The path does not depend on where the folders are, because file names become part of generated
            // code.
            Some(relative(&base, &folder.join(rest.trim_start_matches('/'))))
        })
    }
}

#[cfg(test)]
mod tests;
