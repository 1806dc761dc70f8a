//! Headings, paragraphs and list items, from the lines of all pages.

use std::collections::{BTreeMap, HashSet};

use frontdesk_knowledge::BlockKind;

use super::line::Line;
use crate::{
    blocks::{Blocks, clean},
    error::ExtractError,
};

/// How much larger than the text a heading is.
const HEADING_RATIO: f64 = 1.15;
/// Longest heading, in characters.
const MAX_HEADING_CHARS: usize = 120;
/// A line shorter than this was broken on purpose, as in a list, an address or a price list, unless it fills
/// a narrow column.
const WRAPPED_LINE_CHARS: usize = 45;
/// Fewest lines of a narrow column.
const MIN_COLUMN_LINES: usize = 4;
/// Least share of lines of a narrow column that begin in the middle of a sentence, one of so many.
const RUNNING_SHARE: usize = 3;
/// Words behind which a hyphen belongs to a word that was left out: "Vor- und Nachteile".
const JOINING_WORDS: [&str; 16] =
    ["und", "oder", "bzw.", "sowie", "bis", "and", "or", "to", "et", "ou", "en", "of", "y", "o", "e", "i"];
/// Distance between the lines of one paragraph, in heights of the line.
const PARAGRAPH_GAP: f64 = 1.9;
/// A line at the edge of at least one in so many pages is a running header or footer.
const REPEATED_SHARE: usize = 2;

/// Appends the text of all pages.
pub(super) fn push(blocks: &mut Blocks, mut pages: Vec<Vec<Line>>) -> Result<(), ExtractError> {
    drop_running_lines(&mut pages);
    let sizes = Sizes::of(&pages);
    let words = Words::of(&pages);
    let mut paragraph: Option<Paragraph> = None;
    for page in &pages {
        let edges = right_edges(page);
        for (line, edge) in page.iter().zip(edges) {
            let kind = sizes.kind(line);
            match &mut paragraph {
                Some(open) if open.continues(line, kind) => open.add(line, edge, &words),
                _ => {
                    if let Some(done) = paragraph.take() {
                        done.push(blocks)?;
                    }
                    paragraph = Some(Paragraph::new(line, kind, edge));
                }
            }
        }
    }
    paragraph.map_or(Ok(()), |done| done.push(blocks))
}

/// Returns for each line the right edge of the narrow column of running text that it is in, if it is in one.
fn right_edges(page: &[Line]) -> Vec<Option<f64>> {
    let mut edges = Vec::with_capacity(page.len());
    while let Some(first) = page.get(edges.len()) {
        let rest = &page[edges.len()..];
        let (mut left, mut y) = (first.start, first.y);
        let mut is_next = |line: &Line| {
            // First lines may be indented, and so may lists.
            let is_below = line.y < y && y - line.y < line.size * 4.0;
            let is_beside = (line.start - left).abs() <= line.size * 2.5;
            (left, y) = (left.min(line.start), line.y);
            is_below && is_beside && !line.is_row && (line.size - first.size).abs() < 0.5
        };
        let count = 1 + rest[1..].iter().take_while(|line| is_next(line)).count();
        let column = &rest[..count];
        let inside = column.iter().skip(1).filter(|line| line.begins_inside()).count();
        let is_running = !first.is_row && count >= MIN_COLUMN_LINES && inside * RUNNING_SHARE >= count - 1;
        let edge = column.iter().map(|line| line.end).fold(f64::MIN, f64::max);
        edges.extend(std::iter::repeat_n(is_running.then_some(edge), count));
    }
    edges
}

/// The words of a document, which decide what a hyphen behind a line means.
struct Words(HashSet<String>);

impl Words {
    fn of(pages: &[Vec<Line>]) -> Self {
        // The last word of a line may be cut off.
        let words = pages.iter().flatten().flat_map(|line| {
            let mut words: Vec<&str> = line.text.split_whitespace().collect();
            words.pop();
            words
        });
        Self(words.map(bare).filter(|word| !word.is_empty()).collect())
    }

    fn know(&self, word: &str) -> bool {
        self.0.contains(&bare(word))
    }
}

/// Returns a word in lower case and without punctuation around it.
fn bare(word: &str) -> String {
    word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase()
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
    last: Line,
    /// The right edge of the column of the last line.
    edge: Option<f64>,
}

impl Paragraph {
    fn new(line: &Line, kind: BlockKind, edge: Option<f64>) -> Self {
        Self { kind, text: visible(&line.text), last: line.clone(), edge }
    }

    fn continues(&self, line: &Line, kind: BlockKind) -> bool {
        let distance = self.last.y - line.y;
        // On a new page the next line is higher.
        let is_next = distance < self.last.size.max(line.size) * PARAGRAPH_GAP;
        let is_same_size = (self.last.size - line.size).abs() < 0.5;
        match (self.kind, kind) {
            (BlockKind::Heading(_), BlockKind::Heading(_)) => {
                is_same_size && is_next && distance > 0.0 && self.text.chars().count() < MAX_HEADING_CHARS
            }
            (BlockKind::Heading(_), _) | (_, BlockKind::Heading(_) | BlockKind::ListItem) => false,
            _ => is_same_size && is_next && self.is_wrapped(line) && !self.ends_before(line),
        }
    }

    /// Returns whether the last line ended because it was full.
    fn is_wrapped(&self, next: &Line) -> bool {
        let ends_sentence = self.text.ends_with(['.', '!', '?', ':']);
        if next.is_row && !self.last.is_row && ends_sentence {
            return false;
        }
        if clean(&self.last.text).chars().count() >= WRAPPED_LINE_CHARS {
            return true;
        }
        let Some(edge) = self.edge.filter(|_| !next.is_row) else { return false };
        if next.begins_inside() || ends_in_hyphen(&self.last.text) {
            return true;
        }
        // The next word did not fit. Widths differ between letters.
        let word = next.text.split_whitespace().next().unwrap_or_default().chars().count();
        #[expect(clippy::cast_precision_loss, reason = "words are short")]
        let width = (word + 1) as f64 * self.last.size * 0.5;
        edge - self.last.end < width
    }

    /// Returns whether a sentence ended at the end of a page or column, where the distance says nothing.
    fn ends_before(&self, line: &Line) -> bool {
        line.y > self.last.y && self.text.ends_with(['.', '!', '?', ':'])
    }

    fn add(&mut self, line: &Line, edge: Option<f64>, words: &Words) {
        let text = visible(&line.text);
        join(&mut self.text, &text, ends_in_soft_hyphen(&self.last.text), words);
        (self.last, self.edge) = (line.clone(), edge);
    }

    fn push(self, blocks: &mut Blocks) -> Result<(), ExtractError> {
        let text = self.text.trim_start_matches(['•', '▪', '●', '◦', '‣', '■', ' ']);
        blocks.push(self.kind, text)
    }
}

/// Returns the text of a line with the hyphen of keyboards.
fn visible(text: &str) -> String {
    clean(text).replace('\u{2010}', "-")
}

fn ends_in_soft_hyphen(text: &str) -> bool {
    text.trim_end().ends_with('\u{ad}')
}

fn ends_in_hyphen(text: &str) -> bool {
    text.trim_end().ends_with(['-', '\u{2010}', '\u{ad}'])
}

/// Appends the next line to a text, and joins a word that was divided between them.
fn join(text: &mut String, next: &str, is_divided: bool, words: &Words) {
    if is_divided {
        text.push_str(next);
        return;
    }
    let first = next.split_whitespace().next().unwrap_or_default();
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let Some(before) = last.strip_suffix('-').filter(|before| before.ends_with(char::is_alphanumeric)) else {
        text.push(' ');
        text.push_str(next);
        return;
    };
    let is_word_left_out = JOINING_WORDS.contains(&first.to_lowercase().as_str());
    let is_word = before.ends_with(char::is_lowercase) && first.starts_with(char::is_lowercase);
    let is_compound = words.know(&format!("{before}-{first}")) && !words.know(&format!("{before}{first}"));
    if is_word_left_out {
        text.push(' ');
    } else if is_word && !is_compound {
        text.pop();
    }
    text.push_str(next);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn line(y: f64, size: f64, text: &str) -> Line {
        #[expect(clippy::cast_precision_loss, reason = "texts are short")]
        let end = 50.0 + text.chars().count() as f64 * size * 0.5;
        Line { text: text.to_owned(), size, y, start: 50.0, end, is_row: false }
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
        for (first, second, expected) in [
            ("everyone who likes flow-", "ers and trees.", "everyone who likes flowers and trees."),
            ("everyone who likes flow\u{ad}", "ers and trees.", "everyone who likes flowers and trees."),
            ("everyone who likes flow\u{2010}", "ers and trees.", "everyone who likes flowers and trees."),
            ("die Vor-", "und Nachteile.", "die Vor- und Nachteile."),
            ("unser Kunden-", "Service hilft.", "unser Kunden-Service hilft."),
            ("a well-", "known place, and well-known it is.", "a well-known place, and well-known it is."),
            ("in 2024-", "25 we close -", "in 2024-25 we close -"),
        ] {
            let filler = "Our garden is open for all, and also for ";
            let page = vec![
                line(660.0, 10.0, &format!("{filler}{first}")),
                line(648.0, 10.0, second),
                line(500.0, 10.0, "Another well-known line."),
            ];
            assert_eq!(blocks(vec![page])[0].1, format!("{filler}{expected}"));
        }
    }

    #[test]
    fn lines_of_narrow_columns_are_joined_and_lists_are_not() {
        let column: Vec<Line> = [
            "Our workshop repairs mow-",
            "ers within four days of",
            "their arrival. A chain",
            "costs 26 euros with",
            "fitting.",
        ]
        .iter()
        .zip([700.0, 688.0, 676.0, 664.0, 652.0])
        .map(|(text, y)| line(y, 10.0, text))
        .collect();
        let found = blocks(vec![column]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            found[0].1,
            "Our workshop repairs mowers within four days of their arrival. A chain costs 26 euros with fitting."
        );
        let list: Vec<Line> = ["Monday 9 to 5", "Tuesday 9 to 4", "Friday 9 to 3", "Sunday closed"]
            .iter()
            .zip([700.0, 688.0, 676.0, 664.0])
            .map(|(text, y)| line(y, 10.0, text))
            .collect();
        assert_eq!(blocks(vec![list]).len(), 4);
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
