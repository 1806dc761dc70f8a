//! The two SQL dialects, and the choice between statements written for them.

use crate::sql::error::StoreError;

/// A SQL dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Returns the dialect of the database that a URL names.
    pub(crate) fn of_url(url: &str) -> Result<Self, StoreError> {
        match url.split_once(':') {
            Some(("sqlite", path)) if !path.trim_start_matches('/').is_empty() => Ok(Self::Sqlite),
            Some(("sqlite", _)) => Err(StoreError::InvalidUrl { problem: "it names no file".into() }),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            _ => Err(StoreError::InvalidUrl { problem: "its scheme is not known".into() }),
        }
    }

    /// Returns the statement that is written for this dialect.
    pub(crate) const fn pick(self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}
