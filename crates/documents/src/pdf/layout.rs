//! Headings, paragraphs and list items, from the lines of all pages.

use std::collections::BTreeMap;

use frontdesk_knowledge::BlockKind;

use super::lines::Line;
use crate::{
    blocks::{Blocks, clean},
    error::ExtractError,
};

/// How much larger than the text a heading is.
const HEADING_RATIO: f64 = 1.15;
/// Longest heading, in characters.
const MAX_HEADING_CHARS: usize = 120;
/// A line shorter than this was broken on purpose, as in a list, an address or a price list.
const WRAPPED_LINE_CHARS: usize = 45;
/// Distance between the lines of one paragraph, in heights of the line.
const PARAGRAPH_GAP: f64 = 1.9;
/// A line at the edge of at least one in so many pages is a running header or footer.
const REPEATED_SHARE: usize = 2;

/// Appends the text of all pages.
pub(super) fn push(blocks: &mut Blocks, mut pages: Vec<Vec<Line>>) -> Result<(), ExtractError> {
    drop_running_lines(&mut pages);
    let sizes = Sizes::of(&pages);
    let mut paragraph: Option<Paragraph> = None;
    for line in pages.iter().flatten() {
        let kind = sizes.kind(line);
        match &mut paragraph {
            Some(open) if open.continues(line, kind) => open.add(line),
            _ => {
                if let Some(done) = paragraph.take() {
                    done.push(blocks)?;
                }
                paragraph = Some(Paragraph::new(line, kind));
            }
        }
    }
    paragraph.map_or(Ok(()), |done| done.push(blocks))
}

/// Removes page numbers, and headers and footers that repeat on most pages.
fn drop_running_lines(pages: &mut [Vec<Line>]) {
    let masked = |line: &Line| line.text.replace(|character: char| character.is_ascii_digit(), "#");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for page in pages.iter() {
        let edges = [page.first(), page.last().filter(|_| page.len() > 1)];
        for line in edges.into_iter().flatten() {
            *counts.entry(masked(line)).or_default() += 1;
        }
    }
    let page_count = pages.len();
    let is_running = |line: &Line| {
        let is_number =
            page_count > 2 && line.text.trim().chars().all(|character| character.is_ascii_digit());
        let count = counts.get(&masked(line)).copied().unwrap_or_default();
        is_number || (count > 2 && count * REPEATED_SHARE >= page_count)
    };
    let running: Vec<(bool, bool)> = pages
        .iter()
        .map(|page| {
            (page.first().is_some_and(is_running), page.len() > 1 && page.last().is_some_and(is_running))
        })
        .collect();
    for (page, (first, last)) in pages.iter_mut().zip(running) {
        if last {
            page.pop();
        }
        if first {
            page.remove(0);
        }
    }
}

/// The sizes of the characters of a document.
struct Sizes {
    body: f64,
    /// Sizes of headings in tenths of a point, largest first.
    headings: Vec<i64>,
}

impl Sizes {
    /// The size of most characters is that of the text.
    fn of(pages: &[Vec<Line>]) -> Self {
        let mut chars: BTreeMap<i64, usize> = BTreeMap::new();
        for line in pages.iter().flatten() {
            *chars.entry(tenths(line.size)).or_default() += line.text.len();
        }
        let body = chars.iter().max_by_key(|(_, count)| **count).map_or(0, |(size, _)| *size);
        #[expect(clippy::cast_precision_loss, reason = "sizes of characters are small")]
        let body = body as f64 / 10.0;
        let headings =
            chars.keys().rev().copied().filter(|size| *size > tenths(body * HEADING_RATIO)).collect();
        Self { body, headings }
    }

    fn kind(&self, line: &Line) -> BlockKind {
        let has_letters = line.text.chars().filter(|character| character.is_alphabetic()).count() > 1;
        let is_short = line.text.chars().count() <= MAX_HEADING_CHARS;
        if line.size > self.body * HEADING_RATIO && is_short && has_letters {
            let rank = self.headings.iter().position(|size| *size == tenths(line.size)).unwrap_or_default();
            return BlockKind::Heading(u8::try_from(rank + 1).unwrap_or(4).min(4));
        }
        let is_item = line.text.trim_start().starts_with(['•', '▪', '●', '◦', '–', '‣', '■']);
        if is_item { BlockKind::ListItem } else { BlockKind::Paragraph }
    }
}

/// Tenths of a point, so that sizes can be compared.
#[expect(clippy::cast_possible_truncation, reason = "the value is clamped")]
fn tenths(size: f64) -> i64 {
    (size * 10.0).round().clamp(0.0, 1e6) as i64
}

/// Lines that belong together.
struct Paragraph {
    kind: BlockKind,
    text: String,
    last_line_chars: usize,
    y: f64,
    size: f64,
}

impl Paragraph {
    fn new(line: &Line, kind: BlockKind) -> Self {
        let text = clean(&line.text);
        Self { kind, last_line_chars: text.chars().count(), text, y: line.y, size: line.size }
    }

    fn continues(&self, line: &Line, kind: BlockKind) -> bool {
        let distance = self.y - line.y;
        // On a new page the next line is higher.
        let is_next = distance < self.size.max(line.size) * PARAGRAPH_GAP;
        let is_same_size = (self.size - line.size).abs() < 0.5;
        match (self.kind, kind) {
            (BlockKind::Heading(_), BlockKind::Heading(_)) => {
                is_same_size && is_next && distance > 0.0 && self.text.chars().count() < MAX_HEADING_CHARS
            }
            (BlockKind::Heading(_), _) | (_, BlockKind::Heading(_) | BlockKind::ListItem) => false,
            _ => {
                is_same_size
                    && is_next
                    && self.last_line_chars >= WRAPPED_LINE_CHARS
                    && !self.ends_before(line)
            }
        }
    }

    /// Returns whether a sentence ended at the end of a page or column, where the distance says nothing.
    fn ends_before(&self, line: &Line) -> bool {
        line.y > self.y && self.text.ends_with(['.', '!', '?', ':'])
    }

    fn add(&mut self, line: &Line) {
        let text = clean(&line.text);
        let hyphen = self
            .text
            .strip_suffix('-')
            .filter(|before| before.ends_with(char::is_lowercase) && text.starts_with(char::is_lowercase));
        if let Some(before) = hyphen {
            self.text.truncate(before.len());
        } else {
            self.text.push(' ');
        }
        self.text.push_str(&text);
        self.last_line_chars = text.chars().count();
        (self.y, self.size) = (line.y, line.size);
    }

    fn push(self, blocks: &mut Blocks) -> Result<(), ExtractError> {
        let text = self.text.trim_start_matches(['•', '▪', '●', '◦', '‣', '■', ' ']);
        blocks.push(self.kind, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn line(y: f64, size: f64, text: &str) -> Line {
        Line { text: text.to_owned(), size, y }
    }

    fn blocks(pages: Vec<Vec<Line>>) -> Vec<(BlockKind, String)> {
        let mut blocks = Blocks::new(&Limits::default());
        push(&mut blocks, pages).unwrap();
        blocks.into_vec().into_iter().map(|block| (block.kind, block.text)).collect()
    }

    #[test]
    fn wrapped_lines_are_joined_and_short_ones_kept() {
        let page = vec![
            line(700.0, 20.0, "Opening hours"),
            line(660.0, 10.0, "We are open all week, and also on most public holi-"),
            line(648.0, 10.0, "days, except in the first week of January every year."),
            line(636.0, 10.0, "Call us."),
            line(620.0, 10.0, "Monday  9 to 5"),
            line(608.0, 10.0, "Tuesday  9 to 4"),
            line(590.0, 10.0, "• Free parking"),
        ];
        let expected = [
            (BlockKind::Heading(1), "Opening hours"),
            (
                BlockKind::Paragraph,
                "We are open all week, and also on most public holidays, except in the first week of January every year. Call us.",
            ),
            (BlockKind::Paragraph, "Monday 9 to 5"),
            (BlockKind::Paragraph, "Tuesday 9 to 4"),
            (BlockKind::ListItem, "Free parking"),
        ];
        let found = blocks(vec![page]);
        let found: Vec<_> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_joined_at_hyphens() {
        let page = vec![
            line(660.0, 10.0, "Our garden is open for everyone who likes flow-"),
            line(648.0, 10.0, "ers and trees."),
        ];
        assert_eq!(blocks(vec![page])[0].1, "Our garden is open for everyone who likes flowers and trees.");
    }

    #[test]
    fn running_lines_are_dropped() {
        let page = |number: usize| {
            vec![
                line(800.0, 8.0, "Acme guide"),
                line(700.0, 10.0, &format!("Text of chapter {}", ["one", "two", "three", "four"][number])),
                line(20.0, 8.0, &format!("Page {number}")),
            ]
        };
        let texts: Vec<String> =
            blocks((0..4).map(page).collect()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts.len(), 4, "{texts:?}");
        assert!(texts.iter().all(|text| text.starts_with("Text of chapter")));
    }
}
