//! Features of an answer: what the decision to give it or to refuse is based on.

use frontdesk_knowledge::Attribute;

use super::features::{Facts, Question, WINDOW};
use super::windows::{Source, Window};
use crate::task::Task;

/// Names of the features of an answer, in the order of [`answer`].
pub(crate) const ANSWER: [&str; 32] = [
    "score",
    "score_second",
    "similarity",
    "lexical",
    "coverage",
    "words",
    "words_with_headings",
    "unknown_words",
    "rarest_word",
    "nearness_best",
    "nearness_mean",
    "attribute_given",
    "attribute_missing",
    "day_missing",
    "day_given",
    "few_words",
    "window_score",
    "cosine",
    "cosine_deviations",
    "segment_deviations",
    "similarity_gap",
    "long_question",
    "contact_given",
    "contact_missing",
    "hours_given",
    "hours_missing",
    "price_given",
    "price_missing",
    "nearness_of_all",
    "words_of_all",
    "words_with_headings_of_all",
    "size",
];

/// The features of a window that an answer has as well.
const SHARED: [&str; 6] =
    ["contact_given", "contact_missing", "hours_given", "hours_missing", "price_given", "price_missing"];

/// The features of which the greatest value of all windows counts.
const GREATEST: [&str; 3] = ["nearness_best", "words", "words_with_headings"];

/// As many chunks as the smallest site has on which the weights were trained. Fewer count as so many.
const LEAST_CHUNKS: usize = 20;

/// A window with its score and features.
#[derive(Debug)]
pub(super) struct Scored {
    pub(super) window: Window,
    pub(super) score: f64,
    pub(super) features: [f64; WINDOW.len()],
}

/// Returns the features of the decision to answer with `lead`, the best of all windows.
#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
pub(super) fn answer(
    question: &Question,
    lead: &Scored,
    all: &[Scored],
    sources: &[Source<'_>],
    task: &Task,
) -> [f64; ANSWER.len()] {
    let source = &sources[lead.window.source];
    let facts = Facts::of(&lead.window, sources);
    let relevance = &source.passage.relevance;
    let best = |value: &dyn Fn(&Source<'_>) -> f64| sources.iter().map(value).fold(0.0, f64::max);
    let passages = &task.retrieval.passages;
    let flag = |condition: bool| f64::from(u8::from(condition));
    let wanted = question.asked.intersection(facts.given);
    let has_days = !question.asked.days.is_empty();
    let covers_days = facts.given.days.covers(question.asked.days);
    let unknown = question.share(!question.known);
    let cosines = task.retrieval.support.cosines;
    let deviation = cosines.map_or(0.01, |cosines| cosines.deviation.max(0.01));
    let nearness = facts.nearness_best.unwrap_or_default();
    let mut similarities: Vec<f64> =
        passages.iter().filter_map(|passage| passage.relevance.similarity).collect();
    similarities.sort_by(|left, right| right.total_cmp(left));
    let words = facts.words | facts.section_words | source.heading_words;
    let shared = SHARED.map(|name| lead.features[place(name)]);
    let greatest =
        GREATEST.map(|name| all.iter().map(|scored| scored.features[place(name)]).fold(0.0, f64::max));
    [
        best(&|source| source.passage.score),
        passages.get(1).map_or(0.0, |passage| passage.score),
        best(&|source| source.passage.relevance.similarity.unwrap_or_default()),
        relevance.lexical,
        task.retrieval.support.coverage,
        question.share(facts.words),
        question.share(words),
        unknown,
        flag(question.rarest & words != 0),
        nearness,
        facts.nearness_mean.unwrap_or_default(),
        flag(!wanted.is_empty()),
        flag(!question.asked.is_empty() && wanted.is_empty()),
        flag(has_days && !covers_days),
        flag(has_days && covers_days && facts.given.contains(Attribute::Hours)),
        flag(question.rarity.len() <= 1),
        lead.score,
        cosines.map_or(0.0, |cosines| cosines.best),
        cosines.map_or(0.0, |cosines| (cosines.best - cosines.mean) / deviation),
        cosines.map_or(0.0, |_| 0.12 * nearness / deviation),
        similarities.first().copied().unwrap_or_default() - similarities.get(1).copied().unwrap_or_default(),
        flag(question.rarity.len() >= 6),
        shared[0],
        shared[1],
        shared[2],
        shared[3],
        shared[4],
        shared[5],
        greatest[0],
        greatest[1],
        greatest[2],
        cosines.map_or(0.0, |cosines| (cosines.count.max(LEAST_CHUNKS) as f64).ln()),
    ]
}

/// Returns the place of a feature of windows.
fn place(name: &str) -> usize {
    WINDOW.iter().position(|other| *other == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_as_those_of_windows() {
        assert!(SHARED.iter().chain(&GREATEST).all(|name| WINDOW.contains(name)));
        assert!(SHARED.iter().all(|name| ANSWER.contains(name)));
    }
}
