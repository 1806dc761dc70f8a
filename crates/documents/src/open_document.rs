//! OpenDocument texts and spreadsheets: `content.xml`.

mod sheets;

use frontdesk_knowledge::BlockKind;

pub(crate) use self::sheets::read_spreadsheet;
use crate::{
    archive::Archive,
    blocks::Blocks,
    content::Content,
    error::ExtractError,
    flow::Flow,
    limits::Limits,
    table::Header,
    xml::{Token, Xml},
};

/// Where text is in a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Everywhere.
    Everywhere,
    /// In the headers and footers of pages, which are among the styles.
    InHeaders,
}

/// Reads a text.
pub(crate) fn read_text(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = open(bytes, limits)?;
    let mut blocks = read_part(&archive.required("content.xml")?, Where::Everywhere, limits)?;
    // What is at the top and the bottom of pages: often the address and the hours of a business.
    if let Some(styles) = archive.text("styles.xml")? {
        blocks.extend_by_new(vec![read_part(&styles, Where::InHeaders, limits)?])?;
    }
    let Meta { title, language, pages } = meta(&mut archive, limits)?;
    Ok(Content { title, language, page_count: pages, ..Content::new(blocks) })
}

fn read_part(text: &str, place: Where, limits: &Limits) -> Result<Blocks, ExtractError> {
    let mut xml = Xml::new(text, limits.xml_depth);
    let mut flow = Flow::new(limits);
    let mut lists: usize = 0;
    let mut is_text = place == Where::Everywhere;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) if is_header(&element.name) => is_text = true,
            Token::End(name) if is_header(&name) => is_text = place == Where::Everywhere,
            _ if !is_text => {}
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
    Ok(flow.into_blocks())
}

/// Whether an element is a header or footer of pages.
fn is_header(name: &str) -> bool {
    matches!(name, "header" | "header-left" | "header-first" | "footer" | "footer-left" | "footer-first")
}

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Archive<'a>, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let manifest = archive.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ExtractError::Encrypted);
    }
    Ok(archive)
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
