//! Excel workbooks: Office Open XML, read cell by cell.

mod number;

use std::{collections::BTreeSet, io::Cursor};

use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx};
use frontdesk_knowledge::BlockKind;

use crate::{
    archive::Archive,
    blocks::Blocks,
    content::Content,
    docx::properties,
    error::{ExceededLimit, ExtractError},
    limits::Limits,
    table::{self, Header},
};

/// The area that is built from scattered cells, as a multiple of the limit of cells.
const AREA_PER_CELL: usize = 4;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let properties = properties(&mut archive, limits)?;
    let damaged = |_| ExtractError::damaged("its sheets cannot be read");
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(archive.bytes())).map_err(damaged)?;
    let sheets: Vec<String> = workbook
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.clone())
        .collect();
    if sheets.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let mut blocks = Blocks::new(limits);
    let mut cells = Cells { left: limits.cells, limit: limits.cells };
    for sheet in &sheets {
        let rows = cells.read(&mut workbook, sheet)?;
        if !rows.is_empty() {
            blocks.push(BlockKind::Heading(2), sheet)?;
            table::push(&mut blocks, rows, Header::Usual)?;
        }
    }
    Ok(Content {
        title: properties.title,
        language: properties.language,
        page_count: u32::try_from(sheets.len()).ok(),
        blocks,
    })
}

/// Counts cells over all sheets.
struct Cells {
    left: usize,
    limit: usize,
}

impl Cells {
    /// Returns the rows of a sheet without the columns that are empty throughout.
    ///
    /// The area that a sheet states is not believed, and no area is allocated before its cells were counted.
    fn read(
        &mut self,
        workbook: &mut Xlsx<Cursor<&[u8]>>,
        sheet: &str,
    ) -> Result<Vec<Vec<String>>, ExtractError> {
        let damaged = |_| ExtractError::damaged(format!("its sheet {sheet} cannot be read"));
        let mut reader = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
        let mut rows: Vec<(u32, Vec<(u32, String)>)> = Vec::new();
        let mut columns = BTreeSet::new();
        while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(damaged)? {
            let (row, column) = cell.get_position();
            let format = reader.styles().get(style).and_then(|style| style.number_format.as_ref());
            let format = format.map_or("General", |format| format.format_code.as_str());
            let text = shown(cell.get_value(), format);
            if text.trim().is_empty() {
                continue;
            }
            self.left = self.left.checked_sub(1).ok_or(ExceededLimit::Cells(self.limit))?;
            columns.insert(column);
            match rows.last_mut() {
                Some((last, cells)) if *last == row => cells.push((column, text)),
                _ => rows.push((row, vec![(column, text)])),
            }
        }
        if rows.len().saturating_mul(columns.len()) > self.limit.saturating_mul(AREA_PER_CELL) {
            return Err(ExceededLimit::Cells(self.limit).into());
        }
        let columns: Vec<u32> = columns.into_iter().collect();
        let dense = rows.into_iter().map(|(_, cells)| {
            let mut row = vec![String::new(); columns.len()];
            for (column, text) in cells {
                if let Ok(index) = columns.binary_search(&column) {
                    row[index] = text;
                }
            }
            row
        });
        Ok(dense.collect())
    }
}

/// Returns a cell as the program shows it, as far as its format is understood.
fn shown(value: &DataRef<'_>, format: &str) -> String {
    match value {
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => number::shown(*value, format),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        DataRef::DateTime(value) => date(value),
        // The text of an error means nothing to a visitor.
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

fn date(value: &calamine::ExcelDateTime) -> String {
    let (year, month, day, hour, minute, ..) = value.to_ymd_hms_milli();
    let serial = value.as_f64();
    if (0.0..1.0).contains(&serial) {
        format!("{hour:02}:{minute:02}")
    } else if serial.fract() == 0.0 {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}
