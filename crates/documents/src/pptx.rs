//! PowerPoint presentations: Office Open XML, `ppt/slides`. Speaker notes and hidden slides are not read: the
//! audience does not see them.

use frontdesk_knowledge::BlockKind;

use crate::{
    archive::Archive,
    content::Content,
    docx::{properties, targets},
    error::{ExceededLimit, ExtractError},
    flow::Flow,
    limits::Limits,
    table::Header,
    xml::{Token, Xml},
};

const PRESENTATION: &str = "ppt/presentation.xml";

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let mut archive = Archive::open(bytes, limits)?;
    let slides = slides(&mut archive, limits)?;
    if slides.len() > limits.pages {
        return Err(ExceededLimit::Pages(limits.pages).into());
    }
    let mut flow = Flow::new(limits);
    for slide in &slides {
        read_slide(&archive.required(slide)?, &mut flow, limits)?;
    }
    let properties = properties(&mut archive, limits)?;
    Ok(Content {
        title: properties.title,
        language: properties.language,
        page_count: u32::try_from(slides.len()).ok(),
        ..Content::new(flow.into_blocks())
    })
}

/// Returns the parts of the slides in the order of the presentation.
fn slides(archive: &mut Archive<'_>, limits: &Limits) -> Result<Vec<String>, ExtractError> {
    let relations = archive.required("ppt/_rels/presentation.xml.rels")?;
    let targets = targets(&relations, PRESENTATION, limits)?;
    let presentation = archive.required(PRESENTATION)?;
    let mut xml = Xml::new(&presentation, limits.xml_depth);
    let mut slides = Vec::new();
    while let Some(token) = xml.next()? {
        if let Token::Start(element) = token
            && element.name == "sldId"
            // The attribute `id` without prefix is another number.
            && let Some(slide) = element.prefixed("r:id").and_then(|id| targets.get(&id).cloned())
        {
            slides.push(slide);
        }
    }
    Ok(slides)
}

fn read_slide(text: &str, flow: &mut Flow, limits: &Limits) -> Result<(), ExtractError> {
    let mut xml = Xml::new(text, limits.xml_depth);
    let (mut in_text, mut in_paragraph) = (false, false);
    let mut kind = BlockKind::Paragraph;
    // Lines of a title are one heading.
    let mut title = String::new();
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(element) => match element.name.as_str() {
                "sld" if matches!(element.attribute("show").as_deref(), Some("0" | "false")) => return Ok(()),
                "Fallback" => xml.skip()?,
                "sp" => kind = BlockKind::Paragraph,
                "ph" => match element.attribute("type").as_deref() {
                    Some("title" | "ctrTitle") => kind = BlockKind::Heading(2),
                    // The number, date and footer of a slide.
                    Some("sldNum" | "dt" | "ftr") => kind = BlockKind::Code,
                    None | Some("body" | "obj") => kind = BlockKind::ListItem,
                    Some(_) => {}
                },
                "p" => {
                    in_paragraph = true;
                    flow.start_paragraph(if kind == BlockKind::Code { BlockKind::Paragraph } else { kind });
                }
                "t" => in_text = true,
                "br" if in_paragraph => flow.text(" "),
                "tbl" => flow.start_table(Header::IfNumbersFollow),
                "tblPr" if matches!(element.attribute("firstRow").as_deref(), Some("1" | "true")) => {
                    flow.state_header();
                }
                "tr" => flow.start_row(),
                "tc" => flow.start_cell()?,
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "p" => {
                    in_paragraph = false;
                    flow.end_paragraph()?;
                }
                "t" => in_text = false,
                "sp" => {
                    flow.heading(2, &std::mem::take(&mut title))?;
                    kind = BlockKind::Paragraph;
                }
                "tc" => flow.end_cell(),
                "tbl" => flow.end_table()?,
                _ => {}
            },
            Token::Text(text) if in_text => match kind {
                BlockKind::Heading(_) => {
                    title.push_str(&text);
                    title.push(' ');
                }
                BlockKind::Code => {}
                _ => flow.text(&text),
            },
            Token::Text(_) => {}
        }
    }
    Ok(())
}
