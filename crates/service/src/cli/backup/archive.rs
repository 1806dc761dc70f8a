//! The format of a backup: a zip archive with
//!
//! - `backup.json`, the [`Manifest`]: what is in the archive, with counts and checksums, and what a restore
//!   needs to know;
//! - `tables/NAME.jsonl`: the rows of a table, each as a line with a JSON list of the values of the columns
//!   that the manifest names, ordered by the primary key, or by all columns of a table without one. Texts are
//!   strings, whole numbers are numbers, bytes are strings of hexadecimal digits;
//! - `files/KEY`: the content of uploaded files and attachments.
//!
//! Secrets that the database holds encrypted stay encrypted.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, Write},
    path::Path,
};

use data_encoding::HEXLOWER;
use frontdesk_store::{BackupColumn, BackupTable};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::{cannot, unusable};
use crate::cli::CliError;

/// The version of this format. Programs refuse later ones.
const FORMAT: u32 = 1;
const MANIFEST: &str = "backup.json";
/// Bytes that are hashed at a time.
const BLOCK: usize = 64 * 1024;

/// What is in a backup, and what a restore needs to know.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The version of the format.
    format: u32,
    /// The version of the program that has written it.
    pub(super) program: String,
    /// The moment of the database that it shows.
    pub(super) created_at: Timestamp,
    /// The kind of the database: `sqlite` or `postgres`.
    pub(super) database: String,
    /// The migrations that the database has had.
    pub(super) steps: Vec<i64>,
    /// The check values of the peppers that the operator has configured and that API keys or secrets depend
    /// on.
    pub(super) peppers: Vec<String>,
    pub(super) tables: Vec<TableEntry>,
    pub(super) files: Vec<FileEntry>,
    /// Files that the database names and the storage did not have.
    pub(super) missing_files: Vec<String>,
}

/// A table in a backup.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableEntry {
    pub(super) name: String,
    pub(super) columns: Vec<BackupColumn>,
    pub(super) rows: u64,
    pub(super) sha256: String,
    /// The last number that the database has given to a row, where it counts them.
    pub(super) last_number: Option<i64>,
}

/// A file in a backup.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileEntry {
    pub(super) key: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Manifest {
    pub(super) fn new(database: &str, steps: &[i64], peppers: Vec<String>) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: Timestamp::now(),
            database: database.to_owned(),
            steps: steps.to_vec(),
            peppers,
            tables: Vec::new(),
            files: Vec::new(),
            missing_files: Vec::new(),
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    pub(super) fn needs_pepper(&self) -> bool {
        !self.peppers.is_empty()
    }
}

impl TableEntry {
    pub(super) fn path(name: &str) -> String {
        format!("tables/{name}.jsonl")
    }

    /// Whether a table of a database is this one.
    pub(super) fn fits(&self, table: &BackupTable) -> bool {
        self.name == table.name && self.columns == table.columns
    }
}

impl FileEntry {
    pub(super) fn of(key: &str, content: &[u8]) -> Self {
        Self { key: key.to_owned(), bytes: content.len() as u64, sha256: checksum(content) }
    }

    fn path(key: &str) -> String {
        format!("files/{key}")
    }
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub(super) fn checksum(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// A backup that is being written.
pub(super) struct Writer<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Writer<W> {
    pub(super) fn new(to: W) -> Self {
        Self(ZipWriter::new(to))
    }

    /// Begins the rows of a table, and returns where they go.
    pub(super) fn table(&mut self, name: &str) -> Result<&mut ZipWriter<W>, CliError> {
        self.0.start_file(TableEntry::path(name), texts()).map_err(unwritten)?;
        Ok(&mut self.0)
    }

    /// Writes a file. Most are compressed already.
    pub(super) fn file(&mut self, key: &str, content: &[u8]) -> Result<(), CliError> {
        let options = texts().compression_method(CompressionMethod::Stored);
        self.0.start_file(FileEntry::path(key), options).map_err(unwritten)?;
        self.0.write_all(content).map_err(|source| cannot("cannot write the backup", source))
    }

    /// Writes the manifest, and returns what was written to.
    pub(super) fn finish(mut self, manifest: &Manifest) -> Result<W, CliError> {
        self.0.start_file(MANIFEST, texts()).map_err(unwritten)?;
        let written = serde_json::to_writer_pretty(&mut self.0, manifest).map_err(io::Error::from);
        written.map_err(|source| cannot("cannot write the backup", source))?;
        self.0.finish().map_err(unwritten)
    }
}

fn texts() -> SimpleFileOptions {
    SimpleFileOptions::default().large_file(true)
}

fn unwritten(error: ZipError) -> CliError {
    cannot("cannot write the backup", error.into())
}

/// A backup that is being read.
pub(super) struct Reader {
    archive: ZipArchive<BufReader<File>>,
    pub(super) manifest: Manifest,
}

impl Reader {
    /// Opens a backup and reads its manifest.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let file = File::open(path).map_err(|source| cannot("cannot open the backup", source))?;
        let damaged = |error: ZipError| {
            unusable(format!("it is not a complete archive ({error}); was it copied as a whole?"))
        };
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
        let text = match archive.by_name(MANIFEST) {
            Ok(mut entry) => {
                let mut text = String::new();
                entry.read_to_string(&mut text).map_err(|source| cannot("cannot read the backup", source))?;
                text
            }
            Err(ZipError::FileNotFound) => {
                return Err(unusable("it was not written by `frontdesk backup`: it has no backup.json"));
            }
            Err(error) => return Err(damaged(error)),
        };
        // Read before the rest, whose shape may be another one in a later format.
        let format = serde_json::from_str::<serde_json::Value>(&text).ok();
        let format = format.as_ref().and_then(|manifest| manifest.get("format")?.as_u64());
        if format.is_some_and(|format| format > u64::from(FORMAT)) {
            let format = format.unwrap_or_default();
            return Err(unusable(format!(
                "it has the format {format}, and this program knows formats up to {FORMAT}; restore it with the version of the \
                 program that wrote it, or a later one"
            )));
        }
        let manifest = serde_json::from_str(&text)
            .map_err(|error| unusable(format!("its backup.json cannot be read: {error}")))?;
        Ok(Self { archive, manifest })
    }

    /// Reads everything once, and compares it with the manifest.
    pub(super) fn verify(&mut self) -> Result<(), CliError> {
        let tables = self
            .manifest
            .tables
            .iter()
            .map(|table| (TableEntry::path(&table.name), table.sha256.clone(), Some(table.rows), None));
        let files = self
            .manifest
            .files
            .iter()
            .map(|file| (FileEntry::path(&file.key), file.sha256.clone(), None, Some(file.bytes)));
        let entries: Vec<_> = tables.chain(files).collect();
        for (path, sha256, rows, bytes) in entries {
            let found = self.figures(&path)?;
            let is_complete = found.sha256 == sha256
                && rows.is_none_or(|rows| rows == found.lines)
                && bytes.is_none_or(|bytes| bytes == found.bytes);
            if !is_complete {
                return Err(unusable(format!(
                    "{path} is damaged: its checksum is not the one of backup.json"
                )));
            }
        }
        Ok(())
    }

    fn figures(&mut self, path: &str) -> Result<Figures, CliError> {
        let mut entry = entry(&mut self.archive, path)?;
        let (mut digest, mut lines, mut bytes) = (Sha256::new(), 0, 0);
        let mut block = vec![0; BLOCK];
        loop {
            let read = entry.read(&mut block).map_err(|error| unreadable(path, &error))?;
            if read == 0 {
                break;
            }
            digest.update(&block[..read]);
            lines += (block[..read].split(|byte| *byte == b'\n').count() - 1) as u64;
            bytes += read as u64;
        }
        Ok(Figures { sha256: HEXLOWER.encode(&digest.finalize()), lines, bytes })
    }

    /// Returns the rows of a table, as text to be read line by line.
    pub(super) fn table(&mut self, name: &str) -> Result<impl io::BufRead + '_, CliError> {
        Ok(BufReader::new(entry(&mut self.archive, &TableEntry::path(name))?))
    }

    /// Returns the content of a file.
    pub(super) fn file(&mut self, key: &str) -> Result<Vec<u8>, CliError> {
        let path = FileEntry::path(key);
        let mut content = Vec::new();
        entry(&mut self.archive, &path)?
            .read_to_end(&mut content)
            .map_err(|error| unreadable(&path, &error))?;
        Ok(content)
    }
}

struct Figures {
    sha256: String,
    lines: u64,
    bytes: u64,
}

fn entry<'a>(
    archive: &'a mut ZipArchive<BufReader<File>>,
    path: &str,
) -> Result<zip::read::ZipFile<'a, BufReader<File>>, CliError> {
    archive.by_name(path).map_err(|error| unusable(format!("{path} cannot be read: {error}")))
}

pub(super) fn unreadable(path: &str, error: &io::Error) -> CliError {
    unusable(format!("{path} is damaged: {error}"))
}
