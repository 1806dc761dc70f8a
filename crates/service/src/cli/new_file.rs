//! Files with data of customers that commands create: a backup of an installation, an archive of an account.
//!
//! Such a file gets its name when it is complete; until then `.partial` is appended to it. No file is
//! replaced.

use std::{
    fs::{File, OpenOptions, Permissions, TryLockError},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use super::CliError;

/// Only its owner may read the file: it has what customers and visitors have entered.
const PERMISSIONS: u32 = 0o600;

/// A file that is being written. It is removed if it does not get its name.
pub(super) struct NewFile {
    file: File,
    /// The flag or argument that names the file.
    flag: &'static str,
    path: PathBuf,
    partial: PathBuf,
    is_complete: bool,
}

impl NewFile {
    /// Creates the file, or takes over what an earlier command has left that was interrupted. `flag` is the
    /// flag or argument that names it.
    pub(super) fn create(flag: &'static str, path: &Path) -> Result<Self, CliError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let partial = PathBuf::from(name);
        let new = loop {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).read(true).write(true).mode(PERMISSIONS);
            let file = options.open(&partial).map_err(not_created)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let problem = "another command is writing it".to_owned();
                    return Err(CliError::Value { flag, problem });
                }
                Err(TryLockError::Error(source)) => return Err(not_created(source)),
            }
            // Another command may have given the file its name, or removed it, before it was locked.
            if is_at(&file, &partial).map_err(not_created)? {
                break Self { file, flag, path: path.to_owned(), partial, is_complete: false };
            }
        };
        // From here on, an error removes the file.
        refuse_existing(flag, path)?;
        let own = Permissions::from_mode(PERMISSIONS);
        new.file.set_permissions(own).and_then(|()| new.file.set_len(0)).map_err(not_created)?;
        Ok(new)
    }

    /// Returns the file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the path of the file until it is complete.
    pub(super) fn partial_path(&self) -> &Path {
        &self.partial
    }

    /// Gives the file its name, for good.
    pub(super) fn finish(mut self) -> Result<(), CliError> {
        let failed = |source| CliError::System { what: "cannot name the new file", source };
        self.file.sync_all().map_err(failed)?;
        refuse_existing(self.flag, &self.path)?;
        std::fs::rename(&self.partial, &self.path).map_err(failed)?;
        self.is_complete = true;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // The name is in the folder.
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_complete {
            // What is incomplete is of no use. If it cannot be removed either, the first error says more.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// Returns whether a path leads to an open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match path.symlink_metadata() {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn refuse_existing(flag: &'static str, path: &Path) -> Result<(), CliError> {
    match path.symlink_metadata() {
        Ok(_) => {
            let problem = "it exists already, and nothing is overwritten; name another file".to_owned();
            Err(CliError::Value { flag, problem })
        }
        Err(_) => Ok(()),
    }
}

fn not_created(source: io::Error) -> CliError {
    CliError::System { what: "cannot create the file", source }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::Barrier};

    use super::*;

    #[test]
    fn a_file_that_got_its_name_meanwhile_is_not_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let (partial, path) = (folder.path().join("a.partial"), folder.path().join("a"));
        let opened = File::create(&partial).unwrap();
        assert!(is_at(&opened, &partial).unwrap());
        std::fs::rename(&partial, &path).unwrap();
        assert!(!is_at(&opened, &partial).unwrap());
        File::create(&partial).unwrap();
        assert!(!is_at(&opened, &partial).unwrap());
    }

    #[test]
    fn commands_at_the_same_time_leave_one_complete_file() {
        for _ in 0..200 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            let together = Barrier::new(4);
            let finished = std::thread::scope(|scope| {
                let write = || {
                    together.wait();
                    let file = NewFile::create("--to", &path)?;
                    file.file().write_all(b"complete").unwrap();
                    file.finish()
                };
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(write)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).count()
            });
            assert_eq!((finished, std::fs::read(&path).unwrap().as_slice()), (1, &b"complete"[..]));
            assert!(!folder.path().join("a.partial").exists());
        }
    }
}
