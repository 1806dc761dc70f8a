//! The Unigram model: a word is split into the pieces with the largest sum of scores (Viterbi).

use foldhash::{HashMap, HashMapExt};

use crate::error::ModelError;

/// How much worse an unknown character is than the worst piece.
const UNKNOWN_PENALTY: f64 = 10.0;

/// The table `vocabulary.tsv`.
#[derive(Debug)]
pub(super) struct Pieces {
    by_text: HashMap<Box<str>, Piece>,
    count: usize,
    /// Characters of the longest piece.
    longest: usize,
    unknown_score: f64,
    start: i32,
    end: i32,
    unknown: i32,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    id: i32,
    score: f64,
}

/// The best way to a position in a word.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    /// Where its last piece begins.
    from: usize,
    /// Its last piece; `None` is an unknown character.
    piece: Option<i32>,
}

impl Pieces {
    /// Reads the table: in each line a piece, a tab, and its score. The first line has the id 0.
    pub(super) fn new(table: &str) -> Result<Self, ModelError> {
        let mut by_text = HashMap::with_capacity(table.len() / 16);
        let mut special = HashMap::new();
        let mut longest = 0;
        let mut worst = 0.0_f64;
        let mut count = 0;
        for (index, line) in table.lines().enumerate() {
            let entry = line
                .rsplit_once('\t')
                .and_then(|(text, score)| Some((text, score.parse().ok()?)))
                .filter(|(text, score): &(&str, f64)| !text.is_empty() && score.is_finite());
            let (Some((text, score)), Ok(id)) = (entry, i32::try_from(index)) else {
                return Err(ModelError::Table {
                    file: "vocabulary.tsv",
                    line: index + 1,
                    problem: "expected a piece, a tab, and its score".to_owned(),
                });
            };
            count += 1;
            worst = worst.min(score);
            // What looks like a special piece in a text is text.
            if matches!(text, "<s>" | "</s>" | "<unk>" | "<pad>" | "<mask>") {
                special.insert(text, id);
                continue;
            }
            longest = longest.max(text.chars().count());
            by_text.insert(text.into(), Piece { id, score });
        }
        let special = |piece| {
            special.get(piece).copied().ok_or(ModelError::SpecialPiece { file: "vocabulary.tsv", piece })
        };
        Ok(Self {
            by_text,
            count,
            longest,
            unknown_score: worst - UNKNOWN_PENALTY,
            start: special("<s>")?,
            end: special("</s>")?,
            unknown: special("<unk>")?,
        })
    }

    /// Returns the number of pieces.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns whether a text is one piece.
    pub(super) fn contains(&self, text: &str) -> bool {
        self.by_text.contains_key(text)
    }

    /// Returns the id of the start token.
    pub(super) fn start(&self) -> i32 {
        self.start
    }

    /// Returns the id of the end token.
    pub(super) fn end(&self) -> i32 {
        self.end
    }

    /// Appends the pieces of a word to `ids`. Unknown characters in a row are one token.
    pub(super) fn split(&self, word: &[char], ids: &mut Vec<i32>) {
        let first = ids.len();
        let mut unknown_before = false;
        let steps = self.best_steps(word);
        let mut position = word.len();
        while position > 0 {
            let Some(step) = steps[position] else { break };
            if step.piece.is_some() || !unknown_before {
                ids.push(step.piece.unwrap_or(self.unknown));
            }
            unknown_before = step.piece.is_none();
            position = step.from;
        }
        ids[first..].reverse();
    }

    /// Returns the best way to each position. Of two equal ways the earlier one stays.
    fn best_steps(&self, word: &[char]) -> Vec<Option<Step>> {
        let mut steps = vec![None; word.len() + 1];
        let mut text = String::new();
        for from in 0..word.len() {
            let before = if from == 0 { 0.0 } else { steps[from].map_or(0.0, |step: Step| step.score) };
            let mut offer = |to: usize, score: f64, piece| {
                if steps[to].is_none_or(|step| score > step.score) {
                    steps[to] = Some(Step { score, from, piece });
                }
            };
            let mut single = false;
            text.clear();
            for (to, character) in (from + 1..).zip(&word[from..]).take(self.longest) {
                text.push(*character);
                if let Some(piece) = self.by_text.get(text.as_str()) {
                    offer(to, before + piece.score, Some(piece.id));
                    single |= to == from + 1;
                }
            }
            if !single {
                offer(from + 1, before + self.unknown_score, None);
            }
        }
        steps
    }
}
