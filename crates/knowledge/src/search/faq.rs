//! Promotion of FAQ items that ask the visitor's question: their answer is the answer.

use std::collections::BTreeSet;

use super::rank::Scored;
use crate::analyze::{Morphology, fold, question_words};
use crate::source_type::SourceType;

/// Share of common words from which two questions count as the same.
const SAME: f64 = 0.8;

/// Moves the item that asks the visitor's question to the front and marks it.
pub(super) fn promote(ranked: &mut Vec<Scored>, question: &str, languages: &[Morphology]) {
    let best = ranked
        .iter()
        .enumerate()
        .filter(|(_, scored)| scored.candidate.source_type == SourceType::Faq)
        .map(|(place, scored)| (place, likeness(scored, question, languages)))
        .filter(|(_, likeness)| *likeness >= SAME)
        .max_by(|left, right| left.1.total_cmp(&right.1).then(right.0.cmp(&left.0)));
    if let Some((place, _)) = best {
        let mut scored = ranked.remove(place);
        scored.exact_answer = true;
        scored.score = ranked.first().map_or(scored.score, |first| first.score.max(scored.score));
        ranked.insert(0, scored);
    }
}

/// Returns how similar the visitor's question is to an item's questions: 2 if the letters are the same, else
/// the share of common words.
fn likeness(scored: &Scored, question: &str, languages: &[Morphology]) -> f64 {
    let wanted = letters(question);
    let words = words(question, languages);
    std::iter::once(scored.candidate.title.as_str())
        .chain(scored.candidate.headings.lines())
        .map(|item| {
            if !wanted.is_empty() && letters(item) == wanted {
                2.0
            } else {
                shared(&words, &self::words(item, languages))
            }
        })
        .fold(0.0, f64::max)
}

fn letters(text: &str) -> String {
    fold(&text.to_lowercase()).chars().filter(|character| character.is_alphanumeric()).collect()
}

fn words(text: &str, languages: &[Morphology]) -> BTreeSet<String> {
    question_words(text, languages)
        .into_iter()
        .filter_map(|word| word.terms.into_iter().next())
        .filter(|term| !term.alias && !term.filler)
        .map(|term| term.text)
        .collect()
}

/// Returns the Jaccard similarity, or 0 if there is only one common word, which proves nothing.
fn shared(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let common = left.intersection(right).count();
    if common < 2 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "questions have a few dozen words")]
    let share = common as f64 / left.union(right).count() as f64;
    share
}
