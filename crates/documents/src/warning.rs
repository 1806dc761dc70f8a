//! Warnings to the owner of a file about content that is missing from its text.

use serde::{Deserialize, Serialize};

/// A warning about content that is missing from the text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A short name of the reason, stable across versions.
    pub code: WarningCode,
    /// A complete sentence for the owner of the file.
    pub message: String,
}

/// Why content is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A page or a chapter cannot be read.
    UnreadablePart,
    /// Sheets, rows or columns are hidden.
    HiddenContent,
    /// Cells show errors instead of values.
    CellErrors,
    /// The structure was damaged and had to be repaired.
    Repaired,
}

impl WarningCode {
    /// Returns the name, as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnreadablePart => "unreadable_part",
            Self::HiddenContent => "hidden_content",
            Self::CellErrors => "cell_errors",
            Self::Repaired => "repaired",
        }
    }
}

/// Most warnings of one file; more would not help its owner.
const MAX_WARNINGS: usize = 20;

/// The warnings of a file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<Warning>);

impl Warnings {
    pub(crate) fn push(&mut self, code: WarningCode, message: impl Into<String>) {
        if self.0.len() < MAX_WARNINGS {
            self.0.push(Warning { code, message: message.into() });
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Warning> {
        self.0
    }
}

/// Returns a number with its noun: `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a list in words: `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}
