//! Opening of the database: its folder, and the lock that prevents two processes from serving one file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use frontdesk_store::{Redacted, Store, StoreError};

use crate::platform::sqlite_file::sqlite_file;

/// The first bytes of every SQLite database.
const SQLITE_HEAD: &[u8] = b"SQLite format 3\0";

/// Why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The folder of the file cannot be created.
    #[error("cannot create the folder {} for the database", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The lock file cannot be used.
    #[error("cannot lock the database with {}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Another process serves the same file.
    #[error(
        "another process is serving the database ({} is locked); stop it first, or use PostgreSQL to run several",
        path.display()
    )]
    InUse {
        /// The lock file.
        path: PathBuf,
    },
    /// There is no database.
    #[error(
        "there is no database {}; check --database and the current folder, or start the service, which creates it",
        path.display()
    )]
    Missing {
        /// The file that does not exist.
        path: PathBuf,
    },
    /// Something else is where the database should be.
    #[error("{} is not a SQLite database", path.display())]
    OtherFile {
        /// What it is not.
        path: PathBuf,
    },
    /// The database cannot be opened.
    #[error("cannot use the database given by --database")]
    Open(#[source] StoreError),
}

/// Lock of a SQLite file that this process serves. The operating system releases it when the process ends for
/// any reason.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Opens the database for administration, which needs no lock: the service may be running. It has to be there
/// and up to date: a mistyped name must not create another database, and a command of a newer version must
/// not change the one that an older service works with.
pub(crate) async fn open(url: &Redacted<String>) -> Result<Store, DatabaseError> {
    if let Some(path) = sqlite_file(url.expose()) {
        if !path.exists() {
            return Err(DatabaseError::Missing { path });
        }
        check_file(&path)?;
    }
    Store::open_existing(url.expose()).await.map_err(DatabaseError::Open)
}

/// Opens the database for the first account, which may come before the service: creates it if it is missing.
pub(crate) async fn open_or_create(url: &Redacted<String>) -> Result<Store, DatabaseError> {
    if let Some(path) = sqlite_file(url.expose()) {
        check_file(&path)?;
        make_folder(&path)?;
    }
    Store::open_existing_or_new(url.expose()).await.map_err(DatabaseError::Open)
}

/// Refuses what is there and cannot be a SQLite database. The driver would try for as long as it waits for a
/// connection, and then tell only that it has waited.
fn check_file(path: &Path) -> Result<(), DatabaseError> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SQLITE_HEAD.len() as u64).read_to_end(&mut head));
    match read {
        // An empty file is an empty database.
        Ok(_) if head.is_empty() || head == SQLITE_HEAD => Ok(()),
        Ok(_) => Err(DatabaseError::OtherFile { path: path.to_owned() }),
        Err(error) if error.kind() == ErrorKind::IsADirectory => {
            Err(DatabaseError::OtherFile { path: path.to_owned() })
        }
        // The driver tells what it cannot open.
        Err(_) => Ok(()),
    }
}

/// Opens the database for serving. A SQLite file is locked; other databases need no lock.
pub(super) async fn open_to_serve(
    url: &Redacted<String>,
    connections: u32,
) -> Result<(Store, Option<Lock>), DatabaseError> {
    let lock = match sqlite_file(url.expose()) {
        Some(path) => {
            check_file(&path)?;
            Some(lock_file(&path)?)
        }
        None => None,
    };
    let store = Store::open_with_connections(url.expose(), connections).await.map_err(DatabaseError::Open)?;
    Ok((store, lock))
}

/// Locks a SQLite file, which need not exist, so that no service can use it.
pub(crate) fn lock_file(file: &Path) -> Result<Lock, DatabaseError> {
    make_folder(file)?;
    lock(file)
}

fn make_folder(file: &Path) -> Result<(), DatabaseError> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .map_err(|source| DatabaseError::Folder { path: folder.to_owned(), source })
}

fn lock(file: &Path) -> Result<Lock, DatabaseError> {
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let failed = |source| DatabaseError::Lock { path: path.clone(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Lock { _file: file }),
        Err(TryLockError::WouldBlock) => Err(DatabaseError::InUse { path }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_served_by_one_process_and_administered_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let url = Redacted::new(format!("sqlite:{}/deep/er/test.db", folder.path().display()));
        let (store, lock) = open_to_serve(&url, 1).await.unwrap();
        assert!(lock.is_some());
        assert!(matches!(open_to_serve(&url, 1).await, Err(DatabaseError::InUse { .. })));
        assert!(open(&url).await.is_ok());
        store.close().await;
        drop(lock);
        assert!(open_to_serve(&url, 1).await.is_ok());
    }

    #[tokio::test]
    async fn only_the_service_and_the_first_account_create_a_database() {
        let folder = tempfile::tempdir().unwrap();
        let url = Redacted::new(format!("sqlite:{}/deep/test.db", folder.path().display()));
        assert!(matches!(open(&url).await, Err(DatabaseError::Missing { .. })));
        assert!(!folder.path().join("deep").exists());
        open_or_create(&url).await.unwrap().close().await;
        open(&url).await.unwrap();
    }

    #[tokio::test]
    async fn a_file_of_another_kind_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.txt");
        std::fs::write(&file, "These are notes, and longer than the head of a database.").unwrap();
        for path in [file.as_path(), folder.path()] {
            let url = Redacted::new(format!("sqlite:{}", path.display()));
            assert!(matches!(open(&url).await, Err(DatabaseError::OtherFile { .. })));
            assert!(matches!(open_or_create(&url).await, Err(DatabaseError::OtherFile { .. })));
            assert!(matches!(open_to_serve(&url, 1).await, Err(DatabaseError::OtherFile { .. })));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no lock is left beside it");
    }
}
