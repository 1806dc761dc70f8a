//! Failures of the store that any group can have.

use sqlx::migrate::MigrateError;

/// A failure of the store. "Not there" and "not yours" are no failures: they are `None`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database URL names no supported database.
    #[error(
        "database URL is not usable: {problem}; expected `sqlite:PATH`, `sqlite::memory:` or `postgres://…`"
    )]
    InvalidUrl {
        /// What is wrong with it, without repeating the URL: it may hold a password.
        problem: String,
    },

    /// The database cannot be reached or opened.
    #[error("cannot open the database")]
    Open(#[source] sqlx::Error),

    /// The database was migrated by a newer version of this program.
    #[error(
        "the database has schema version {found}, this program knows versions up to {supported}; run the newer program or restore a backup made before the upgrade"
    )]
    NewerDatabase {
        /// Version found in the database.
        found: i64,
        /// Newest version this program knows.
        supported: i64,
    },

    /// There are no tables of this program.
    #[error("the database is empty; `frontdesk serve` or `frontdesk account create` sets it up")]
    NoInstallation,

    /// The database was not yet brought up to date by this version of the program.
    #[error(
        "the database has schema version {found}, which is older than {supported} of this program; start the service \
         of this version first, which brings it up to date"
    )]
    OlderDatabase {
        /// Version found in the database.
        found: i64,
        /// Version of this program.
        supported: i64,
    },

    /// A migration could not be applied, or an applied one differs from the one in this program.
    #[error("cannot bring the database schema up to date")]
    Migration(#[source] MigrateError),

    /// Another call changed the same entity again and again at the same moment; the same call may succeed
    /// later.
    #[error("the {entity} is being changed by too many calls at once")]
    Contended {
        /// The entity, such as `job`.
        entity: &'static str,
    },

    /// A value breaks a rule of the store.
    #[error("{field} is not acceptable: {problem}")]
    InvalidValue {
        /// The field.
        field: &'static str,
        /// The rule it breaks.
        problem: String,
    },

    /// A stored value cannot be read as what its column should hold.
    #[error("column {column} holds a value that cannot be read")]
    UnreadableValue {
        /// The column.
        column: String,
        /// Why it cannot be read.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The database did not answer in time or the connection broke; the same call may succeed later.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),

    /// The database refused a statement.
    #[error("the database refused a statement")]
    Database(#[source] sqlx::Error),
}

impl StoreError {
    /// Whether the same call may succeed when it is repeated a little later.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Contended { .. })
    }

    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::InvalidValue { field, problem: problem.into() }
    }

    /// Whether the same was stored before under an id that the caller has chosen.
    pub fn is_repeated(&self) -> bool {
        self.is_unique_violation()
    }

    /// Whether what was to be stored belongs to something that is gone.
    pub fn is_orphaned(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_foreign_key_violation())
    }

    /// Whether the database refused a statement because a unique value is taken.
    pub(crate) fn is_unique_violation(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_unique_violation())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::ColumnDecode { index, source } => Self::UnreadableValue { column: index, source },
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            sqlx::Error::Database(ref refused) if is_passing(refused.code().as_deref()) => {
                Self::Unavailable(error)
            }
            other => Self::Database(other),
        }
    }
}

/// Whether SQLite refused a statement because another connection has locked the file, or recovers its log.
pub(crate) fn is_locked(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(refused) = error else { return false };
    matches!(refused.code().as_deref(), Some("5" | "6" | "261" | "262" | "517" | "773"))
}

/// Codes of conditions that pass by themselves. SQLite: busy and locked, in their plain and extended forms,
/// and a full disk.
/// PostgreSQL: connection exceptions (08), serialization failure and deadlock (40), too many connections and
/// out of resources (53), shutdown and restart (57P).
fn is_passing(code: Option<&str>) -> bool {
    let Some(code) = code else { return false };
    matches!(code, "5" | "6" | "13" | "261" | "262" | "517" | "773" | "40001" | "40P01")
        || (code.len() == 5 && ["08", "53", "57P"].iter().any(|class| code.starts_with(class)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_conditions_are_told_from_lasting_ones() {
        for code in ["5", "13", "517", "40001", "40P01", "08006", "53300", "57P01"] {
            assert!(is_passing(Some(code)), "{code}");
        }
        for code in ["19", "2067", "23505", "42P01", "0"] {
            assert!(!is_passing(Some(code)), "{code}");
        }
        assert!(!is_passing(None));
    }
}
