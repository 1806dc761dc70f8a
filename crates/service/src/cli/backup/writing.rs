//! Writing a backup.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{BufWriter, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use frontdesk_store::{BackupError, Snapshot};

use super::{
    archive::{FileEntry, Manifest, Reader, TableEntry, Writer},
    cannot,
};
use crate::{cli::CliError, config::Config, files::FileStorage, pepper::Peppers, sqlite_file::sqlite_file};

/// Only its owner may read a backup: it has everything that customers and visitors have entered.
const PERMISSIONS: u32 = 0o600;

/// A backup that is complete.
pub(super) struct Written {
    pub(super) manifest: Manifest,
    pub(super) bytes: u64,
}

/// Writes a backup. The file appears under its name when it is complete and was read again; one that exists is not replaced.
pub(super) async fn write(config: &Config, path: &Path) -> Result<Written, CliError> {
    if let Some(file) = sqlite_file(config.database.expose())
        && !file.exists()
    {
        return Err(BackupError::NothingThere.into());
    }
    refuse_existing(path)?;
    let partial = Partial::create(path)?;
    let snapshot = Snapshot::open(config.database.expose()).await?;
    copy(config, snapshot, &partial).await?;
    let mut written = Reader::open(&partial.path)?;
    written.verify()?;
    let bytes = partial.file.metadata().map_err(|source| cannot("cannot read the backup", source))?.len();
    partial.finish(path)?;
    Ok(Written { manifest: written.manifest, bytes })
}

async fn copy(config: &Config, mut snapshot: Snapshot, partial: &Partial) -> Result<(), CliError> {
    snapshot.check().await?;
    let peppers = Peppers::needed_by(&mut snapshot).await?;
    let mut manifest = Manifest::new(snapshot.database(), snapshot.steps(), peppers);
    let mut archive = Writer::new(BufWriter::new(&partial.file));
    for table in snapshot.tables().to_vec() {
        let sum = snapshot.copy(&table, archive.table(&table.name)?).await?;
        manifest.tables.push(TableEntry {
            last_number: snapshot.last_number(&table).await?,
            name: table.name,
            columns: table.columns,
            rows: sum.rows,
            sha256: sum.sha256,
        });
    }
    let keys = snapshot.object_keys().await?;
    // What follows is not read from the database, which can begin its log anew.
    snapshot.close().await?;
    let storage = FileStorage::open(config);
    for key in keys {
        // A file may have been deleted since the snapshot, with the row that names it.
        match storage.get(&key).await.map_err(|source| CliError::Files(Box::new(source)))? {
            Some(content) => {
                archive.file(&key, &content)?;
                manifest.files.push(FileEntry::of(&key, &content));
            }
            None => manifest.missing_files.push(key),
        }
    }
    if manifest.files.is_empty() && !manifest.missing_files.is_empty() {
        let missing = manifest.missing_files.len();
        let problem = format!(
            "it has none of the {missing} files that the database names; is files.directory, or the bucket, that of the service?"
        );
        return Err(CliError::Value { flag: "the storage of files", problem });
    }
    let mut buffer = archive.finish(&manifest)?;
    let finished = buffer.flush().and_then(|()| partial.file.sync_all());
    finished.map_err(|source| cannot("cannot write the backup", source))
}

fn refuse_existing(path: &Path) -> Result<(), CliError> {
    match path.symlink_metadata() {
        Ok(_) => {
            let problem = "it exists already, and nothing is overwritten; name another file".to_owned();
            Err(CliError::Value { flag: "FILE", problem })
        }
        Err(_) => Ok(()),
    }
}

/// The file until it is complete. It is removed if it does not get there.
struct Partial {
    file: File,
    path: PathBuf,
    is_complete: bool,
}

impl Partial {
    /// Creates the file, or takes over what an earlier backup has left that was interrupted.
    fn create(path: &Path) -> Result<Self, CliError> {
        let failed = |source| cannot("cannot create the backup", source);
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true).mode(PERMISSIONS);
        let file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let problem = "another backup is being written to it".to_owned();
                return Err(CliError::Value { flag: "FILE", problem });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let own = std::fs::Permissions::from_mode(PERMISSIONS);
        file.set_permissions(own).and_then(|()| file.set_len(0)).map_err(failed)?;
        Ok(Self { file, path, is_complete: false })
    }

    /// Gives the file its name, for good.
    fn finish(mut self, path: &Path) -> Result<(), CliError> {
        refuse_existing(path)?;
        let failed = |source| cannot("cannot name the backup", source);
        std::fs::rename(&self.path, path).map_err(failed)?;
        self.is_complete = true;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // The name is in the folder.
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_complete {
            // What is incomplete is of no use. If it cannot be removed either, the first error says more.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
