//! Made-up websites: English words, then invented ones for names and products, as frequent as words are
//! (Zipf's law), the same in each run. Invented words alone would have several times the tokens of real ones,
//! and embedding costs by the token.

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;

/// Words that are not invented, the most frequent first.
const FUNCTION_WORDS: [&str; 24] = [
    "the", "of", "and", "to", "in", "a", "is", "for", "that", "with", "on", "it", "as", "you", "are", "our",
    "we", "by", "your", "from", "at", "or", "be", "this",
];
/// The words of this repository's own documentation that stand there more than once, the most frequent first.
const CONTENT_WORDS: &str = include_str!("content/words.txt");
/// How many invented words there are.
const INVENTED_WORDS: usize = 10_000;
const SYLLABLES: [&str; 20] = [
    "bar", "cel", "dom", "fen", "gor", "hal", "jin", "kel", "lor", "mar", "nep", "oth", "pol", "quin", "ros",
    "sel", "tam", "ul", "ver", "wyn",
];

/// The words, with a source of chance.
#[derive(Debug)]
pub(crate) struct Author {
    words: Vec<String>,
    /// The share of each word and of all before it.
    shares: Vec<f64>,
    chance: Rng,
}

impl Author {
    /// An author who writes the same texts in each run.
    pub(crate) fn new() -> Self {
        let mut chance = Rng::with_seed(7);
        let mut invented = BTreeSet::new();
        let mut words: Vec<String> =
            FUNCTION_WORDS.into_iter().chain(CONTENT_WORDS.lines()).map(str::to_owned).collect();
        let known = words.len();
        while words.len() < known + INVENTED_WORDS {
            let syllables = chance.usize(2..=4);
            let word: String = (0..syllables).map(|_| SYLLABLES[chance.usize(..SYLLABLES.len())]).collect();
            if invented.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut shares: Vec<f64> = Vec::with_capacity(words.len());
        let mut sum = 0.0;
        let mut rank = 0.0;
        for _ in &words {
            rank += 1.0;
            sum += 1.0 / (rank + 2.7);
            shares.push(sum);
        }
        for share in &mut shares {
            *share /= sum;
        }
        Self { words, shares, chance }
    }

    fn word(&mut self) -> &str {
        let at = self.chance.f64();
        let index = self.shares.partition_point(|share| *share < at);
        &self.words[index.min(self.words.len() - 1)]
    }

    /// A word that is sought when it stands in a question.
    fn content_word(&mut self) -> String {
        loop {
            let word = self.word().to_owned();
            if !FUNCTION_WORDS.contains(&&*word) {
                return word;
            }
        }
    }

    fn sentence(&mut self) -> String {
        let mut text = format!("The {}", self.content_word());
        for _ in 0..self.chance.usize(8..18) {
            let word = self.word().to_owned();
            text.push(' ');
            text.push_str(&word);
        }
        text + ". "
    }

    /// A page of about 300 words under three headings.
    pub(crate) fn page(&mut self, links: &str) -> String {
        let mut html = format!(
            "<!doctype html><html lang=en><head><title>{} {}</title></head><body><main>",
            self.content_word(),
            self.content_word()
        );
        for level in [1, 2, 2] {
            let _ = write!(html, "<h{level}>{} {}</h{level}><p>", self.content_word(), self.content_word());
            for _ in 0..7 {
                html.push_str(&self.sentence());
            }
            html.push_str("</p>");
        }
        let _ = write!(html, "{links}</main></body></html>");
        html
    }

    /// A question with three content words.
    pub(crate) fn question(&mut self) -> String {
        format!("What is the {} of the {} {}?", self.content_word(), self.content_word(), self.content_word())
    }
}
