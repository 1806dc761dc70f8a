//! Backups: all rows of an installation as texts, read in one snapshot, and written into an empty database of
//! either kind.
//!
//! Both databases have the same tables and columns, so a backup of one can be restored into the other. Which
//! tables and columns there are is read from the catalog of the database, so a backup holds whatever the
//! schema has at its version, and nobody has to name a new table. Left out is what the rows say already, and
//! what a database may forget: indexes of full text, and unlogged tables.
//!
//! - [`Snapshot`] reads a database, which goes on being written meanwhile.
//! - [`Restoration`] makes the schema of the backup, writes its rows, and leaves a database of this program's
//!   version, or none at all.

mod catalog;
mod indexes;
mod restoration;
mod rows;
mod snapshot;

pub use catalog::{BackupColumn, BackupTable, ColumnKind};
pub use restoration::Restoration;
pub use rows::TableSum;
pub use snapshot::Snapshot;

use crate::sql::error::StoreError;

/// Why a database cannot be backed up or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is nothing to back up.
    #[error("the database given by --database is not one of this program: it has no tables")]
    NothingThere,
    /// The database is in memory, so no other process sees it.
    #[error("a database in memory can be neither backed up nor restored")]
    InMemory,
    /// The database to restore into has tables already.
    #[error(
        "the database given by --database is not empty, and nothing is overwritten; name a SQLite file that does not exist, or a \
         PostgreSQL database without tables"
    )]
    NotEmpty,
    /// The database is damaged.
    #[error("the database is damaged: {problem}")]
    Damaged {
        /// What its own check says.
        problem: String,
    },
    /// The schema of a backup is not one that this program has had.
    #[error(
        "it was written by a newer version of this program (its schema has the version {found}, this program knows versions up to \
         {supported}); restore it with that version or a later one"
    )]
    Newer {
        /// The version that is not known.
        found: i64,
        /// The newest version that this program knows.
        supported: i64,
    },
    /// The rows of a backup do not fit the schema that the backup names.
    #[error("it does not fit its schema: {problem}")]
    Unfitting {
        /// What does not fit.
        problem: String,
    },
    /// Where rows are written to, or read from, failed.
    #[error("the archive cannot be written or read")]
    Archive(#[from] std::io::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
