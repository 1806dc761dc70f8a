//! OpenDocument texts and spreadsheets: `content.xml`.

use frontdesk_knowledge::BlockKind;

use crate::{
    archive::Archive,
    blocks::Blocks,
    content::Content,
    error::{ExceededLimit, ExtractError},
    flow::Flow,
    limits::Limits,
    table::{self, Header},
    xml::{Element, Token, Xml},
};

/// Repetitions of a cell that are kept. Programs fill rows to the last column with thousands of empty ones.
const MAX_REPEATED_CELLS: usize = 64;

/// Reads a text.
pub(crate) fn read_text(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = open(bytes, limits)?;
    let content = archive.required("content.xml")?;
    let mut xml = Xml::new(&content, limits.xml_depth);
    let mut flow = Flow::new(limits);
    let mut lists: usize = 0;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) => match element.name.as_str() {
                // Comments, deleted text, automatic styles, and the numbers of notes.
                "annotation" | "tracked-changes" | "automatic-styles" | "note-citation" => xml.skip()?,
                "h" => {
                    let level = element.number("outline-level").unwrap_or(1).clamp(1, 6);
                    flow.start_paragraph(BlockKind::Heading(u8::try_from(level).unwrap_or(6)));
                }
                "p" => {
                    flow.start_paragraph(if lists > 0 { BlockKind::ListItem } else { BlockKind::Paragraph });
                }
                "list" => lists += 1,
                "s" | "tab" | "line-break" => flow.text(" "),
                "table" => flow.start_table(Header::IfNumbersFollow),
                "table-header-rows" => flow.state_header(),
                "table-row" => flow.start_row(),
                "table-cell" => flow.start_cell()?,
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "h" | "p" => flow.end_paragraph()?,
                "list" => lists = lists.saturating_sub(1),
                "table-cell" => flow.end_cell(),
                "table" => flow.end_table()?,
                _ => {}
            },
            Token::Text(text) => flow.text(&text),
        }
    }
    let Meta { title, language, pages } = meta(&mut archive, limits)?;
    Ok(Content { title, language, page_count: pages, blocks: flow.into_blocks() })
}

/// Reads a spreadsheet. The text of a cell is the one that programs display, with units and currencies.
pub(crate) fn read_spreadsheet(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = open(bytes, limits)?;
    let content = archive.required("content.xml")?;
    let mut xml = Xml::new(&content, limits.xml_depth);
    let mut sheets = Sheets::new(limits);
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) => match element.name.as_str() {
                "annotation" | "tracked-changes" | "automatic-styles" => xml.skip()?,
                "table" => sheets.start_table(&element)?,
                "table-row" => sheets.rows.push(Vec::new()),
                "table-cell" | "covered-table-cell" => sheets.start_cell(&element),
                "s" | "tab" | "line-break" => sheets.text(" "),
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "p" => sheets.text(" "),
                "table-cell" | "covered-table-cell" => sheets.end_cell()?,
                "table" => sheets.end_table()?,
                _ => {}
            },
            Token::Text(text) => sheets.text(&text),
        }
    }
    let Meta { title, language, .. } = meta(&mut archive, limits)?;
    Ok(Content { title, language, page_count: u32::try_from(sheets.count).ok(), blocks: sheets.blocks })
}

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Archive<'a>, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let manifest = archive.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ExtractError::Encrypted);
    }
    Ok(archive)
}

/// The tables of a spreadsheet while they are read.
struct Sheets {
    blocks: Blocks,
    rows: Vec<Vec<String>>,
    /// The cell that is open, and how often it is repeated.
    cell: Option<(String, usize)>,
    count: usize,
    cells_left: usize,
    limits: Limits,
}

impl Sheets {
    fn new(limits: &Limits) -> Self {
        let (blocks, cells_left) = (Blocks::new(limits), limits.cells);
        Self { blocks, rows: Vec::new(), cell: None, count: 0, cells_left, limits: *limits }
    }

    fn start_table(&mut self, element: &Element<'_>) -> Result<(), ExtractError> {
        self.count += 1;
        if self.count > self.limits.pages {
            return Err(ExceededLimit::Pages(self.limits.pages).into());
        }
        self.blocks.push(BlockKind::Heading(2), &element.attribute("name").unwrap_or_default())
    }

    fn start_cell(&mut self, element: &Element<'_>) {
        self.cell = Some((String::new(), element.number("number-columns-repeated").unwrap_or(1)));
    }

    fn text(&mut self, text: &str) {
        if let Some((cell, _)) = &mut self.cell {
            cell.push_str(text);
        }
    }

    fn end_cell(&mut self) -> Result<(), ExtractError> {
        let Some((text, repeated)) = self.cell.take() else { return Ok(()) };
        let repeated = repeated.min(MAX_REPEATED_CELLS);
        self.cells_left =
            self.cells_left.checked_sub(repeated).ok_or(ExceededLimit::Cells(self.limits.cells))?;
        if let Some(row) = self.rows.last_mut() {
            row.extend(std::iter::repeat_n(text.trim().to_owned(), repeated));
        }
        Ok(())
    }

    fn end_table(&mut self) -> Result<(), ExtractError> {
        table::push(&mut self.blocks, std::mem::take(&mut self.rows), Header::Usual)
    }
}

/// The metadata of the file.
#[derive(Default)]
struct Meta {
    title: Option<String>,
    language: Option<String>,
    pages: Option<u32>,
}

fn meta(archive: &mut Archive<'_>, limits: &Limits) -> Result<Meta, ExtractError> {
    let mut meta = Meta::default();
    let text = archive.text("meta.xml")?.unwrap_or_default();
    let mut xml = Xml::new(&text, limits.xml_depth);
    while let Some(token) = xml.next()? {
        let Token::Start(element) = token else { continue };
        match element.name.as_str() {
            "title" => meta.title = Some(xml.inner_text()?),
            "language" => meta.language = Some(xml.inner_text()?),
            "document-statistic" => {
                meta.pages = element.number("page-count").and_then(|pages| u32::try_from(pages).ok());
            }
            _ => {}
        }
    }
    Ok(meta)
}
