//! Chunks of a page: the units that are indexed, ranked and cited.

use crate::analyze::analyze;
use crate::extract::{Block, BlockKind};
use crate::page::Page;

/// Sections are combined into one chunk up to this many tokens.
const TARGET_TOKENS: usize = 300;

/// Most tokens of a chunk, unless a single sentence is longer.
const MAX_TOKENS: usize = 450;

/// A chunk with fewer tokens is combined with the next section.
const MIN_TOKENS: usize = 60;

/// A unit of training content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Position on its page, from 0.
    pub position: usize,
    /// Title of the page.
    pub title: String,
    /// Headings above the chunk, outermost first, joined with ` > `.
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
    pub title: Vec<String>,
    /// Terms of the headings above the chunk.
    pub headings: Vec<String>,
    /// Terms of the text, including headings inside it.
    pub body: Vec<String>,
}

impl FieldTerms {
    /// Analyses the three fields of a chunk.
    pub fn of(title: &str, headings: &str, text: &str, language: Option<&str>) -> Self {
        Self {
            title: analyze(title, language),
            headings: analyze(headings, language),
            body: analyze(text, language),
        }
    }
}

impl Page {
    /// Returns the chunks of this page; none if the page has no text below its headings.
    ///
    /// Sections stay whole and are never mixed across a top heading. A list item, table row or sentence is only split
    /// if it alone is longer than a chunk may be.
    pub fn chunks(&self) -> Vec<Chunk> {
        chunks(&self.blocks, &self.title, self.language.as_deref())
    }
}

/// Returns the chunks of some blocks below a title, such as those of a file.
pub fn chunks(blocks: &[Block], title: &str, language: Option<&str>) -> Vec<Chunk> {
    gather(sections(blocks, title))
        .into_iter()
        .enumerate()
        .map(|(position, section)| {
            let headings = section.path.join(" > ");
            let text = section.lines.join("\n");
            let terms = FieldTerms::of(title, &headings, &text, language);
            Chunk { position, title: title.to_owned(), headings, text, terms }
        })
        .collect()
}

/// Returns the approximate number of model tokens: 1.3 per word, and one per character in scripts without spaces.
fn tokens(text: &str) -> usize {
    let words = text.split_whitespace().count();
    let dense = text.chars().filter(|character| *character >= '\u{2e80}').count();
    words + words * 3 / 10 + dense
}

/// A heading path and the lines below it.
#[derive(Debug, Clone)]
struct Section {
    path: Vec<String>,
    lines: Vec<String>,
    tokens: usize,
}

impl Section {
    fn new(path: Vec<String>) -> Self {
        Self { path, lines: Vec::new(), tokens: 0 }
    }

    fn push(&mut self, line: String) {
        self.tokens += tokens(&line);
        self.lines.push(line);
    }
}

/// Returns one section per heading, with long ones split at the ends of blocks or sentences.
fn sections(blocks: &[Block], title: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut path: Vec<(u8, String)> = Vec::new();
    let mut current = Section::new(Vec::new());
    for block in blocks {
        if let BlockKind::Heading(level) = block.kind {
            sections.push(std::mem::replace(&mut current, Section::new(Vec::new())));
            path.retain(|(above, _)| *above < level);
            path.push((level, block.text.clone()));
            current.path = path.iter().map(|(_, text)| text.clone()).filter(|text| text != title).collect();
            continue;
        }
        for piece in pieces(block) {
            if current.tokens > 0 && current.tokens + tokens(&piece) > MAX_TOKENS {
                let next = Section::new(current.path.clone());
                sections.push(std::mem::replace(&mut current, next));
            }
            current.push(piece);
        }
    }
    sections.push(current);
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Combines adjacent small sections that share their upper headings.
fn gather(sections: Vec<Section>) -> Vec<Section> {
    let mut gathered: Vec<Section> = Vec::new();
    for section in sections {
        let Some(last) = gathered.last_mut() else {
            gathered.push(section);
            continue;
        };
        let shared = last.path.iter().zip(&section.path).take_while(|(left, right)| left == right).count();
        let fits = last.tokens + section.tokens <= TARGET_TOKENS;
        let is_small = last.tokens < MIN_TOKENS || section.tokens < MIN_TOKENS;
        let is_deeper = shared == last.path.len() && shared > 0;
        if fits && (is_small || is_deeper) {
            join(last, section, shared);
        } else {
            gathered.push(section);
        }
    }
    gathered
}

/// Appends a section to another. Headings that the two do not share become lines of the text.
fn join(target: &mut Section, section: Section, shared: usize) {
    if shared < target.path.len() {
        let own = target.path.split_off(shared);
        for (index, heading) in own.into_iter().enumerate() {
            target.tokens += tokens(&heading);
            target.lines.insert(index, heading);
        }
    }
    for line in section.path.into_iter().skip(shared).chain(section.lines) {
        target.push(line);
    }
}

/// Returns a block in pieces that fit a chunk, split at the ends of sentences, then between words.
fn pieces(block: &Block) -> Vec<String> {
    if tokens(&block.text) <= MAX_TOKENS {
        return vec![block.text.clone()];
    }
    let units: Vec<&str> = if block.kind == BlockKind::Code {
        block.text.split_inclusive('\n').collect()
    } else {
        sentences(&block.text).into_iter().flat_map(|sentence| words_within(sentence, MAX_TOKENS)).collect()
    };
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut size = 0;
    for unit in units {
        let unit_size = tokens(unit);
        if size > 0 && size + unit_size > TARGET_TOKENS {
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

/// Returns a sentence in pieces of at most `limit` tokens, split between words, or between characters if it has no spaces.
fn words_within(sentence: &str, limit: usize) -> Vec<&str> {
    if tokens(sentence) <= limit {
        return vec![sentence];
    }
    let has_spaces = sentence.split_whitespace().count() * 20 > sentence.chars().count();
    let mut parts = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (index, character) in sentence.char_indices() {
        if character.is_whitespace() || !has_spaces {
            size += 1;
        }
        if size * 2 >= limit && (character.is_whitespace() || !has_spaces) {
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

    fn words(count: usize) -> String {
        (0..count).map(|index| format!("word{index}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn large_sections_are_chunks_of_their_own() {
        let long = words(150);
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
        assert_eq!(chunks[0].terms.title, ["acm"]);
    }

    #[test]
    fn rows_and_sentences_stay_whole() {
        let row = format!("Plan: {}", words(200));
        let sentence = format!("{}. ", words(40));
        let prose = sentence.repeat(30);
        let chunks = page(&[
            (BlockKind::TableRow, &row),
            (BlockKind::TableRow, &row),
            (BlockKind::TableRow, &row),
            (BlockKind::Paragraph, &prose),
        ])
        .chunks();
        assert!(chunks.iter().all(|chunk| tokens(&chunk.text) <= MAX_TOKENS), "{chunks:?}");
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
        for text in [words(3_000), "字".repeat(3_000), "x".repeat(100_000)] {
            let chunks = page(&[(BlockKind::Paragraph, &text)]).chunks();
            let joined: String =
                chunks.iter().flat_map(|chunk| chunk.text.chars()).filter(|c| !c.is_whitespace()).collect();
            let expected: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            assert_eq!(joined.len(), expected.len());
            assert!(chunks.iter().all(|chunk| tokens(&chunk.text) <= MAX_TOKENS));
        }
    }

    #[test]
    fn dropped_blocks_and_bare_headings_give_no_chunk() {
        let page = page(&[(BlockKind::Paragraph, "We use cookies."), (BlockKind::Heading(2), "Empty")]);
        assert!(page.without_blocks(&page.block_hashes()).chunks().is_empty());
        assert!(!page.has_text());
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
