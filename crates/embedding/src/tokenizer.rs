//! Text to token ids, as the XLM-RoBERTa tokenizer does it: normalizer, words, Unigram pieces, start and end token.

mod normalizer;
mod pieces;

use std::ops::Range;

use crate::{
    error::ModelError,
    tokenizer::{normalizer::Normalizer, pieces::Pieces},
};

/// Marks the beginning of a word in the vocabulary.
const METASPACE: char = '\u{2581}';

/// Longest word in characters. It bounds the memory that a text without spaces takes; the rest of the word is ignored.
const LONGEST_WORD: usize = 1 << 17;

/// Splits texts into tokens of a vocabulary.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    normalizer: Normalizer,
    pieces: Pieces,
    longest: usize,
}

impl Tokenizer {
    /// Reads the tables `normalizer.tsv` and `vocabulary.tsv`. Sequences have at most `longest` tokens.
    pub(crate) fn new(normalizer: &str, vocabulary: &str, longest: usize) -> Result<Self, ModelError> {
        Ok(Self { normalizer: Normalizer::new(normalizer)?, pieces: Pieces::new(vocabulary)?, longest })
    }

    /// Returns the number of pieces in the vocabulary.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.count()
    }

    /// Returns whether a lower-case word is a piece of the vocabulary by itself.
    pub(crate) fn is_piece(&self, word: &str) -> bool {
        self.pieces.contains(&format!("{METASPACE}{word}"))
    }

    /// Returns the ids of `prefix` and `text` together, between start and end token. A long text is cut.
    pub(crate) fn encode(&self, prefix: &str, text: &str) -> Vec<i32> {
        self.encode_parts(prefix, &[text]).0
    }

    /// Returns the ids of `prefix` and all parts, between start and end token, and for each part the positions of its
    /// ids. Each part begins a new word. A long text is cut: parts beyond the end have no ids.
    pub(crate) fn encode_parts(&self, prefix: &str, parts: &[&str]) -> (Vec<i32>, Vec<Range<usize>>) {
        let room = self.longest - 1;
        let mut ids = vec![self.pieces.start()];
        let mut ranges = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let start = ids.len();
            if start < room {
                self.push(if index == 0 { prefix } else { "" }, part, room, &mut ids);
            }
            ids.truncate(room);
            ranges.push(start.min(ids.len())..ids.len());
        }
        ids.push(self.pieces.end());
        (ids, ranges)
    }

    fn push(&self, prefix: &str, text: &str, room: usize, ids: &mut Vec<i32>) {
        let mut word = Vec::new();
        for character in self.normalizer.normalized(prefix.chars().chain(text.chars())) {
            let space = character.is_whitespace();
            if space || character == METASPACE {
                self.pieces.split(&word, ids);
                word.clear();
                if ids.len() >= room {
                    break;
                }
            }
            if !space && word.len() < LONGEST_WORD {
                if word.is_empty() {
                    word.push(METASPACE);
                }
                if character != METASPACE {
                    word.push(character);
                }
            }
        }
        self.pieces.split(&word, ids);
    }
}
