//! Word documents: Office Open XML, `word/document.xml`.

use std::collections::HashMap;

use frontdesk_knowledge::BlockKind;

use crate::{
    archive::{Archive, resolve},
    content::Content,
    error::ExtractError,
    flow::Flow,
    limits::Limits,
    table::Header,
    xml::{Element, Token, Xml},
};

/// Longest chain of styles that are based on each other.
const MAX_STYLE_CHAIN: usize = 10;

/// Most headers and footers that are read. Programs number them, three for each section.
const MAX_HEADERS: usize = 12;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let styles = Styles::read(&archive.text("word/styles.xml")?.unwrap_or_default(), limits)?;
    let mut flow = Flow::new(limits);
    read_part(&archive.required("word/document.xml")?, &styles, &mut flow, limits)?;
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(text) = archive.text(notes)? {
            read_part(&text, &styles, &mut flow, limits)?;
        }
    }
    let mut blocks = flow.into_blocks();
    // What is at the top and the bottom of pages: often the address and the hours of a business.
    let mut heads = Vec::new();
    for number in 1..=MAX_HEADERS {
        for part in ["header", "footer"] {
            if let Some(text) = archive.text(&format!("word/{part}{number}.xml"))? {
                let mut flow = Flow::new(limits);
                read_part(&text, &styles, &mut flow, limits)?;
                heads.push(flow.into_blocks());
            }
        }
    }
    blocks.extend_by_new(heads)?;
    let Properties { title, language, pages } = properties(&mut archive, limits)?;
    Ok(Content { title, language, page_count: pages, ..Content::new(blocks) })
}

fn read_part(text: &str, styles: &Styles, flow: &mut Flow, limits: &Limits) -> Result<(), ExtractError> {
    let mut xml = Xml::new(text, limits.xml_depth);
    let (mut in_text, mut in_paragraph_properties, mut hidden) = (false, false, false);
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) => match element.name.as_str() {
                // Deleted text, the source of a move, and the copy of a drawing for old programs.
                "del" | "moveFrom" | "Fallback" | "instrText" => xml.skip()?,
                "p" => flow.start_paragraph(BlockKind::Paragraph),
                "pPr" => in_paragraph_properties = true,
                "pStyle" => {
                    if let Some(kind) = element.attribute("val").and_then(|id| styles.kind(&id)) {
                        flow.set_kind(kind);
                    }
                }
                "outlineLvl" => {
                    if let Some(level) = element.number("val").and_then(heading_level) {
                        flow.set_kind(BlockKind::Heading(level));
                    }
                }
                "numPr" => flow.set_kind(BlockKind::ListItem),
                "r" => hidden = false,
                "vanish" if !in_paragraph_properties => hidden = is_on(&element),
                "t" => in_text = true,
                "tab" | "br" | "cr" if !in_paragraph_properties && !hidden => flow.text(" "),
                "noBreakHyphen" if !hidden => flow.text("-"),
                "tbl" => flow.start_table(Header::IfNumbersFollow),
                "tblHeader" if is_on(&element) => flow.state_header(),
                "tr" => flow.start_row(),
                "tc" => flow.start_cell()?,
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "p" => flow.end_paragraph()?,
                "pPr" => in_paragraph_properties = false,
                "t" => in_text = false,
                "tc" => flow.end_cell(),
                "tbl" => flow.end_table()?,
                _ => {}
            },
            Token::Text(text) if in_text && !hidden => flow.text(&text),
            Token::Text(_) => {}
        }
    }
    Ok(())
}

/// Returns whether a property without a value, or with one that is not "off", is on.
fn is_on(element: &Element<'_>) -> bool {
    !matches!(element.attribute("val").as_deref(), Some("0" | "false" | "off"))
}

/// Outline levels count from 0; 9 is text.
fn heading_level(outline: usize) -> Option<u8> {
    (outline < 9).then(|| u8::try_from(outline + 1).unwrap_or(6).min(6))
}

/// The meaning of a document's styles.
#[derive(Debug, Default)]
struct Styles {
    kinds: HashMap<String, BlockKind>,
    bases: HashMap<String, String>,
}

impl Styles {
    fn read(text: &str, limits: &Limits) -> Result<Self, ExtractError> {
        let mut styles = Self::default();
        let mut xml = Xml::new(text, limits.xml_depth);
        let mut id = String::new();
        while let Some(token) = xml.next()? {
            let Token::Start(element) = token else { continue };
            match element.name.as_str() {
                "style" => id = element.attribute("styleId").unwrap_or_default(),
                // Names of built-in styles are English in every language of the program.
                "name" => {
                    let name = element.attribute("val").unwrap_or_default().to_ascii_lowercase();
                    let kind = match name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok())
                    {
                        Some(level) => Some(BlockKind::Heading(level.clamp(1, 6))),
                        None if name == "title" => Some(BlockKind::Heading(1)),
                        None if name.starts_with("list ") => Some(BlockKind::ListItem),
                        None => None,
                    };
                    if let Some(kind) = kind {
                        styles.kinds.insert(id.clone(), kind);
                    }
                }
                "basedOn" => {
                    if let Some(base) = element.attribute("val") {
                        styles.bases.insert(id.clone(), base);
                    }
                }
                "outlineLvl" => {
                    if let Some(level) = element.number("val").and_then(heading_level) {
                        styles.kinds.insert(id.clone(), BlockKind::Heading(level));
                    }
                }
                _ => {}
            }
        }
        Ok(styles)
    }

    fn kind(&self, id: &str) -> Option<BlockKind> {
        let mut id = id;
        for _ in 0..MAX_STYLE_CHAIN {
            if let Some(kind) = self.kinds.get(id) {
                return Some(*kind);
            }
            id = self.bases.get(id)?;
        }
        None
    }
}

/// The metadata of the file.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) pages: Option<u32>,
}

/// Returns the parts that the relations of the part `base` name, by their ids.
pub(crate) fn targets(
    relations: &str,
    base: &str,
    limits: &Limits,
) -> Result<HashMap<String, String>, ExtractError> {
    let mut targets = HashMap::new();
    let mut xml = Xml::new(relations, limits.xml_depth);
    while let Some(token) = xml.next()? {
        if let Token::Start(element) = token
            && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        {
            targets.insert(id, resolve(base, &target));
        }
    }
    Ok(targets)
}

/// Reads the properties that all formats of Office Open XML share.
pub(crate) fn properties(archive: &mut Archive<'_>, limits: &Limits) -> Result<Properties, ExtractError> {
    let mut properties = Properties::default();
    for part in ["docProps/core.xml", "docProps/app.xml"] {
        let Some(text) = archive.text(part)? else { continue };
        let mut xml = Xml::new(&text, limits.xml_depth);
        while let Some(token) = xml.next()? {
            let Token::Start(element) = token else { continue };
            match element.name.as_str() {
                "title" => properties.title = Some(xml.inner_text()?),
                "language" => properties.language = Some(xml.inner_text()?),
                "Pages" => properties.pages = xml.inner_text()?.trim().parse().ok(),
                _ => {}
            }
        }
    }
    Ok(properties)
}
