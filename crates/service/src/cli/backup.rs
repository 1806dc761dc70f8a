//! `frontdesk backup` and `frontdesk restore`: a whole installation as one file, and an installation from
//! such a file.
//!
//! - `archive` is the format of the file.
//! - `writing` makes one while the service runs, and reads it again before it gets its name.
//! - `restoring` checks a file from its first to its last byte before it writes anything, and compares what
//!   it has written.

mod archive;
mod restoring;
mod writing;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use frontdesk_store::Redacted;
use serde_json::json;

use self::{restoring::Restored, writing::Written};
use super::{CliError, flags::SettingFlags, output::Output};
use crate::platform::config::Config;

#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The file to create; it is readable by its owner only
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) settings: SettingFlags,
}

#[derive(Debug, Args)]
pub(super) struct Restore {
    /// A file that `frontdesk backup` has written
    pub(super) file: PathBuf,
    /// Restore even though the pepper of the backup is not configured: API keys and encrypted secrets will be
    /// of no use
    #[arg(long)]
    pub(super) without_pepper: bool,
    #[command(flatten)]
    pub(super) settings: SettingFlags,
}

/// Writes a backup and says what is in it.
pub(super) async fn back_up<W: Write>(
    file: &Path,
    config: &Config,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let Written { manifest, bytes } = writing::write(config, file).await?;
    let (tables, rows, files) = (manifest.tables.len(), manifest.rows(), manifest.files.len());
    let missing: Vec<&str> = manifest.missing_files.iter().map(String::as_str).collect();
    let mut sentence = format!(
        "{rows} rows of {tables} tables and {files} files were written to {} ({bytes} bytes), read again and found complete.",
        file.display()
    );
    if !missing.is_empty() {
        sentence.push_str(&format!(
            "\nMissing are {} files that the database names and the storage does not have: {}",
            missing.len(),
            missing.join(", ")
        ));
    }
    if manifest.needs_pepper() {
        sentence.push_str(
            "\nThe backup does not include the pepper: keep keys.pepper elsewhere, because restoring needs it.",
        );
    } else {
        sentence.push_str(
            "\nWhoever has the file has all secrets of the installation: protect it like the database.",
        );
    }
    let record = vec![
        ("backup", json!(file)),
        ("bytes", json!(bytes)),
        ("tables", json!(tables)),
        ("rows", json!(rows)),
        ("files", json!(files)),
        ("missing_files", json!(missing)),
        ("needs_pepper", json!(manifest.needs_pepper())),
    ];
    output.done(&sentence, record)
}

/// Restores a backup and says what was proved.
pub(super) async fn restore<W: Write>(
    file: &Path,
    without_pepper: bool,
    config: &Config,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let Restored { manifest, database } = restoring::restore(config, file, without_pepper).await?;
    let (tables, rows, files) = (manifest.tables.len(), manifest.rows(), manifest.files.len());
    let mut sentence = format!(
        "{rows} rows of {tables} tables and {files} files were restored. Each table and each file was read again and has the \
         checksum that it had when the backup was made, at {}.\nThe restored service does what the original does: it sends \
         what is due, fetches e-mails and delivers events. Do not run both.",
        manifest.created_at
    );
    if !manifest.missing_files.is_empty() {
        let missing = manifest.missing_files.len();
        sentence.push_str(&format!("\nThe backup lacks {missing} files that its database names."));
    }
    let record = vec![
        ("restored", json!(file)),
        ("created_at", json!(manifest.created_at)),
        ("from_database", json!(manifest.database)),
        ("database", json!(database)),
        ("tables", json!(tables)),
        ("rows", json!(rows)),
        ("files", json!(files)),
        ("missing_files", json!(manifest.missing_files)),
    ];
    output.done(&sentence, record)
}

/// A file that cannot be written or read.
fn cannot(what: &'static str, source: std::io::Error) -> CliError {
    CliError::System { what, source }
}

/// Returns the error of a file that cannot be used as a backup.
fn unusable(problem: impl Into<String>) -> CliError {
    CliError::Value { flag: "the backup", problem: problem.into() }
}

/// The URL of a SQLite database with another file.
fn with_file(url: &Redacted<String>, suffix: &str) -> Redacted<String> {
    Redacted::new(match url.expose().split_once('?') {
        Some((path, parameters)) => format!("{path}{suffix}?{parameters}"),
        None => format!("{}{suffix}", url.expose()),
    })
}
