//! The report: a Markdown table that is also readable as plain text.

/// A table with a title for each column, the first of which holds names and the others numbers.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With these titles, and no rows yet.
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self { rows: vec![titles.iter().map(|title| (*title).to_owned()).collect()] }
    }

    /// Adds a row of as many cells as there are titles.
    pub(crate) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as it stands.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows[0].len();
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = widths.iter().enumerate().map(|(column, width)| {
            if column == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
        });
        let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        let body: String = self.rows[1..].iter().map(line).collect();
        format!("{}{rule}{body}", line(&self.rows[0]))
    }
}

/// A number as a cell; `-` for one that is not known.
pub(crate) fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// The size of a document, in megabytes.
#[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
pub(crate) fn megabytes(bytes: u64) -> String {
    cell(Some(bytes as f64 / 1e6), 2)
}
