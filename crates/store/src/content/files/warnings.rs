//! Warnings about a file: the parts that its text lacks, stored as a JSON list.

use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::sql::nul::replace_nul;
use crate::sql::record::{Column, unreadable};

/// A part of a file that is missing from its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWarning {
    /// A short name of the reason.
    pub code: String,
    /// The reason in words.
    pub message: String,
}

/// Everything that is missing from the text of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileWarnings(pub Vec<FileWarning>);

impl FileWarnings {
    /// Returns the stored form; `None` if nothing is missing.
    pub(super) fn stored(&self) -> Option<String> {
        let stored = |warning: &FileWarning| FileWarning {
            code: warning.code.clone(),
            message: replace_nul(&warning.message),
        };
        let warnings: Vec<FileWarning> = self.0.iter().map(stored).collect();
        (!warnings.is_empty()).then(|| serde_json::json!(warnings).to_string())
    }
}

impl Column for FileWarnings {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let text: Option<String> = row.try_get(name)?;
        text.map_or(Ok(Self::default()), |text| {
            serde_json::from_str(&text).map(Self).map_err(|error| unreadable(name, error))
        })
    }
}
