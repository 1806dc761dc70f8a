//! OpenDocument spreadsheets. The text of a cell is the one that programs display, with units and currencies.
//! Hidden sheets, rows and columns are not read, nor is what a merged cell covers.

use std::collections::HashSet;

use frontdesk_knowledge::BlockKind;

use super::{Meta, meta, open};
use crate::{
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    grid::{Area, Grid, is_in_ranges},
    hidden::Hidden,
    limits::Limits,
    table::{self, Header},
    warning::Warnings,
    xml::{Element, Token, Xml},
};

/// Repetitions of a cell that are kept. Programs fill rows to the last column with thousands of empty ones.
const MAX_REPEATED_CELLS: u32 = 64;

/// Errors that programs show in the place of a value. Others are numbers, such as `Err:502`.
const ERRORS: [&str; 7] = ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"];

/// Reads a spreadsheet.
pub(crate) fn read_spreadsheet(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = open(bytes, limits)?;
    let content = archive.required("content.xml")?;
    let mut xml = Xml::new(&content, limits.xml_depth);
    let mut sheets = Sheets::new(limits);
    let mut hidden_styles = HashSet::new();
    let mut style = None;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) => match element.name.as_str() {
                "annotation" | "tracked-changes" | "shapes" => xml.skip()?,
                "style" => style = element.attribute("name"),
                "table-properties" if element.attribute("display").as_deref() == Some("false") => {
                    hidden_styles.extend(style.take());
                }
                "table" => {
                    let is_hidden =
                        element.attribute("style-name").is_some_and(|it| hidden_styles.contains(&it));
                    if is_hidden {
                        sheets.hidden.sheets += 1;
                        xml.skip()?;
                    } else {
                        sheets.start_table(&element)?;
                    }
                }
                "table-column" => sheets.add_columns(&element),
                "table-row" => sheets.start_row(&element),
                "table-cell" => sheets.start_cell(&element, false),
                "covered-table-cell" => sheets.start_cell(&element, true),
                "s" | "tab" | "line-break" => sheets.text(" "),
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "p" => sheets.text(" "),
                "table-cell" | "covered-table-cell" => sheets.end_cell()?,
                "table-row" => sheets.end_row(),
                "table" => sheets.end_table()?,
                _ => {}
            },
            Token::Text(text) => sheets.text(&text),
        }
    }
    let Meta { title, language, .. } = meta(&mut archive, limits)?;
    let mut warnings = Warnings::default();
    sheets.hidden.warn(&mut warnings);
    let page_count = u32::try_from(sheets.count).ok();
    Ok(Content { title, language, page_count, blocks: sheets.blocks, warnings })
}

/// The tables of a spreadsheet while they are read.
struct Sheets {
    blocks: Blocks,
    grid: Grid,
    /// Ranges of hidden columns, first and last, ascending.
    hidden_columns: Vec<(u32, u32)>,
    /// The number of columns that were described.
    columns: u32,
    row: Position,
    column: u32,
    cell: Option<Cell>,
    hidden: Hidden,
    count: usize,
    cells_left: usize,
    limits: Limits,
}

/// A row, and how often it is repeated.
#[derive(Default)]
struct Position {
    number: u32,
    repeated: u32,
    is_hidden: bool,
}

/// A cell that is open.
struct Cell {
    text: String,
    repeated: u32,
    is_covered: bool,
    is_error: bool,
    spans: (u32, u32),
}

impl Sheets {
    fn new(limits: &Limits) -> Self {
        Self {
            blocks: Blocks::new(limits),
            grid: Grid::default(),
            hidden_columns: Vec::new(),
            columns: 0,
            row: Position::default(),
            column: 0,
            cell: None,
            hidden: Hidden::default(),
            count: 0,
            cells_left: limits.cells,
            limits: *limits,
        }
    }

    fn start_table(&mut self, element: &Element<'_>) -> Result<(), ExtractError> {
        self.count += 1;
        if self.count > self.limits.pages {
            return Err(ExceededLimit::Pages(self.limits.pages).into());
        }
        (self.columns, self.row) = (0, Position::default());
        self.hidden_columns.clear();
        self.blocks.push(BlockKind::Heading(2), &element.attribute("name").unwrap_or_default())
    }

    fn add_columns(&mut self, element: &Element<'_>) {
        let end = self.columns.saturating_add(count(element, "number-columns-repeated"));
        if is_hidden(element) {
            self.hidden_columns.push((self.columns, end.saturating_sub(1)));
        }
        self.columns = end;
    }

    fn start_row(&mut self, element: &Element<'_>) {
        self.row.repeated = count(element, "number-rows-repeated");
        self.row.is_hidden = is_hidden(element);
        self.column = 0;
    }

    fn start_cell(&mut self, element: &Element<'_>, is_covered: bool) {
        self.cell = Some(Cell {
            text: String::new(),
            repeated: count(element, "number-columns-repeated"),
            is_covered,
            is_error: element.prefixed("calcext:value-type").as_deref() == Some("error"),
            spans: (count(element, "number-rows-spanned"), count(element, "number-columns-spanned")),
        });
    }

    fn text(&mut self, text: &str) {
        if let Some(cell) = &mut self.cell {
            cell.text.push_str(text);
        }
    }

    fn end_cell(&mut self) -> Result<(), ExtractError> {
        let Some(cell) = self.cell.take() else { return Ok(()) };
        let (row, column) = (self.row.number, self.column);
        self.column = column.saturating_add(cell.repeated);
        let text = cell.text.trim();
        let is_error = cell.is_error || ERRORS.contains(&text) || text.starts_with("Err:5");
        let is_seen = !cell.is_covered && !self.row.is_hidden && !is_in_ranges(&self.hidden_columns, column);
        self.hidden.errors += usize::from(is_seen && is_error);
        if text.is_empty() || cell.is_covered || is_error {
            return Ok(());
        }
        for column in column..column.saturating_add(cell.repeated.min(MAX_REPEATED_CELLS)) {
            self.cells_left =
                self.cells_left.checked_sub(1).ok_or(ExceededLimit::Cells(self.limits.cells))?;
            if self.row.is_hidden {
                self.hidden.row(row);
            } else if is_in_ranges(&self.hidden_columns, column) {
                self.hidden.column(column);
            } else {
                self.grid.push(row, column, text.to_owned());
            }
        }
        let (rows, columns) = cell.spans;
        self.grid.merge(Area {
            first_row: row,
            last_row: row.saturating_add(rows - 1),
            first_column: column,
            last_column: column.saturating_add(columns - 1),
        });
        Ok(())
    }

    fn end_row(&mut self) {
        self.row.number = self.row.number.saturating_add(self.row.repeated);
    }

    fn end_table(&mut self) -> Result<(), ExtractError> {
        self.hidden.end_sheet();
        let rows = std::mem::take(&mut self.grid).into_rows(&self.limits)?;
        table::push(&mut self.blocks, rows, Header::Usual)
    }
}

/// Returns a number of repetitions or of spanned cells, at least 1.
fn count(element: &Element<'_>, name: &str) -> u32 {
    element.number(name).and_then(|count| u32::try_from(count).ok()).unwrap_or(1).max(1)
}

/// Returns whether a row or column is hidden, by hand or by a filter.
fn is_hidden(element: &Element<'_>) -> bool {
    matches!(element.attribute("visibility").as_deref(), Some("collapse" | "filter"))
}
