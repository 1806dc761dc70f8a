//! Writing a backup.

use std::{
    io::{BufWriter, Write},
    path::Path,
};

use frontdesk_store::{BackupError, Snapshot};

use super::{
    archive::{FileEntry, Manifest, Reader, TableEntry, Writer},
    cannot,
};
use crate::{
    cli::{CliError, new_file::NewFile},
    platform::{config::Config, files::FileStorage, secrets::pepper::Peppers, sqlite_file::sqlite_file},
};

/// A backup that is complete.
pub(super) struct Written {
    pub(super) manifest: Manifest,
    pub(super) bytes: u64,
}

/// Writes a backup. The file appears under its name when it is complete and was read again.
pub(super) async fn write(config: &Config, path: &Path) -> Result<Written, CliError> {
    if let Some(file) = sqlite_file(config.database.expose())
        && !file.exists()
    {
        return Err(BackupError::NothingThere.into());
    }
    let new = NewFile::create("FILE", path)?;
    let snapshot = Snapshot::open(config.database.expose()).await?;
    copy(config, snapshot, &new).await?;
    let mut written = Reader::open(new.partial_path())?;
    written.verify()?;
    let bytes = new.file().metadata().map_err(|source| cannot("cannot read the backup", source))?.len();
    new.finish()?;
    Ok(Written { manifest: written.manifest, bytes })
}

async fn copy(config: &Config, mut snapshot: Snapshot, new: &NewFile) -> Result<(), CliError> {
    snapshot.check().await?;
    let peppers = Peppers::needed_by(&mut snapshot).await?;
    let mut manifest = Manifest::new(snapshot.database(), snapshot.steps(), peppers);
    let mut archive = Writer::new(BufWriter::new(new.file()));
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
    buffer.flush().map_err(|source| cannot("cannot write the backup", source))
}
