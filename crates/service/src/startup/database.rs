//! Opening of the database: its folder, and the lock that prevents two processes from serving one file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use frontdesk_store::{Redacted, Store, StoreError};

use crate::platform::sqlite_file::sqlite_file;

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

/// Opens the database for administration, which needs no lock: the service may be running.
pub(crate) async fn open(url: &Redacted<String>) -> Result<Store, DatabaseError> {
    if let Some(path) = sqlite_file(url.expose()) {
        make_folder(&path)?;
    }
    Store::open(url.expose()).await.map_err(DatabaseError::Open)
}

/// Opens the database for serving. A SQLite file is locked; other databases need no lock.
pub(super) async fn open_to_serve(
    url: &Redacted<String>,
    connections: u32,
) -> Result<(Store, Option<Lock>), DatabaseError> {
    let lock = match sqlite_file(url.expose()) {
        Some(path) => Some(lock_file(&path)?),
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
}
