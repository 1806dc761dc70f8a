//! Chunks of a page: the units that are indexed, ranked and cited.

use crate::analyze::analyze;
use crate::attributes::{Attribute, given};
use crate::extract::{Block, BlockKind, Place};
use crate::page::Page;
use crate::terms::Terms;

/// Between two headings of a path.
pub(crate) const HEADING_SEPARATOR: &str = " > ";

/// A section with fewer words is combined with the next one of its page.
const MIN_WORDS: usize = 25;

/// A section with more words is split.
const MAX_WORDS: usize = 220;

/// Words of the parts of a section that is split.
const PART_WORDS: usize = 160;

/// A list item or table row is only split if it has more words than this, as no text written for people has.
const LONGEST_ITEM_WORDS: usize = 1_000;

/// Bytes per word from which text is not made of words.
const LONGEST_WORD: usize = 100;

/// A unit of training content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Position on its page, from 0.
    pub position: usize,
    /// Title of the page.
    pub title: String,
    /// The part of the page that it comes from. Chunks never mix parts.
    pub place: Place,
    /// Headings above the chunk, outermost first, joined with ` > `. Those outside of [`Place::Main`] begin
    /// with the host name of the site, because their text is about the site as a whole.
    pub headings: String,
    /// The text exactly as it was extracted, one block per line.
    pub text: String,
    /// The indexed terms.
    pub terms: FieldTerms,
}

/// The index terms of one chunk by field, from [`analyze`](fn@crate::analyze).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldTerms {
    /// Terms of the title.
    pub title: Terms,
    /// Terms of the headings above the chunk.
    pub headings: Terms,
    /// Terms of the text, including headings inside it.
    pub body: Terms,
}

impl FieldTerms {
    /// Analyzes the three fields of a chunk.
    ///
    /// The body also has a term for each attribute of the text that questions ask for, such as opening hours.
    pub fn of(title: &str, headings: &str, text: &str, language: Option<&str>) -> Self {
        let mut body: Terms = analyze(text, language).into_iter().collect();
        let attributes = given(text).iter().filter(|attribute| attribute.is_indexed());
        body.extend(attributes.map(Attribute::term));
        let terms = |text: &str| analyze(text, language).into_iter().collect();
        Self { title: terms(title), headings: terms(headings), body }
    }
}

impl Chunk {
    /// Returns the heading path and the text, for [`RepeatedText`](crate::RepeatedText).
    pub fn content(&self) -> (&str, &str) {
        (&self.headings, &self.text)
    }
}

impl Page {
    /// Returns the chunks of this page; none if the page has no text below its headings.
    ///
    /// A section with fewer than 25 words is combined with the next one, and its headings become lines of the
    /// text. One with more than 220 words is split into parts of about 160, between blocks or sentences. A
    /// list item or table row is not split.
    pub fn chunks(&self) -> Vec<Chunk> {
        page_chunks(&self.blocks, &self.title, self.language.as_deref(), self.url.host_str())
    }
}

/// Returns the chunks of some blocks below a title, such as those of a file.
pub fn chunks(blocks: &[Block], title: &str, language: Option<&str>) -> Vec<Chunk> {
    page_chunks(blocks, title, language, None)
}

/// Returns the chunks of some blocks below a title. `site` is the first heading of what frames the content.
pub(crate) fn page_chunks(
    blocks: &[Block],
    title: &str,
    language: Option<&str>,
    site: Option<&str>,
) -> Vec<Chunk> {
    gather(sections(blocks, title, site))
        .into_iter()
        .flat_map(split)
        .enumerate()
        .map(|(position, section)| {
            let headings = section.path.join(HEADING_SEPARATOR);
            let lines: Vec<&str> = section.lines.iter().map(|line| line.text.as_str()).collect();
            let text = lines.join("\n");
            let terms = FieldTerms::of(title, &headings, &text, language);
            Chunk { position, title: title.to_owned(), place: section.place, headings, text, terms }
        })
        .collect()
}

/// Returns the number of words; in scripts without spaces, three characters count as two words.
fn words(text: &str) -> usize {
    let dense = text.chars().filter(|character| *character >= '\u{2e80}').count();
    text.split_whitespace().count() + dense * 2 / 3
}

/// A heading path and the lines below it.
#[derive(Debug, Clone)]
struct Section {
    place: Place,
    path: Vec<String>,
    /// The path of the section that was added last.
    last_path: Vec<String>,
    lines: Vec<Line>,
    words: usize,
}

#[derive(Debug, Clone)]
struct Line {
    text: String,
    words: usize,
    is_heading: bool,
}

impl Line {
    fn new(text: String, is_heading: bool) -> Self {
        Self { words: words(&text), text, is_heading }
    }
}

impl Section {
    fn new(place: Place, path: Vec<String>) -> Self {
        Self { place, last_path: path.clone(), path, lines: Vec::new(), words: 0 }
    }

    fn push(&mut self, line: Line) {
        self.words += line.words;
        self.lines.push(line);
    }
}

/// Returns one section per heading.
fn sections(blocks: &[Block], title: &str, site: Option<&str>) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut path: Vec<(u8, String)> = Vec::new();
    let mut current = Section::new(Place::Main, Vec::new());
    for block in blocks {
        let mut starts = block.place != current.place;
        if starts {
            path.clear();
            if block.place != Place::Main {
                path.extend(site.map(|site| (0, site.to_owned())));
            }
        }
        if let BlockKind::Heading(level) = block.kind {
            path.retain(|(above, _)| *above < level);
            path.push((level, block.text.clone()));
            starts = true;
        }
        if starts {
            let path = path.iter().map(|(_, text)| text.clone()).filter(|text| text != title).collect();
            sections.push(std::mem::replace(&mut current, Section::new(block.place, path)));
        }
        if !matches!(block.kind, BlockKind::Heading(_)) {
            for piece in pieces(block) {
                current.push(Line::new(piece, false));
            }
        }
    }
    sections.push(current);
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Combines each small section with the next one of the same part of the page; the last one, with the one
/// before.
///
/// The facts of metadata stay apart: those about the business are equal on many pages, those about the page
/// are not.
fn gather(sections: Vec<Section>) -> Vec<Section> {
    let mut gathered: Vec<Section> = Vec::new();
    let mut rest = sections.into_iter().peekable();
    while let Some(section) = rest.next() {
        let is_last = rest.peek().is_none_or(|next| next.place != section.place);
        let ends_small = is_last && section.words < MIN_WORDS;
        match gathered.last_mut() {
            Some(last)
                if last.place == section.place
                    && section.place != Place::Metadata
                    && last.words + section.words <= MAX_WORDS
                    && (last.words < MIN_WORDS || ends_small) =>
            {
                join(last, section);
            }
            _ => gathered.push(section),
        }
    }
    gathered
}

/// Appends a section to another. Headings that the two do not share become lines of the text.
fn join(target: &mut Section, section: Section) {
    let common = |left: &[String], right: &[String]| {
        left.iter().zip(right).take_while(|(left, right)| left == right).count()
    };
    let shared = common(&target.path, &section.path);
    // A heading above several sections in a row is written once.
    let known = common(&target.last_path, &section.path).max(shared);
    let own = target.path.split_off(shared);
    for (index, heading) in own.into_iter().enumerate() {
        let line = Line::new(heading, true);
        target.words += line.words;
        target.lines.insert(index, line);
    }
    target.last_path.clone_from(&section.path);
    let headings = section.path.into_iter().skip(known).map(|heading| Line::new(heading, true));
    headings.chain(section.lines).for_each(|line| target.push(line));
}

/// Splits a long section into parts of about the same size. A heading stays with the line below it.
fn split(section: Section) -> Vec<Section> {
    if section.words <= MAX_WORDS {
        return vec![section];
    }
    let count = section.words.div_ceil(PART_WORDS).max(2);
    let target = section.words.div_ceil(count);
    let mut parts = Vec::new();
    let mut part = Section::new(section.place, section.path.clone());
    for line in section.lines {
        let follows_heading = part.lines.last().is_some_and(|last| last.is_heading);
        let is_full = part.words + line.words / 2 >= target || part.words + line.words > MAX_WORDS;
        if is_full && !follows_heading && !part.lines.is_empty() {
            let next = Section::new(section.place, section.path.clone());
            parts.push(std::mem::replace(&mut part, next));
        }
        part.push(line);
    }
    parts.push(part);
    parts
}

/// Returns a block in pieces that fit a part of a section, split at the ends of sentences, then between
/// words.
fn pieces(block: &Block) -> Vec<String> {
    let longest = match block.kind {
        BlockKind::ListItem | BlockKind::TableRow => LONGEST_ITEM_WORDS,
        _ => PART_WORDS,
    };
    if words(&block.text) <= longest && block.text.len() <= longest * LONGEST_WORD {
        return vec![block.text.clone()];
    }
    let units: Vec<&str> = if block.kind == BlockKind::Code {
        block.text.split_inclusive('\n').flat_map(|line| words_within(line, PART_WORDS)).collect()
    } else {
        sentences(&block.text).into_iter().flat_map(|sentence| words_within(sentence, PART_WORDS)).collect()
    };
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut size = 0;
    for unit in units {
        let unit_size = words(unit);
        if size > 0 && size + unit_size > PART_WORDS {
            pieces.push(std::mem::take(&mut piece));
            size = 0;
        }
        piece.push_str(unit);
        size += unit_size;
    }
    pieces.push(piece);
    for piece in &mut pieces {
        piece.truncate(piece.trim_end().len());
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Returns the sentences, each with the white space after it.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut ended = false;
    let mut letters_before = 0;
    for (index, character) in text.char_indices() {
        match character {
            '。' | '！' | '？' | '\n' => {
                let end = index + character.len_utf8();
                sentences.push(&text[start..end]);
                (start, ended) = (end, false);
            }
            '.' | '!' | '?' | '…' => {
                // One or two letters before a full stop are an abbreviation or an initial.
                ended = character != '.' || letters_before > 2 || letters_before == 0;
                letters_before = 0;
            }
            character if character.is_whitespace() => {
                if ended {
                    let end = index + character.len_utf8();
                    sentences.push(&text[start..end]);
                    (start, ended) = (end, false);
                }
                letters_before = 0;
            }
            '"' | '\'' | ')' | '”' | '»' | '’' => {}
            _ => {
                ended = false;
                letters_before += 1;
            }
        }
    }
    if start < text.len() {
        sentences.push(&text[start..]);
    }
    sentences
}

/// Returns a sentence in pieces of at most `limit` words, split between words, or between characters if it
/// has no spaces.
fn words_within(sentence: &str, limit: usize) -> Vec<&str> {
    if words(sentence) <= limit && sentence.len() <= limit * LONGEST_WORD {
        return vec![sentence];
    }
    let has_spaces = sentence.split_whitespace().count() * 20 > sentence.chars().count();
    let mut parts = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (index, character) in sentence.char_indices() {
        if character.is_whitespace() || !has_spaces {
            size += 1;
        }
        if size >= limit && (character.is_whitespace() || !has_spaces) {
            let end = index + character.len_utf8();
            parts.push(&sentence[start..end]);
            (start, size) = (end, 0);
        }
    }
    if start < sentence.len() {
        parts.push(&sentence[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn page(blocks: &[(BlockKind, &str)]) -> Page {
        Page {
            url: Url::parse("https://acme.example/").unwrap(),
            title: "Acme".to_owned(),
            language: Some("en".to_owned()),
            description: None,
            blocks: blocks.iter().map(|(kind, text)| Block::new(*kind, *text)).collect(),
            content_hash: String::new(),
        }
    }

    fn words_text(count: usize) -> String {
        (0..count).map(|index| format!("word{index}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn large_sections_are_chunks_of_their_own() {
        let long = words_text(150);
        let chunks = page(&[
            (BlockKind::Heading(1), "Acme"),
            (BlockKind::Paragraph, &long),
            (BlockKind::Heading(2), "Prices"),
            (BlockKind::Paragraph, &long),
            (BlockKind::Heading(3), "Students"),
            (BlockKind::Paragraph, &long),
            (BlockKind::Heading(2), "Hours"),
            (BlockKind::Paragraph, &long),
        ])
        .chunks();
        let paths: Vec<_> = chunks.iter().map(|chunk| chunk.headings.as_str()).collect();
        assert_eq!(paths, ["", "Prices", "Prices > Students", "Hours"]);
        assert!(chunks.iter().enumerate().all(|(index, chunk)| chunk.position == index));
    }

    #[test]
    fn small_sections_are_gathered_with_their_headings() {
        let chunks = page(&[
            (BlockKind::Heading(2), "Delivery"),
            (BlockKind::Heading(3), "Europe"),
            (BlockKind::Paragraph, "Three days."),
            (BlockKind::Heading(3), "Elsewhere"),
            (BlockKind::Paragraph, "Ten days."),
        ])
        .chunks();
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].headings, "Delivery");
        assert_eq!(chunks[0].text, "Europe\nThree days.\nElsewhere\nTen days.");
        assert!(chunks[0].terms.title.iter().eq(["acm"]));
    }

    #[test]
    fn rows_and_sentences_stay_whole() {
        let row = format!("Plan: {}", words_text(200));
        let sentence = format!("{}. ", words_text(40));
        let prose = sentence.repeat(30);
        let chunks = page(&[
            (BlockKind::TableRow, &row),
            (BlockKind::TableRow, &row),
            (BlockKind::TableRow, &row),
            (BlockKind::Paragraph, &prose),
        ])
        .chunks();
        assert!(chunks.iter().all(|chunk| words(&chunk.text) <= MAX_WORDS), "{chunks:?}");
        for line in chunks.iter().flat_map(|chunk| chunk.text.lines()) {
            assert!(
                line == row || (line.starts_with("word0") && line.ends_with("word39.")),
                "cut line: {line}"
            );
        }
        let total: usize = chunks.iter().map(|chunk| chunk.text.split_whitespace().count()).sum();
        assert_eq!(total, 3 * 201 + 30 * 40);
    }

    #[test]
    fn nothing_is_lost_when_a_sentence_is_too_long() {
        for text in [words_text(3_000), "字".repeat(3_000), "x".repeat(100_000)] {
            let chunks = page(&[(BlockKind::Paragraph, &text)]).chunks();
            let joined: String =
                chunks.iter().flat_map(|chunk| chunk.text.chars()).filter(|c| !c.is_whitespace()).collect();
            let expected: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            assert_eq!(joined.len(), expected.len());
            assert!(chunks.iter().all(|chunk| words(&chunk.text) <= MAX_WORDS));
        }
    }

    #[test]
    fn bare_headings_give_no_chunk() {
        let page = page(&[(BlockKind::Heading(2), "Empty")]);
        assert!(page.chunks().is_empty() && !page.has_text());
    }

    #[test]
    fn parts_of_a_page_are_never_mixed() {
        let mut page = page(&[
            (BlockKind::Heading(2), "Menu"),
            (BlockKind::Paragraph, "Soup: 4"),
            (BlockKind::Heading(3), "Hours"),
            (BlockKind::Paragraph, "Sat: closed"),
            (BlockKind::Paragraph, "Phone: 1"),
        ]);
        page.blocks[2].place = Place::Frame;
        page.blocks[3].place = Place::Frame;
        page.blocks[4].place = Place::Metadata;
        let found: Vec<_> =
            page.chunks().into_iter().map(|chunk| (chunk.place, chunk.headings, chunk.text)).collect();
        let expected = [
            (Place::Main, "Menu", "Soup: 4"),
            (Place::Frame, "acme.example > Hours", "Sat: closed"),
            (Place::Metadata, "acme.example", "Phone: 1"),
        ];
        assert_eq!(
            found,
            expected.map(|(place, headings, text)| (place, headings.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn a_heading_above_several_sections_is_written_once() {
        let chunks = page(&[
            (BlockKind::Paragraph, "Welcome."),
            (BlockKind::Heading(2), "Prices"),
            (BlockKind::Heading(3), "Adults"),
            (BlockKind::Paragraph, "Five."),
            (BlockKind::Heading(3), "Children"),
            (BlockKind::Paragraph, "Two."),
        ])
        .chunks();
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].text, "Welcome.\nPrices\nAdults\nFive.\nChildren\nTwo.");
    }

    #[test]
    fn long_sections_are_split_evenly_and_headings_stay_with_their_text() {
        let line = words_text(20);
        let mut blocks = vec![(BlockKind::Heading(2), "Long")];
        blocks.extend(vec![(BlockKind::ListItem, line.as_str()); 17]);
        let sizes: Vec<_> = page(&blocks).chunks().iter().map(|chunk| words(&chunk.text)).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 340);
        assert!(sizes.iter().all(|size| (100..=180).contains(size)), "{sizes:?}");
    }

    #[test]
    fn sentences_end_where_readers_end_them() {
        let cases: &[(&str, usize)] = &[
            ("One. Two! Three? Four", 4),
            ("See e.g. the list. Done.", 2),
            ("Costs 5.50 per day.", 1),
            ("He said \"stop.\" Then left.", 2),
            ("価格です。次です。", 2),
            ("Mr. A. Smith came. ok", 2),
            ("", 0),
        ];
        for (text, count) in cases {
            let found = sentences(text);
            assert_eq!(found.len(), *count, "{found:?}");
            assert_eq!(found.concat(), *text);
        }
    }
}
