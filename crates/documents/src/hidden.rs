//! Counts of the content that a spreadsheet does not show, for warnings to its owner.

use std::collections::BTreeSet;

use crate::warning::{WarningCode, Warnings, counted, listed};

/// Counts of what was not read.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    pub(crate) sheets: usize,
    /// Visible cells with an error instead of a value.
    pub(crate) errors: usize,
    rows: usize,
    columns: usize,
    last_row: Option<u32>,
    seen_columns: BTreeSet<u32>,
}

impl Hidden {
    /// Notes a cell in a hidden row. Cells come row by row.
    pub(crate) fn row(&mut self, row: u32) {
        if self.last_row != Some(row) {
            self.rows += 1;
            self.last_row = Some(row);
        }
    }

    /// Notes a cell in a hidden column.
    pub(crate) fn column(&mut self, column: u32) {
        self.seen_columns.insert(column);
    }

    /// Ends the counts of a sheet.
    pub(crate) fn end_sheet(&mut self) {
        self.columns += self.seen_columns.len();
        self.seen_columns.clear();
        self.last_row = None;
    }

    /// Adds the warnings about what was counted.
    pub(crate) fn warn(&self, warnings: &mut Warnings) {
        let hidden =
            [(self.sheets, "hidden sheet"), (self.rows, "hidden row"), (self.columns, "hidden column")];
        let kinds: Vec<String> = hidden
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| counted(*count, noun))
            .collect();
        if !kinds.is_empty() {
            let total: usize = hidden.iter().map(|(count, _)| count).sum();
            let verb = if total == 1 { "was" } else { "were" };
            warnings.push(
                WarningCode::HiddenContent,
                format!(
                    "{} with content {verb} not read. To use them in answers, show them and upload the file \
                     again.",
                    listed(&kinds)
                ),
            );
        }
        if self.errors > 0 {
            let verb = if self.errors == 1 { "shows an error and was" } else { "show errors and were" };
            warnings
                .push(WarningCode::CellErrors, format!("{} {verb} left out.", counted(self.errors, "cell")));
        }
    }
}
