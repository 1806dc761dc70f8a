//! Words of a question's subject that a window lacks: the features of a near miss.
//!
//! "Do you sell cars?" finds a shop that sells plants and has a charging point for cars. Each word is on the
//! site, but no text has both, and the last word, which is usually the object, is not where the first one is.

use super::facts::Facts;
use super::features::Question;
use super::windows::{Source, Window};

/// How many of the words for the subject of a question a window has. By default there are no such words.
#[derive(Debug, Default)]
pub(super) struct Subject {
    /// The number of words.
    pub(super) words: u32,
    /// Their share, by rarity, that neither the window nor the headings above it have.
    pub(super) missing: f64,
    /// The share of those of them that are elsewhere on the site.
    pub(super) missing_here: f64,
    /// The share that the window has, but not in the sentence that has most of them.
    pub(super) scattered: f64,
    /// Whether the last word is missing.
    pub(super) is_last_missing: bool,
    /// Whether the last word is in a heading at most.
    pub(super) is_last_outside: bool,
    /// The rarity of the rarest missing word; about 1 for a word that the site does not have.
    pub(super) rarest_missing: f64,
    /// The mean share of the site's chunks that have the words that were found.
    pub(super) commonness: f64,
}

/// The rarity of a word that a small site does not have.
const GREATEST_RARITY: f64 = 4.0;

impl Subject {
    /// Looks for the words with the bits `subject` in a window of `source`.
    pub(super) fn of(
        question: &Question,
        subject: u64,
        facts: &Facts,
        window: &Window,
        source: &Source<'_>,
    ) -> Self {
        if subject == 0 {
            return Self::default();
        }
        let above = facts.section_words | source.heading_words;
        let found = subject & (facts.words | above);
        let missing = subject & !found;
        let rarity = |words: u64| bits(words).map(|index| question.rarity[index]);
        let all = rarity(subject).sum::<f64>().max(f64::MIN_POSITIVE);
        let share = |words: u64| rarity(words).sum::<f64>() / all;
        let run = &source.segments[window.segments.clone()];
        let together = run.iter().map(|segment| share(subject & (segment.words | above)));
        let last = 1_u64 << (u64::BITS - 1 - subject.leading_zeros());
        let common: f64 = bits(found).map(|index| question.commonness[index]).sum();
        Self {
            words: subject.count_ones(),
            missing: share(missing),
            missing_here: share(missing & question.known),
            scattered: share(found) - together.fold(0.0, f64::max),
            is_last_missing: last & missing != 0,
            is_last_outside: last & !facts.words != 0,
            rarest_missing: rarity(missing).fold(0.0, f64::max) / GREATEST_RARITY,
            commonness: common / f64::from(found.count_ones().max(1)),
        }
    }
}

/// Returns the places of the bits that are set.
fn bits(words: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |index| words & (1 << index) != 0)
}
