//! [`Frequencies`]: in how many chunks of a large chatbot frequent words are.

use std::time::Instant;

use foldhash::{HashMap, HashMapExt};

use crate::freshness::{COUNTS, TOLERATED};

/// Most bytes of the words of one chatbot. Then no others are added.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of a word beside its letters.
const OVERHEAD: usize = 40;

/// The number of chunks from which a word is frequent. The database counts fewer in less time than the rest
/// of a search takes.
const FREQUENT: u64 = 1_000;

/// Counts of frequent words: the database passes over all chunks that have a word to count them, and ranking
/// only needs to know about how many there are. Words that few chunks have are counted for each question.
#[derive(Debug, Default)]
pub(crate) struct Frequencies {
    counted: Option<Counted>,
    bytes: usize,
}

#[derive(Debug)]
struct Counted {
    /// How many chunks the chatbot had.
    chunks: u64,
    since: Instant,
    by_word: HashMap<Box<str>, u64>,
}

impl Counted {
    fn is_of(&self, chunks: u64) -> bool {
        self.chunks.abs_diff(chunks) <= self.chunks / TOLERATED && self.since.elapsed() < COUNTS
    }
}

impl Frequencies {
    /// Returns the count of each word that has one, if the chatbot has this number of chunks now.
    pub(crate) fn of(&self, chunks: u64, words: &[String]) -> Vec<Option<u64>> {
        let counted = self.counted.as_ref().filter(|counted| counted.is_of(chunks));
        words.iter().map(|word| counted?.by_word.get(word.as_str()).copied()).collect()
    }

    /// Keeps the counts of frequent words that were just counted.
    pub(crate) fn keep(&mut self, chunks: u64, counted: impl Iterator<Item = (String, u64)>) {
        let mut frequent = counted.filter(|(_, count)| *count >= FREQUENT).peekable();
        if frequent.peek().is_none() {
            return;
        }
        if self.counted.as_ref().is_none_or(|counted| !counted.is_of(chunks)) {
            *self = Self::default();
        }
        let new = || Counted { chunks, since: Instant::now(), by_word: HashMap::new() };
        let by_word = &mut self.counted.get_or_insert_with(new).by_word;
        for (word, count) in frequent {
            let bytes = word.len() + OVERHEAD;
            if self.bytes + bytes <= MAX_BYTES && by_word.insert(word.into(), count).is_none() {
                self.bytes += bytes;
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> [String; 3] {
        ["open", "rare", "close"].map(str::to_owned)
    }

    fn counted() -> Frequencies {
        let mut frequencies = Frequencies::default();
        frequencies.keep(50_000, words().into_iter().zip([FREQUENT, FREQUENT - 1, 9_000]));
        frequencies
    }

    #[test]
    fn frequent_words_are_kept_while_the_content_is_about_as_large() {
        let mut frequencies = counted();
        for (chunks, expected) in [
            (50_000, [Some(FREQUENT), None, Some(9_000)]),
            (50_500, [Some(FREQUENT), None, Some(9_000)]),
            (49_499, [None; 3]),
            (0, [None; 3]),
        ] {
            assert_eq!(frequencies.of(chunks, &words()), expected, "{chunks}");
        }
        // Counts of other content are not mixed with them.
        frequencies.keep(60_000, [("close".to_owned(), 8_000)].into_iter());
        assert_eq!(frequencies.of(60_000, &words()), [None, None, Some(8_000)]);
        assert_eq!(frequencies.bytes(), "close".len() + OVERHEAD);
    }

    #[test]
    fn counts_become_old() {
        let mut frequencies = counted();
        let counted = frequencies.counted.as_mut().unwrap();
        counted.since = counted.since.checked_sub(COUNTS).unwrap();
        assert_eq!(frequencies.of(50_000, &words()), [None; 3]);
    }

    #[test]
    fn the_words_of_a_chatbot_are_limited() {
        let mut frequencies = counted();
        let before = frequencies.bytes();
        frequencies.keep(50_000, [("a".repeat(MAX_BYTES), FREQUENT), ("b".to_owned(), FREQUENT)].into_iter());
        assert_eq!(frequencies.bytes(), before + 1 + OVERHEAD);
    }
}
