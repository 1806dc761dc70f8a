//! Text to token ids, between a start and an end token.

mod normalizer;
mod pieces;
mod word_pieces;

use std::ops::Range;

use crate::{
    error::ModelError,
    tokenizer::{normalizer::Normalizer, pieces::Pieces, word_pieces::WordPieces},
};

/// Marks the beginning of a word in a Unigram vocabulary.
const METASPACE: char = '\u{2581}';

/// Longest word in characters. It bounds the memory that a text without spaces takes; the rest of the word is
/// ignored.
const LONGEST_WORD: usize = 1 << 17;

/// Splits texts into tokens of a vocabulary.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    vocabulary: Vocabulary,
    longest: usize,
}

#[derive(Debug)]
enum Vocabulary {
    /// As XLM-RoBERTa: normalizer, words, Unigram pieces.
    Unigram(Normalizer, Pieces),
    /// As BERT for small letters: words, WordPiece pieces.
    WordPiece(WordPieces),
}

impl Tokenizer {
    /// Reads the tables `normalizer.tsv` and `vocabulary.tsv`. Sequences have at most `longest` tokens.
    pub(crate) fn unigram(normalizer: &str, vocabulary: &str, longest: usize) -> Result<Self, ModelError> {
        let vocabulary = Vocabulary::Unigram(Normalizer::new(normalizer)?, Pieces::new(vocabulary)?);
        Ok(Self { vocabulary, longest })
    }

    /// Reads the table `vocab.txt`. Sequences have at most `longest` tokens.
    pub(crate) fn word_piece(vocabulary: &str, longest: usize) -> Result<Self, ModelError> {
        Ok(Self { vocabulary: Vocabulary::WordPiece(WordPieces::new(vocabulary)?), longest })
    }

    /// Returns the number of pieces in the vocabulary.
    pub(crate) fn pieces(&self) -> usize {
        match &self.vocabulary {
            Vocabulary::Unigram(_, pieces) => pieces.count(),
            Vocabulary::WordPiece(pieces) => pieces.count(),
        }
    }

    /// Returns whether a lower-case word is a piece of the vocabulary by itself.
    pub(crate) fn is_piece(&self, word: &str) -> bool {
        match &self.vocabulary {
            Vocabulary::Unigram(_, pieces) => pieces.contains(&format!("{METASPACE}{word}")),
            Vocabulary::WordPiece(pieces) => pieces.contains(word),
        }
    }

    /// Returns the ids of `prefix` and `text` together, between start and end token. A long text is cut.
    pub(crate) fn encode(&self, prefix: &str, text: &str) -> Vec<i32> {
        self.encode_parts(prefix, &[text]).0
    }

    /// Returns the ids of `prefix` and all parts, between start and end token, and for each part the
    /// positions of its ids. Each part begins a new word. A long text is cut: parts beyond the end have no
    /// ids.
    pub(crate) fn encode_parts(&self, prefix: &str, parts: &[&str]) -> (Vec<i32>, Vec<Range<usize>>) {
        let room = self.longest - 1;
        let (start, end) = match &self.vocabulary {
            Vocabulary::Unigram(_, pieces) => (pieces.start(), pieces.end()),
            Vocabulary::WordPiece(pieces) => (pieces.start(), pieces.end()),
        };
        let mut ids = vec![start];
        let mut ranges = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let start = ids.len();
            if start < room {
                let text = (if index == 0 { prefix } else { "" }).chars().chain(part.chars());
                match &self.vocabulary {
                    Vocabulary::Unigram(normalizer, pieces) => {
                        push(normalizer, pieces, text, room, &mut ids);
                    }
                    Vocabulary::WordPiece(pieces) => pieces.split(text, room, &mut ids),
                }
            }
            ids.truncate(room);
            ranges.push(start.min(ids.len())..ids.len());
        }
        ids.push(end);
        (ids, ranges)
    }
}

/// Appends the Unigram pieces of a text, until there are `room` of them or a few more.
fn push(
    normalizer: &Normalizer,
    pieces: &Pieces,
    text: impl Iterator<Item = char>,
    room: usize,
    ids: &mut Vec<i32>,
) {
    let mut word = Vec::new();
    for character in normalizer.normalized(text) {
        let space = character.is_whitespace();
        if space || character == METASPACE {
            pieces.split(&word, ids);
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
    pieces.split(&word, ids);
}
