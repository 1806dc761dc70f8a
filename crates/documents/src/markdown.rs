//! Markdown texts.

use frontdesk_knowledge::BlockKind;
use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use crate::{
    content::Content, error::ExtractError, flow::Flow, limits::Limits, table::Header, web_text::decode,
};

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Content, ExtractError> {
    let text = decode(bytes);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader =
        Reader { flow: Flow::new(limits), title: None, items: 0, is_open: false, in_metadata: false };
    for event in Parser::new_ext(&text, options) {
        reader.take(event)?;
    }
    reader.close()?;
    Ok(Content { title: reader.title, ..Content::new(reader.flow.into_blocks()) })
}

struct Reader {
    flow: Flow,
    title: Option<String>,
    /// Lists that are open.
    items: usize,
    /// Whether a paragraph is open. Items of tight lists have no paragraphs of their own.
    is_open: bool,
    in_metadata: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), ExtractError> {
        match event {
            Event::Start(tag) => match tag {
                Tag::Heading { level, .. } => self.open(BlockKind::Heading(depth(level)))?,
                Tag::Paragraph => {
                    let kind = if self.items > 0 { BlockKind::ListItem } else { BlockKind::Paragraph };
                    self.open(kind)?;
                }
                Tag::CodeBlock(_) => self.open(BlockKind::Code)?,
                Tag::List(_) => {
                    self.close()?;
                    self.items += 1;
                }
                Tag::Item => self.open(BlockKind::ListItem)?,
                Tag::Table(_) => {
                    self.close()?;
                    self.flow.start_table(Header::Stated);
                }
                Tag::TableHead | Tag::TableRow => self.flow.start_row(),
                Tag::TableCell => {
                    self.flow.start_cell()?;
                    self.open(BlockKind::Paragraph)?;
                }
                Tag::MetadataBlock(MetadataBlockKind::YamlStyle) => self.in_metadata = true,
                _ => {}
            },
            Event::End(tag) => match tag {
                TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::Item => self.close()?,
                TagEnd::List(_) => {
                    self.close()?;
                    self.items = self.items.saturating_sub(1);
                }
                TagEnd::TableCell => {
                    self.close()?;
                    self.flow.end_cell();
                }
                TagEnd::Table => self.flow.end_table()?,
                TagEnd::MetadataBlock(_) => self.in_metadata = false,
                _ => {}
            },
            Event::Text(text) if self.in_metadata => self.metadata(&text),
            Event::Text(text) | Event::Code(text) => self.flow.text(&text),
            Event::SoftBreak | Event::HardBreak => self.flow.text(" "),
            // HTML tags inside the text; their content is text.
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, kind: BlockKind) -> Result<(), ExtractError> {
        self.close()?;
        self.flow.start_paragraph(kind);
        self.is_open = true;
        Ok(())
    }

    fn close(&mut self) -> Result<(), ExtractError> {
        if std::mem::take(&mut self.is_open) { self.flow.end_paragraph() } else { Ok(()) }
    }

    fn metadata(&mut self, text: &str) {
        let title = text.lines().find_map(|line| line.strip_prefix("title:"));
        if let Some(title) = title {
            self.title = Some(title.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
}

const fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
