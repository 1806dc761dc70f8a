//! The WordPiece model of BERT: words are split from the left into the longest pieces of the vocabulary.

use foldhash::{HashMap, HashMapExt};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::error::ModelError;

/// Longest word in characters; a longer one is unknown, as in the original.
const LONGEST_WORD: usize = 100;

/// The table `vocab.txt`.
#[derive(Debug)]
pub(super) struct WordPieces {
    starts: HashMap<Box<str>, i32>,
    /// Pieces that continue a word, without their mark `##`.
    continuations: HashMap<Box<str>, i32>,
    count: usize,
    start: i32,
    end: i32,
    unknown: i32,
}

impl WordPieces {
    /// Reads the table: a piece in each line. The first line has the id 0.
    pub(super) fn new(table: &str) -> Result<Self, ModelError> {
        let mut starts = HashMap::with_capacity(table.len() / 8);
        let mut continuations = HashMap::new();
        let mut special = HashMap::new();
        let mut count = 0;
        for (index, line) in table.lines().enumerate() {
            let Ok(id) = i32::try_from(index) else { break };
            count += 1;
            // What looks like a special piece in a text is text.
            if matches!(line, "[CLS]" | "[SEP]" | "[UNK]" | "[PAD]" | "[MASK]") {
                special.insert(line, id);
            } else if let Some(continuation) = line.strip_prefix("##").filter(|piece| !piece.is_empty()) {
                continuations.insert(continuation.into(), id);
            } else {
                starts.insert(line.into(), id);
            }
        }
        let special =
            |piece| special.get(piece).copied().ok_or(ModelError::SpecialPiece { file: "vocab.txt", piece });
        Ok(Self {
            starts,
            continuations,
            count,
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            unknown: special("[UNK]")?,
        })
    }

    /// Returns the number of pieces.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns whether a lower-case word is one piece.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.starts.contains_key(word)
    }

    /// Returns the id of the start token.
    pub(super) fn start(&self) -> i32 {
        self.start
    }

    /// Returns the id of the end token.
    pub(super) fn end(&self) -> i32 {
        self.end
    }

    /// Appends the pieces of a text to `ids`, until there are `room` of them or a few more.
    pub(super) fn split(&self, text: impl Iterator<Item = char>, room: usize, ids: &mut Vec<i32>) {
        let mut word = String::new();
        for character in normalized(text) {
            if ids.len() >= room {
                return;
            }
            if character.is_whitespace() {
                self.push(&mut word, ids);
            } else if stands_alone(character) {
                self.push(&mut word, ids);
                word.push(character);
                self.push(&mut word, ids);
            } else if word.len() <= 4 * LONGEST_WORD {
                word.push(character);
            }
        }
        self.push(&mut word, ids);
    }

    /// Appends the pieces of a word, and empties it. A word with an unknown part is unknown as a whole.
    fn push(&self, word: &mut String, ids: &mut Vec<i32>) {
        if word.is_empty() {
            return;
        }
        let first = ids.len();
        let mut rest = word.as_str();
        if word.chars().count() > LONGEST_WORD {
            rest = "";
            ids.push(self.unknown);
        }
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.starts } else { &self.continuations };
            let ends = rest.char_indices().rev().map(|(at, character)| at + character.len_utf8());
            let Some((end, id)) = ends.into_iter().find_map(|end| Some((end, *pieces.get(&rest[..end])?)))
            else {
                ids.truncate(first);
                ids.push(self.unknown);
                break;
            };
            ids.push(id);
            rest = &rest[end..];
        }
        word.clear();
    }
}

/// Returns the text in small letters, without accents and control characters.
fn normalized(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    text.filter(|character| {
        *character != '\u{fffd}' && (character.is_whitespace() || !is_invisible(*character))
    })
    .nfd()
    .filter(|character| !is_combining_mark(*character))
    .flat_map(char::to_lowercase)
}

/// Returns whether a character is a control or format character, or for private use.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{f0000}'..='\u{10fffd}')
}

/// Returns whether a character is a word of its own: punctuation, symbols of ASCII, and Chinese characters.
fn stands_alone(character: char) -> bool {
    character.is_ascii_punctuation()
        || matches!(character,
            '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
            | '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}
