//! Paragraphs and tables as the office formats nest them.

use frontdesk_knowledge::BlockKind;

use crate::{
    blocks::Blocks,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    table::{self, Header},
};

/// Collects paragraphs, lists and tables into blocks. Text outside of paragraphs is ignored, and a table in a
/// cell becomes text of that cell.
#[derive(Debug)]
pub(crate) struct Flow {
    blocks: Blocks,
    paragraphs: Vec<(BlockKind, String)>,
    tables: Vec<Table>,
    cells_left: usize,
    cell_limit: usize,
}

#[derive(Debug)]
struct Table {
    rows: Vec<Vec<String>>,
    header: Header,
    in_cell: bool,
    // How many paragraphs were open where the table began.
    paragraphs: usize,
}

impl Flow {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            blocks: Blocks::new(limits),
            paragraphs: Vec::new(),
            tables: Vec::new(),
            cells_left: limits.cells,
            cell_limit: limits.cells,
        }
    }

    pub(crate) fn start_paragraph(&mut self, kind: BlockKind) {
        self.paragraphs.push((kind, String::new()));
    }

    /// Changes the kind of the paragraph that is open.
    pub(crate) fn set_kind(&mut self, kind: BlockKind) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.0 = kind;
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        if let Some((_, paragraph)) = self.paragraphs.last_mut() {
            paragraph.push_str(text);
        }
    }

    pub(crate) fn end_paragraph(&mut self) -> Result<(), ExtractError> {
        let Some((kind, text)) = self.paragraphs.pop() else { return Ok(()) };
        match self.tables.last_mut() {
            Some(table) => {
                table.add(&text);
                Ok(())
            }
            None => self.blocks.push(kind, &text),
        }
    }

    pub(crate) fn start_table(&mut self, header: Header) {
        let paragraphs = self.paragraphs.len();
        self.tables.push(Table { rows: Vec::new(), header, in_cell: false, paragraphs });
    }

    /// Marks the first row of the open table as its header.
    pub(crate) fn state_header(&mut self) {
        if let Some(table) = self.tables.last_mut().filter(|table| table.rows.len() <= 1) {
            table.header = Header::Stated;
        }
    }

    pub(crate) fn start_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.rows.push(Vec::new());
        }
    }

    pub(crate) fn start_cell(&mut self) -> Result<(), ExtractError> {
        let Some(table) = self.tables.last_mut() else { return Ok(()) };
        self.cells_left = self.cells_left.checked_sub(1).ok_or(ExceededLimit::Cells(self.cell_limit))?;
        if table.rows.is_empty() {
            table.rows.push(Vec::new());
        }
        if let Some(row) = table.rows.last_mut() {
            row.push(String::new());
        }
        table.in_cell = true;
        Ok(())
    }

    pub(crate) fn end_cell(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.in_cell = false;
        }
    }

    pub(crate) fn end_table(&mut self) -> Result<(), ExtractError> {
        let Some(table) = self.tables.pop() else { return Ok(()) };
        self.paragraphs.truncate(table.paragraphs.max(1).min(self.paragraphs.len()));
        match self.tables.last_mut() {
            Some(outer) => {
                for row in &table.rows {
                    outer.add(&row.join(" "));
                }
                Ok(())
            }
            None => table::push(&mut self.blocks, table.rows, table.header),
        }
    }

    /// Appends a heading outside of any paragraph.
    pub(crate) fn heading(&mut self, level: u8, text: &str) -> Result<(), ExtractError> {
        self.blocks.push(BlockKind::Heading(level.clamp(1, 6)), text)
    }

    pub(crate) fn into_blocks(self) -> Blocks {
        self.blocks
    }
}

impl Table {
    fn add(&mut self, text: &str) {
        if !self.in_cell {
            return;
        }
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(text);
        }
    }
}
