//! Windows: runs of neighboring segments of a passage, any of which may be quoted as the answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use frontdesk_knowledge::{Attribute, Attributes, OutlinedSegment, Passage, QuestionWord, Terms};
use url::Url;

use super::asking::Asking;
use crate::settings::ResponseLength;
use crate::topics::Topics;

/// Number of best passages to quote from.
const MAX_PASSAGES: usize = 5;

/// Longest line without an end mark that is a heading or a short fact rather than a sentence, in bytes.
const MAX_SHORT_LINE: usize = 90;

/// How much of a sentence's share of an answer an item of a list or a row of a table takes.
const ITEM_SHARE: f64 = 0.3;

/// What a line states completely in a word or two.
const FACTS: [Attribute; 4] = [Attribute::Hours, Attribute::Phone, Attribute::Email, Attribute::Address];

/// The size of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Most windows.
    pub(super) windows: usize,
    /// Bytes of all windows together, unless the first one alone is longer.
    pub(super) bytes: usize,
}

/// Sentences of one window; an item of a list counts as a part of one.
const WINDOW_SENTENCES: f64 = 1.0;

/// Bytes of one window, unless one segment alone is longer.
const WINDOW_BYTES: usize = 400;

impl Limits {
    pub(super) fn of(length: ResponseLength) -> Self {
        match length {
            ResponseLength::Short => Self { windows: 1, bytes: 300 },
            ResponseLength::Medium => Self { windows: 4, bytes: 550 },
            ResponseLength::Long => Self { windows: 8, bytes: 1_100 },
        }
    }
}

/// What a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A sentence.
    Sentence,
    /// An item of a list, a row of a table or a short line.
    Item,
    /// A numbered item, which only makes sense among the others.
    Step,
    /// A heading, which describes what follows.
    Heading,
    /// A question, which the text after it answers.
    Question,
    /// A sentence that ends in a colon.
    Introduction,
    /// A line of a program.
    Code,
}

/// A segment with what the selection needs to know of it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Segment {
    pub(super) range: Range<usize>,
    pub(super) shape: Shape,
    /// Whether it is the first one of its line.
    pub(super) starts_line: bool,
    /// Whether it says something by itself, unlike `Read more`.
    is_statement: bool,
    /// Whether its subject is in the segment before, with which it is quoted or not at all.
    is_dependent: bool,
    /// A bit for each word of the question that it has.
    pub(super) words: u64,
    pub(super) given: Attributes,
    /// Nearness in meaning to the question, if there are vectors.
    pub(super) nearness: Option<f64>,
    /// Whether the owner does not want it mentioned.
    pub(super) withheld: bool,
}

impl Segment {
    /// Returns whether it only describes what follows, so that it is not quoted.
    pub(super) fn describes(&self) -> bool {
        matches!(self.shape, Shape::Heading | Shape::Question)
    }
}

/// A passage, cut into segments.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) passage: &'a Passage,
    pub(super) segments: Vec<Segment>,
    /// A bit for each word of the question in the title and the headings above the passage.
    pub(super) heading_words: u64,
    /// Whether the passage only announces what its page is about.
    pub(super) is_announcement: bool,
}

/// A run of segments of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// Index of the source.
    pub(super) source: usize,
    /// Indices of the segments.
    pub(super) segments: Range<usize>,
    /// Whether it is an entry of a person, whose name is quoted with it.
    pub(super) names_person: bool,
}

impl Window {
    /// Returns whether it begins under a heading or a question of its own.
    pub(super) fn begins_anew(&self, sources: &[Source<'_>]) -> bool {
        sources[self.source].segments[self.segments.start].describes()
    }

    /// Returns the quoted text: a part of the passage, character by character, without the headings and
    /// questions that it begins with. They only describe it.
    pub(super) fn text<'a>(&self, sources: &[Source<'a>]) -> &'a str {
        let source = &sources[self.source];
        let segments = &source.segments[self.segments.clone()];
        if let ([first, .., last], true) = (segments, self.names_person) {
            return source.passage.text[first.range.start..last.range.end]
                .trim_start_matches(['#', ' ', '*']);
        }
        let mut said = segments.iter().skip_while(|segment| segment.describes());
        match (said.next(), segments.last()) {
            (Some(first), Some(last)) => &source.passage.text[first.range.start..last.range.end],
            _ => "",
        }
    }
}

/// Returns the words of a question. One that only says when, such as "And on Sunday?", is about what the
/// question before it was about, so the words of that follow. They find nothing by themselves and have no
/// rarity.
pub(super) fn words_of<'a>(asking: &Asking<'a>) -> Cow<'a, [QuestionWord]> {
    let own = &asking.retrieval.support.words;
    match asking.previous {
        Some(previous) if own.len() <= 2 && own.iter().all(|word| word.says_when) => {
            let language = asking.retrieval.passages.first().and_then(|passage| passage.language.as_deref());
            let before = QuestionWord::all(previous, language);
            let before = before.into_iter().map(|word| QuestionWord { rarity: 0.0, ..word });
            own.iter().cloned().chain(before).collect()
        }
        _ => Cow::Borrowed(own),
    }
}

/// Cuts the best passages that were found into segments.
pub(super) fn sources<'a>(asking: &Asking<'a>, topics: &Topics) -> Vec<Source<'a>> {
    let words = words_of(asking);
    let words = QuestionWords::of(&words);
    asking
        .retrieval
        .passages
        .iter()
        .take(MAX_PASSAGES)
        .map(|passage| source(&words, passage, topics))
        .collect()
}

/// The words of a question by their terms, with a bit for each word.
struct QuestionWords<'a>(HashMap<&'a str, u64>);

impl<'a> QuestionWords<'a> {
    fn of(words: &'a [QuestionWord]) -> Self {
        let mut bits: HashMap<&str, u64> = HashMap::new();
        for (index, word) in words.iter().take(64).enumerate() {
            for term in &word.terms {
                *bits.entry(term).or_default() |= 1 << index;
            }
        }
        Self(bits)
    }

    /// Returns a bit for each of the question's words that a text has in any form.
    fn found_in(&self, terms: &Terms) -> u64 {
        terms.iter().filter_map(|term| self.0.get(term)).fold(0, |found, bits| found | bits)
    }
}

fn source<'a>(words: &QuestionWords<'_>, passage: &'a Passage, topics: &Topics) -> Source<'a> {
    let text = passage.text.as_str();
    let outline = passage.outline();
    let outlined = &outline.segments;
    let mut fenced = false;
    let mut found: Vec<Segment> = Vec::with_capacity(outlined.len());
    for (index, OutlinedSegment { range, given, terms, is_dependent }) in outlined.iter().enumerate() {
        let segment = &text[range.clone()];
        let next = outlined.get(index + 1).map(|next| &next.range);
        let starts_line = index == 0 || text[outlined[index - 1].range.end..range.start].contains('\n');
        let ends_line = next.is_none_or(|next| text[range.end..next.start].contains('\n'));
        let is_fence = segment.starts_with("```");
        let next = next.map(|next| &text[next.clone()]);
        let shape = if fenced || is_fence {
            Shape::Code
        } else {
            shape(segment, *given, starts_line && ends_line, next)
        };
        fenced ^= is_fence;
        let near = passage
            .relevance
            .segments
            .iter()
            .filter(|(other, _)| other.start < range.end && range.start < other.end)
            .map(|(_, nearness)| *nearness);
        found.push(Segment {
            range: range.clone(),
            shape,
            starts_line,
            is_statement: states_fact(*given) || is_statement(segment),
            is_dependent: *is_dependent,
            words: words.found_in(terms),
            given: *given,
            nearness: near.reduce(f64::max),
            withheld: topics.names(segment),
        });
    }
    Source {
        passage,
        segments: found,
        heading_words: words.found_in(&outline.headings),
        is_announcement: is_announcement(passage),
    }
}

/// Returns whether a passage only announces what its page is about, as descriptions for search engines do: it
/// is beside the content, without a heading, and has no number.
fn is_announcement(passage: &Passage) -> bool {
    let host = || Url::parse(&passage.url).ok()?.host_str().map(str::to_owned);
    !passage.headings.is_empty()
        && !passage.text.contains(char::is_numeric)
        && host().is_some_and(|host| host == passage.headings)
}

/// Returns whether a text needs no sentence to state something: `Sunday closed`.
fn states_fact(given: Attributes) -> bool {
    FACTS.iter().any(|fact| given.contains(*fact))
}

/// Returns the shape of a heading. One with a day introduces the hours below it, which say nothing without
/// the day.
fn heading(given: Attributes) -> Shape {
    if given.days.is_empty() { Shape::Heading } else { Shape::Introduction }
}

fn shape(segment: &str, given: Attributes, is_line: bool, next: Option<&str>) -> Shape {
    if segment.ends_with(['?', '？']) {
        return Shape::Question;
    }
    if segment.ends_with([':', '：']) {
        return Shape::Introduction;
    }
    if !is_line {
        return Shape::Sentence;
    }
    if segment.starts_with('#') {
        return heading(given);
    }
    let is_open = !segment.ends_with(['.', '!', '…', '。', '！', ')']);
    let has_bullet = segment
        .split_once(' ')
        .is_some_and(|(marker, _)| matches!(marker, "-" | "*" | "•" | "–" | "·" | "◦" | "▪" | "+"));
    if is_numbered(segment) {
        return Shape::Step;
    }
    if has_bullet || segment.contains(": ") {
        return Shape::Item;
    }
    if is_open && segment.len() <= MAX_SHORT_LINE {
        let has_digit = segment.contains(|character: char| character.is_ascii_digit());
        let is_above_text = next.is_some_and(|next| next.len() > segment.len());
        let is_heading = !has_digit && is_above_text && !states_fact(given);
        return if is_heading { heading(given) } else { Shape::Item };
    }
    Shape::Sentence
}

/// Returns whether a line begins with a number and a full stop or bracket.
fn is_numbered(segment: &str) -> bool {
    let marker = segment.split_once(' ').and_then(|(marker, _)| marker.strip_suffix(['.', ')']));
    marker.is_some_and(|label| {
        (1..=2).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns whether a segment states something: two words without an end mark are part of a menu rather than a
/// fact.
fn is_statement(segment: &str) -> bool {
    let words = segment.split_whitespace().count();
    let letters = segment.chars().filter(|character| character.is_alphanumeric()).count();
    let is_unspaced = words == 1 && letters >= 4 && !segment.is_ascii();
    let is_ended = words == 2 && segment.ends_with(['.', '!', '…', '。']);
    let has_digit = segment.contains(|character: char| character.is_ascii_digit());
    letters >= 2 && (words >= 3 || is_ended || has_digit || is_unspaced || segment.contains(": "))
}

/// Returns whether two windows have a segment in common.
pub(super) fn overlaps(left: &Window, right: &Window) -> bool {
    left.source == right.source
        && left.segments.start < right.segments.end
        && right.segments.start < left.segments.end
}

/// Returns every window that may be quoted.
pub(super) fn windows(sources: &[Source<'_>]) -> Vec<Window> {
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        for start in 0..source.segments.len() {
            let continues_steps = start > 0 && source.segments[start].shape == Shape::Step && {
                let before = &source.segments[start - 1];
                before.shape == Shape::Step || before.shape == Shape::Introduction
            };
            if continues_steps {
                continue;
            }
            let first = with_antecedent(&source.segments, start);
            if source.segments[first..start].iter().any(|segment| segment.withheld) {
                continue;
            }
            let mut sentences = 0.0;
            // A list is quoted whole after the line that introduces it, as far as it fits.
            let is_introduced = source.segments[start].shape == Shape::Introduction;
            for end in start..source.segments.len() {
                let segment = &source.segments[end];
                if segment.withheld {
                    break;
                }
                sentences += match segment.shape {
                    Shape::Sentence => 1.0,
                    Shape::Item | Shape::Code if is_introduced => 0.0,
                    Shape::Item | Shape::Code => ITEM_SHARE,
                    Shape::Step | Shape::Heading | Shape::Introduction | Shape::Question => 0.0,
                };
                let bytes = segment.range.end - source.segments[start].range.start;
                let is_single = end == start;
                if !is_single && (sentences > WINDOW_SENTENCES + f64::EPSILON || bytes > WINDOW_BYTES) {
                    break;
                }
                let next = source.segments.get(end + 1);
                let is_list = segment.shape == Shape::Step || (is_introduced && segment.shape == Shape::Item);
                let is_cut = is_list
                    && next.is_some_and(|next| {
                        next.shape == segment.shape
                            && next.range.end - source.segments[start].range.start <= WINDOW_BYTES
                    });
                if !is_cut && states_something(&source.segments[start..=end]) {
                    found.push(Window { source: index, segments: first..end + 1, names_person: false });
                }
            }
        }
    }
    found
}

/// Most sentences before a sentence that are quoted because it is not understood without them.
const ANTECEDENTS: usize = 2;

/// Returns the first segment of a window that begins with the segment at `start`: its subject may be in the
/// one before. A heading or a question above is not quoted, and is understood without.
fn with_antecedent(segments: &[Segment], start: usize) -> usize {
    let is_statement = |segment: &Segment| matches!(segment.shape, Shape::Sentence | Shape::Item);
    let mut first = start;
    while first > 0
        && start - first < ANTECEDENTS
        && segments[first].is_dependent
        && is_statement(&segments[first - 1])
    {
        first -= 1;
    }
    first
}

/// Returns whether a run of segments is worth quoting: it states something, and does not end with what only
/// describes the text after it.
fn states_something(run: &[Segment]) -> bool {
    let says_nothing = |segment: &Segment| segment.describes() || segment.shape == Shape::Introduction;
    run.iter().any(|segment| !says_nothing(segment) && segment.is_statement)
        && run.last().is_some_and(|last| !says_nothing(last))
}
