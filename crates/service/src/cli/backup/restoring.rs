//! Restoring a backup.

use std::{io::BufRead, path::Path};

use frontdesk_store::{BackupError, BackupTable, Restoration};

use super::{
    archive::{Manifest, Reader, TableEntry, checksum, unreadable},
    cannot, unusable, with_file,
};
use crate::{
    cli::CliError,
    platform::{config::Config, files::FileStorage, secrets::pepper::Peppers, sqlite_file::sqlite_file},
    startup::{self, Lock},
};

/// What the name of a SQLite file ends in until it is complete.
const UNFINISHED: &str = ".restoring";
/// The most that one statement inserts.
const ROWS_AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 1024 * 1024;

/// An installation that was restored.
pub(super) struct Restored {
    pub(super) manifest: Manifest,
    /// The kind of the database that was restored into.
    pub(super) database: &'static str,
}

/// Restores a backup. Whatever prevents it is found before anything is written; if something fails
/// later, what was written is removed.
pub(super) async fn restore(
    config: &Config,
    path: &Path,
    without_pepper: bool,
) -> Result<Restored, CliError> {
    let mut archive = Reader::open(path)?;
    Restoration::check_steps(&archive.manifest.steps).map_err(|error| match error {
        BackupError::Newer { .. } => {
            unusable(format!("{error}; it was written by frontdesk {}", archive.manifest.program))
        }
        other => other.into(),
    })?;
    if !without_pepper && Peppers::lack(&config.keys, &archive.manifest.peppers) {
        return Err(unusable(
            "its API keys and secrets depend on a pepper that is not configured; set keys.pepper \
             (FRONTDESK_KEYS_PEPPER), and keys.previous_pepper if a rotation was under way, to the values of the original; if \
             they are lost, `--without-pepper` restores everything else, and `frontdesk key rotate-pepper \
             --revoke-unconverted` then removes what depends on them",
        ));
    }
    archive.verify()?;
    let database = Target::prepare(config).await?;
    let storage = FileStorage::open(config);
    let failed = |source| CliError::Files(Box::new(source));
    if let Some(place) = storage.occupied().await.map_err(failed)? {
        return Err(CliError::Value {
            flag: "the storage of files",
            problem: format!(
                "{place} is not empty, and nothing is overwritten; name another one, or remove what an interrupted restore has left"
            ),
        });
    }
    let restored = restore_files(&storage, &mut archive).await;
    let restored = match restored {
        Ok(()) => database.restore(&mut archive).await,
        Err(error) => Err(error),
    };
    match restored {
        Ok(database) => Ok(Restored { manifest: archive.manifest, database }),
        Err(error) => {
            for file in &archive.manifest.files {
                // The first error says more than one of removing.
                let _ = storage.delete(&file.key).await;
            }
            Err(error)
        }
    }
}

async fn restore_files(storage: &FileStorage, archive: &mut Reader) -> Result<(), CliError> {
    let failed = |source| CliError::Files(Box::new(source));
    for index in 0..archive.manifest.files.len() {
        let key = archive.manifest.files[index].key.clone();
        let content = archive.file(&key)?;
        storage.put(&key, content.into()).await.map_err(failed)?;
        let stored = storage.get(&key).await.map_err(failed)?.unwrap_or_default();
        if checksum(&stored) != archive.manifest.files[index].sha256 {
            return Err(unusable(format!("the file {key} is another one after it was stored")));
        }
    }
    Ok(())
}

/// The database to restore into.
enum Target {
    /// A SQLite file that does not exist, and the lock that keeps a service from creating it.
    File { url: String, unfinished: std::path::PathBuf, file: std::path::PathBuf, _lock: Lock },
    /// A PostgreSQL database.
    Server { url: String },
}

impl Target {
    async fn prepare(config: &Config) -> Result<Self, CliError> {
        let Some(file) = sqlite_file(config.database.expose()) else {
            let url = config.database.expose().clone();
            // Whether it is empty is seen before files are written.
            Restoration::begin(&url, &[]).await?.abandon().await;
            return Ok(Self::Server { url });
        };
        if file.exists() {
            return Err(BackupError::NotEmpty.into());
        }
        let lock = startup::lock_file(&file)?;
        let unfinished = std::path::PathBuf::from(format!("{}{UNFINISHED}", file.display()));
        remove(&unfinished)?;
        let url = with_file(&config.database, UNFINISHED).expose().clone();
        Ok(Self::File { url, unfinished, file, _lock: lock })
    }

    /// Restores the database, as a whole or not at all.
    async fn restore(self, archive: &mut Reader) -> Result<&'static str, CliError> {
        match &self {
            Self::Server { url } => restore_database(url, archive).await,
            Self::File { url, unfinished, file, .. } => {
                let restored = restore_database(url, archive).await;
                let restored = restored.and_then(|database| {
                    let failed = |source| cannot("cannot name the restored database", source);
                    let synced = std::fs::File::open(unfinished).and_then(|file| file.sync_all());
                    synced.map_err(failed)?;
                    std::fs::rename(unfinished, file).map_err(failed)?;
                    Ok(database)
                });
                if restored.is_err() {
                    remove(unfinished)?;
                }
                restored
            }
        }
    }
}

fn remove(file: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(cannot("cannot remove what an interrupted restore has left", error))
        }
        _ => Ok(()),
    }
}

async fn restore_database(url: &str, archive: &mut Reader) -> Result<&'static str, CliError> {
    let mut restoration = Restoration::begin(url, &archive.manifest.steps).await?;
    let database = restoration.database();
    match fill(&mut restoration, archive).await {
        Ok(()) => restoration.finish().await?,
        Err(error) => {
            restoration.abandon().await;
            return Err(error);
        }
    }
    Ok(database)
}

/// Writes all rows, and compares each table with the backup.
async fn fill(restoration: &mut Restoration, archive: &mut Reader) -> Result<(), CliError> {
    let tables = restoration.tables().to_vec();
    let is_known = |entry: &TableEntry| tables.iter().any(|table| entry.fits(table));
    if let Some(entry) = archive.manifest.tables.iter().find(|entry| !is_known(entry)) {
        let problem = format!("the table {} is not as in its schema", entry.name);
        return Err(BackupError::Unfitting { problem }.into());
    }
    for table in &tables {
        let Some(index) = archive.manifest.tables.iter().position(|entry| entry.fits(table)) else {
            let problem = format!("the table {} is missing", table.name);
            return Err(BackupError::Unfitting { problem }.into());
        };
        insert(restoration, archive, table).await?;
        let entry = &archive.manifest.tables[index];
        let sum = restoration.sum(table).await?;
        if (sum.rows, &sum.sha256) != (entry.rows, &entry.sha256) {
            let problem = format!(
                "the table {} has {} rows with another checksum after its {} rows were written",
                table.name, sum.rows, entry.rows
            );
            return Err(BackupError::Unfitting { problem }.into());
        }
        if let Some(last) = entry.last_number {
            restoration.continue_after(table, last).await?;
        }
    }
    Ok(())
}

async fn insert(
    restoration: &mut Restoration,
    archive: &mut Reader,
    table: &BackupTable,
) -> Result<(), CliError> {
    let mut rows = archive.table(&table.name)?.lines();
    let (mut batch, mut bytes) = (Vec::new(), 0);
    loop {
        let line = rows.next().transpose();
        let line = line.map_err(|error| unreadable(&TableEntry::path(&table.name), &error))?;
        let is_last = line.is_none();
        if let Some(line) = line {
            bytes += line.len();
            batch.push(line);
        }
        if !batch.is_empty() && (is_last || batch.len() == ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE) {
            restoration.insert(table, &batch).await?;
            batch.clear();
            bytes = 0;
        }
        if is_last {
            return Ok(());
        }
    }
}
