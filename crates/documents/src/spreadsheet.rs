//! Excel workbooks: Office Open XML, read cell by cell, as the program shows them. Hidden sheets, rows and
//! columns are not read.

mod format;
mod layout;

use std::{collections::HashMap, io::Cursor};

use calamine::{DataRef, Reader, SheetType, SheetVisible, Style, Xlsx};
use frontdesk_knowledge::BlockKind;

use self::{format::Format, layout::Layout};
use crate::{
    archive::Archive,
    blocks::Blocks,
    content::Content,
    docx::{properties, targets},
    error::{ExceededLimit, ExtractError},
    grid::Grid,
    hidden::Hidden,
    limits::Limits,
    table::{self, Header},
    warning::Warnings,
    xml::{Token, Xml},
};

const WORKBOOK: &str = "xl/workbook.xml";

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let properties = properties(&mut archive, limits)?;
    let damaged = |_| ExtractError::damaged("its sheets cannot be read");
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(archive.bytes())).map_err(damaged)?;
    let mut hidden = Hidden::default();
    let mut sheets: Vec<String> = Vec::new();
    for sheet in workbook.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet) {
        match sheet.visible {
            SheetVisible::Visible => sheets.push(sheet.name.clone()),
            _ => hidden.sheets += 1,
        }
    }
    if sheets.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let parts = parts(&mut archive, limits)?;
    let mut blocks = Blocks::new(limits);
    let mut cells =
        Cells { left: limits.cells, limits, hidden: &mut hidden, is_1904: workbook.has_1904_epoch() };
    for sheet in &sheets {
        let layout = match parts.get(sheet).map(|part| archive.text(part)).transpose()?.flatten() {
            Some(text) => Layout::read(&text, limits)?,
            None => Layout::default(),
        };
        let rows = cells.read(&mut workbook, sheet, layout)?;
        if !rows.is_empty() {
            blocks.push(BlockKind::Heading(2), sheet)?;
            table::push(&mut blocks, rows, Header::Usual)?;
        }
    }
    let mut warnings = Warnings::default();
    hidden.warn(&mut warnings);
    Ok(Content {
        title: properties.title,
        language: properties.language,
        page_count: u32::try_from(sheets.len()).ok(),
        blocks,
        warnings,
    })
}

/// Returns the part of each sheet, by its name.
fn parts(archive: &mut Archive<'_>, limits: &Limits) -> Result<HashMap<String, String>, ExtractError> {
    let relations = archive.text("xl/_rels/workbook.xml.rels")?.unwrap_or_default();
    let targets = targets(&relations, WORKBOOK, limits)?;
    let workbook = archive.text(WORKBOOK)?.unwrap_or_default();
    let mut xml = Xml::new(&workbook, limits.xml_depth);
    let mut parts = HashMap::new();
    while let Some(token) = xml.next()? {
        // The relation is the attribute `id` of another namespace; `sheetId` is another number.
        if let Token::Start(element) = token
            && element.name == "sheet"
            && let (Some(name), Some(id)) = (element.attribute("name"), element.attribute("id"))
            && let Some(part) = targets.get(&id)
        {
            parts.insert(name, part.clone());
        }
    }
    Ok(parts)
}

/// Counts cells over all sheets.
struct Cells<'a> {
    left: usize,
    limits: &'a Limits,
    hidden: &'a mut Hidden,
    is_1904: bool,
}

impl Cells<'_> {
    /// Returns the rows of a sheet.
    fn read(
        &mut self,
        workbook: &mut Xlsx<Cursor<&[u8]>>,
        sheet: &str,
        layout: Layout,
    ) -> Result<Vec<Vec<String>>, ExtractError> {
        let damaged = |_| ExtractError::damaged(format!("its sheet {sheet} cannot be read"));
        let mut reader = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
        let mut formats: HashMap<usize, Format> = HashMap::new();
        let mut grid = Grid::default();
        while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(damaged)? {
            let (row, column) = cell.get_position();
            let value = cell.get_value();
            let format = formats.entry(style).or_insert_with(|| format_of(reader.styles().get(style)));
            let text = shown(value, format, self.is_1904);
            if text.trim().is_empty() {
                let is_seen = !layout.hides_row(row) && !layout.hides_column(column);
                self.hidden.errors += usize::from(is_seen && matches!(value, DataRef::Error(_)));
                continue;
            }
            self.left = self.left.checked_sub(1).ok_or(ExceededLimit::Cells(self.limits.cells))?;
            if layout.hides_row(row) {
                self.hidden.row(row);
            } else if layout.hides_column(column) {
                self.hidden.column(column);
            } else {
                grid.push(row, column, text);
            }
        }
        self.hidden.end_sheet();
        layout.merged.into_iter().for_each(|area| grid.merge(area));
        grid.into_rows(self.limits)
    }
}

fn format_of(style: Option<&Style>) -> Format {
    let format = style.and_then(|style| style.number_format.as_ref());
    format.map_or_else(|| Format::new("", None), |format| Format::new(&format.format_code, format.format_id))
}

/// Returns a cell as the program shows it.
fn shown(value: &DataRef<'_>, format: &Format, is_1904: bool) -> String {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "spreadsheets have 15 digits")]
        DataRef::Int(value) => format.number(*value as f64, is_1904),
        DataRef::Float(value) => format.number(*value, is_1904),
        DataRef::DateTime(value) => format.number(value.as_f64(), is_1904),
        DataRef::String(text) => format.text(text),
        DataRef::SharedString(text) => format.text(text),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        // The text of an error means nothing to a visitor. A warning counts them.
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}
